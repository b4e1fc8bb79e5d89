/* What a def may ask of loads, supports, springs and probes: every number is looked at before anything is made. Also
 * their part of the fingerprint by which a checkpoint knows its simulation; probes change nothing and have none. */
#include "load_model.h"

#include "sim/model/byte_order.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct load_checker {
    dent_context *context;
    const dent_sim_def *def;
    char name[SIM_NAME_SIZE + 16];
};

static void name_it(struct load_checker *checker, const char *what, const char *name, uint32_t number)
{
    if (name && name[0]) {
        snprintf(checker->name, sizeof checker->name, "%s %.60s", what, name);
    } else {
        snprintf(checker->name, sizeof checker->name, "%s %u", what, number);
    }
}

static dent_status refuse(const struct load_checker *checker, const char *why)
{
    return dent_fail(checker->context, DENT_ERROR_INVALID_ARGUMENT, "%s: %s", checker->name, why);
}

static bool all_finite(const double *numbers, size_t count)
{
    for (size_t n = 0; n < count; n++) {
        if (!isfinite(numbers[n])) {
            return false;
        }
    }
    return true;
}

static dent_status not_finite(const struct load_checker *checker)
{
    return dent_fail(checker->context, DENT_ERROR_BAD_NUMBER, "%s: a number is not finite", checker->name);
}

static dent_status check_course(const struct load_checker *checker, const dent_sim_course *course)
{
    if (course->count > 0 && !course->rows) {
        return refuse(checker, "its course announces rows it does not have");
    }
    for (uint32_t n = 0; n < course->count; n++) {
        if (!isfinite(course->rows[n].time) || !isfinite(course->rows[n].value)) {
            return not_finite(checker);
        }
        if (n > 0 && !(course->rows[n].time > course->rows[n - 1].time)) {
            return dent_fail(checker->context, DENT_ERROR_INVALID_ARGUMENT,
                             "%s: the times of its course must ascend; %.9g comes after %.9g", checker->name,
                             course->rows[n].time, course->rows[n - 1].time);
        }
    }
    return DENT_OK;
}

/* A body of one of some kinds (bits 1 << kind), and its vertices. */
static dent_status check_vertices(const struct load_checker *checker, uint32_t body, unsigned kinds, uint32_t count,
                                  const uint32_t *vertices)
{
    if (body >= checker->def->body_count) {
        return dent_fail(checker->context, DENT_ERROR_INVALID_ARGUMENT, "%s: no body %u, there are %u", checker->name,
                         body, checker->def->body_count);
    }
    const dent_sim_body_def *owner = &checker->def->bodies[body];
    if (!(kinds & 1u << owner->kind)) {
        return dent_fail(checker->context, DENT_ERROR_INVALID_ARGUMENT, "%s: not for a body of kind %s", checker->name,
                         dent_sim_body_kind_name(owner->kind));
    }
    if (count > 0 && !vertices) {
        return refuse(checker, "announces vertices it does not have");
    }
    for (uint32_t n = 0; n < count; n++) {
        if (vertices[n] >= owner->vertex_count) {
            return dent_fail(checker->context, DENT_ERROR_INVALID_ARGUMENT, "%s: no vertex %u in body %u, it has %u",
                             checker->name, vertices[n], body, owner->vertex_count);
        }
    }
    return DENT_OK;
}

enum {
    ELASTIC_KINDS = 1 << DENT_SIM_SOLID | 1 << DENT_SIM_CLOTH | 1 << DENT_SIM_STRANDS,
    MOVABLE_KINDS = ELASTIC_KINDS | 1 << DENT_SIM_RIGID,
    ALL_KINDS = MOVABLE_KINDS | 1 << DENT_SIM_PRESCRIBED | 1 << DENT_SIM_EMBEDDED
};

static dent_status check_load(struct load_checker *checker, uint32_t number)
{
    const dent_sim_load_def *load = &checker->def->loads[number];
    name_it(checker, "load", load->struct_size == sizeof *load ? load->name : NULL, number);
    if (load->struct_size != sizeof *load) {
        return refuse(checker, "was not made by dent_sim_load_def_default()");
    }
    if (!dent_sim_load_kind_name(load->kind)) {
        return refuse(checker, "unknown kind");
    }
    unsigned kinds = load->kind == DENT_SIM_LOAD_TORQUE ? 1u << DENT_SIM_RIGID : (unsigned)MOVABLE_KINDS;
    dent_status status = check_vertices(checker, load->body, kinds, load->vertex_count, load->vertices);
    bool on_faces = load->kind != DENT_SIM_LOAD_FORCE && load->kind != DENT_SIM_LOAD_TORQUE;
    if (status == DENT_OK && load->face_count > 0 && !on_faces) {
        status = refuse(checker, "forces and torques have no faces");
    }
    if (status == DENT_OK && load->face_count > UINT32_MAX / 3) {
        status = refuse(checker, "too many faces");
    }
    if (status == DENT_OK && load->face_count > 0) {
        status = check_vertices(checker, load->body, kinds, 3 * load->face_count, load->faces);
    }
    if (status == DENT_OK && !(all_finite(load->vector, 3) && isfinite(load->pressure))) {
        status = not_finite(checker);
    }
    return status == DENT_OK ? check_course(checker, &load->course) : status;
}

