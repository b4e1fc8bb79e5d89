/* Vertices as float records. See float_space.h. */
#include "structures/boxes/float_space.h"

#include <math.h>

#include "base/radix_sort.h"
#include "geometry/numbers/bounds.h"

void vertex_numbering_init(struct vertex_numbering *numbering, dent_context *context)
{
    array_init(&numbering->first, context, sizeof(uint32_t));
    array_init(&numbering->body, context, sizeof(uint32_t));
    array_init(&numbering->canonical, context, sizeof(uint32_t));
    numbering->count = 0;
}

void vertex_numbering_destroy(struct vertex_numbering *numbering)
{
    array_destroy(&numbering->first);
    array_destroy(&numbering->body);
    array_destroy(&numbering->canonical);
}

/* Vertices with equal identities get the number of the first of them. */
static bool number_ties(struct vertex_numbering *numbering, const struct snapshot *snapshot, struct arena *scratch)
{
    struct arena_mark mark = arena_mark(scratch);
    size_t count = numbering->count;
    uint64_t *keys = arena_allocate(scratch, count, 2 * sizeof *keys);
    uint32_t *order = arena_allocate(scratch, count, 2 * sizeof *order);
    uint32_t *canonical = array_extend(&numbering->canonical, count);
    bool enough = keys && order && canonical;
    for (uint32_t body_index = 0, number = 0; enough && body_index < snapshot->body_count; body_index++) {
        const struct body *body = snapshot->bodies[body_index].body;
        for (uint32_t vertex = 0; vertex < body->vertex_count; vertex++, number++) {
            keys[number] = body_identity(body, vertex);
            order[number] = number;
        }
    }
    if (enough) {
        radix_sort_u64(keys, order, keys + count, order + count, count);
        for (size_t i = 0; i < count; i++) {
            canonical[order[i]] = i > 0 && keys[i] == keys[i - 1] ? canonical[order[i - 1]] : order[i];
        }
    }
    arena_rewind(scratch, mark);
    return enough;
}

bool vertex_numbering_build(struct vertex_numbering *numbering, const struct snapshot *snapshot, struct arena *scratch,
                            bool *too_many)
{
    uint64_t count = 0;
    bool ties = false;
    for (uint32_t body_index = 0; body_index < snapshot->body_count; body_index++) {
        count += snapshot->bodies[body_index].body->vertex_count;
        ties |= snapshot->bodies[body_index].body->identities != NULL;
    }
    *too_many = count >= UINT32_MAX;
    array_clear(&numbering->first);
    array_clear(&numbering->body);
    array_clear(&numbering->canonical);
    uint32_t *first = *too_many ? NULL : array_extend(&numbering->first, (size_t)snapshot->body_count + 1);
    uint32_t *body = first ? array_extend(&numbering->body, count) : NULL;
    if (!body) {
        return false;
    }
    numbering->count = 0;
    for (uint32_t body_index = 0; body_index < snapshot->body_count; body_index++) {
        first[body_index] = numbering->count;
        for (uint32_t vertex = 0; vertex < snapshot->bodies[body_index].body->vertex_count; vertex++) {
            body[numbering->count++] = body_index;
        }
    }
    first[snapshot->body_count] = numbering->count;
    return !ties || number_ties(numbering, snapshot, scratch);
}

/* Bounds of all used vertices; false when there is none. */
static bool world_bounds(const struct snapshot *snapshot, double lo[3], double hi[3])
{
    bounds_clear(lo, hi);
    for (uint32_t body_index = 0; body_index < snapshot->body_count; body_index++) {
        const struct body_snapshot *body_snapshot = &snapshot->bodies[body_index];
        if (body_snapshot->lo[0] <= body_snapshot->hi[0]) {
            bounds_add(lo, hi, body_snapshot->lo, body_snapshot->hi);
        }
    }
    return lo[0] <= hi[0];
}

double half_extent_of(const struct snapshot *snapshot)
{
    double lo[3], hi[3], extent = 0;
    if (!world_bounds(snapshot, lo, hi)) {
        return 0;
    }
    for (int axis = 0; axis < 3; axis++) {
        double half = hi[axis] / 2 - lo[axis] / 2;
        extent = half > extent ? half : extent;
    }
    return extent;
}

enum { BLOCK_VERTICES = 8192 };

