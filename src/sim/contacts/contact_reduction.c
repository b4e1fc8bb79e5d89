/* Contacts of two rigid bodies that others imply. A face on a face gives tens of contacts with one normal. Gaps of rigid
 * bodies are affine in the point: where the gap at a corner point of the touching region cannot close, none within it
 * can. So of the rows of two bodies with one normal those stay that are extreme in one of eight directions across it,
 * and those that lie nearer than the extreme ones say (a ball on a plane); the rest takes no part. Fewer rows, and far
 * fewer ways to share a load, make the solver quicker and the result better determined.
 *
 * The directions are turned a little, so that the rows of a grid of vertices do not tie. */
#include "rigid_islands.h"

#include <math.h>
#include <string.h>

enum { DIRECTIONS = 8 };

/* Normals that differ by less are one; gaps that are nearer than this share of the rest distance. */
#define SAME_NORMAL 1e-4
#define SAME_GAP 1e-3

struct row_cluster {
    uint32_t low, high, other; /* sides; SIM_NONE and the body that does not yield */
    uint32_t first, last;      /* rows, linked */
    uint32_t next;             /* cluster of the same low side */
    double normal[3];
};

struct reduction {
    const struct sim_model *model;
    const struct contact_set *contacts;
    struct rigid_islands *islands;
    uint32_t cluster_count;
};

static const dent_contact *contact_of(const struct reduction *reduction, uint32_t row)
{
    return &reduction->contacts->records[reduction->islands->rows[row].contact];
}

/* The normal as seen from the low side, so that a pair's contacts of either order lie in one cluster. */
static double seen_from_low(const struct island_row *row)
{
    return row->side[0] <= row->side[1] ? 1 : -1;
}

static uint32_t find_cluster(struct reduction *reduction, uint32_t first_body, const struct island_row *row)
{
    struct rigid_islands *islands = reduction->islands;
    const dent_contact *contact = &reduction->contacts->records[row->contact];
    double sign = seen_from_low(row);
    bool ordered = row->side[0] <= row->side[1];
    uint32_t low = ordered ? row->side[0] : row->side[1], high = ordered ? row->side[1] : row->side[0];
    uint32_t other = high != SIM_NONE ? SIM_NONE : ordered ? contact->body_b : contact->body_a;
    uint32_t *head = &islands->heads[first_body + low];
    for (uint32_t n = *head; n != SIM_NONE; n = islands->clusters[n].next) {
        const struct row_cluster *cluster = &islands->clusters[n];
        double apart[3];
        for (int i = 0; i < 3; i++) {
            apart[i] = sign * contact->normal[i] - cluster->normal[i];
        }
        if (cluster->high == high && cluster->other == other && sim_dot(apart, apart) < SAME_NORMAL * SAME_NORMAL) {
            return n;
        }
    }
    struct row_cluster *made = &islands->clusters[reduction->cluster_count];
    *made = (struct row_cluster){.low = low, .high = high, .other = other, .first = SIM_NONE, .next = *head};
    for (int i = 0; i < 3; i++) {
        made->normal[i] = sign * contact->normal[i];
    }
    return *head = reduction->cluster_count++;
}

static void gather(struct reduction *reduction, const struct island *island)
{
    struct rigid_islands *islands = reduction->islands;
    for (uint32_t i = 0; i < island->body_count; i++) {
        islands->heads[island->first_body + i] = SIM_NONE;
    }
    for (uint32_t r = island->first_row; r < island->first_row + island->row_count; r++) {
        struct row_cluster *cluster =
            &islands->clusters[find_cluster(reduction, island->first_body, &islands->rows[r])];
        islands->links[r] = SIM_NONE;
        if (cluster->first == SIM_NONE) {
            cluster->first = r;
        } else {
            islands->links[cluster->last] = r;
        }
        cluster->last = r;
    }
}

/* ---- a cluster --------------------------------------------------------------------------------------------------- */

struct corner {
    uint32_t row;
    double at[2], gap, reach; /* across the normal */
};

static void tangents(const double *n, double first[3], double second[3])
{
    double x = fabs(n[0]), y = fabs(n[1]), z = fabs(n[2]);
    double axis[3] = {x <= y && x <= z, !(x <= y && x <= z) && y <= z, !(x <= y && x <= z) && !(y <= z)};
    sim_cross(n, axis, first);
    double length = sqrt(sim_dot(first, first));
    for (int i = 0; i < 3; i++) {
        first[i] /= length;
    }
    sim_cross(n, first, second);
}

