/* The sphere-of-influence graph: an edge between two points whose spheres meet, where the sphere of a point reaches to
 * its k-th neighbour (Klein and Zachmann 2004). Then two kinds of edges are left out:
 *
 *   long    longer than Q3 + 1.5 (Q3 - Q1) of the lengths around it; the quartiles are the means of those of a point and
 *           of its neighbours, which stands for the quartiles of the two-ring and costs a thirtieth
 *   across  the normals at both ends are parallel, and both ends lie off the other's tangent plane by more than
 *           ACROSS_SPACINGS spacings: two sheets that lie close together, which distances alone cannot tell apart
 *
 * In: a neighbour search. Out: edges in CSR form, each from both ends. An edge is found from the larger of its spheres,
 * so no search needs to reach farther than twice the radius of its point. */
#include "clouds/cloud_data.h"

#include "base/block_output.h"
#include "neighbours/neighbours_data.h"

#include <string.h>

enum { LEAVES_A_BLOCK = SLOTS_A_BLOCK / NEIGHBOUR_LANES, NEIGHBOURS_MOST = 64, PRUNE_PASSES = 3 };

#define ROUNDED_LENGTHS (1.0 + 1e-9) /* limits are means of roots: edges of one length are all kept */
#define ACROSS_PARALLEL 0.8
#define ACROSS_SPACINGS 0.5

/* ---- spheres ----------------------------------------------------------------------------------------------------- */

static void begin_leaf(const dent_neighbours *points, uint32_t leaf, struct neighbour_group *group)
{
    uint32_t first = leaf * NEIGHBOUR_LANES;
    memcpy(group->place, points->leaves[leaf].point, sizeof group->place);
    group->used = points->count - first < NEIGHBOUR_LANES ? points->count - first : NEIGHBOUR_LANES;
    group->first_leaf = leaf;
    neighbour_group_box(group);
    for (uint32_t lane = 0; lane < NEIGHBOUR_LANES; lane++) {
        group->limit[lane] = lane < group->used ? INFINITY : -1.0;
        group->counts[lane] = 0;
        group->own[lane] = points->indices[first + lane];
        for (uint32_t i = 0; i < NEIGHBOUR_LANES; i++) {
            group->short_distances[lane][i] = group->short_indices[lane][i] = INFINITY;
        }
    }
}

struct sphere_work {
    dent_neighbours *points;
    const struct neighbour_kernels *kernels;
    struct cloud_spheres *spheres;
    uint32_t k;
};

static void end_leaf(const struct sphere_work *work, uint32_t leaf, const struct neighbour_group *group)
{
    bool is_short = work->k <= NEIGHBOUR_LANES;
    for (uint32_t lane = 0; lane < group->used; lane++) {
        uint32_t slot = leaf * NEIGHBOUR_LANES + lane, count = 0;
        const double *distances = is_short ? group->short_distances[lane] : group->distances[lane];
        while (count < work->k &&
               (is_short ? group->short_indices[lane][count] < INFINITY : count < group->counts[lane])) {
            count++;
        }
        work->spheres->radius[slot] = count ? sqrt(distances[count - 1]) : 0.0;
        work->spheres->nearest_distance[slot] = count ? sqrt(distances[0]) * work->spheres->unscale : INFINITY;
        work->spheres->nearest[slot] = !count     ? UINT32_MAX
                                       : is_short ? (uint32_t)group->short_indices[lane][0]
                                                  : group->indices[lane][0];
    }
}

static void sphere_block(void *data, uint32_t block, uint32_t worker)
{
    const struct sphere_work *work = data;
    double distances[NEIGHBOUR_LANES][NEIGHBOURS_MOST];
    uint32_t indices[NEIGHBOUR_LANES][NEIGHBOURS_MOST];
    (void)worker;
    uint32_t end = (block + 1) * LEAVES_A_BLOCK;
    end = end < work->points->tree.leaf_count ? end : work->points->tree.leaf_count;
    for (uint32_t leaf = block * LEAVES_A_BLOCK; leaf < end; leaf++) {
        struct neighbour_group group;
        begin_leaf(work->points, leaf, &group);
        group.capacity = work->k;
        for (uint32_t lane = 0; lane < NEIGHBOUR_LANES; lane++) {
            group.distances[lane] = distances[lane];
            group.indices[lane] = indices[lane];
        }
        work->kernels->nearest(&work->points->tree, &group);
        end_leaf(work, leaf, &group);
    }
}

