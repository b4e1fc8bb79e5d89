/* Trees of all bodies. See body_buckets.h. */
#include "structures/grid/body_buckets.h"

#include <math.h>

/* Edge of a bucket over the mean box edge of the elements; measured in docs/methods/bucket_tree.md. */
#define AUTOMATIC_RATIO 2.0
#define PAPER_LEVEL_MAX 10
/* Buckets of a body are at most this many times its entries. */
enum { BUCKETS_PER_ENTRY = 8, BUCKETS_FREE = 64, BUCKETS_MOST = 1 << 27 };
/* When an entry shares its bucket with more than this many on average, the buckets follow the distribution of
 * coordinates. */
enum { CROWDED = 128, ENTRIES_PER_UNEVEN_BUCKET = 4 };
enum { SAMPLES = 64, FACES_PER_BLOCK = 2048 };

/* ---- measuring --------------------------------------------------------------------------------------------------- */

static void measure_box(struct body_buckets *tree, const struct bucket_building *building, uint32_t body_index)
{
    const struct body *body = building->snapshot->bodies[body_index].body;
    const struct point_record *points = building->space->points + first_vertex(building->numbering, body_index);
    float lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (uint32_t vertex = 0; vertex < body->vertex_count; vertex++) {
        if (!(body->vertex_use[vertex] & VERTEX_USED)) {
            continue;
        }
        for (int axis = 0; axis < 3; axis++) {
            float x = points[vertex].position[axis];
            lo[axis] = x < lo[axis] ? x : lo[axis];
            hi[axis] = x > hi[axis] ? x : hi[axis];
        }
    }
    memcpy(tree->lo, lo, sizeof lo);
    memcpy(tree->hi, hi, sizeof hi);
    tree->used = lo[0] <= hi[0];
}

static double mean_edge_of(const struct point_record *points, const uint32_t *corners, uint32_t count)
{
    double sum = 0;
    for (int axis = 0; axis < 3; axis++) {
        float lo = points[corners[0]].position[axis], hi = lo;
        for (uint32_t k = 1; k < count; k++) {
            float x = points[corners[k]].position[axis];
            lo = x < lo ? x : lo;
            hi = x > hi ? x : hi;
        }
        sum += (double)hi - (double)lo;
    }
    return sum / 3;
}

static double volume_of(const struct point_record *points, const uint32_t corners[4])
{
    double edge[3][3];
    for (int k = 0; k < 3; k++) {
        for (int axis = 0; axis < 3; axis++) {
            edge[k][axis] = (double)points[corners[k + 1]].position[axis] - (double)points[corners[0]].position[axis];
        }
    }
    return fabs(edge[0][0] * (edge[1][1] * edge[2][2] - edge[1][2] * edge[2][1]) +
                edge[0][1] * (edge[1][2] * edge[2][0] - edge[1][0] * edge[2][2]) +
                edge[0][2] * (edge[1][0] * edge[2][1] - edge[1][1] * edge[2][0])) /
           6;
}

/* From a sample: every so-manieth element. The article's volume from all cells. */
static void measure_elements(struct body_buckets *tree, const struct bucket_building *building, uint32_t body_index)
{
    const struct body *body = building->snapshot->bodies[body_index].body;
    const struct point_record *points = building->space->points + first_vertex(building->numbering, body_index);
    bool cells = body_has_cells(body);
    uint32_t count = cells ? body->tetrahedron_count : body->surface_face_count;
    uint32_t step = count / SAMPLES + 1, samples = 0;
    double sum = 0, volume = 0;
    for (uint64_t i = 0; i < count; i += step, samples++) {
        sum += mean_edge_of(points, cells ? body->tetrahedra[i] : body->surface_faces[i].corners, cells ? 4 : 3);
    }
    for (uint32_t i = 0; i < count && cells && building->sizing.bucket_fill > 0; i++) {
        volume += volume_of(points, body->tetrahedra[i]);
    }
    tree->mean_edge = samples ? sum / samples : 0;
    tree->mean_volume = cells && count ? volume / count : 0;
}

static void measure(void *data, uint32_t body_index, uint32_t worker)
{
    (void)worker;
    const struct bucket_building *building = data;
    struct body_buckets *tree = &building->bodies[body_index];
    *tree = (struct body_buckets){0};
    measure_box(tree, building, body_index);
    measure_elements(tree, building, body_index);
}

/* ---- sizing ------------------------------------------------------------------------------------------------------ */

