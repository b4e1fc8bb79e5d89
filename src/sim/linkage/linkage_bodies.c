/* Bodies of a linkage: a group of links that fixed joints connect has one mesh, all their surfaces in space at time 0,
 * and one mass, the sum of theirs about its centre. The group of a root that is held is a prescribed body. */
#include "linkage_parts.h"

#include "sim/model/sim_vectors.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct group_mass {
    double mass, first[3]; /* the sum of mass times centre */
    double about[9];       /* inertia about the origin of space, by rows */
    bool has_surface;
};

/* I about a point at `arm` from the centre of mass: + m (|r|^2 1 - r r^T). */
static void add_steiner(double *inertia, double mass, const double arm[3], double sign)
{
    double square = sim_dot(arm, arm);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            inertia[3 * i + j] += sign * mass * ((i == j ? square : 0) - arm[i] * arm[j]);
        }
    }
}

static void place_point(const double m[16], const double p[3], double out[3])
{
    for (int k = 0; k < 3; k++) {
        out[k] = sim_dot(m + 4 * k, p) + m[4 * k + 3];
    }
}

static void add_link_mass(const dent_robot_link *link, const dent_pose *pose, struct group_mass *sum)
{
    double m[16], center[3];
    const double *i = link->inertia, full[9] = {i[0], i[1], i[2], i[1], i[3], i[4], i[2], i[4], i[5]};
    dent_pose_to_matrix(pose, m);
    place_point(m, link->mass_center, center);
    sum->mass += link->mass;
    sim_add_scaled(sum->first, link->mass, center);
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 3; c++) {
            for (int j = 0; j < 3; j++) {
                sum->about[3 * r + c] += m[4 * r + j] * sim_dot(full + 3 * j, m + 4 * c);
            }
        }
    }
    add_steiner(sum->about, link->mass, center, 1);
}

static bool is_definite(const double i[6])
{
    double minor = i[0] * i[3] - i[1] * i[1], trace = i[0] + i[3] + i[5];
    double determinant = i[5] * minor - i[4] * (i[0] * i[4] - i[1] * i[2]) + i[2] * (i[1] * i[4] - i[3] * i[2]);
    return i[0] > 0 && minor > 0 && determinant > 1e-12 * trace * trace * trace && isfinite(determinant);
}

static dent_status fail_link(const struct dent_sim_linkage *made, const dent_sim_linkage_def *def, uint32_t link,
                             dent_status status, const char *what)
{
    return dent_fail(made->context, status, "link '%s': %s", dent_linkage_link_name(def->linkage, link), what);
}

/* Mass, centre and inertia of a body from those of its links. */
static dent_status give_mass(const struct dent_sim_linkage *made, const dent_sim_linkage_def *def, uint32_t group,
                             struct group_mass *sum, dent_sim_body_def *body)
{
    if (!(sum->mass > 0)) {
        return sum->has_surface ? DENT_OK
                                : fail_link(made, def, group, DENT_ERROR_UNSUPPORTED,
                                            "it moves, and has neither mass nor a collision shape");
    }
    body->mass = sum->mass;
    for (int k = 0; k < 3; k++) {
        body->mass_center[k] = sum->first[k] / sum->mass;
    }
    add_steiner(sum->about, sum->mass, body->mass_center, -1);
    const double *a = sum->about;
    double half[6] = {a[0], 0.5 * (a[1] + a[3]), 0.5 * (a[2] + a[6]), a[4], 0.5 * (a[5] + a[7]), a[8]};
    memcpy(body->inertia, half, sizeof half);
    return is_definite(half) ? DENT_OK
                             : fail_link(made, def, group, DENT_ERROR_INVALID_ARGUMENT,
                                         "its inertia, with that of links fixed to it, is not positive definite");
}

/* ---- meshes ------------------------------------------------------------------------------------------------------ */

static void add_surface(struct dent_sim_linkage *made, const dent_robot_link *link, const dent_pose *pose,
                        dent_sim_body_def *body)
{
    double m[16], *positions = made->positions + 3 * (size_t)made->vertex_total;
    uint32_t *triangles = made->triangles + 3 * (size_t)made->triangle_total;
    dent_pose_to_matrix(pose, m);
    for (size_t v = 0; v < link->vertex_count; v++) {
        place_point(m, link->positions + 3 * v, positions + 3 * v);
    }
    for (size_t n = 0; n < 3 * (size_t)link->triangle_count; n++) {
        triangles[n] = body->vertex_count + link->triangles[n];
    }
    body->vertex_count += link->vertex_count;
    body->element_count += link->triangle_count;
    made->vertex_total += link->vertex_count;
    made->triangle_total += link->triangle_count;
}