dent_status cloud_find_spheres(dent_neighbours *points, uint32_t k, struct cloud_spheres *spheres)
{
    struct sphere_work work = {points, neighbour_kernels_for(dent_context_isa(points->context)), spheres, k};
    spheres->unscale = ldexp(1.0, -points->scale_exponent);
    return dent_parallel_for(points->context, cloud_blocks(points->count), sphere_block, &work);
}

/* ---- edges ------------------------------------------------------------------------------------------------------- */

/* A slot and those of a leaf it has edges with, found from the larger sphere. */
struct found_edges {
    uint32_t leaf;
    uint16_t from; /* in its block */
    uint8_t lanes;
};

struct edge_work {
    dent_cloud *cloud;
    const dent_neighbours *points;
    const struct neighbour_kernels *kernels;
    const double *radius;
    uint32_t *counts; /* of each slot's edges */
    struct block_output found;
};

struct edge_visit {
    struct edge_work *work;
    uint32_t leaf, block;
};

static bool is_foreign(const struct found_edges *edges, uint32_t block)
{
    return edges->leaf / LEAVES_A_BLOCK != block;
}

static bool keep_edges(void *data, uint32_t lane, uint32_t leaf, uint32_t bits)
{
    const struct edge_visit *visit = data;
    uint32_t from = visit->leaf % LEAVES_A_BLOCK * NEIGHBOUR_LANES + lane;
    struct found_edges edges = {leaf, (uint16_t)from, (uint8_t)bits};
    uint32_t *counts = visit->work->counts;
    counts[visit->block * SLOTS_A_BLOCK + from] += (uint32_t)__builtin_popcount(bits);
    for (; bits && !is_foreign(&edges, visit->block); bits &= bits - 1) {
        counts[leaf * NEIGHBOUR_LANES + (uint32_t)__builtin_ctz(bits)]++;
    }
    return block_output_append(&visit->work->found, visit->block, &edges, 1);
}

static void edge_block(void *data, uint32_t block, uint32_t worker)
{
    struct edge_work *work = data;
    (void)worker;
    uint32_t end = (block + 1) * LEAVES_A_BLOCK;
    end = end < work->points->tree.leaf_count ? end : work->points->tree.leaf_count;
    for (uint32_t slot = block * SLOTS_A_BLOCK; slot < cloud_block_end(work->points->count, block); slot++) {
        work->counts[slot] = 0;
    }
    for (uint32_t leaf = block * LEAVES_A_BLOCK; leaf < end; leaf++) {
        struct neighbour_group group;
        begin_leaf(work->points, leaf, &group);
        for (uint32_t lane = 0; lane < group.used; lane++) {
            double reach = 2.0 * work->radius[leaf * NEIGHBOUR_LANES + lane];
            group.limit[lane] = reach * reach;
        }
        struct edge_visit visit = {work, leaf, block};
        if (!work->kernels->meetings(&work->points->tree, &group, work->radius, keep_edges, &visit)) {
            return; /* no memory: block_output_failed() says so */
        }
    }
}

/* Calls `take` with each of a block's records. */
static void each_record(struct edge_work *work, uint32_t block,
                        void take(struct edge_work *work, uint32_t block, const struct found_edges *edges))
{
    struct record_run run = block_output_first(&work->found, block);
    for (; run.count; run = block_output_next(&run)) {
        const struct found_edges *edges = run.records;
        for (size_t i = 0; i < run.count; i++) {
            take(work, block, &edges[i]);
        }
    }
}