/* The article: buckets (longest edge) at least bucket_fill times the diameter of the ball with the mean volume. */
static uint32_t paper_level(const struct body_buckets *tree, double fill)
{
    double longest = 0;
    for (int axis = 0; axis < 3; axis++) {
        longest = (double)tree->hi[axis] - (double)tree->lo[axis] > longest
                      ? (double)tree->hi[axis] - (double)tree->lo[axis]
                      : longest;
    }
    double edge = tree->mean_edge * fill, cube = 6 * tree->mean_volume / 3.14159265358979323846 * fill * fill * fill;
    uint32_t level = 1;
    for (; level < PAPER_LEVEL_MAX; level++) {
        double bucket =
            ldexp(longest,
                  -(int)level); /* of the next level; compared by its cube, because roots may differ between machines */
        if (tree->mean_volume > 0 ? bucket * bucket * bucket < cube : bucket < edge) {
            break;
        }
    }
    return level;
}

static void choose_lattice(struct body_buckets *tree, const struct bucket_sizing *sizing, uint64_t entries)
{
    uint64_t most =
        entries < BUCKETS_MOST / BUCKETS_PER_ENTRY ? entries * BUCKETS_PER_ENTRY + BUCKETS_FREE : BUCKETS_MOST;
    double edge = tree->mean_edge * (sizing->cell_ratio > 0 ? sizing->cell_ratio : AUTOMATIC_RATIO);
    uint32_t level = sizing->level             ? sizing->level
                     : sizing->bucket_fill > 0 ? paper_level(tree, sizing->bucket_fill)
                                               : 0;
    double buckets[3];
    tree->lattice = (struct bucket_lattice){0};
    for (int axis = 0; axis < 3; axis++) {
        tree->lattice.lo[axis] = tree->used ? tree->lo[axis] : 0;
        tree->lattice.hi[axis] = tree->used ? tree->hi[axis] : 0;
        double extent = (double)tree->lattice.hi[axis] - (double)tree->lattice.lo[axis];
        /* 2^(level - 1) buckets, with the far wall in the last of them */
        buckets[axis] = level ? ldexp(1 - 1e-6, (int)level - 1) : edge > 0 ? extent / edge : 0;
    }
    bucket_lattice_finish(&tree->lattice, buckets, most);
}

static uint64_t entries_of(const struct bucket_building *building, uint32_t body_index)
{
    const struct body *body = building->snapshot->bodies[body_index].body;
    return (building->vertices_asked ? (uint64_t)body->vertex_count : 0) +
           (building->faces_asked ? body->surface_face_count : 0);
}

static bool allocate_set(struct bucket_set *set, const struct bucket_lattice *lattice, bool points,
                         struct arena *scratch)
{
    bucket_set_layout(set, lattice, points);
    set->start = arena_allocate_cleared(scratch, (size_t)set->key_count + 1, sizeof *set->start);
    set->any = arena_allocate(scratch, set->key_count, sizeof *set->any);
    return set->start && set->any;
}

static bool allocate_sets(const struct bucket_building *building, struct body_buckets *tree)
{
    bool enough = true;
    if (building->vertices_asked) {
        enough = allocate_set(&tree->points, &tree->lattice, true, building->scratch);
        tree->points.columns = &building->point_columns;
    }
    if (building->faces_asked) {
        enough = enough && allocate_set(&tree->faces, &tree->lattice, false, building->scratch);
        tree->faces.columns = &building->face_columns;
    }
    return enough;
}

/* ---- filling ----------------------------------------------------------------------------------------------------- */

static inline void bucket_of_vertex(const struct bucket_building *building, const struct bucket_lattice *lattice,
                                    uint32_t vertex, uint32_t bucket[3])
{
    for (int axis = 0; axis < 3; axis++) {
        bucket[axis] = building->sorted_buckets[axis]
                           ? building->sorted_buckets[axis][vertex]
                           : bucket_of(lattice, axis, building->space->points[vertex].position[axis]);
    }
}

static void fill_points(const struct bucket_building *building, struct body_buckets *tree, uint32_t body_index)
{
    const struct body *body = building->snapshot->bodies[body_index].body;
    const struct grid_columns *columns = &building->point_columns;
    struct bucket_set *set = &tree->points;
    uint32_t first = first_vertex(building->numbering, body_index);
    for (uint32_t vertex = 0; vertex < body->vertex_count; vertex++) {
        uint32_t bucket[3];
        if (body->vertex_use[vertex] & building->vertices_asked) {
            bucket_of_vertex(building, &tree->lattice, first + vertex, bucket);
            building->point_keys[first + vertex] = bucket_key(set, &tree->lattice, 0, bucket);
            set->start[building->point_keys[first + vertex]]++;
        }
    }
    bucket_set_sum(set, first);
    for (uint32_t vertex = body->vertex_count; vertex-- > 0;) {
        if (body->vertex_use[vertex] & building->vertices_asked) {
            const float *position = building->space->points[first + vertex].position;
            uint32_t slot = --set->start[building->point_keys[first + vertex]];
            for (int axis = 0; axis < 3; axis++) {
                ((float *)columns->lo[axis])[slot] = position[axis];
            }
            ((uint32_t *)columns->number)[slot] = first + vertex;
        }
    }
    bucket_set_finish(set, &tree->lattice);
}