struct mapping {
    const struct vertex_numbering *numbering;
    const struct snapshot *snapshot;
    struct point_record *points;
    double centre[3];
    double first, second; /* two factors, because one power of two cannot reach from the smallest subnormal to 1 */
};

static float map_affine(const struct mapping *mapping, double x, int axis)
{
    return (float)((x - mapping->centre[axis]) * mapping->first * mapping->second);
}

static void map_block(void *data, uint32_t block, uint32_t worker)
{
    (void)worker;
    const struct mapping *mapping = data;
    const struct vertex_numbering *numbering = mapping->numbering;
    uint32_t begin = block * BLOCK_VERTICES;
    uint32_t end = numbering->count - begin > BLOCK_VERTICES ? begin + BLOCK_VERTICES : numbering->count;
    const uint32_t *canonical = numbering->canonical.count ? numbering->canonical.data : NULL;
    for (uint32_t number = begin; number < end;) {
        uint32_t body_index = body_of_vertex(numbering, number);
        uint32_t first = first_vertex(numbering, body_index), last = first_vertex(numbering, body_index + 1);
        last = last < end ? last : end;
        const double(*xyz)[3] = mapping->snapshot->bodies[body_index].xyz;
        for (; number < last; number++) {
            const double *x = xyz[number - first];
            mapping->points[number] = (struct point_record){
                {map_affine(mapping, x[0], 0), map_affine(mapping, x[1], 1), map_affine(mapping, x[2], 2)},
                canonical ? canonical[number] : number};
        }
    }
}

/* Overwrites the positions by ordinals; equal coordinates have equal ordinals. */
static bool map_ordinals(struct point_record *points, const struct vertex_numbering *numbering,
                         const struct snapshot *snapshot, struct arena *scratch)
{
    struct arena_mark mark = arena_mark(scratch);
    size_t count = numbering->count;
    uint64_t *keys = arena_allocate(scratch, count, 2 * sizeof *keys);
    uint32_t *order = arena_allocate(scratch, count, 2 * sizeof *order);
    for (int axis = 0; keys && order && axis < 3; axis++) {
        for (uint32_t number = 0; number < count; number++) {
            uint32_t body_index = body_of_vertex(numbering, number);
            keys[number] = radix_key_of_double(
                snapshot->bodies[body_index].xyz[number - first_vertex(numbering, body_index)][axis]);
            order[number] = number;
        }
        radix_sort_u64(keys, order, keys + count, order + count, count);
        double value = -1, step = 2.0 / (double)count;
        for (size_t i = 0; i < count; i++) {
            value = i > 0 && keys[i] == keys[i - 1] ? value : (double)i * step - 1;
            points[order[i]].position[axis] = (float)value;
        }
    }
    arena_rewind(scratch, mark);
    return keys && order;
}

bool float_space_build(struct float_space *space, const struct vertex_numbering *numbering,
                       const struct snapshot *snapshot, dent_context *context, bool ordinals, struct arena *scratch)
{
    struct mapping mapping = {.numbering = numbering, .snapshot = snapshot};
    double lo[3], hi[3];
    bool any = world_bounds(snapshot, lo, hi);
    int exponent = 0;
    double half = half_extent_of(snapshot);
    frexp(half, &exponent);
    ordinals = ordinals || half < SMALLEST_AFFINE;
    for (int axis = 0; axis < 3; axis++) {
        mapping.centre[axis] = any ? lo[axis] / 2 + hi[axis] / 2 : 0;
    }
    mapping.first = ldexp(1.0, -exponent / 2);
    mapping.second = ldexp(1.0, -exponent - -exponent / 2);
    *space = (struct float_space){.ordinals = ordinals, .exponent = -exponent};
    space->points = mapping.points = arena_allocate(scratch, numbering->count, sizeof *space->points);
    if (!space->points) {
        return false;
    }
    dent_parallel_for(context, numbering->count / BLOCK_VERTICES + (numbering->count % BLOCK_VERTICES != 0), map_block,
                      &mapping);
    return !ordinals || map_ordinals(space->points, numbering, snapshot, scratch);
}

int flat_axes(const double (*xyz)[3], uint32_t first, const uint32_t *corners, uint32_t count)
{
    int flat = 0;
    for (int axis = 0; axis < 3; axis++) {
        bool same = true;
        for (uint32_t k = 1; k < count; k++) {
            same &= xyz[corners[k] - first][axis] == xyz[corners[0] - first][axis];
        }
        flat += same;
    }
    return flat;
}
