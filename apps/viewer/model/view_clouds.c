/* view_clouds.c — prepared clouds of the bodies of points, and the part of a frame that is made from them. */
#include "view_clouds.h"

#include "cloud_curve.h"

#include <math.h>
#include <string.h>

static const float no_value = 3e38F;     /* the function is undefined at this point */
static const double disc_share = 0.22;   /* radius of a disc, of the sampling radius: neighbours about touch */
enum { FLOATS_A_POINT = 5, LINES_MOST = 1 << 20 };

struct view_clouds {
    uint32_t count; /* bodies of the source */
    uint32_t most;  /* points of the largest cloud */
    dent_cloud **clouds; /* of a body; null where it has no points */
    const double *(*from)[2]; /* positions and normals that its cloud was made with */
    dent_cloud_value *values; /* of the points of one body */
    view_message *part; /* as it was appended last */
};

/** What two clouds at a time say together. */
typedef struct meeting {
    uint32_t pairs, answer, points;
    double miss;
} meeting;

bool view_source_has_clouds(const view_source *source)
{
    for (uint32_t i = 0; i < source->body_count; i++) {
        if (source->bodies[i].points) {
            return true;
        }
    }
    return false;
}

/* ---- clouds ------------------------------------------------------------------------------------------------------ */

void view_clouds_release(view_source *source)
{
    struct view_clouds *own = source->clouds;
    dent_context *context = source->context;
    for (uint32_t i = 0; own != NULL && own->clouds != NULL && i < own->count; i++) {
        dent_cloud_destroy(own->clouds[i]);
    }
    if (own != NULL) {
        dent_release(context, own->clouds, own->count, sizeof *own->clouds);
        dent_release(context, own->from, own->count, sizeof *own->from);
        view_message_drop(own->part);
        dent_release(context, own->values, own->most, sizeof *own->values);
    }
    dent_release(context, own, 1, sizeof *own);
    source->clouds = NULL;
}

static dent_status prepare(const view_source *source, uint32_t index, dent_cloud **cloud)
{
    const view_body *body = &source->bodies[index];
    dent_cloud_def def = dent_cloud_def_default();
    def.positions = dent_positions_double(body->positions);
    def.point_count = body->vertex_count;
    def.normals = dent_positions_double(body->normals);
    dent_cloud_destroy(*cloud);
    *cloud = NULL;
    source->clouds->from[index][0] = body->positions;
    source->clouds->from[index][1] = body->normals;
    return dent_cloud_create(source->context, &def, cloud);
}

static dent_status make(view_source *source)
{
    dent_context *context = source->context;
    struct view_clouds *own = dent_allocate(context, 1, sizeof *own);
    if (own == NULL) {
        return DENT_ERROR_OUT_OF_MEMORY;
    }
    *own = (struct view_clouds){.count = source->body_count};
    source->clouds = own;
    for (uint32_t i = 0; i < own->count; i++) {
        const view_body *body = &source->bodies[i];
        own->most = body->points && body->vertex_count > own->most ? body->vertex_count : own->most;
    }
    own->clouds = dent_allocate(context, own->count, sizeof(dent_cloud *));
    if (own->clouds != NULL) {
        memset(own->clouds, 0, own->count * sizeof(dent_cloud *));
    }
    own->from = dent_allocate(context, own->count, sizeof *own->from);
    own->values = dent_allocate(context, own->most, sizeof *own->values);
    if (own->clouds == NULL || own->from == NULL || own->values == NULL) {
        return DENT_ERROR_OUT_OF_MEMORY;
    }
    dent_status status = DENT_OK;
    for (uint32_t i = 0; i < own->count && status == DENT_OK; i++) {
        status = source->bodies[i].points ? prepare(source, i, &own->clouds[i]) : DENT_OK;
    }
    return status;
}

/* A cloud reads the arrays that it was made with; frames of a series have arrays of their own. */
static bool reads_other_array(const view_source *source, uint32_t index)
{
    const double *const *from = source->clouds->from[index];
    return source->bodies[index].positions != from[0] || source->bodies[index].normals != from[1];
}

static dent_status follow(view_source *source)
{
    struct view_clouds *own = source->clouds;
    dent_status status = DENT_OK;
    for (uint32_t i = 0; i < own->count && status == DENT_OK; i++) {
        dent_cloud_update_result result = {.rebuild_advised = true};
        if (own->clouds[i] != NULL && !reads_other_array(source, i)) {
            status = dent_cloud_update(own->clouds[i], &result);
        }
        if (own->clouds[i] != NULL && status == DENT_OK && result.rebuild_advised) {
            status = prepare(source, i, &own->clouds[i]);
        }
    }
    return status;
}

