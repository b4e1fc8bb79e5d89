/* Strands become groups of eight: stiffness from the round cross-section, natural strains from the rest shape. Directors
 * at rest are carried along each strand without twisting, so curls are in the two curvatures and the natural twist is 0.
 * At the start they are carried along the present shape and turned by what the def wants of twist. */
#include "rod_mesh.h"

#include "sim/model/sim_state.h"

#include <math.h>
#include <string.h>

/* ---- directors along a strand ------------------------------------------------------------------------------------ */

static bool tangent_of(const double *x, double tangent[3], double *length)
{
    sim_subtract(x + 3, x, tangent);
    *length = sqrt(sim_dot(tangent, tangent));
    for (int axis = 0; axis < 3; axis++) {
        tangent[axis] = *length > 0 ? tangent[axis] / *length : axis == 0;
    }
    return *length > 0 && isfinite(*length);
}

/* Unit, across a tangent: from the axis that it has least of. */
static void any_director(const double tangent[3], double director[3])
{
    double axis[3] = {0, 0, 0};
    int least = 0;
    for (int k = 1; k < 3; k++) {
        least = fabs(tangent[k]) < fabs(tangent[least]) ? k : least;
    }
    axis[least] = 1;
    sim_cross(tangent, axis, director);
    double length = sqrt(sim_dot(director, director));
    for (int k = 0; k < 3; k++) {
        director[k] /= length;
    }
}

/* From one tangent to another by the shortest rotation; then straightened. */
static void carry(const double from[3], const double to[3], double director[3])
{
    double chi = 1 + sim_dot(from, to), along = sim_dot(director, to);
    for (int k = 0; k < 3 && chi > 1e-6; k++) {
        director[k] -= along / chi * (from[k] + to[k]);
    }
    sim_add_scaled(director, -sim_dot(director, to), to);
    double length = sqrt(sim_dot(director, director));
    if (!(length > 1e-6)) {
        any_director(to, director);
        return;
    }
    for (int k = 0; k < 3; k++) {
        director[k] /= length;
    }
}