/* A body without a shape: as large as a ball of its mass and inertia. */
static void add_octahedron(struct dent_sim_linkage *made, dent_sim_body_def *body)
{
    static const uint32_t faces[OCTAHEDRON_FACES][3] = {{0, 2, 4}, {2, 1, 4}, {1, 3, 4}, {3, 0, 4},
                                                        {2, 0, 5}, {1, 2, 5}, {3, 1, 5}, {0, 3, 5}};
    double trace = body->inertia[0] + body->inertia[3] + body->inertia[5], radius = sqrt(trace / (1.2 * body->mass));
    double positions[3 * OCTAHEDRON_VERTICES];
    for (int v = 0; v < OCTAHEDRON_VERTICES; v++) {
        for (int k = 0; k < 3; k++) {
            positions[3 * v + k] = body->mass_center[k] + (k == v / 2 ? (v % 2 == 0 ? radius : -radius) : 0);
        }
    }
    dent_robot_link shape = {.vertex_count = OCTAHEDRON_VERTICES,
                             .positions = positions,
                             .triangle_count = OCTAHEDRON_FACES,
                             .triangles = faces[0]};
    dent_pose here = dent_pose_identity();
    add_surface(made, &shape, &here, body);
    body->collision_mask = 0;
}

/* ---- a group ----------------------------------------------------------------------------------------------------- */

static dent_sim_body_def plain_body(const struct dent_sim_linkage *made, const dent_sim_linkage_def *def,
                                    dent_sim_body_kind kind)
{
    dent_sim_body_def body = dent_sim_body_def_default(kind);
    body.mesh = DENT_BODY_SURFACE;
    body.material = def->material;
    body.density = def->density;
    body.thickness = def->thickness;
    body.collision_group = def->collision_group;
    body.collision_mask = def->collision_mask;
    body.positions = made->positions + 3 * (size_t)made->vertex_total;
    body.element_corners = made->triangles + 3 * (size_t)made->triangle_total;
    return body;
}

static dent_status make_group(struct dent_sim_linkage *made, const dent_sim_linkage_def *def, uint32_t group, bool held)
{
    struct group_mass sum = {0};
    dent_sim_body_def body = plain_body(made, def, held ? DENT_SIM_PRESCRIBED : DENT_SIM_RIGID);
    for (uint32_t link = 0; link < made->link_count; link++) {
        if (made->groups[link] == group) {
            const dent_robot_link *from = &def->links[link];
            add_link_mass(from, &made->poses[link], &sum);
            sum.has_surface = sum.has_surface || from->triangle_count > 0;
            add_surface(made, from, &made->poses[link], &body);
        }
    }
    dent_status status = held ? DENT_OK : give_mass(made, def, group, &sum, &body);
    if (status != DENT_OK || (held && !sum.has_surface)) {
        return status;
    }
    if (!sum.has_surface) {
        add_octahedron(made, &body);
    }
    const char *name = def->name ? def->name : dent_linkage_name(def->linkage);
    snprintf(made->names[made->body_count], sizeof *made->names, "%.24s/%.36s", name,
             dent_linkage_link_name(def->linkage, group));
    body.name = made->names[made->body_count];
    for (uint32_t link = 0; link < made->link_count; link++) {
        made->bodies[link] = made->groups[link] == group ? made->body_count : made->bodies[link];
    }
    made->body_defs[made->body_count++] = body;
    return DENT_OK;
}

/* The link that no joint places. */
static uint32_t root_of(const struct dent_sim_linkage *made)
{
    uint32_t root = 0;
    for (bool found = false; !found;) {
        found = true;
        for (uint32_t j = 0; j < made->joint_count && found; j++) {
            if (made->joints[j].child == root) {
                root = made->joints[j].parent;
                found = false;
            }
        }
    }
    return root;
}

dent_status linkage_make_bodies(struct dent_sim_linkage *made, const dent_sim_linkage_def *def)
{
    uint32_t held = def->free_base ? LINKAGE_NONE : made->groups[root_of(made)];
    dent_status status = DENT_OK;
    for (uint32_t link = 0; link < made->link_count && status == DENT_OK; link++) {
        if (made->groups[link] == link) {
            status = make_group(made, def, link, link == held);
        }
    }
    return status;
}
