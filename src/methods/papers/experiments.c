/* The defaults of all experiments: none. */
#include <dent/experimental.h>

dent_experiments dent_experiments_default(void)
{
    return (dent_experiments){.struct_size = sizeof(dent_experiments), .bucket_tree = {.bucket_fill = 2}};
}
