/* The paper's plain algorithm, beside the method of spatial_hash.c: for the experiments and as the measure of progress.
 */
#ifndef DENT_METHODS_SPATIAL_HASH_PAPER_H
#define DENT_METHODS_SPATIAL_HASH_PAPER_H

#include "methods/interface/method_interface.h"

struct spatial_hash_paper; /* the table, kept between queries: its time stamps make clearing needless */

/* False when memory runs out. */
bool spatial_hash_paper_create(dent_context *context, struct spatial_hash_paper **paper);
void spatial_hash_paper_destroy(dent_context *context, struct spatial_hash_paper *paper);

dent_status spatial_hash_paper_search(struct spatial_hash_paper *paper, const struct search_request *request,
                                      struct candidate_sink *sink);

#endif