static dent_status check_support(struct load_checker *checker, uint32_t number)
{
    const dent_sim_support *support = &checker->def->supports[number];
    name_it(checker, "support", support->struct_size == sizeof *support ? support->name : NULL, number);
    if (support->struct_size != sizeof *support) {
        return refuse(checker, "was not made by dent_sim_support_default()");
    }
    dent_status status =
        check_vertices(checker, support->body, ELASTIC_KINDS, support->vertex_count, support->vertices);
    if (status == DENT_OK && support->vertex_count == 0) {
        status = refuse(checker, "holds no vertices");
    }
    if (status == DENT_OK && support->axes > 7) {
        status = refuse(checker, "axes are a sum of 1 (x), 2 (y) and 4 (z)");
    }
    if (status == DENT_OK && !(all_finite(support->direction, 3) && all_finite(support->displacement, 3))) {
        status = not_finite(checker);
    }
    double square = sim_dot(support->direction, support->direction);
    if (status == DENT_OK && support->axes == 0 && !(square > 1e-200 && square < 1e200)) {
        status = refuse(checker, "needs axes, or a direction of a length above 0");
    }
    return status == DENT_OK ? check_course(checker, &support->course) : status;
}

static dent_status check_point(struct load_checker *checker, const dent_sim_point *point)
{
    const dent_sim_def *def = checker->def;
    if (!all_finite(point->place, 3) || !all_finite(point->weights, 4)) {
        return not_finite(checker);
    }
    if (point->body == UINT32_MAX) {
        return DENT_OK;
    }
    dent_status status = check_vertices(checker, point->body, MOVABLE_KINDS | 1 << DENT_SIM_PRESCRIBED, 0, NULL);
    double sum = 0;
    uint32_t count = 0;
    for (int k = 0; k < 4 && status == DENT_OK; k++) {
        if (point->vertices[k] != UINT32_MAX) {
            status = check_vertices(checker, point->body, ALL_KINDS, 1, &point->vertices[k]);
            sum += point->weights[k];
            count++;
        }
    }
    if (status == DENT_OK && count == 0 && def->bodies[point->body].kind != DENT_SIM_RIGID) {
        status = refuse(checker, "an end on a body that is not rigid needs vertices");
    }
    if (status == DENT_OK && count > 0 && !(fabs(sum - 1) < 1e-6)) {
        status = dent_fail(checker->context, DENT_ERROR_INVALID_ARGUMENT,
                           "%s: the weights of an end add up to %.9g; it must be 1", checker->name, sum);
    }
    return status;
}

static dent_status check_spring(struct load_checker *checker, uint32_t number)
{
    const dent_sim_spring *spring = &checker->def->springs[number];
    name_it(checker, "spring", spring->struct_size == sizeof *spring ? spring->name : NULL, number);
    if (spring->struct_size != sizeof *spring) {
        return refuse(checker, "was not made by dent_sim_spring_default()");
    }
    dent_status status = check_point(checker, &spring->a);
    status = status == DENT_OK ? check_point(checker, &spring->b) : status;
    const double numbers[] = {spring->stiffness, spring->length, spring->damping};
    if (status == DENT_OK && !all_finite(numbers, 3)) {
        status = not_finite(checker);
    }
    if (status == DENT_OK &&
        !(spring->stiffness >= 0 && spring->damping >= 0 && spring->stiffness + spring->damping > 0)) {
        status = refuse(checker, "stiffness and damping must not be negative, and one of them above 0");
    }
    return status;
}

/* Names become columns of CSV files. */
static bool is_column_name(const char *name)
{
    for (const char *c = name; *c; c++) {
        if ((unsigned char)*c < 32 || *c == 127 || *c == ',' || *c == '"') {
            return false;
        }
    }
    return name[0] != '\0' && strlen(name) < SIM_NAME_SIZE;
}

