/* The order of the stages for one pair, readable on one page:
 *
 *   elements of each body that meet the other -> vertices inside -> (closed surfaces) elements inside
 *     -> does the pair penetrate? -> how deep -> which elements only touch -> counts, state, marks
 *
 * A pair has two sides, a body and itself only one. Flags live in scratch memory and are given back with the pair.
 */
#include "contact/check/pair_check.h"

#include <math.h>

#include "contact/check/overlap_stages.h"
#include "contact/check/overlap_volume.h"
#include "contact/check/penetration_depth.h"

struct pair {
    struct check_side sides[2];
    int side_count;
};

typedef dent_status side_stage(struct check_run *run, struct check_side *side);

bool pair_may_meet(const struct check_body *a, const struct check_body *b)
{
    bool points = body_has_points(a->body) || body_has_points(b->body);
    return a->body->element_count > 0 && b->body->element_count > 0 && (a->thin || body_has_features(a->body)) &&
           (b->thin || body_has_features(b->body)) && !(points && a->thin && b->thin) &&
           bodies_may_meet(a->body, b->body) && boxes_meet(&a->bounds, &b->bounds);
}

static bool begin_side(struct check_run *run, struct check_side *side, const struct check_body *x,
                       const struct check_body *y)
{
    side->x = x;
    side->y = y;
    side->elements = arena_allocate_cleared(run->scratch, x->body->element_count, 1);
    side->faces = arena_allocate_cleared(run->scratch, x->surface_count, 1);
    side->vertices = arena_allocate_cleared(run->scratch, x->body->vertex_count, 1);
    return side->elements && side->faces && side->vertices;
}

/* ---- which elements meet the other body -------------------------------------------------------------------------- */

static dent_status find_meeting_elements(struct check_run *run, struct check_side *side)
{
    const struct check_body *x = side->x, *y = side->y;
    if (x->solid) {
        return y->solid ? stage_cells_in_cells(run, side) : stage_cells_cut_by_faces(run, side);
    }
    if (!y->solid) {
        return stage_faces_and_faces(run, side, false);
    }
    return x->thin ? stage_segments_in_body(run, side) : stage_faces_in_cells(run, side);
}

static dent_status find_vertices_inside(struct check_run *run, struct check_side *side)
{
    bool of_itself = side->x == side->y;
    return side->y->solid || (side->y->closed && !of_itself) ? stage_vertices_inside(run, side) : DENT_OK;
}

/* Surfaces y: what was found so far becomes ELEMENT_OVERLAPS. An open surface, and a surface with itself, overlaps what
 * it crosses. */
static dent_status find_elements_inside(struct check_run *run, struct check_side *side)
{
    const struct check_body *x = side->x, *y = side->y;
    if (y->solid) {
        return DENT_OK;
    }
    if (y->closed && x != y) {
        return x->solid     ? stage_cells_in_surface(run, side)
               : x->thin    ? stage_segments_in_body(run, side)
                            : stage_faces_in_surface(run, side);
    }
    for (uint32_t element = 0; element < x->body->element_count; element++) {
        bool overlaps = x->solid ? side->elements[element] & ELEMENT_IS_CUT : side->faces[element] & FACE_CROSSES;
        side->elements[element] |= overlaps ? ELEMENT_OVERLAPS : 0;
    }
    return DENT_OK;
}

/* Surfaces against surfaces know already. */
static dent_status find_touching_faces(struct check_run *run, struct check_side *side)
{
    bool known = !side->x->solid && !side->y->solid;
    return known || run->ignore_touching ? DENT_OK : stage_faces_and_faces(run, side, true);
}

static dent_status for_both_sides(struct check_run *run, struct pair *pair, side_stage *stage)
{
    dent_status status = DENT_OK;
    for (int i = 0; i < pair->side_count && status == DENT_OK && !check_cancelled(run); i++) {
        status = stage(run, &pair->sides[i]);
    }
    return status;
}

