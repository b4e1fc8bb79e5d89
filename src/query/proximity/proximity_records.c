/* From canonical lists of pairs to records with closest points, distance and direction; and the reduction to one
 * record per pair of closest features.
 *
 * A closest feature is a vertex, edge or face as the set of its vertices' identities, so that a vertex near the
 * common edge of two faces, or at the end of four edges, is recognised whichever pair it comes from. Records are put
 * into a hash table in canonical order; the first of equal ones stays. */
#include "base/hash.h"
#include "geometry/metric/closest_points_local.h"
#include "query/proximity/proximity_search.h"

/* ---- records --------------------------------------------------------------------------------- */

/* Which of the weights take part: all but one, one, or all. */
static uint8_t closest_feature(const double *weights, int count, uint8_t *corner)
{
    int used = 0, last_used = 0, last_unused = 0;
    for (int k = 0; k < count; k++) {
        bool uses = weights[k] != 0.0;
        used += uses;
        last_used = uses ? k : last_used;
        last_unused = uses ? last_unused : k;
    }
    *corner = (uint8_t)(used == 1 ? last_used : used == 2 && count == 3 ? last_unused : 0);
    return (uint8_t)used;
}

static void fill_vertex_face(const double *const points[4], const struct feature_rows *rows, int lane,
                             dent_proximity *record)
{
    const double weights[3] = {rows->weight[1][lane], rows->weight[2][lane], rows->weight[3][lane]};
    memcpy(record->point_a, points[0], sizeof record->point_a);
    weighted_point(weights, points + 1, 3, record->point_b);
    record->closest_a = DENT_CLOSEST_VERTEX;
    record->closest_b = closest_feature(weights, 3, &record->corner_b);
}

static void fill_edge_edge(const double *const points[4], const struct feature_rows *rows, int lane,
                           dent_proximity *record)
{
    const double on_a[2] = {rows->weight[0][lane], rows->weight[1][lane]},
                 on_b[2] = {rows->weight[2][lane], rows->weight[3][lane]};
    weighted_point(on_a, points, 2, record->point_a);
    weighted_point(on_b, points + 2, 2, record->point_b);
    record->closest_a = closest_feature(on_a, 2, &record->corner_a);
    record->closest_b = closest_feature(on_b, 2, &record->corner_b);
}

/* Up to eight pairs of one kind. */
static void fill_batch(const struct proximity_search *search, const dent_pair *pairs, int count, bool edges,
                       dent_proximity *records)
{
    const struct near_kernels *near = near_kernels_for(search->isa);
    const double *points[FEATURE_BATCH][4];
    struct feature_points batch;
    struct feature_rows rows;
    for (int i = 0; i < count; i++) {
        (edges ? proximity_edge_points : proximity_vertex_face_points)(
            search->snapshot, pairs[i].body_a, pairs[i].feature_a, pairs[i].body_b, pairs[i].feature_b, points[i]);
        proximity_put_points(points[i], &batch, (uint32_t)i);
    }
    proximity_fill_lanes(&batch, (uint32_t)count);
    (edges ? near->describe_edges : near->describe_vertices)(&batch, &rows);
    for (int i = 0; i < count; i++) {
        records[i] = (dent_proximity){.kind = edges ? DENT_PROXIMITY_EDGE_EDGE : DENT_PROXIMITY_VERTEX_FACE,
                                      .body_a = pairs[i].body_a,
                                      .feature_a = pairs[i].feature_a,
                                      .body_b = pairs[i].body_b,
                                      .feature_b = pairs[i].feature_b,
                                      .distance = rows.distance[i],
                                      .direction = {rows.direction[0][i], rows.direction[1][i], rows.direction[2][i]}};
        (edges ? fill_edge_edge : fill_vertex_face)(points[i], &rows, i, &records[i]);
    }
}

enum { RECORD_BLOCK = 512 };

static void fill_block(void *data, uint32_t block, uint32_t worker)
{
    struct proximity_search *search = data;
    const struct proximity_state *state = search->state;
    size_t vertex_faces = state->vertex_face.pairs.count, next = (size_t)block * RECORD_BLOCK;
    size_t end = next + RECORD_BLOCK < state->records.count ? next + RECORD_BLOCK : state->records.count;
    dent_proximity *records = state->records.data;
    (void)worker;
    while (next < end && !proximity_stopped(search)) {
        bool edges = next >= vertex_faces;
        size_t last = edges || vertex_faces > end ? end : vertex_faces;
        size_t count = last - next < FEATURE_BATCH ? last - next : FEATURE_BATCH;
        const dent_pair *pairs =
            edges ? array_at(&state->edge_edge.pairs, next - vertex_faces) : array_at(&state->vertex_face.pairs, next);
        fill_batch(search, pairs, (int)count, edges, records + next);
        next += count;
    }
}

