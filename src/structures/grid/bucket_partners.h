/* Which bodies may meet which: the bodies themselves in buckets, so that finding neighbours is O(n) too. */
#ifndef DENT_STRUCTURES_BUCKET_PARTNERS_H
#define DENT_STRUCTURES_BUCKET_PARTNERS_H

#include "base/containers/dynamic_array.h"
#include "structures/grid/body_buckets.h"

struct bucket_partners {
    struct dynamic_array
        start;                 /* uint32_t: by body index, and one more; the partners of a body are a range of `list` */
    struct dynamic_array list; /* uint32_t: body indices; a body is its own partner when it may meet itself */
};

void bucket_partners_init(struct bucket_partners *partners, dent_context *context);
void bucket_partners_destroy(struct bucket_partners *partners);

/* Bodies whose boxes meet (closed) and whose filters let them, by body index of `trees`. False when memory runs out. */
bool bucket_partners_find(struct bucket_partners *partners, const struct snapshot *snapshot,
                          const struct body_buckets *trees, const struct packet_kernels *kernels,
                          struct arena *scratch);

#endif
