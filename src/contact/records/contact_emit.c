/* From points with depth and direction to contact records, and the memory of directions for the next call.
 *
 * Options that change a value come last and in this order: temporal filter (direction), project (depth), depth limit.
 */
#include "contact/depth/contact_run.h"

#include "geometry/numbers/vector3.h"
#include "geometry/predicates/tetrahedron_predicates.h"

enum { CONTACTS_PER_BLOCK = 256 };

/* A finalizer of 64 bits with good avalanche (splitmix64; Steele, Lea and Flood 2014), one step per number. The state
 * must be one that came out of it: of two plain numbers it would see only which bits differ. */
static uint64_t mix(uint64_t state, uint64_t number)
{
    uint64_t z = (state ^ number) + UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return z ^ z >> 31;
}

static uint64_t contact_key(const struct contact_run *run, uint32_t kind, uint32_t body_a, uint32_t feature_a,
                            uint32_t body_b, uint32_t feature_b)
{
    const struct body_table *table = run->snapshot->table;
    uint64_t key = mix(0, kind);
    key = mix(key, table->slots[table->living[body_a]].serial);
    key = mix(key, feature_a);
    key = mix(key, table->slots[table->living[body_b]].serial);
    return kind == DENT_CONTACT_VERTEX_CELL ? mix(key, UINT64_MAX) : mix(key, feature_b);
}

void contact_begin(const struct contact_run *run, dent_contact *contact, uint32_t kind, uint32_t source,
                   uint32_t body_a, uint32_t feature_a, uint32_t body_b, uint32_t feature_b)
{
    const struct body_table *table = run->snapshot->table;
    memset(contact, 0, sizeof *contact);
    contact->key = contact_key(run, kind, body_a, feature_a, body_b, feature_b);
    contact->kind = (uint8_t)kind;
    contact->source = (uint8_t)source;
    contact->body_a = body_a;
    contact->feature_a = feature_a;
    contact->body_b = body_b;
    contact->feature_b = feature_b;
    contact->flags = body_a == body_b ? DENT_CONTACT_FLAG_SELF : 0;
    contact->material_a = table->slots[table->living[body_a]].material;
    contact->material_b = table->slots[table->living[body_b]].material;
    contact->time = 1;
    for (int k = 0; k < 4; k++) {
        contact->vertices_a[k] = contact->vertices_b[k] = UINT32_MAX;
    }
}

/* ---- options ----------------------------------------------------------------------------------------------------- */

static void filter_in_time(const struct contact_run *run, struct depth_point *point)
{
    const dent_contact_memory *memory = run->state->memory.records.data;
    double share = run->def->temporal_filter, mixed[3];
    if (!(share > 0) || point->previous == SLOT_NONE) {
        return;
    }
    for (int axis = 0; axis < 3; axis++) {
        mixed[axis] = (1 - share) * point->direction[axis] + share * memory[point->previous].direction[axis];
    }
    if (vector_length(mixed) > 0.01 && vector_normalise(mixed)) { /* opposite ones cannot be mixed */
        vector_copy(mixed, point->direction);
    }
}

static void apply_options(const struct contact_run *run, struct depth_point *point)
{
    filter_in_time(run, point);
    if (run->def->project && run->face_trees[point->body_b]) {
        uint32_t face;
        double along = depth_along(run, point, run->face_trees[point->body_b], point->direction, &face);
        if (face != SLOT_NONE && along >= 0.5 * point->depth && along <= 2 * point->depth) {
            point->depth = along;
            point->face = face;
        }
    }
    if (run->def->depth_limit > 0 && point->depth > run->def->depth_limit) {
        point->depth = run->def->depth_limit;
        point->flags |= DENT_CONTACT_FLAG_CLAMPED;
    }
}

static bool build_trees_to_project(struct contact_run *run)
{
    const struct depth_point *points = run->state->points.data;
    for (size_t i = 0; run->def->project && i < run->state->points.count; i++) {
        if (!contact_face_tree(run, points[i].body_b)) {
            return false;
        }
    }
    return true;
}

/* ---- records ----------------------------------------------------------------------------------------------------- */