/* ---- counting ---------------------------------------------------------------------------------------------------- */

/* A flat cell has no interior and overlaps nothing, but it may lie inside the other body without meeting its surface.
 * Every other element with a corner inside overlaps. */
static void touch_with_corners_inside(struct check_run *run, const struct check_side *side)
{
    const struct body *body = side->x->body;
    for (uint32_t element = 0; element < body->element_count && side->x != side->y && !run->ignore_touching;
         element++) {
        uint32_t corner_count;
        const uint32_t *corners = element_corners(body, element, &corner_count);
        for (uint32_t k = 0; k < corner_count; k++) {
            if (side->vertices[corners[k]] != VERTEX_INSIDE) {
                continue;
            }
            side->elements[element] |= ELEMENT_TOUCHES;
            if (!run->total.contact) {
                run->total.contact = true;
                memcpy(run->total.meeting, side->x->xyz[corners[k]], sizeof run->total.meeting);
            }
        }
    }
}

static void count_elements(const struct check_side *side, dent_body_contact *contact)
{
    const struct body *body = side->x->body;
    for (uint32_t face = 0; face < side->x->surface_count; face++) {
        if (side->faces[face] & FACE_TOUCHES) {
            side->elements[side->x->surface[face].cell] |= ELEMENT_TOUCHES;
        }
    }
    for (uint32_t element = 0; element < body->element_count; element++) {
        bool overlaps = side->elements[element] & ELEMENT_OVERLAPS;
        contact->overlapping_elements += overlaps;
        contact->touching_elements += !overlaps && (side->elements[element] & ELEMENT_TOUCHES);
    }
    for (uint32_t vertex = 0; vertex < body->vertex_count; vertex++) {
        contact->penetrating_vertices += side->vertices[vertex] == VERTEX_INSIDE;
    }
}

static void mark_elements(struct check_body *x, const struct check_side *side, dent_body_pair_state state)
{
    uint8_t overlapping = state == DENT_BODY_PAIR_PENETRATING ? DENT_MARK_OVERLAPPING : DENT_MARK_TOUCHING;
    for (uint32_t element = 0; element < x->body->element_count; element++) {
        uint8_t flags = side->elements[element];
        uint8_t mark = flags & ELEMENT_OVERLAPS  ? overlapping
                       : flags & ELEMENT_TOUCHES ? DENT_MARK_TOUCHING
                                                 : DENT_MARK_NONE;
        x->element_marks[element] = mark > x->element_marks[element] ? mark : x->element_marks[element];
    }
    for (uint32_t vertex = 0; vertex < x->body->vertex_count; vertex++) {
        x->vertex_marks[vertex] |= side->vertices[vertex] == VERTEX_INSIDE;
    }
}

static bool any_overlap(const struct pair *pair)
{
    for (int i = 0; i < pair->side_count; i++) {
        const struct check_side *side = &pair->sides[i];
        for (uint32_t element = 0; element < side->x->body->element_count; element++) {
            if (side->elements[element] & ELEMENT_OVERLAPS) {
                return true;
            }
        }
    }
    return false;
}

static dent_body_pair_state judge(const struct check_run *run, const dent_body_contact *contact)
{
    if (contact->exact_penetration && (run->tolerance == 0 || contact->max_depth > run->tolerance)) {
        return DENT_BODY_PAIR_PENETRATING;
    }
    bool meets = contact->exact_penetration || run->total.contact;
    return meets && (contact->exact_penetration || !run->ignore_touching) ? DENT_BODY_PAIR_TOUCHING
                                                                          : DENT_BODY_PAIR_APART;
}

/* ---- the stages -------------------------------------------------------------------------------------------------- */