/* Sine and cosine of an angle: halved until small, by their series, and doubled again. Only sqrt is taken from libm. */
static void turn_about(const double axis[3], double angle, double director[3])
{
    double small = angle - 2 * SIM_PI * floor(angle / (2 * SIM_PI) + 0.5), crossed[3];
    for (int n = 0; n < 6; n++) {
        small *= 0.5;
    }
    double y = small * small;
    double sine = small * (1 - y / 6 * (1 - y / 20 * (1 - y / 42))), cosine = 1 - y / 2 * (1 - y / 12 * (1 - y / 30));
    for (int n = 0; n < 6; n++) {
        double twice = 2 * sine * cosine;
        cosine = cosine * cosine - sine * sine;
        sine = twice;
    }
    sim_cross(axis, director, crossed);
    for (int k = 0; k < 3; k++) {
        director[k] = cosine * director[k] + sine * crossed[k];
    }
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

struct strand {
    const struct sim_body *body;
    uint32_t first, count; /* vertices of the body */
    uint32_t row, lane;
    bool clamped_root;
};

static bool is_held(const struct sim_model *model, const struct strand *strand, uint32_t i)
{
    return !(model->inverse_masses[strand->body->first_vertex + strand->first + i] > 0);
}

/* An edge that does not turn: both its ends are held, or it is clamped. */
static bool is_clamped(const struct sim_model *model, const struct strand *strand, uint32_t i)
{
    return (i == 0 && strand->clamped_root) || (is_held(model, strand, i) && is_held(model, strand, i + 1));
}

static double edge_length(const struct strand *strand, uint32_t i)
{
    double tangent[3], length;
    tangent_of(strand->body->rest + 3 * (size_t)(strand->first + i), tangent, &length);
    return length;
}

/* Stiffness and inertia. A joint has half of its edges; the half of a clamped one does not bend. */
static dent_status fill_rows(struct sim_model *model, struct strand *strand)
{
    const dent_sim_material *material = &model->materials[strand->body->material];
    double r = strand->body->radius, area = SIM_PI * r * r, second = area * r * r / 4;
    double shear = material->young / (2 * (1 + material->poisson));
    for (uint32_t i = 0; i < strand->count; i++) {
        struct rod_row *row = &model->rods->rows[strand->row + i];
        uint32_t lane = strand->lane;
        row->moves[lane] = !is_held(model, strand, i);
        row->damping[lane] = material->damping;
        if (i + 1 == strand->count) {
            continue;
        }
        double length = edge_length(strand, i);
        if (!(length > 0) || !isfinite(material->young * area / length) || !(second / length > 0)) {
            return dent_fail(model->context, DENT_ERROR_BAD_MESH,
                             "%s: the segment between its vertices %u and %u has a length of %g at rest: it has no stiffness",
                             strand->body->name, strand->first + i, strand->first + i + 1, length);
        }
        row->length[lane] = length;
        row->stretch[lane] = material->young * area / length;
        row->spin_inertia[lane] = strand->body->density * 2 * second * length;
        row->turns[lane] = !is_clamped(model, strand, i);
        if (i > 0) {
            double before = is_clamped(model, strand, i - 1) ? 0 : edge_length(strand, i - 1);
            double behind = is_clamped(model, strand, i) ? 0 : length;
            double half = before + behind > 0 ? 0.5 * (before + behind) : length;
            row->bend[lane] = material->young * second / half;
            row->twist[lane] = shear * 2 * second / half;
        }
    }
    return DENT_OK;
}

static void put(struct rod_director *directors, const struct strand *strand, uint32_t i, const double d[3])
{
    for (int k = 0; k < 3; k++) {
        directors[strand->row + i].at[k][strand->lane] = d[k];
    }
}

/* Directors of a shape, from that of the first edge on. */
static void fill_directors(const struct strand *strand, const double *shape, double twist, double director[3],
                           struct rod_director *directors)
{
    double last[3] = {0, 0, 0}, last_length = 0;
    for (uint32_t i = 0; i + 1 < strand->count; i++) {
        double tangent[3], length;
        tangent_of(shape + 3 * (size_t)(strand->first + i), tangent, &length);
        if (i > 0) {
            carry(last, tangent, director);
            turn_about(tangent, twist * 0.5 * (length + last_length), director);
        }
        put(directors, strand, i, director);
        memcpy(last, tangent, sizeof last);
        last_length = length;
    }
    if (strand->count == 1) {
        put(directors, strand, 0, director);
    }
}

/* Natural strains, and directors at the start. */
static void fill_shapes(const struct strand *strand, struct rod_director *natural, struct rod_director *start)
{
    double rest[3], now[3], length, director[3];
    tangent_of(strand->body->rest + 3 * (size_t)strand->first, rest, &length);
    tangent_of(strand->body->start + 3 * (size_t)strand->first, now, &length);
    any_director(rest, director);
    fill_directors(strand, strand->body->rest, 0, director, natural);
    any_director(rest, director);
    carry(rest, now, director);
    fill_directors(strand, strand->body->start, strand->body->twist, director, start);
}

/* ---- groups ------------------------------------------------------------------------------------------------------ */

/* Nothing in the lanes of a row: edges of no stiffness, vertices that stand. */
static void clear_row(struct rod_row *row, struct rod_director *natural, struct rod_director *start)
{
    memset(row, 0, sizeof *row);
    for (int lane = 0; lane < ROD_LANES; lane++) {
        row->length[lane] = 1;
        for (int k = 0; k < 3; k++) {
            natural->at[k][lane] = start->at[k][lane] = k == 0;
        }
    }
}

static struct rod_group make_group(const struct sim_body *body, uint32_t first_strand, uint32_t first_row)
{
    struct rod_group group = {.first_row = first_row};
    for (uint32_t lane = 0; lane < ROD_LANES; lane++) {
        uint32_t s = first_strand + lane;
        bool used = s < body->strand_count;
        group.first_vertex[lane] = body->first_vertex + (used ? body->strand_first[s] : 0);
        group.lane_count += used;
        group.vertex_count[lane] = used ? body->strand_first[s + 1] - body->strand_first[s] : 1;
        group.row_count = group.vertex_count[lane] > group.row_count ? group.vertex_count[lane] : group.row_count;
    }
    return group;
}

static bool has_clamped_root(const struct sim_body *body, uint32_t strand, uint32_t *root)
{
    while (*root < body->root_count && body->roots[*root].strand < strand) {
        ++*root;
    }
    return *root < body->root_count && body->roots[*root].strand == strand && body->roots[*root].clamped;
}

static dent_status add_body(struct sim_model *model, uint32_t number, struct rod_director *natural,
                            struct rod_director *start)
{
    struct rod_mesh *rods = model->rods;
    const struct sim_body *body = &model->bodies[number];
    dent_status status = DENT_OK;
    uint32_t root = 0;
    for (uint32_t s = 0; s < body->strand_count && status == DENT_OK; s += ROD_LANES) {
        struct rod_group *group = &rods->groups[rods->group_count++];
        *group = make_group(body, s, rods->row_count);
        rods->row_count += group->row_count;
        for (uint32_t i = group->first_row; i < rods->row_count; i++) {
            clear_row(&rods->rows[i], &natural[i], &start[i]);
        }
        for (uint32_t lane = 0; lane < ROD_LANES && s + lane < body->strand_count && status == DENT_OK; lane++) {
            struct strand strand = {body, body->strand_first[s + lane], group->vertex_count[lane], group->first_row, lane,
                                    has_clamped_root(body, s + lane, &root)};
            status = fill_rows(model, &strand);
            fill_shapes(&strand, natural, start);
            for (uint32_t i = 0; i < strand.count; i++) {
                rods->vertex_slots[group->first_vertex[lane] + i] = ROD_LANES * (group->first_row + i) + lane;
            }
            rods->strand_count++;
        }
    }
    return status;
}

/* ---- clamps and anchors ------------------------------------------------------------------------------------------ */

void rod_face_frame(const uint32_t corners[3], const double *positions, double frame[9])
{
    double e1[3], e2[3], normal[3], across[3];
    sim_subtract(positions + 3 * (size_t)corners[1], positions + 3 * (size_t)corners[0], e1);
    sim_subtract(positions + 3 * (size_t)corners[2], positions + 3 * (size_t)corners[0], e2);
    sim_cross(e1, e2, normal);
    sim_cross(normal, e1, across);
    double a = sqrt(sim_dot(e1, e1)), b = sqrt(sim_dot(across, across)), c = sqrt(sim_dot(normal, normal));
    for (int k = 0; k < 3; k++) {
        frame[k] = a > 0 ? e1[k] / a : k == 0;
        frame[3 + k] = b > 0 ? across[k] / b : k == 1;
        frame[6 + k] = c > 0 ? normal[k] / c : k == 2;
    }
}

static void into_frame(const double frame[9], const double vector[3], double local[3])
{
    for (int k = 0; k < 3; k++) {
        local[k] = sim_dot(frame + 3 * k, vector);
    }
}

/* With `mesh` null, counts. */
static void add_clamp(struct rod_mesh *mesh, bool fill, struct rod_clamp clamp)
{
    if (fill) {
        mesh->clamps[mesh->clamp_count] = clamp;
    }
    mesh->clamp_count++;
}

static void add_root(struct sim_model *model, bool fill, const struct sim_body *body, uint32_t number,
                     const struct rod_director *start, const double *positions)
{
    struct rod_mesh *mesh = model->rods;
    const dent_sim_root *root = &body->roots[number];
    const uint32_t *corners = body->root_corners + 3 * (size_t)number;
    uint32_t first = body->first_vertex + body->strand_first[root->strand], slot = mesh->vertex_slots[first];
    double frame[9], apart[3];
    rod_face_frame(corners, positions, frame);
    for (uint32_t k = 0; k < (root->clamped ? 2U : 1U) && model->bodies[root->body].kind == DENT_SIM_PRESCRIBED; k++) {
        struct rod_anchor anchor = {.vertex = first + k};
        memcpy(anchor.corners, corners, sizeof anchor.corners);
        sim_subtract(positions + 3 * (size_t)(first + k), positions + 3 * (size_t)corners[0], apart);
        into_frame(frame, apart, anchor.local);
        if (fill) {
            mesh->anchors[mesh->anchor_count] = anchor;
        }
        mesh->anchor_count++;
    }
    if (root->clamped) {
        struct rod_clamp clamp = {.slot = slot, .vertex = first, .body = (uint32_t)(body - model->bodies)};
        double d[3];
        memcpy(clamp.corners, corners, sizeof clamp.corners);
        for (int k = 0; k < 3; k++) {
            d[k] = start[slot / ROD_LANES].at[k][slot % ROD_LANES];
        }
        into_frame(frame, d, clamp.local);
        add_clamp(mesh, fill, clamp);
    }
}

/* Edges between fixed vertices turn with the keyframes of the body. */
static void add_fixed(struct sim_model *model, bool fill, const struct sim_body *body, const struct rod_director *start)
{
    struct rod_mesh *mesh = model->rods;
    uint32_t root = 0;
    for (uint32_t s = 0; s < body->strand_count && body->motion.keyframe_count > 0; s++) {
        bool clamped = has_clamped_root(body, s, &root);
        for (uint32_t v = body->strand_first[s]; v + 1 < body->strand_first[s + 1]; v++) {
            uint32_t slot = mesh->vertex_slots[body->first_vertex + v];
            const struct rod_row *row = &mesh->rows[slot / ROD_LANES];
            if (!(row->turns[slot % ROD_LANES] > 0) && !(clamped && v == body->strand_first[s])) {
                struct rod_clamp clamp = {slot, body->first_vertex + v, (uint32_t)(body - model->bodies), {SIM_NONE, SIM_NONE, SIM_NONE}, {0}};
                for (int k = 0; k < 3; k++) {
                    clamp.local[k] = start[slot / ROD_LANES].at[k][slot % ROD_LANES];
                }
                add_clamp(mesh, fill, clamp);
            }
        }
    }
}

static dent_status make_clamps(struct sim_model *model, const struct rod_director *start, const double *positions)
{
    struct rod_mesh *mesh = model->rods;
    for (int fill = 0; fill < 2; fill++) {
        mesh->clamp_count = mesh->anchor_count = 0;
        for (uint32_t b = 0; b < model->body_count; b++) {
            const struct sim_body *body = &model->bodies[b];
            for (uint32_t n = 0; n < body->root_count; n++) {
                add_root(model, fill, body, n, start, positions);
            }
            if (body->kind == DENT_SIM_STRANDS) {
                add_fixed(model, fill, body, start);
            }
        }
        if (!fill) {
            mesh->clamps = sim_allocate(model, mesh->clamp_count, sizeof *mesh->clamps);
            mesh->anchors = sim_allocate(model, mesh->anchor_count, sizeof *mesh->anchors);
            if (!mesh->clamps || !mesh->anchors) {
                return sim_no_memory(model->context);
            }
        }
    }
    return DENT_OK;
}

/* ---- all of it --------------------------------------------------------------------------------------------------- */

/* Natural strains are those of the rest shape. */
static void measure_natural(struct sim_model *model, const struct rod_director *natural, const double *rest,
                            struct rod_strains *strains)
{
    const struct rod_mesh *rods = model->rods;
    for (uint32_t g = 0; g < rods->group_count; g++) {
        const struct rod_group *group = &rods->groups[g];
        struct rod_row *rows = rods->rows + group->first_row;
        struct rod_pass pass = {rows, NULL, natural + group->first_row, rest};
        rod_kernels_scalar.strains(group, &pass, strains);
        for (uint32_t i = 0; i < group->row_count; i++) {
            for (int lane = 0; lane < ROD_LANES; lane++) {
                for (int k = 0; k < 3 && rows[i].bend[lane] > 0; k++) {
                    rows[i].natural[k][lane] = strains[i].at[1 + k][lane];
                }
            }
        }
    }
}

static dent_status fill_mesh(struct sim_model *model, struct sim_state *state, struct rod_director *natural,
                             struct rod_strains *strains, double *rest)
{
    dent_status status = DENT_OK;
    struct rod_director *start = (struct rod_director *)(void *)state->directors;
    for (uint32_t b = 0; b < model->body_count && status == DENT_OK; b++) {
        const struct sim_body *body = &model->bodies[b];
        memcpy(rest + 3 * (size_t)body->first_vertex, body->rest, 3 * (size_t)body->vertex_count * sizeof *rest);
        model->rods->body_groups[b] = model->rods->group_count;
        status = add_body(model, b, natural, start);
        model->rods->body_groups[b + 1] = model->rods->group_count;
    }
    if (status == DENT_OK) {
        measure_natural(model, natural, rest, strains);
        status = make_clamps(model, start, state->positions);
    }
    return status;
}

dent_status rod_mesh_build(struct sim_model *model, struct sim_state *state)
{
    struct rod_mesh *rods = model->rods = sim_allocate(model, 1, sizeof *rods);
    if (!rods) {
        return sim_no_memory(model->context);
    }
    if (model->rod_row_count == 0) {
        return DENT_OK;
    }
    dent_context *context = model->context;
    size_t rows = model->rod_row_count, numbers = 3 * (size_t)model->vertex_count + 1, groups = 0;
    for (uint32_t b = 0; b < model->body_count; b++) {
        groups += (model->bodies[b].strand_count + ROD_LANES - 1) / ROD_LANES;
    }
    rods->groups = sim_allocate(model, groups, sizeof *rods->groups);
    rods->rows = sim_allocate(model, rows, sizeof *rods->rows);
    rods->vertex_slots = sim_allocate(model, model->vertex_count, sizeof *rods->vertex_slots);
    rods->body_groups = sim_allocate(model, (size_t)model->body_count + 1, sizeof *rods->body_groups);
    struct rod_director *natural = dent_allocate(context, rows, sizeof *natural);
    struct rod_strains *strains = dent_allocate(context, rows, sizeof *strains);
    double *rest = dent_allocate(context, numbers, sizeof *rest);
    bool all = rods->groups && rods->rows && rods->vertex_slots && rods->body_groups && natural && strains && rest;
    for (uint32_t v = 0; all && v < model->vertex_count; v++) {
        rods->vertex_slots[v] = SIM_NONE;
    }
    dent_status status = DENT_OK;
    if (all) {
        rest[numbers - 1] = 0;
        status = fill_mesh(model, state, natural, strains, rest);
    }
    dent_release(context, natural, rows, sizeof *natural);
    dent_release(context, strains, rows, sizeof *strains);
    dent_release(context, rest, numbers, sizeof *rest);
    return all ? status : sim_no_memory(context);
}

/* ---- energies ---------------------------------------------------------------------------------------------------- */

/* A group at a time, strains of at most so many rows together: strands of any length fit. */
enum { ROWS_AT_ONCE = 64 };

static double row_energy(const struct rod_row *row, const struct rod_strains *strains, int lane)
{
    double sum = 0;
    for (int k = 0; k < ROD_STRAINS; k++) {
        double weight = k == 0 ? row->stretch[lane] : k == 3 ? row->twist[lane] : row->bend[lane];
        double beyond = strains->at[k][lane] - (k == 0 ? row->length[lane] : row->natural[k - 1][lane]);
        sum += 0.5 * weight * beyond * beyond;
    }
    return sum;
}

/* Strains of the rows [begin, end) of a group: a part of it as a group of its own, with the edge before. */
static void add_part_energy(const struct sim_model *model, const struct sim_state *state, const struct rod_group *group,
                            uint32_t begin, uint32_t end, double sums[ROD_LANES])
{
    struct rod_strains strains[ROWS_AT_ONCE + 1];
    uint32_t from = begin > 0 ? begin - 1 : 0;
    struct rod_group part = {.first_row = group->first_row + from, .row_count = end - from};
    for (int lane = 0; lane < ROD_LANES; lane++) {
        uint32_t count = group->vertex_count[lane], skipped = from < count ? from : count - 1;
        part.first_vertex[lane] = group->first_vertex[lane] + skipped;
        part.vertex_count[lane] = count - skipped;
    }
    const struct rod_director *directors = (const struct rod_director *)(const void *)state->directors;
    struct rod_pass pass = {model->rods->rows + part.first_row, NULL, directors + part.first_row, state->positions};
    rod_kernels_scalar.strains(&part, &pass, strains);
    for (uint32_t i = begin; i < end; i++) {
        for (int lane = 0; lane < ROD_LANES; lane++) {
            sums[lane] += row_energy(&model->rods->rows[group->first_row + i], &strains[i - from], lane);
        }
    }
}

static void group_energy(const struct sim_model *model, const struct sim_state *state, const struct rod_group *group,
                         double sums[ROD_LANES])
{
    memset(sums, 0, ROD_LANES * sizeof *sums);
    for (uint32_t begin = 0; begin < group->row_count; begin += ROWS_AT_ONCE) {
        uint32_t end = group->row_count - begin > ROWS_AT_ONCE ? begin + ROWS_AT_ONCE : group->row_count;
        add_part_energy(model, state, group, begin, end, sums);
    }
}

void rod_group_energies(const struct sim_model *model, const struct sim_state *state, uint32_t number,
                        double energies[ROD_LANES], double kinetic[ROD_LANES])
{
    const struct rod_group *group = &model->rods->groups[number];
    group_energy(model, state, group, energies);
    for (uint32_t lane = 0; lane < ROD_LANES; lane++) {
        uint32_t first = group->first_vertex[lane], count = lane < group->lane_count ? group->vertex_count[lane] : 0;
        double fallen = 0;
        kinetic[lane] = 0;
        for (uint32_t v = first; v < first + count; v++) {
            const double *velocity = state->velocities + 3 * (size_t)v;
            double mass = model->inverse_masses[v] > 0 ? model->masses[v] : 0;
            kinetic[lane] += 0.5 * mass * sim_dot(velocity, velocity);
            fallen += mass * sim_dot(state->gravity, state->positions + 3 * (size_t)v);
        }
        energies[lane] += kinetic[lane] - fallen;
    }
}

double rod_body_energy(const struct sim_model *model, const struct sim_state *state, uint32_t body)
{
    double sum = 0;
    const struct rod_mesh *rods = model->rods;
    if (!rods || rods->group_count == 0) {
        return 0;
    }
    for (uint32_t g = rods->body_groups[body]; g < rods->body_groups[body + 1]; g++) {
        double sums[ROD_LANES];
        group_energy(model, state, &rods->groups[g], sums);
        for (int lane = 0; lane < ROD_LANES; lane++) {
            sum += sums[lane];
        }
    }
    return sum;
}

double rod_spin_energy(const struct sim_model *model, const struct sim_state *state, uint32_t body)
{
    double sum = 0;
    const struct rod_mesh *rods = model->rods;
    if (!rods || rods->group_count == 0) {
        return 0;
    }
    for (uint32_t g = rods->body_groups[body]; g < rods->body_groups[body + 1]; g++) {
        const struct rod_group *group = &rods->groups[g];
        for (uint32_t n = ROD_LANES * group->first_row; n < ROD_LANES * (group->first_row + group->row_count); n++) {
            sum += 0.5 * rods->rows[n / ROD_LANES].spin_inertia[n % ROD_LANES] * state->spins[n] * state->spins[n];
        }
    }
    return sum;
}