bool proximity_make_records(struct proximity_search *search)
{
    struct proximity_state *state = search->state;
    size_t count = state->vertex_face.pairs.count + state->edge_edge.pairs.count;
    array_clear(&state->records);
    if (!array_extend(&state->records, count)) {
        return false;
    }
    dent_parallel_for(search->context, (uint32_t)((count + RECORD_BLOCK - 1) / RECORD_BLOCK), fill_block, search);
    return true;
}

/* ---- one record per pair of closest features ------------------------------------------------- */

/* The vertices of both closest features: identities in ascending order, the smaller side first. */
struct feature_key {
    uint64_t side[2][3];
};

#define NO_VERTEX UINT64_MAX /* after the last of a feature with fewer than three */

static void sort_side(uint64_t side[3])
{
    static const int exchanges[3][2] = {{0, 1}, {1, 2}, {0, 1}};
    for (int i = 0; i < 3; i++) {
        uint64_t *x = &side[exchanges[i][0]], *y = &side[exchanges[i][1]];
        if (*y < *x) {
            uint64_t larger = *x;
            *x = *y;
            *y = larger;
        }
    }
}

/* Of the corners (ends) of a feature, those that span the closest one. */
static void key_of_side(const struct body *body, const uint32_t *corners, int count, int closest, int corner,
                        uint64_t side[3])
{
    int kept = 0;
    side[0] = side[1] = side[2] = NO_VERTEX;
    for (int k = 0; k < count; k++) {
        bool spans = closest == DENT_CLOSEST_VERTEX               ? k == corner
                     : closest == DENT_CLOSEST_EDGE && count == 3 ? k != corner
                                                                  : true;
        if (spans) {
            side[kept++] = body_identity(body, corners[k]);
        }
    }
    sort_side(side);
}

static struct feature_key key_of(const struct snapshot *snapshot, const dent_proximity *record)
{
    const struct body *a = snapshot->bodies[record->body_a].body, *b = snapshot->bodies[record->body_b].body;
    struct feature_key key;
    if (record->kind == DENT_PROXIMITY_VERTEX_FACE) {
        key_of_side(a, &record->feature_a, 1, DENT_CLOSEST_VERTEX, 0, key.side[0]);
        key_of_side(b, b->surface_faces[record->feature_b].corners, 3, record->closest_b, record->corner_b,
                    key.side[1]);
    } else {
        const uint32_t ends_a[2] = {a->edges[record->feature_a].v0, a->edges[record->feature_a].v1};
        const uint32_t ends_b[2] = {b->edges[record->feature_b].v0, b->edges[record->feature_b].v1};
        key_of_side(a, ends_a, 2, record->closest_a, record->corner_a, key.side[0]);
        key_of_side(b, ends_b, 2, record->closest_b, record->corner_b, key.side[1]);
    }
    bool flipped = false;
    for (int k = 0; k < 3; k++) {
        if (key.side[0][k] != key.side[1][k]) {
            flipped = key.side[1][k] < key.side[0][k];
            break;
        }
    }
    if (flipped) {
        uint64_t first[3];
        memcpy(first, key.side[0], sizeof first);
        memcpy(key.side[0], key.side[1], sizeof first);
        memcpy(key.side[1], first, sizeof first);
    }
    return key;
}

static uint64_t hash_key(const struct feature_key *key)
{
    uint64_t hash = 0;
    for (int k = 0; k < 6; k++) {
        hash = (hash ^ key->side[k / 3][k % 3]) * UINT64_C(0x9E3779B97F4A7C15);
        hash ^= hash >> 29;
    }
    return hash;
}

bool proximity_keep_closest_features(struct proximity_search *search)
{
    struct dynamic_array *array = &search->state->records;
    dent_proximity *records = array->data;
    size_t count = array->count, size = 64, kept = 0;
    while (size < count * 2) {
        size *= 2;
    }
    struct arena_mark mark = arena_mark(search->scratch);
    uint32_t *slots =
        arena_allocate_cleared(search->scratch, size, sizeof *slots); /* place of a kept record + 1; 0: free */
    if (!slots) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        struct feature_key key = key_of(search->snapshot, &records[i]);
        size_t slot = hash_key(&key) & (size - 1);
        bool known = false;
        while (slots[slot] != 0 && !known) {
            struct feature_key other = key_of(search->snapshot, &records[slots[slot] - 1]);
            known = memcmp(&key, &other, sizeof key) == 0;
            slot = (slot + 1) & (size - 1);
        }
        if (!known) {
            records[kept] = records[i];
            slots[slot] = (uint32_t)++kept;
        }
    }
    array->count = kept;
    arena_rewind(search->scratch, mark);
    return true;
}
