/* Contacts as rows, the choice of the few that matter, and the projection onto them. */
#include "base/containers/heap_sort.h"
#include "haptic/haptic_state.h"

enum { CANDIDATES = 2048 }; /* the nearest; of a patch with more, others say the same */

dent_status haptic_projector_open(struct haptic_projector *projector, dent_context *context, double inertia_radius)
{
    double inverse = 1 / (inertia_radius * inertia_radius);
    memset(projector, 0, sizeof *projector);
    projector->context = context;
    projector->metric[0] = 1;
    for (int k = 0; k < 3; k++) {
        projector->metric[1 + 4 * k] = inverse;
    }
    projector->solver = dent_constraints_create(context);
    return projector->solver ? DENT_OK
                             : dent_fail(context, DENT_ERROR_OUT_OF_MEMORY, "out of memory for a haptic tool");
}

void haptic_projector_close(struct haptic_projector *projector)
{
    dent_constraints_destroy(projector->solver);
    projector->solver = NULL;
}

dent_status haptic_project(struct haptic_projector *projector, const struct haptic_row *rows, uint32_t count,
                           const double wanted[6], double step[6])
{
    const dent_constraint_block block = {DENT_METRIC_RIGID, 6, projector->metric};
    dent_constraint_part parts[DENT_HAPTIC_CONTACTS_MAX];
    dent_constraint_row list[DENT_HAPTIC_CONTACTS_MAX];
    for (uint32_t i = 0; i < count; i++) {
        parts[i] = (dent_constraint_part){0, rows[i].coefficients};
        list[i] = dent_constraint_row_default();
        list[i].key = rows[i].key;
        list[i].parts = &parts[i];
        list[i].part_count = 1;
        list[i].target = rows[i].target;
    }
    dent_constraint_problem problem = dent_constraint_problem_default();
    problem.blocks = &block;
    problem.block_count = 1;
    problem.rows = list;
    problem.row_count = count;
    problem.free_motion = wanted;
    problem.motion = step;
    problem.forces = projector->forces;
    return dent_constraints_solve(projector->solver, &problem, &projector->report);
}

void haptic_row_set(struct haptic_row *row, const double arm[3], const double normal[3])
{
    memcpy(row->coefficients, normal, 3 * sizeof *normal);
    haptic_cross(arm, normal, row->coefficients + 3);
}

void haptic_centre_at(const dent_haptic *haptic, const dent_pose *tool, double centre[3])
{
    struct haptic_place place = haptic_place_of(tool);
    haptic_point(&place, haptic->centre, centre);
}

/* ---- the choice -------------------------------------------------------------------------------------------------- */

struct candidate {
    double gap, difference; /* from those chosen */
    uint32_t index;
};

static bool nearer(const void *a, const void *b, const void *data)
{
    const struct candidate *first = a, *second = b;
    (void)data;
    return first->gap != second->gap ? first->gap < second->gap : first->index < second->index;
}

/* The distance of two contacts as rows: where they push, and which way. */
static double difference(const struct haptic_near *a, const struct haptic_near *b, double radius)
{
    double points[3], normals[3];
    haptic_subtract(a->point_tool, b->point_tool, points);
    haptic_subtract(a->normal, b->normal, normals);
    return haptic_length(points) / radius + haptic_length(normals);
}

/* The nearest, then again and again the one least like those chosen. Contacts that are alike are taken once. */
static void choose(dent_haptic *haptic, struct candidate *candidates, uint32_t count)
{
    struct haptic_god *god = &haptic->god;
    const struct haptic_near *near = god->near.data;
    uint32_t next = 0;
    god->chosen_count = 0;
    for (double best = INFINITY; count > 0 && best > 1e-6 && god->chosen_count < DENT_HAPTIC_CONTACTS_MAX;) {
        const struct haptic_near *taken = &near[candidates[next].index];
        god->chosen[god->chosen_count++] = candidates[next].index;
        best = 0;
        for (uint32_t i = 0; i < count; i++) {
            double own = difference(&near[candidates[i].index], taken, haptic->radius);
            candidates[i].difference = fmin(candidates[i].difference, own);
            if (candidates[i].difference > best) {
                best = candidates[i].difference;
                next = i;
            }
        }
    }
}

static dent_status choose_contacts(dent_haptic *haptic)
{
    struct haptic_god *god = &haptic->god;
    const struct haptic_near *near = god->near.data;
    array_clear(&god->order);
    for (uint32_t i = 0; i < god->near.count; i++) {
        struct candidate candidate = {near[i].gap, INFINITY, i};
        if (!array_push(&god->order, &candidate)) {
            return dent_fail(haptic->context, DENT_ERROR_OUT_OF_MEMORY,
                             "out of memory for the contacts of a haptic tool");
        }
    }
    heap_sort(god->order.data, god->order.count, sizeof(struct candidate), nearer, NULL);
    choose(haptic, god->order.data, god->order.count < CANDIDATES ? (uint32_t)god->order.count : CANDIDATES);
    return DENT_OK;
}

dent_status haptic_find_contacts(dent_haptic *haptic)
{
    struct haptic_god *god = &haptic->god;
    struct haptic_search search = {.tool = &god->tool_mesh,
                                   .tool_pose = god->tool,
                                   .found = &god->near,
                                   .band = HAPTIC_BAND * haptic->target_gap,
                                   .least = INFINITY};
    array_clear(&god->near);
    for (uint32_t i = 0; i < god->scene.body_count; i++) {
        struct haptic_body *body = &god->scene.bodies[i];
        body->mesh.points = haptic_body_points(&god->scene, body, false);
        if (body->kind == DENT_HAPTIC_DEFORMING && god->scene.must_refit) {
            haptic_mesh_refit(&body->mesh);
        }
        search.mesh = &body->mesh;
        search.body = i;
        search.body_pose = haptic_body_pose(&god->scene, body, false);
        haptic_search_run(&search);
    }
    god->scene.must_refit = false;
    god->least = search.least;
    if (search.out_of_memory) {
        god->scene.must_refit = true;
        return dent_fail(haptic->context, DENT_ERROR_OUT_OF_MEMORY, "out of memory for the contacts of a haptic tool");
    }
    return choose_contacts(haptic);
}