static void place(const struct reduction *reduction, uint32_t row, const double *first, const double *second,
                  struct corner *corner)
{
    const dent_contact *contact = contact_of(reduction, row);
    corner->row = row;
    corner->at[0] = 0.5 * (sim_dot(contact->point_a, first) + sim_dot(contact->point_b, first));
    corner->at[1] = 0.5 * (sim_dot(contact->point_a, second) + sim_dot(contact->point_b, second));
    corner->gap = contact->gap;
}

/* cos and sin of 9 degrees plus 45 times n. */
static const double directions[DIRECTIONS][2] = {
    {0.9876883405951378, 0.15643446504023087},   {0.5877852522924731, 0.8090169943749475},
    {-0.15643446504023087, 0.9876883405951378},  {-0.8090169943749475, 0.5877852522924731},
    {-0.9876883405951378, -0.15643446504023087}, {-0.5877852522924731, -0.8090169943749475},
    {0.15643446504023087, -0.9876883405951378},  {0.8090169943749475, -0.5877852522924731}};

static double area(const struct corner *a, const struct corner *b, const struct corner *c)
{
    return (b->at[0] - a->at[0]) * (c->at[1] - a->at[1]) - (b->at[1] - a->at[1]) * (c->at[0] - a->at[0]);
}

/* Whether the point lies in the triangle, and not nearer than its corners say. */
static bool implied_by(const struct corner *a, const struct corner *b, const struct corner *c,
                       const struct corner *point, double tolerance)
{
    double whole = area(a, b, c), slack = -1e-6 * whole;
    double u = area(point, b, c), v = area(a, point, c), w = area(a, b, point);
    if (!(whole > 0) || !(u >= slack) || !(v >= slack) || !(w >= slack)) {
        return false;
    }
    return point->gap >= (u * a->gap + v * b->gap + w * c->gap) / whole - tolerance;
}

static void reduce_cluster(const struct reduction *reduction, const struct row_cluster *cluster)
{
    struct rigid_islands *islands = reduction->islands;
    struct corner corners[DIRECTIONS], here;
    double first[3], second[3];
    uint32_t count = 0;
    tangents(cluster->normal, first, second);
    for (uint32_t r = cluster->first; r != SIM_NONE; r = islands->links[r], count++) {
        place(reduction, r, first, second, &here);
        for (int d = 0; d < DIRECTIONS; d++) {
            double reach = here.at[0] * directions[d][0] + here.at[1] * directions[d][1];
            if (count == 0 || reach > corners[d].reach) {
                corners[d] = here;
                corners[d].reach = reach;
            }
        }
    }
    const dent_contact *contact = contact_of(reduction, cluster->first);
    double tolerance = SAME_GAP * (reduction->model->bodies[contact->body_a].thickness +
                                   reduction->model->bodies[contact->body_b].thickness);
    for (uint32_t r = cluster->first; r != SIM_NONE && count > 3; r = islands->links[r]) {
        bool extreme = false, implied = false;
        place(reduction, r, first, second, &here);
        for (int d = 0; d < DIRECTIONS; d++) {
            extreme = extreme || corners[d].row == r;
        }
        for (int d = 1; d + 1 < DIRECTIONS && !extreme && !implied; d++) {
            implied = implied_by(&corners[0], &corners[d], &corners[d + 1], &here, tolerance);
        }
        islands->rows[r].implied = implied;
    }
}

/* Rows that act come first, in their order, so that the solver passes over no others. */
static void put_acting_first(struct rigid_islands *islands, struct island *island)
{
    struct island_row *rows = islands->rows + island->first_row;
    island->acting_count = 0;
    for (uint32_t r = 0; r < island->row_count; r++) {
        if (!rows[r].implied) {
            struct island_row row = rows[r];
            rows[r] = rows[island->acting_count];
            rows[island->acting_count++] = row;
        }
    }
}

dent_status rows_reduce(const struct sim_model *model, const struct contact_set *contacts,
                        struct rigid_islands *islands)
{
    struct reduction reduction = {.model = model, .contacts = contacts, .islands = islands};
    dent_status status = sim_reserve(model->context, (void **)&islands->clusters, &islands->cluster_capacity,
                                     islands->row_count, sizeof *islands->clusters);
    for (uint32_t n = 0; n < islands->island_count && status == DENT_OK; n++) {
        reduction.cluster_count = 0;
        gather(&reduction, &islands->islands[n]);
        for (uint32_t c = 0; c < reduction.cluster_count; c++) {
            reduce_cluster(&reduction, &islands->clusters[c]);
        }
        put_acting_first(islands, &islands->islands[n]);
    }
    return status;
}

void rows_release(dent_context *context, struct rigid_islands *islands)
{
    dent_release(context, islands->clusters, (size_t)islands->cluster_capacity, sizeof *islands->clusters);
}