static dent_status check_probe(struct load_checker *checker, uint32_t number)
{
    const dent_sim_def *def = checker->def;
    const dent_sim_probe *probe = &def->probes[number];
    name_it(checker, "probe", probe->struct_size == sizeof *probe ? probe->name : NULL, number);
    if (probe->struct_size != sizeof *probe) {
        return refuse(checker, "was not made by dent_sim_probe_default()");
    }
    if (probe->name && !is_column_name(probe->name)) {
        return refuse(checker, "a name has 1 to 63 bytes, without comma, quote or control character");
    }
    for (uint32_t n = 0; n < number && probe->name; n++) {
        if (def->probes[n].name && strcmp(def->probes[n].name, probe->name) == 0) {
            return refuse(checker, "an earlier probe has this name");
        }
    }
    switch (probe->kind) {
    case DENT_SIM_PROBE_POSITION:
    case DENT_SIM_PROBE_VELOCITY:
    case DENT_SIM_PROBE_CONTACT:
        return check_vertices(checker, probe->body, ALL_KINDS, probe->vertex_count, probe->vertices);
    case DENT_SIM_PROBE_STRESS:
        return check_vertices(checker, probe->body, 1u << DENT_SIM_SOLID, probe->vertex_count, probe->vertices);
    case DENT_SIM_PROBE_REACTION:
        return probe->number < def->support_count ? DENT_OK : refuse(checker, "there is no support of that number");
    case DENT_SIM_PROBE_SPRING:
        return probe->number < def->spring_count ? DENT_OK : refuse(checker, "there is no spring of that number");
    case DENT_SIM_PROBE_ENERGY:
        return (unsigned)probe->energy <= DENT_SIM_ENERGY_OUTER_WORK ? DENT_OK : refuse(checker, "unknown energy");
    }
    return refuse(checker, "unknown kind");
}

dent_status loads_check_def(dent_context *context, const dent_sim_def *def)
{
    struct load_checker checker = {.context = context, .def = def};
    if ((def->load_count > 0 && !def->loads) || (def->support_count > 0 && !def->supports) ||
        (def->spring_count > 0 && !def->springs) || (def->probe_count > 0 && !def->probes)) {
        return dent_fail(context, DENT_ERROR_INVALID_ARGUMENT, "the sim def announces arrays it does not have");
    }
    dent_status status = DENT_OK;
    for (uint32_t n = 0; n < def->load_count && status == DENT_OK; n++) {
        status = check_load(&checker, n);
    }
    for (uint32_t n = 0; n < def->support_count && status == DENT_OK; n++) {
        status = check_support(&checker, n);
    }
    for (uint32_t n = 0; n < def->spring_count && status == DENT_OK; n++) {
        status = check_spring(&checker, n);
    }
    for (uint32_t n = 0; n < def->probe_count && status == DENT_OK; n++) {
        status = check_probe(&checker, n);
    }
    return status;
}

/* ---- fingerprint ------------------------------------------------------------------------------------------------- */

static uint64_t add_counts(uint64_t hash, const uint32_t *counts, size_t count)
{
    return sim_hash_records(hash, counts, count * sizeof *counts, "4");
}

static uint64_t add_numbers(uint64_t hash, const double *numbers, size_t count)
{
    return sim_hash_records(hash, numbers, count * sizeof *numbers, "8");
}

static uint64_t add_course(uint64_t hash, const dent_sim_course *course)
{
    hash = add_counts(hash, &course->count, 1);
    return sim_hash_records(hash, course->rows, course->count * sizeof *course->rows, "8");
}

static uint64_t add_point(uint64_t hash, const dent_sim_point *point)
{
    hash = add_counts(hash, &point->body, 1);
    hash = add_counts(hash, point->vertices, 4);
    hash = add_numbers(hash, point->weights, 4);
    return add_numbers(hash, point->place, 3);
}

uint64_t loads_add_fingerprint(uint64_t hash, const dent_sim_def *def)
{
    for (uint32_t n = 0; n < def->load_count; n++) {
        const dent_sim_load_def *load = &def->loads[n];
        const uint32_t counts[] = {(uint32_t)load->kind, load->body, load->vertex_count, load->face_count};
        hash = add_counts(hash, counts, 4);
        hash = add_counts(hash, load->vertices, load->vertex_count);
        hash = add_counts(hash, load->faces, 3 * (size_t)load->face_count);
        hash = add_numbers(hash, load->vector, 3);
        hash = add_course(add_numbers(hash, &load->pressure, 1), &load->course);
    }
    for (uint32_t n = 0; n < def->support_count; n++) {
        const dent_sim_support *support = &def->supports[n];
        const uint32_t counts[] = {support->body, support->vertex_count, support->axes};
        hash = add_counts(hash, counts, 3);
        hash = add_counts(hash, support->vertices, support->vertex_count);
        hash = add_numbers(hash, support->direction, 3);
        hash = add_course(add_numbers(hash, support->displacement, 3), &support->course);
    }
    for (uint32_t n = 0; n < def->spring_count; n++) {
        const dent_sim_spring *spring = &def->springs[n];
        const double numbers[] = {spring->stiffness, spring->length, spring->damping};
        hash = add_point(add_point(hash, &spring->a), &spring->b);
        hash = add_numbers(hash, numbers, 3);
    }
    return hash;
}