/* ---- points ------------------------------------------------------------------------------------------------------ */

/* Of the other clouds' values at the points of a body the one nearest to zero; alone, a cloud is asked for its own. */
static dent_status find_values(const view_source *source, uint32_t index, float *out)
{
    const struct view_clouds *own = source->clouds;
    const view_body *body = &source->bodies[index];
    uint32_t clouds = 0;
    for (uint32_t i = 0; i < own->count; i++) {
        clouds += own->clouds[i] != NULL;
    }
    dent_status status = DENT_OK;
    for (uint32_t i = 0; i < own->count && status == DENT_OK; i++) {
        if (own->clouds[i] == NULL || (i == index && clouds > 1)) {
            continue;
        }
        status = dent_cloud_evaluate(own->clouds[i], DENT_CLOUD_SPHERE_FIT, dent_positions_double(body->positions),
                                     body->vertex_count, own->values);
        for (uint32_t v = 0; v < body->vertex_count && status == DENT_OK; v++) {
            float *kept = out + FLOATS_A_POINT * (size_t)v + 4;
            float value = view_length(source, own->values[v].value);
            bool defined = own->values[v].state == DENT_CLOUD_DEFINED && fabsf(value) < no_value;
            *kept = defined && fabsf(value) < fabsf(*kept) ? value : *kept;
        }
    }
    return status;
}

static dent_status append_points(view_source *source, uint32_t index, view_message *message)
{
    const view_body *body = &source->bodies[index];
    const dent_cloud *cloud = source->clouds->clouds[index];
    double spacing = dent_cloud_get_info(cloud).spacing;
    float *out = view_message_extend(message, FLOATS_A_POINT * sizeof *out * (size_t)body->vertex_count);
    for (uint32_t v = 0; v < body->vertex_count && out != NULL; v++) {
        dent_cloud_point point = dent_cloud_point_at(cloud, v);
        float *numbers = out + FLOATS_A_POINT * (size_t)v;
        for (int axis = 0; axis < 3; axis++) {
            numbers[axis] = (float)point.normal[axis];
        }
        numbers[3] = view_length(source, point.radius > 0 ? disc_share * point.radius : 0.5 * spacing);
        numbers[4] = no_value;
    }
    return out != NULL ? find_values(source, index, out) : DENT_ERROR_OUT_OF_MEMORY;
}

/* ---- where clouds meet ------------------------------------------------------------------------------------------- */

static bool append_lines(const view_source *source, const cloud_curve *curve, uint32_t *lines, view_message *message)
{
    uint32_t room = LINES_MOST - *lines, count = curve->line_count < room ? curve->line_count : room;
    float *out = view_message_extend(message, 6 * sizeof *out * (size_t)count);
    for (uint32_t i = 0; out != NULL && i < 2 * count; i++) {
        for (int axis = 0; axis < 3; axis++) {
            *out++ = view_place(source, curve->positions[3 * (size_t)curve->ends[i] + (size_t)axis], axis);
        }
    }
    *lines += count;
    return out != NULL;
}

static void remember(meeting *met, const dent_cloud_result *result)
{
    bool yes = met->answer == DENT_CLOUD_YES || result->answer == DENT_CLOUD_YES;
    bool unknown = met->answer == DENT_CLOUD_UNKNOWN || result->answer == DENT_CLOUD_UNKNOWN;
    met->answer = yes ? DENT_CLOUD_YES : unknown ? DENT_CLOUD_UNKNOWN : DENT_CLOUD_NO;
    met->points += result->point_count;
    met->miss = fmax(met->miss, result->miss_probability);
    met->pairs++;
}

/* Leaves out points nearer to a kept one than half a surfel: a curve is easier to see with few of them. Writes to `few`. */
static dent_status thin_out(dent_context *context, const dent_cloud_result *result, dent_cloud_crossing *few,
                            uint32_t *kept)
{
    uint32_t count = result->point_count;
    dent_positions places = dent_positions_double(result->points[0].position);
    dent_neighbours *points = NULL;
    dent_neighbour_lists lists;
    dent_neighbours_query query = dent_neighbours_query_default();
    uint8_t *gone = dent_allocate(context, count, 1);
    places.stride = sizeof *result->points;
    query.radius = 0.5 * result->resolution;
    dent_status status = gone != NULL ? dent_neighbours_create(context, places, count, &points) : DENT_ERROR_OUT_OF_MEMORY;
    status = status == DENT_OK ? dent_neighbours_within(points, &query, &lists) : status;
    *kept = 0;
    if (status == DENT_OK) {
        memset(gone, 0, count);
        for (uint32_t i = 0; i < count; i++) {
            for (uint64_t k = lists.first[i]; k < lists.first[i + 1] && !gone[i]; k++) {
                gone[lists.indices[k]] |= lists.indices[k] > i;
            }
            few[*kept] = result->points[i];
            *kept += !gone[i];
        }
    }
    dent_neighbours_destroy(points);
    dent_release(context, gone, count, 1);
    return status;
}

