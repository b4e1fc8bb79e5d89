/* Surface faces of one body against those of another (or of itself): do they touch, cross, or coincide? Points only touch.
 *
 * In: the boxes of y's faces in a tree. Out: flags of x's faces, and one place where the surfaces meet.
 */
#include "contact/check/overlap_stages.h"

#include "geometry/predicates/triangle_predicates.h"

struct contact_stage {
    struct check_side *side;
    bool only_touching;
};

static uint8_t flags_of(face_pair_kind kind)
{
    switch (kind) {
    case FACE_PAIR_TOUCHING:
        return FACE_TOUCHES;
    case FACE_PAIR_CROSSING:
        return FACE_TOUCHES | FACE_CROSSES;
    case FACE_PAIR_COPLANAR:
        return FACE_TOUCHES | FACE_COINCIDES;
    default:
        return 0;
    }
}

/* The middle of the common part of two boxes that meet: near the place where their triangles do. */
static void note_meeting(struct check_tally *tally, const struct box *a, const struct box *b)
{
    if (tally->contact) {
        return;
    }
    tally->contact = true;
    for (int axis = 0; axis < 3; axis++) {
        double lo = a->lo[axis] > b->lo[axis] ? a->lo[axis] : b->lo[axis];
        double hi = a->hi[axis] < b->hi[axis] ? a->hi[axis] : b->hi[axis];
        tally->meeting[axis] = 0.5 * lo + 0.5 * hi;
    }
}

static uint8_t face_and_faces(const struct check_run *run, const struct contact_stage *stage, uint32_t face, struct check_tally *tally)
{
    const struct check_body *x = stage->side->x, *y = stage->side->y;
    const uint32_t *v = x->surface[face].corners;
    const double *a[3], *b[3];
    struct box_walk walk;
    struct box box;
    uint32_t other;
    uint8_t flags = 0;
    bool only_touching = stage->only_touching || body_has_points(x->body) || body_has_points(y->body);
    face_corners(x, face, a);
    box_around(&box, x->xyz, v, 3);
    if (!boxes_meet(&box, &y->bounds)) {
        return 0;
    }
    box_walk_begin(&walk, &y->faces, &box);
    while (!(only_touching && flags) && box_walk_next(&walk, &other)) {
        const uint32_t *w = y->surface[other].corners;
        if (check_leaves_out(run, x, face, y, other)) {
            continue;
        }
        face_corners(y, other, b);
        tally->candidates++;
        uint8_t found = only_touching ? (triangles_meet(a, b, &tally->predicates) ? FACE_TOUCHES : 0)
                                             : flags_of(triangle_versus_triangle(a, b, &tally->predicates));
        if (found) {
            struct box other_box;
            box_around(&other_box, y->xyz, w, 3);
            note_meeting(tally, &box, &other_box);
            flags |= found;
        }
    }
    tally_walk(tally, &walk);
    return flags;
}

static void faces_and_faces(struct check_run *run, void *data, uint32_t begin, uint32_t end, struct check_tally *tally)
{
    const struct contact_stage *stage = data;
    struct check_side *side = stage->side;
    for (uint32_t face = begin; face < end; face++) {
        if (stage->only_touching && (side->elements[side->x->surface[face].cell] & ELEMENT_OVERLAPS)) {
            continue;
        }
        side->faces[face] |= face_and_faces(run, stage, face, tally);
    }
}

dent_status stage_faces_and_faces(struct check_run *run, struct check_side *side, bool only_touching)
{
    struct contact_stage stage = {side, only_touching};
    return check_for_each(run, side->x->surface_count, faces_and_faces, &stage);
}