static struct bucket_range sorted_range_of_face(const struct bucket_building *building, const struct body *body,
                                                uint32_t first, uint32_t face)
{
    struct bucket_range range;
    for (int k = 0; k < 3; k++) {
        uint32_t vertex = first + body->surface_faces[face].corners[k];
        for (int axis = 0; axis < 3; axis++) {
            uint32_t bucket = building->sorted_buckets[axis][vertex];
            range.first[axis] = k == 0 || bucket < range.first[axis] ? bucket : range.first[axis];
            range.last[axis] = k == 0 || bucket > range.last[axis] ? bucket : range.last[axis];
        }
    }
    return range;
}

static void fill_faces(const struct bucket_building *building, struct body_buckets *tree, uint32_t body_index)
{
    const struct body *body = building->snapshot->bodies[body_index].body;
    const struct grid_columns *columns = &building->face_columns;
    struct bucket_set *set = &tree->faces;
    uint32_t first = first_vertex(building->numbering, body_index), first_face = building->first_face[body_index];
    for (uint32_t face = 0; face < body->surface_face_count; face++) {
        const struct face_record *record = &building->face_records[first_face + face];
        struct bucket_range range = building->sorted_buckets[0]
                                        ? sorted_range_of_face(building, body, first, face)
                                        : bucket_range_of(&tree->lattice, record->lo, record->hi);
        bucket_owner(set, &tree->lattice, &range, &building->face_keys[first_face + face]);
        set->start[building->face_keys[first_face + face]]++;
    }
    bucket_set_sum(set, first_face);
    for (uint32_t face = body->surface_face_count; face-- > 0;) {
        const struct face_record *record = &building->face_records[first_face + face];
        uint32_t slot = --set->start[building->face_keys[first_face + face]];
        for (int axis = 0; axis < 3; axis++) {
            ((float *)columns->lo[axis])[slot] = record->lo[axis];
            ((float *)columns->hi[axis])[slot] = record->hi[axis];
        }
        ((uint32_t *)columns->number)[slot] = first_face + face;
    }
    bucket_set_finish(set, &tree->lattice);
}

static void fill(void *data, uint32_t body_index, uint32_t worker)
{
    (void)worker;
    const struct bucket_building *building = data;
    struct body_buckets *tree = &building->bodies[body_index];
    if (building->vertices_asked) {
        fill_points(building, tree, body_index);
    }
    if (building->faces_asked) {
        fill_faces(building, tree, body_index);
    }
}

/* ---- sorting ----------------------------------------------------------------------------------------------------- */

static bool sort_body(struct bucket_building *building, uint32_t body_index)
{
    struct bucket_lattice *lattice = &building->bodies[body_index].lattice;
    struct coordinate_room room;
    float *intervals[3];
    for (int axis = 0; axis < 3; axis++) {
        intervals[axis] = arena_allocate(building->scratch, (size_t)lattice->count[axis] + 1, sizeof(float));
        if (!intervals[axis]) {
            return false;
        }
        bucket_lattice_intervals(lattice, axis, intervals[axis]);
        lattice->intervals[axis] = intervals[axis];
    }
    struct arena_mark mark = arena_mark(building->scratch);
    if (!coordinate_room_make(&room, coordinate_order_count(building->order, body_index), building->scratch)) {
        return false;
    }
    bool coherent = true;
    for (int axis = 0; axis < 3; axis++) {
        coherent &= coordinate_order_sort(building->order, body_index, axis, building->space->points, &room);
        coordinate_order_sweep(building->order, body_index, axis, lattice, room.values, building->sorted_buckets[axis]);
    }
    building->resorted += !coherent;
    arena_rewind(building->scratch, mark);
    return true;
}