static dent_status estimate_depth(struct check_run *run, struct pair *pair)
{
    dent_status status = for_both_sides(run, pair, stage_depth_of_points);
    if (status == DENT_OK && !check_cancelled(run)) {
        status = stage_depth_of_crossings(run, &pair->sides[0]); /* every crossing has a face on this side */
    }
    if (status == DENT_OK) {
        status = for_both_sides(run, pair, stage_depth_of_chords);
    }
    if (status == DENT_OK && !(run->total.depth > 0)) {
        status = for_both_sides(run, pair, stage_depth_of_last_resort);
    }
    return status;
}

static dent_status find_overlaps(struct check_run *run, struct pair *pair, bool *overlap)
{
    static side_stage *const before_depth[] = {find_meeting_elements, find_vertices_inside, find_elements_inside};
    dent_status status = DENT_OK;
    for (int i = 0; i < 3 && status == DENT_OK; i++) {
        status = for_both_sides(run, pair, before_depth[i]);
    }
    *overlap = any_overlap(pair);
    return status;
}

/* Interiors that do not meet have nothing in common. */
static dent_status find_volume(struct check_run *run, struct pair *pair, dent_body_contact *contact)
{
    const struct check_body *a = pair->sides[0].x, *b = pair->sides[0].y;
    if (!(a->solid || a->closed) || !(b->solid || b->closed)) {
        return DENT_OK;
    }
    if (!contact->exact_penetration) {
        contact->volume = contact->volume_error = 0;
        return DENT_OK;
    }
    return stage_overlap_volume(run, a, b, contact);
}

static dent_status run_stages(struct check_run *run, struct pair *pair, dent_body_contact *contact)
{
    dent_status status = find_overlaps(run, pair, &contact->exact_penetration);
    if (status == DENT_OK && contact->exact_penetration && !check_cancelled(run)) {
        status = estimate_depth(run, pair);
    }
    if (status == DENT_OK && run->volumes && !check_cancelled(run)) {
        status = find_volume(run, pair, contact);
    }
    return status == DENT_OK ? for_both_sides(run, pair, find_touching_faces) : status;
}

dent_status check_pair(struct check_run *run, struct check_body *a, struct check_body *b, dent_body_contact *contact)
{
    struct check_body *bodies[2] = {a, b};
    struct arena_mark mark = arena_mark(run->scratch);
    struct pair pair = {.side_count = a == b ? 1 : 2};
    *contact = (dent_body_contact){.containment_judged = !check_is_open(a) && !check_is_open(b),
                                    .volume = NAN,
                                    .volume_error = NAN};
    run->total.depth = -1;
    run->total.contact = false;
    for (int i = 0; i < pair.side_count; i++) {
        if (!begin_side(run, &pair.sides[i], bodies[i], bodies[1 - i])) {
            return check_out_of_memory(run);
        }
    }
    dent_status status = run_stages(run, &pair, contact);
    if (status == DENT_OK && !check_cancelled(run)) {
        const double *where = run->total.depth >= 0 ? run->total.where : run->total.meeting;
        contact->max_depth = run->total.depth > 0 ? run->total.depth : 0;
        for (int i = 0; i < pair.side_count; i++) {
            touch_with_corners_inside(run, &pair.sides[i]);
            count_elements(&pair.sides[i], contact);
        }
        contact->state = judge(run, contact);
        for (int axis = 0; axis < 3; axis++) {
            contact->deepest[axis] = run->total.depth >= 0 || run->total.contact ? where[axis] : 0;
        }
        for (int i = 0; i < pair.side_count && contact->state != DENT_BODY_PAIR_APART; i++) {
            mark_elements(bodies[i], &pair.sides[i], contact->state);
        }
    }
    arena_rewind(run->scratch, mark);
    return status;
}

dent_status check_interiors_meet(struct check_run *run, struct check_body *a, struct check_body *b, bool *meet)
{
    struct pair pair = {.side_count = 2};
    if (!begin_side(run, &pair.sides[0], a, b) || !begin_side(run, &pair.sides[1], b, a)) {
        return check_out_of_memory(run);
    }
    return find_overlaps(run, &pair, meet);
}
