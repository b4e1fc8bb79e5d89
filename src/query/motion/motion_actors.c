/* The bodies of a motion query: who is rigid, whose positions must be read, one scale for all, and their trees.
 * See motion_run.h. */
#include <math.h>

#include "geometry/numbers/power_of_two.h"
#include "query/motion/motion_run.h"

/* ---- who takes part ---------------------------------------------------------------------------------------------- */

static dent_status attach_bodies(struct motion_run *run)
{
    const dent_motion_impact_def *def = run->def;
    for (uint32_t body_index = 0; body_index < run->actor_count; body_index++) {
        run->actors[body_index] =
            (struct motion_actor){.body = body_table_at(run->table, body_index), .frame = DENT_FRAME_WORLD};
    }
    for (uint32_t i = 0; i < def->body_count; i++) {
        uint32_t body_index = body_table_index(run->table, def->bodies[i].body);
        if (body_index == UINT32_MAX) {
            return body_table_stale(run->table, def->bodies[i].body, run->message);
        }
        struct motion_actor *actor = &run->actors[body_index];
        uint32_t frame = def->bodies[i].frame;
        if (actor->rigid) {
            return message_fail(run->message, DENT_ERROR_INVALID_ARGUMENT, BODY_TITLE " is attached to two frames",
                                BODY_TITLE_OF(actor->body));
        }
        if (frame != DENT_FRAME_WORLD && frame >= def->frame_count) {
            return message_fail(run->message, DENT_ERROR_INVALID_ARGUMENT,
                                BODY_TITLE " is attached to frame %u, and there are %u", BODY_TITLE_OF(actor->body),
                                (unsigned)frame, (unsigned)def->frame_count);
        }
        actor->rigid = true;
        actor->frame = frame;
    }
    return DENT_OK;
}

/* ---- trees of the world ------------------------------------------------------------------------------------------ */

static dent_status find_trees(struct motion_run *run)
{
    struct motion_state *state = run->state;
    while (state->trees.count < run->table->slot_count) {
        struct motion_tree tree;
        motion_tree_init(&tree, run->context);
        if (!array_push(&state->trees, &tree)) {
            return motion_out_of_memory(run);
        }
    }
    struct motion_tree *trees = state->trees.data;
    if (state->trees_version != run->table->topology_version) { /* trees of bodies that are gone */
        for (uint32_t slot = 0; slot < run->table->slot_count; slot++) {
            const struct body *body = run->table->slots[slot].body;
            if (motion_tree_is_built(&trees[slot]) && (!body || body->identity_base != trees[slot].shape_key)) {
                motion_tree_destroy(&trees[slot]);
                motion_tree_init(&trees[slot], run->context);
            }
        }
        state->trees_version = run->table->topology_version;
    }
    for (uint32_t body_index = 0; body_index < run->actor_count; body_index++) {
        run->actors[body_index].tree = &trees[run->table->living[body_index]];
    }
    return DENT_OK;
}

/* ---- positions --------------------------------------------------------------------------------------------------- */

static dent_status read_positions(struct motion_run *run, const struct body *body, const dent_positions *positions,
                                  const double (**read)[3])
{
    double(*xyz)[3] = arena_allocate(run->scratch, body->vertex_count, sizeof *xyz);
    if (!xyz) {
        return motion_out_of_memory(run);
    }
    *read = (const double(*)[3])xyz;
    return body_read_positions(body, positions, run->message, xyz);
}

static double largest_coordinate(const struct body *body, const double (*xyz)[3])
{
    double largest = 0;
    for (uint32_t v = 0; v < body->vertex_count; v++) {
        if (body->vertex_use[v] & VERTEX_ON_SURFACE) {
            for (int k = 0; k < 3; k++) {
                largest = fabs(xyz[v][k]) > largest ? fabs(xyz[v][k]) : largest;
            }
        }
    }
    return largest;
}

/* A rigid body whose positions were read in an earlier query and not given anew is not read again. */
static bool is_known(const struct motion_run *run, const struct motion_actor *actor)
{
    const struct motion_tree *tree = actor->tree;
    return actor->rigid && !run->def->meshes_changed && tree->shape_key == actor->body->identity_base &&
           tree->position_key == actor->body->position_version;
}