static bool sort_bodies(struct bucket_building *building)
{
    for (int axis = 0; axis < 3; axis++) {
        building->sorted_buckets[axis] =
            arena_allocate(building->scratch, building->numbering->count, sizeof(uint32_t));
        if (!building->sorted_buckets[axis]) {
            return false;
        }
    }
    for (uint32_t body_index = 0; body_index < building->snapshot->body_count; body_index++) {
        if (!sort_body(building, body_index)) {
            return false;
        }
    }
    return true;
}

/* Buckets that begin at quantiles of the coordinates: for bodies whose elements crowd in a small part of their box. */
static bool follow_distribution(struct bucket_building *building, uint32_t body_index)
{
    struct body_buckets *tree = &building->bodies[body_index];
    struct coordinate_room room;
    uint32_t count = coordinate_order_count(building->order, body_index), buckets = 1;
    while (buckets < 1024 &&
           (uint64_t)(buckets * 2) * (buckets * 2) * (buckets * 2) * ENTRIES_PER_UNEVEN_BUCKET <= count) {
        buckets *= 2;
    }
    tree->uneven = true;
    tree->lattice.uneven = true;
    tree->lattice.level_count = 1;
    while ((buckets - 1) >> (tree->lattice.level_count - 1) > 0) {
        tree->lattice.level_count++;
    }
    float *intervals[3];
    for (int axis = 0; axis < 3; axis++) {
        intervals[axis] = arena_allocate(building->scratch, (size_t)buckets + 1, sizeof(float));
    }
    struct arena_mark mark = arena_mark(building->scratch);
    bool enough = intervals[0] && intervals[1] && intervals[2] && coordinate_room_make(&room, count, building->scratch);
    for (int axis = 0; axis < 3 && enough; axis++) {
        coordinate_order_sort(building->order, body_index, axis, building->space->points, &room);
        for (uint32_t i = 0; i < buckets; i++) {
            intervals[axis][i] = room.values[(uint64_t)i * count / buckets];
        }
        intervals[axis][buckets] = room.values[count - 1];
        tree->lattice.intervals[axis] = intervals[axis];
        tree->lattice.count[axis] = buckets;
        if (building->sorted_buckets[axis]) {
            coordinate_order_sweep(building->order, body_index, axis, &tree->lattice, room.values,
                                   building->sorted_buckets[axis]);
        }
    }
    arena_rewind(building->scratch, mark);
    return enough && allocate_sets(building, tree);
}

static bool crowded(const struct bucket_building *building, uint32_t body_index)
{
    const struct body_buckets *tree = &building->bodies[body_index];
    uint64_t squares =
        (building->vertices_asked ? tree->points.squares : 0) + (building->faces_asked ? tree->faces.squares : 0);
    return squares > entries_of(building, body_index) * CROWDED &&
           coordinate_order_count(building->order, body_index) > 0;
}

static bool relieve_crowded(struct bucket_building *building)
{
    const struct bucket_sizing *sizing = &building->sizing;
    bool automatic = sizing->level == 0 && sizing->cell_ratio == 0 && sizing->bucket_fill == 0;
    for (uint32_t body_index = 0; body_index < building->snapshot->body_count && automatic; body_index++) {
        if (crowded(building, body_index)) {
            if (!follow_distribution(building, body_index)) {
                return false;
            }
            fill(building, body_index, 0);
        }
    }
    return true;
}

/* ---- faces ------------------------------------------------------------------------------------------------------- */

static void make_faces(void *data, uint32_t block, uint32_t worker)
{
    (void)worker;
    const struct bucket_building *building = data;
    const struct snapshot *snapshot = building->snapshot;
    uint32_t total = building->first_face[snapshot->body_count], begin = block * FACES_PER_BLOCK;
    uint32_t end = total - begin > FACES_PER_BLOCK ? begin + FACES_PER_BLOCK : total;
    uint32_t body_index = 0;
    for (uint32_t left = snapshot->body_count; left > 1;) { /* the last body that begins at or before the block */
        uint32_t half = left / 2;
        body_index += building->first_face[body_index + half] <= begin ? half : 0;
        left -= half;
    }
    for (uint32_t number = begin; number < end; number++) {
        while (number >= building->first_face[body_index + 1]) {
            body_index++;
        }
        const struct body *body = snapshot->bodies[body_index].body;
        face_record_make(
            &building->face_records[number], building->space->points + first_vertex(building->numbering, body_index),
            body->surface_faces[number - building->first_face[body_index]].corners, !building->space->ordinals);
    }
}

/* ---- all of it --------------------------------------------------------------------------------------------------- */