static dent_status append_curve(const view_source *source, const dent_cloud_result *result, uint32_t *lines,
                                view_message *message)
{
    dent_context *context = source->context;
    dent_cloud_result thinned = *result;
    dent_cloud_crossing *few = dent_allocate(context, result->point_count, sizeof *few);
    if (few == NULL) {
        return DENT_ERROR_OUT_OF_MEMORY;
    }
    cloud_curve curve = {.context = context};
    thinned.points = few;
    dent_status status = thin_out(context, result, few, &thinned.point_count);
    status = status == DENT_OK ? cloud_curve_make(context, &thinned, 3 * result->resolution, &curve) : status;
    status = status == DENT_OK && !append_lines(source, &curve, lines, message) ? DENT_ERROR_OUT_OF_MEMORY : status;
    cloud_curve_release(&curve);
    dent_release(context, few, result->point_count, sizeof *few);
    return status;
}

static dent_status append_meeting(const view_source *source, uint32_t a, uint32_t b, meeting *met, uint32_t *lines,
                                  view_message *message)
{
    dent_context *context = source->context;
    dent_cloud_search_def def = dent_cloud_search_def_default();
    dent_cloud_search *search = NULL;
    dent_cloud_result result = {0};
    def.cloud_a = source->clouds->clouds[a];
    def.cloud_b = source->clouds->clouds[b];
    dent_status status = dent_cloud_search_create(context, &def, &search);
    status = status == DENT_OK ? dent_cloud_search_begin(search, NULL, NULL, 1) : status;
    status = status == DENT_OK ? dent_cloud_search_run(search, dent_budget_ns(INFINITY), &result) : status;
    if (status == DENT_OK) {
        remember(met, &result);
    }
    if (status == DENT_OK && result.point_count > 0) {
        status = append_curve(source, &result, lines, message);
    }
    dent_cloud_search_destroy(search);
    return status;
}

/* Answer, points, chance of a miss and number of lines, then the lines. */
static dent_status append_meetings(const view_source *source, view_message *message)
{
    size_t at = message->size;
    uint32_t head[4] = {0}, lines = 0;
    meeting met = {.answer = DENT_CLOUD_NO};
    dent_status status = view_message_append(message, head, sizeof head) ? DENT_OK : DENT_ERROR_OUT_OF_MEMORY;
    for (uint32_t a = 0; a < source->body_count; a++) {
        for (uint32_t b = a + 1; b < source->body_count && status == DENT_OK; b++) {
            if (source->bodies[a].points && source->bodies[b].points) {
                status = append_meeting(source, a, b, &met, &lines, message);
            }
        }
    }
    float miss = (float)met.miss;
    head[0] = met.pairs > 0 ? met.answer : UINT32_MAX;
    head[1] = met.points;
    memcpy(&head[2], &miss, sizeof miss);
    head[3] = lines;
    if (status == DENT_OK) {
        memcpy(message->bytes + at, head, sizeof head);
    }
    return status;
}

/* A copy of what was appended, for the next frame in which nothing moved. Without memory for it there is none. */
static void keep_part(struct view_clouds *own, const view_message *message, size_t at)
{
    view_message_drop(own->part);
    own->part = view_message_create(message->size - at);
    if (own->part != NULL) {
        view_message_append(own->part, message->bytes + at, message->size - at); /* there is room */
    }
}

bool view_append_clouds(view_source *source, bool moved, view_message *message)
{
    size_t at = message->size;
    if (!moved && source->clouds != NULL && source->clouds->part != NULL) {
        return view_message_append(message, source->clouds->part->bytes, source->clouds->part->size);
    }
    dent_status status = source->clouds == NULL ? make(source) : follow(source);
    for (uint32_t i = 0; i < source->body_count && status == DENT_OK; i++) {
        status = source->bodies[i].points ? append_points(source, i, message) : DENT_OK;
    }
    status = status == DENT_OK ? append_meetings(source, message) : status;
    if (status != DENT_OK) {
        message->size = at;
        view_clouds_release(source);
        view_fail_status(source, status);
        return false;
    }
    keep_part(source->clouds, message, at);
    return true;
}
