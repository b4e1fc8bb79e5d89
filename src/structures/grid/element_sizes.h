/* How large the elements of a world are, roughly. */
#ifndef DENT_STRUCTURES_ELEMENT_SIZES_H
#define DENT_STRUCTURES_ELEMENT_SIZES_H

#include "bodies/snapshot.h"

enum { ELEMENT_SIZE_EXPONENTS = 2200 };

/* Lower quartile of the sizes (largest edge of the box) of a sample of the elements of each body, to a factor of two; 0
 * when there are none. `histogram`: working memory, zero. */
double typical_element_size(const struct snapshot *snapshot, uint32_t histogram[ELEMENT_SIZE_EXPONENTS]);

#endif