static void count_foreign(struct edge_work *work, uint32_t block, const struct found_edges *edges)
{
    for (uint32_t bits = is_foreign(edges, block) ? edges->lanes : 0; bits; bits &= bits - 1) {
        work->counts[edges->leaf * NEIGHBOUR_LANES + (uint32_t)__builtin_ctz(bits)]++;
    }
}

static void put_edge(struct edge_work *work, uint32_t from, uint32_t to)
{
    work->cloud->edges[work->cloud->first[from] + work->counts[from]++] = to;
}

static void put_own(struct edge_work *work, uint32_t block, const struct found_edges *edges)
{
    bool own = !is_foreign(edges, block);
    for (uint32_t bits = edges->lanes, from = block * SLOTS_A_BLOCK + edges->from; bits; bits &= bits - 1) {
        uint32_t to = edges->leaf * NEIGHBOUR_LANES + (uint32_t)__builtin_ctz(bits);
        put_edge(work, from, to);
        if (own) {
            put_edge(work, to, from);
        }
    }
}

static void put_foreign(struct edge_work *work, uint32_t block, const struct found_edges *edges)
{
    for (uint32_t bits = is_foreign(edges, block) ? edges->lanes : 0; bits; bits &= bits - 1) {
        uint32_t to = edges->leaf * NEIGHBOUR_LANES + (uint32_t)__builtin_ctz(bits);
        put_edge(work, to, block * SLOTS_A_BLOCK + edges->from);
    }
}

static void put_block(void *data, uint32_t block, uint32_t worker)
{
    (void)worker;
    each_record(data, block, put_own);
}

/* Each edge from both ends. Blocks fill in what lies within them; the far ends of edges to other blocks come last, on
 * one thread, so that the order does not depend on threads. */
static dent_status fill_edges(struct edge_work *work)
{
    dent_cloud *cloud = work->cloud;
    uint32_t blocks = cloud_blocks(cloud->count);
    uint64_t sum = 0;
    for (uint32_t block = 0; block < blocks; block++) {
        each_record(work, block, count_foreign);
    }
    for (uint32_t slot = 0; slot < cloud->count; slot++) {
        cloud->first[slot] = sum;
        sum += work->counts[slot];
        work->counts[slot] = 0; /* from here on: those filled in */
    }
    cloud->first[cloud->count] = sum;
    cloud->edges = dent_allocate(cloud->context, sum, sizeof *cloud->edges);
    if (!cloud->edges) {
        return DENT_ERROR_OUT_OF_MEMORY;
    }
    cloud->edge_capacity = sum;
    dent_status status = dent_parallel_for(cloud->context, blocks, put_block, work);
    for (uint32_t block = 0; block < blocks && status == DENT_OK; block++) {
        each_record(work, block, put_foreign);
    }
    return status;
}

dent_status cloud_make_graph(dent_cloud *cloud, dent_neighbours *points, const struct cloud_spheres *spheres)
{
    struct edge_work work = {.cloud = cloud,
                             .points = points,
                             .kernels = neighbour_kernels_for(dent_context_isa(points->context)),
                             .radius = spheres->radius,
                             .counts = cloud->part}; /* not yet in use */
    block_output_init(&work.found, cloud->context, sizeof(struct found_edges));
    dent_status status =
        block_output_begin(&work.found, cloud_blocks(points->count)) ? DENT_OK : DENT_ERROR_OUT_OF_MEMORY;
    if (status == DENT_OK) {
        status = dent_parallel_for(cloud->context, cloud_blocks(points->count), edge_block, &work);
    }
    if (status == DENT_OK) {
        status = block_output_failed(&work.found) ? DENT_ERROR_OUT_OF_MEMORY : fill_edges(&work);
    }
    block_output_empty(&work.found);
    block_output_destroy(&work.found);
    return status;
}

/* ---- pruning ----------------------------------------------------------------------------------------------------- */