static dent_status read_actor(struct motion_run *run, struct motion_actor *actor)
{
    dent_status status = read_positions(run, actor->body, &actor->body->positions_t0, &actor->start);
    double largest = status == DENT_OK ? largest_coordinate(actor->body, actor->start) : 0;
    actor->end = actor->start;
    if (status == DENT_OK && !actor->rigid && actor->body->positions_t1.data) {
        status = read_positions(run, actor->body, &actor->body->positions_t1, &actor->end);
        double other = status == DENT_OK ? largest_coordinate(actor->body, actor->end) : 0;
        largest = other > largest ? other : largest;
    }
    if (status == DENT_OK) {
        actor->tree->largest = largest;
    }
    return status;
}

/* One power of two for all lengths, 1 in ordinary worlds. */
static void choose_scale(struct motion_run *run)
{
    double largest = 0;
    for (uint32_t body_index = 0; body_index < run->actor_count; body_index++) {
        largest = run->actors[body_index].tree->largest > largest ? run->actors[body_index].tree->largest : largest;
    }
    for (uint32_t f = 0; f < run->def->frame_count; f++) {
        const dent_motion *motion = &run->def->frames[f].motion;
        for (int k = 0; k < 3; k++) {
            double sum = fabs(motion->start.translation[k]) / 4 + fabs(motion->displacement[k]) / 4 +
                         fabs(motion->centre[k]) / 4;
            largest = sum > largest ? sum : largest;
        }
    }
    run->scale = 1;
    if (largest > 0 && (largest > 0x1p100 || largest < 0x1p-100)) {
        int exponent = -binary_exponent(largest);
        run->scale = power_of_two(exponent > 1000 ? 1000 : exponent < -1000 ? -1000 : exponent);
    }
}

/* ---- trees ------------------------------------------------------------------------------------------------------- */

static bool same_corners(const struct motion_tree *tree, const struct body *body, const double (*xyz)[3])
{
    const double(*corners)[3][3] = (const double(*)[3][3])tree->corners.data;
    const uint32_t *faces = tree->faces.data;
    for (uint32_t f = 0; f < tree->face_count; f++) {
        for (int c = 0; c < 3; c++) {
            for (int k = 0; k < 3; k++) {
                if (corners[f][c][k] != xyz[body->surface_faces[faces[f]].corners[c]][k] * tree->scale) {
                    return false;
                }
            }
        }
    }
    return true;
}

static bool volume_fits(dent_motion_volume built, dent_motion_volume wanted)
{
    return (built == DENT_MOTION_VOLUME_ALIGNED_BOX) == (wanted == DENT_MOTION_VOLUME_ALIGNED_BOX);
}

static dent_status prepare_tree(struct motion_run *run, struct motion_actor *actor)
{
    struct motion_tree *tree = actor->tree;
    const struct body *body = actor->body;
    bool same_shape = tree->shape_key == body->identity_base && volume_fits(tree->volume, run->volume);
    bool built = same_shape && tree->scale == run->scale && tree->position_key != UINT64_MAX;
    built = built && (!actor->start || same_corners(tree, body, actor->start));
    if (actor->rigid && built) {
        tree->position_key = body->position_version;
        return DENT_OK;
    }
    if (!actor->start) { /* known, but in another scale or with other volumes */
        dent_status status = read_actor(run, actor);
        if (status != DENT_OK) {
            return status;
        }
    }
    if (actor->rigid || !same_shape) {
        run->counters->trees_built++;
        if (!motion_tree_build(tree, body, actor->start, run->volume, run->scale)) {
            return motion_out_of_memory(run);
        }
        tree->position_key = body->position_version;
    }
    if (!actor->rigid) {
        tree->position_key = UINT64_MAX;
        if (!motion_tree_refit(tree, body, actor->start, actor->end, run->scale)) {
            tree->shape_key = UINT64_MAX;
            return motion_out_of_memory(run);
        }
    }
    return DENT_OK;
}

dent_status motion_prepare_bodies(struct motion_run *run)
{
    run->actor_count = run->table->body_count;
    run->actors = arena_allocate(run->scratch, run->actor_count, sizeof *run->actors);
    if (!run->actors) {
        return motion_out_of_memory(run);
    }
    dent_status status = attach_bodies(run);
    if (status == DENT_OK) {
        status = find_trees(run);
    }
    for (uint32_t body_index = 0; body_index < run->actor_count && status == DENT_OK; body_index++) {
        if (!is_known(run, &run->actors[body_index])) {
            status = read_actor(run, &run->actors[body_index]);
        }
    }
    if (status != DENT_OK) {
        return status;
    }
    choose_scale(run);
    for (uint32_t body_index = 0; body_index < run->actor_count && status == DENT_OK; body_index++) {
        status = prepare_tree(run, &run->actors[body_index]);
    }
    return status;
}
