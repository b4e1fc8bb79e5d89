/* dent/impact_io.h — optional library dent_io: files of impact queries with exact rational coordinates.
 *
 * The format of the public continuous-collision benchmarks. There is no header. A query has 8 lines, one per vertex
 * position: the four vertices at t0, then the same at t1. The columns are x numerator, x denominator, y numerator, y
 * denominator, z numerator, z denominator. An optional seventh column has the true result, 1 or 0, the same in all 8
 * lines. Vertex-face queries give v, f0, f1, f2, edge-edge queries a0, a1, b0, b1. Every rational must be exactly a
 * double; any other fails with file and line and is never rounded. Files may be compressed with gzip or xz if the build
 * has them (ending .gz or .xz).
 *
 * Threads: any, each call on its own. Failure: a status, and one line in the context's message.
 */
#ifndef DENT_IMPACT_IO_H
#define DENT_IMPACT_IO_H

#include <dent/impact.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct dent_impact_query {
    double points_t0[4][3], points_t1[4][3]; /**< in the order of dent_impact_test */
} dent_impact_query;

typedef struct dent_impact_queries {
    dent_impact_kind kind;
    uint32_t count;
    const dent_impact_query *queries;
    const uint8_t *truth; /**< 1 meets, 0 does not; null: no true results were found */
    void *storage;        /**< private */
} dent_impact_queries;

typedef struct dent_impact_queries_def {
    size_t struct_size;
    dent_impact_kind kind; /**< 0 (default): from the path, the last of its parts that contains `vertex-face` or `vf`,
                              `edge-edge` or `ee`, as a separate word (227ee.csv, edge-edge/data.csv) */
    const char
        *truth; /**< a file with a JSON array of booleans, one per query. Null (default): the seventh column, or, if
                   there is none, ../mma_bool/NAME_mma_bool.json beside the folder of the file, also with .xz or .gz */
    uint64_t memory_limit; /**< as in dent_mesh_read_def */
} dent_impact_queries_def;
DENT_API dent_impact_queries_def dent_impact_queries_def_default(void);

/** Reads a file. Null def: defaults. Missing true results are no error: truth is null. *queries is written on success
 * only; release it with dent_impact_queries_destroy. */
DENT_API dent_status dent_impact_queries_read(dent_context *context, const char *path,
                                              const dent_impact_queries_def *def, dent_impact_queries **queries);

/** Does the same from memory. `name` is used in messages and gives kind and compression. `truth` of the def may name a
 * file, but none is searched for. */
DENT_API dent_status dent_impact_queries_read_memory(dent_context *context, const char *name, const void *bytes,
                                                     size_t size, const dent_impact_queries_def *def,
                                                     dent_impact_queries **queries);
DENT_API void dent_impact_queries_destroy(dent_context *context, dent_impact_queries *queries);

#ifdef __cplusplus
}
#endif

#endif