struct prune_work {
    dent_cloud *cloud;
    double (*quartiles)[2]; /* first and third */
    double *limit;          /* of lengths */
    uint32_t *kept;         /* edges of a slot, the first ones */
    uint64_t (*dropped)[2]; /* of a block: long, across */
};

static void measure_slots(struct prune_work *work, struct shape_slots *slots)
{
    dent_cloud *cloud = work->cloud;
    struct cloud_shape shapes[CLOUD_LANES];
    cloud_measure_shapes(cloud, slots, shapes);
    for (uint32_t i = 0; i < slots->count; i++) {
        uint32_t slot = slots->slot[i];
        cloud->radius[slot] = shapes[i].quartiles[1];
        work->quartiles[slot][0] = shapes[i].quartiles[0];
        work->quartiles[slot][1] = shapes[i].quartiles[2];
        if (!cloud->def.normals.data) {
            memcpy(cloud->normal[slot], shapes[i].normal, sizeof shapes[i].normal);
        }
    }
    slots->count = 0;
}

/* All slots, or those that lost an edge. */
static void measure_some(struct prune_work *work, uint32_t block, bool all)
{
    struct shape_slots slots = {.count = 0};
    uint32_t end = cloud_block_end(work->cloud->count, block);
    for (uint32_t slot = block * SLOTS_A_BLOCK; slot < end; slot++) {
        if (all || work->kept[slot]) {
            slots.slot[slots.count++] = slot;
        }
        if (slots.count == CLOUD_LANES || slot + 1 == end) {
            measure_slots(work, &slots);
        }
    }
}

static void measure_block(void *data, uint32_t block, uint32_t worker)
{
    (void)worker;
    measure_some(data, block, true);
}

static void limit_block(void *data, uint32_t block, uint32_t worker)
{
    struct prune_work *work = data;
    const dent_cloud *cloud = work->cloud;
    (void)worker;
    for (uint32_t slot = block * SLOTS_A_BLOCK; slot < cloud_block_end(cloud->count, block); slot++) {
        double low = work->quartiles[slot][0], high = work->quartiles[slot][1];
        for (uint64_t e = cloud->first[slot]; e < cloud->first[slot + 1]; e++) {
            low += work->quartiles[cloud->edges[e]][0];
            high += work->quartiles[cloud->edges[e]][1];
        }
        double count = 1.0 + cloud_degree(cloud, slot);
        work->limit[slot] = (high + 1.5 * (high - low)) / count;
    }
}

static bool is_long(const struct prune_work *work, uint32_t a, uint32_t b, const double edge[3])
{
    double limit = work->limit[a] < work->limit[b] ? work->limit[a] : work->limit[b];
    return cloud_dot_product(edge, edge) > limit * limit * ROUNDED_LENGTHS;
}

static bool is_across(const dent_cloud *cloud, uint32_t a, uint32_t b, const double edge[3])
{
    double most =
        ACROSS_SPACINGS * ACROSS_SPACINGS * (cloud->area[a] < cloud->area[b] ? cloud->area[a] : cloud->area[b]);
    double off_a = cloud_dot_product(cloud->normal[a], edge);
    if (off_a * off_a <= most) {
        return false;
    }
    double off_b = cloud_dot_product(cloud->normal[b], edge);
    return off_b * off_b > most && fabs(cloud_dot_product(cloud->normal[a], cloud->normal[b])) > ACROSS_PARALLEL;
}

static void prune_block(void *data, uint32_t block, uint32_t worker)
{
    struct prune_work *work = data;
    dent_cloud *cloud = work->cloud;
    (void)worker;
    work->dropped[block][0] = work->dropped[block][1] = 0;
    for (uint32_t slot = block * SLOTS_A_BLOCK; slot < cloud_block_end(cloud->count, block); slot++) {
        uint64_t to = cloud->first[slot];
        for (uint64_t e = to; e < cloud->first[slot + 1]; e++) {
            uint32_t other = cloud->edges[e];
            double edge[3];
            for (int axis = 0; axis < 3; axis++) {
                edge[axis] = cloud->point[other][axis] - cloud->point[slot][axis];
            }
            bool is_too_long = is_long(work, slot, other, edge);
            bool drop = is_too_long || is_across(cloud, slot, other, edge);
            work->dropped[block][!is_too_long] += drop;
            cloud->edges[to] = other;
            to += !drop;
        }
        work->kept[slot] = (uint32_t)(to - cloud->first[slot]);
    }
}

