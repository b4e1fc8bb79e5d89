/* The two forms of the spatial hash meet here: spatial_hash.c is the method, spatial_hash_paper.c the paper's plain algorithm, for the
 * experiments and as the measure of progress.
 */
#ifndef DENT_METHODS_SPATIAL_HASH_FORM_H
#define DENT_METHODS_SPATIAL_HASH_FORM_H

#include "methods/method_interface.h"

struct spatial_hash_paper; /* the table, kept between queries: its time stamps make clearing needless */

/* False when memory runs out. */
bool spatial_hash_paper_create(dent_context *context, struct spatial_hash_paper **paper);
void spatial_hash_paper_destroy(dent_context *context, struct spatial_hash_paper *paper);

dent_status spatial_hash_paper_search(struct spatial_hash_paper *paper, const struct search_request *request, struct candidate_sink *sink);

#endif