static void carry_by_cell(const struct contact_run *run, const struct depth_point *point, dent_contact *contact)
{
    const struct body_snapshot *y = &run->snapshot->bodies[point->body_b];
    if (point->cell_pair != SLOT_NONE) {
        const dent_cell_point *location = &run->query->vertex_cell.cell_points[point->cell_pair];
        contact->feature_b = run->query->vertex_cell.pairs[point->cell_pair].feature_b;
        memcpy(contact->vertices_b, location->corners, sizeof location->corners);
        memcpy(contact->weights_b, location->weights, sizeof location->weights);
    } else {
        const uint32_t *v = y->body->tetrahedra[point->cell];
        const double *corners[4] = {y->xyz[v[0]], y->xyz[v[1]], y->xyz[v[2]], y->xyz[v[3]]};
        contact->feature_b = y->body->cell_of_tetrahedron ? y->body->cell_of_tetrahedron[point->cell] : point->cell;
        memcpy(contact->vertices_b, v, sizeof contact->vertices_b);
        barycentric_coordinates(contact->point_a, corners, contact->weights_b);
    }
    vector_copy(contact->point_a, contact->point_b);
}

/* Closed surfaces: the nearest point of the face the vertex leaves through. */
static void carry_by_face(const struct contact_run *run, const struct depth_point *point, dent_contact *contact)
{
    const struct body_snapshot *y = &run->snapshot->bodies[point->body_b];
    uint32_t face = point->face == SLOT_NONE ? 0 : point->face;
    const double *corners[3];
    border_face_positions(run->snapshot, point->body_b, face, corners);
    contact_triangle_weights(contact->point_a, corners, contact->weights_b);
    for (int k = 0; k < 3; k++) {
        vector_add_scaled(contact->point_b, contact->weights_b[k], corners[k]);
    }
    memcpy(contact->vertices_b, y->body->surface_faces[face].corners, 3 * sizeof *contact->vertices_b);
    contact->feature_b = face;
    contact->flags |= DENT_CONTACT_FLAG_ON_FACE;
}

static void fill_contact(const struct contact_run *run, struct depth_point *point, dent_contact *contact)
{
    apply_options(run, point);
    contact_begin(run, contact, DENT_CONTACT_VERTEX_CELL, point->source, point->body_a, point->vertex, point->body_b,
                  0);
    contact->flags |= point->flags;
    contact->vertices_a[0] = point->vertex;
    contact->weights_a[0] = 1;
    vector_copy(run->snapshot->bodies[point->body_a].xyz[point->vertex], contact->point_a);
    if (point->cell_pair != SLOT_NONE || point->cell != SLOT_NONE) {
        carry_by_cell(run, point, contact);
    } else {
        carry_by_face(run, point, contact);
    }
    vector_copy(point->direction, contact->normal);
    contact->gap = point->depth > 0 ? -point->depth : 0;
    contact->error = point->error;
}

struct emit_loop {
    const struct contact_run *run;
    const uint32_t *points; /* by contact */
    size_t count;
    dent_contact *contacts;
    dent_contact_memory *memory;
};

static void emit_block(void *data, uint32_t block, uint32_t worker)
{
    (void)worker;
    const struct emit_loop *loop = data;
    size_t begin = (size_t)block * CONTACTS_PER_BLOCK;
    size_t end = loop->count - begin < CONTACTS_PER_BLOCK ? loop->count : begin + CONTACTS_PER_BLOCK;
    for (size_t i = begin; i < end; i++) {
        struct depth_point *point = array_at(&loop->run->state->points, loop->points[i]);
        dent_contact_memory *memory = &loop->memory[i];
        fill_contact(loop->run, point, &loop->contacts[i]);
        *memory = (dent_contact_memory){.body_a = point->body_a, .vertex = point->vertex, .body_b = point->body_b};
        vector_copy(point->direction, memory->direction);
    }
}

bool depth_emit(struct contact_run *run)
{
    struct contact_state *state = run->state;
    const struct depth_point *points = state->points.data;
    struct emit_loop loop = {.run = run};
    array_clear(&state->queue);
    for (size_t i = 0; i < state->points.count; i++) {
        uint32_t location = (uint32_t)i;
        if (points[i].source != 0 && !array_push(&state->queue, &location)) {
            return false;
        }
    }
    loop.points = state->queue.data;
    loop.count = state->queue.count;
    array_clear(&state->fresh_memory.records);
    loop.contacts = array_extend(&state->contacts, loop.count);
    loop.memory = array_extend(&state->fresh_memory.records, loop.count);
    if (!loop.contacts || !loop.memory || !build_trees_to_project(run)) {
        return false;
    }
    dent_parallel_for(state->context, (uint32_t)(loop.count / CONTACTS_PER_BLOCK + 1), emit_block, &loop);
    return true;
}