/* Closes the gaps; `kept` becomes 1 where a slot lost an edge, else 0. */
static void close_gaps(struct prune_work *work)
{
    dent_cloud *cloud = work->cloud;
    uint64_t to = 0, begin = 0;
    for (uint32_t slot = 0; slot < cloud->count; slot++) {
        uint64_t end = cloud->first[slot + 1], kept = work->kept[slot];
        memmove(cloud->edges + to, cloud->edges + begin, kept * sizeof *cloud->edges);
        cloud->first[slot] = to;
        work->kept[slot] = kept < end - begin;
        to += kept;
        begin = end;
    }
    cloud->first[cloud->count] = to;
}

static void remeasure_block(void *data, uint32_t block, uint32_t worker)
{
    (void)worker;
    measure_some(data, block, false);
}

/* Runs stages one after the other. */
static dent_status run_blocks(struct prune_work *work, dent_block_function *const *stages, size_t count)
{
    dent_status status = DENT_OK;
    for (size_t i = 0; i < count && status == DENT_OK; i++) {
        status = dent_parallel_for(work->cloud->context, cloud_blocks(work->cloud->count), stages[i], work);
    }
    return status;
}

/* Sheets that were joined spoil one another's normals: better normals may show more edges across. */
static dent_status prune_with(struct prune_work *work)
{
    dent_cloud *cloud = work->cloud;
    dent_block_function *const measure[] = {measure_block, limit_block}, *const prune[] = {prune_block};
    dent_block_function *const again[] = {remeasure_block};
    dent_status status = run_blocks(work, measure, 2);
    bool is_done = false;
    for (int pass = 0; pass < PRUNE_PASSES && !is_done && status == DENT_OK; pass++) {
        uint64_t dropped[2] = {0, 0};
        status = run_blocks(work, prune, 1);
        for (uint32_t block = 0; block < cloud_blocks(cloud->count) && status == DENT_OK; block++) {
            dropped[0] += work->dropped[block][0]; /* each edge at both ends */
            dropped[1] += work->dropped[block][1];
        }
        if (status == DENT_OK && dropped[0] + dropped[1] > 0) {
            close_gaps(work);
            status = run_blocks(work, again, 1);
        }
        cloud->info.pruned_long += dropped[0] / 2;
        cloud->info.pruned_across += dropped[1] / 2;
        is_done = dropped[1] == 0;
    }
    cloud->info.edges = cloud->first[cloud->count] / 2;
    return status;
}

dent_status cloud_prune_graph(dent_cloud *cloud)
{
    uint32_t blocks = cloud_blocks(cloud->count);
    struct prune_work work = {.cloud = cloud};
    work.quartiles = dent_allocate(cloud->context, cloud->count, sizeof *work.quartiles);
    work.limit = dent_allocate(cloud->context, cloud->count, sizeof *work.limit);
    work.kept = dent_allocate(cloud->context, cloud->count, sizeof *work.kept);
    work.dropped = dent_allocate(cloud->context, blocks, sizeof *work.dropped);
    bool is_full = work.quartiles && work.limit && work.kept && work.dropped;
    dent_status status = is_full ? prune_with(&work) : DENT_ERROR_OUT_OF_MEMORY;
    dent_release(cloud->context, work.dropped, blocks, sizeof *work.dropped);
    dent_release(cloud->context, work.kept, cloud->count, sizeof *work.kept);
    dent_release(cloud->context, work.limit, cloud->count, sizeof *work.limit);
    dent_release(cloud->context, work.quartiles, cloud->count, sizeof *work.quartiles);
    return status;
}