static bool allocate_columns(struct grid_columns *columns, uint32_t count, bool points, struct arena *scratch)
{
    bool enough = true;
    for (int axis = 0; axis < 3; axis++) {
        columns->lo[axis] = arena_allocate(scratch, count, sizeof(float));
        columns->hi[axis] = points ? columns->lo[axis] : arena_allocate(scratch, count, sizeof(float));
        enough = enough && columns->lo[axis] && columns->hi[axis];
    }
    columns->number = arena_allocate(scratch, count, sizeof(uint32_t));
    columns->row_y = columns->row_z =
        (const int32_t *)columns->number; /* read, never used: look-ups do not ask for rows */
    return enough && columns->number;
}

static bool allocate_entries(struct bucket_building *building)
{
    struct arena *scratch = building->scratch;
    uint32_t vertices = building->numbering->count, faces = building->first_face[building->snapshot->body_count];
    bool enough = true;
    if (building->vertices_asked) {
        building->point_keys = arena_allocate(scratch, vertices, sizeof(uint32_t));
        enough = building->point_keys && allocate_columns(&building->point_columns, vertices, true, scratch);
    }
    if (enough && building->faces_asked) {
        building->face_keys = arena_allocate(scratch, faces, sizeof(uint32_t));
        building->face_records = arena_allocate(scratch, faces, sizeof *building->face_records);
        enough = building->face_keys && building->face_records &&
                 allocate_columns(&building->face_columns, faces, false, scratch);
    }
    return enough;
}

/* Node trees of one kind of packets; rooms of all bodies lie one behind the other, so that bodies can be built side by
 * side. */
struct tree_building {
    struct bucket_building *building;
    const struct packet_list *list;
    const struct packet_box *boxes;
    uint64_t *keys;
    uint32_t *order;
    struct packet_node *nodes;
};

static void build_tree(void *data, uint32_t body_index, uint32_t worker)
{
    (void)worker;
    const struct tree_building *trees = data;
    const uint32_t *first = trees->list->first_packet.data;
    struct body_buckets *body = &trees->building->bodies[body_index];
    struct packet_tree *tree = trees->list->corners_each == 4 ? &body->cell_tree : &body->face_tree;
    size_t begin = first[body_index];
    struct packet_tree_room room = {trees->keys + 2 * begin, trees->order + 2 * begin,
                                    trees->nodes + 2 * begin + body_index};
    packet_tree_build(tree, &room, &body->lattice, trees->boxes, first[body_index],
                      first[body_index + 1] - first[body_index]);
}

static bool build_trees(struct bucket_building *building, const struct packet_list *list, struct packet_box **boxes)
{
    size_t packets = packet_list_count(list), bodies = building->snapshot->body_count;
    struct arena *scratch = building->scratch;
    *boxes = arena_allocate(scratch, packets, sizeof **boxes);
    struct tree_building trees = {building,
                                  list,
                                  *boxes,
                                  arena_allocate(scratch, packets, 2 * sizeof(uint64_t)),
                                  arena_allocate(scratch, packets, 2 * sizeof(uint32_t)),
                                  arena_allocate(scratch, 2 * packets + bodies, sizeof(struct packet_node))};
    if (!*boxes || !trees.keys || !trees.order || !trees.nodes) {
        return false;
    }
    packet_list_boxes(list, building->space, building->context, *boxes);
    dent_parallel_for(building->context, (uint32_t)bodies, build_tree, &trees);
    return true;
}

bool body_buckets_build(struct bucket_building *building)
{
    uint32_t bodies = building->snapshot->body_count;
    building->bodies = arena_allocate(building->scratch, bodies, sizeof *building->bodies);
    if (!building->bodies || !allocate_entries(building)) {
        return false;
    }
    dent_parallel_for(building->context, bodies, measure, building);
    for (uint32_t body_index = 0; body_index < bodies; body_index++) {
        choose_lattice(&building->bodies[body_index], &building->sizing, entries_of(building, body_index));
        if (!allocate_sets(building, &building->bodies[body_index])) {
            return false;
        }
    }
    if (building->faces_asked) {
        uint32_t faces = building->first_face[bodies];
        dent_parallel_for(building->context, faces / FACES_PER_BLOCK + (faces % FACES_PER_BLOCK != 0), make_faces,
                          building);
    }
    if (building->sizing.sorted && !sort_bodies(building)) {
        return false;
    }
    dent_parallel_for(building->context, bodies, fill, building);
    return relieve_crowded(building) &&
           (!building->cell_packets_asked || build_trees(building, building->cells, &building->cell_boxes)) &&
           (!building->face_packets_asked || build_trees(building, building->faces, &building->face_boxes));
}
