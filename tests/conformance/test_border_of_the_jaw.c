/* Crossing curves of the data kit's jaw, whose parts overlap by micrometres and share whole faces: closed, ordered,
 * every segment on both of its faces by exact incidence, and its crossing pairs those of face-face. DENT_DATA names the
 * kit.
 */
#include "support/cmocka_includes.h"

#include <dent/dent.h>
#include <dent/mesh_io.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "geometry/predicates/perturbed_orientation.h"

enum { PARTS_MAX = 40 };

struct jaw {
    dent_context *context;
    dent_world *world;
    uint32_t count;
    dent_mesh *parts[PARTS_MAX];
    uint32_t first_number[PARTS_MAX];
    const dent_surface_face *faces[PARTS_MAX];
    const dent_edge *edges[PARTS_MAX];
};

static void jaw_add(struct jaw *jaw, const char *folder, const char *name)
{
    char path[1024];
    dent_body_id id;
    uint32_t ignored, number = jaw->count;
    assert_true(number < PARTS_MAX);
    snprintf(path, sizeof path, "%s/%s.1.node.xz", folder, name);
    assert_int_equal(dent_mesh_read(jaw->context, path, NULL, &jaw->parts[number]), DENT_OK);
    assert_int_equal(jaw->parts[number]->body_count, 1);
    assert_int_equal(dent_mesh_add_to_world(jaw->parts[number], jaw->world, &id), DENT_OK);
    jaw->first_number[number] =
        number ? jaw->first_number[number - 1] + jaw->parts[number - 1]->bodies[0].vertex_count : 0;
    jaw->faces[number] = dent_body_surface_faces(jaw->world, id, &ignored);
    jaw->edges[number] = dent_body_edges(jaw->world, id, &ignored);
    jaw->count++;
}

static struct numbered_point point_of(const struct jaw *jaw, uint32_t body, uint32_t vertex)
{
    return (struct numbered_point){jaw->parts[body]->bodies[0].positions + 3 * (size_t)vertex,
                                   jaw->first_number[body] + vertex};
}

/* The edge of the point pierces its face, by exact signs; *real: for the given positions too. */
static bool incidence_holds(const struct jaw *jaw, const dent_border_point *point, bool *real)
{
    predicate_counters counters = {0};
    bool zero = false;
    dent_edge edge = jaw->edges[point->edge_body][point->edge];
    const uint32_t *corners = jaw->faces[point->face_body][point->face].corners;
    struct numbered_point s = point_of(jaw, point->edge_body, edge.v0), t = point_of(jaw, point->edge_body, edge.v1),
                          f[3];
    for (int k = 0; k < 3; k++) {
        f[k] = point_of(jaw, point->face_body, corners[k]);
    }
    int from = perturbed_orientation(f[0], f[1], f[2], s, &zero, &counters);
    int to = perturbed_orientation(f[0], f[1], f[2], t, &zero, &counters);
    int first = perturbed_orientation(s, t, f[0], f[1], &zero, &counters);
    bool pierced = from * to < 0 && first == perturbed_orientation(s, t, f[1], f[2], &zero, &counters) &&
                   first == perturbed_orientation(s, t, f[2], f[0], &zero, &counters);
    *real = !zero;
    return pierced;
}

static bool has_corners(const dent_surface_face *face, dent_edge edge)
{
    int found = 0;
    for (int k = 0; k < 3; k++) {
        found += face->corners[k] == edge.v0 || face->corners[k] == edge.v1;
    }
    return found == 2;
}

/* The point lies on both faces of the segment. */
static bool lies_on(const struct jaw *jaw, const dent_border_curve *curve, const dent_border_segment *segment,
                    const dent_border_point *point)
{
    dent_edge edge = jaw->edges[point->edge_body][point->edge];
    if (point->edge_body == curve->body_a && point->face_body == curve->body_b && point->face == segment->face_b &&
        has_corners(&jaw->faces[curve->body_a][segment->face_a], edge)) {
        return true;
    }
    return point->edge_body == curve->body_b && point->face_body == curve->body_a && point->face == segment->face_a &&
           has_corners(&jaw->faces[curve->body_b][segment->face_b], edge);
}

struct sums {
    uint64_t curves, segments, degenerate, points, degenerate_points;
};

static void check_curve(const struct jaw *jaw, const dent_border *border, const dent_border_curve *curve,
                        struct sums *sums)
{
    assert_true(curve->closed);
    assert_int_equal(curve->point_count, curve->segment_count);
    for (uint32_t k = 0; k < curve->segment_count; k++) {
        const dent_border_segment *segment = &border->segments[curve->first_segment + k];
        const dent_border_point *from = &border->points[curve->first_point + k];
        const dent_border_point *to = &border->points[curve->first_point + (k + 1) % curve->point_count];
        bool real;
        assert_int_equal(from->kind, DENT_BORDER_EDGE_FACE);
        assert_true(lies_on(jaw, curve, segment, from) && lies_on(jaw, curve, segment, to));
        assert_true(incidence_holds(jaw, from, &real));
        assert_true(real == !from->degenerate);
        sums->degenerate += segment->degenerate;
        sums->degenerate_points += from->degenerate;
    }
    sums->curves++;
    sums->segments += curve->segment_count;
    sums->points += curve->point_count;
}

static void crossing_curves_are_closed_and_lie_on_both_faces(void **state)
{
    (void)state;
    static const char *const materials[] = {"Dentin", "Enamel", "PDL", "Pulp"};
    char folder[512], name[64];
    const char *kit = getenv("DENT_DATA");
    if (!kit || !*kit) {
        printf("SKIPPED: DENT_DATA is not set, the curves of the jaw of the data kit were not checked\n");
        skip();
    }
    snprintf(folder, sizeof folder, "%s/meshes/jaw-openmandible", kit);
    static struct jaw jaw;
    struct sums sums = {0};
    jaw.context = dent_context_create(NULL, NULL);
    jaw.world = dent_world_create(jaw.context);
    jaw_add(&jaw, folder, "CorticalBone");
    for (int tooth = 1; tooth <= (getenv("DENT_QUICK_TESTS") ? 1 : 7); tooth++) {
        for (int i = 0; i < 4; i++) {
            snprintf(name, sizeof name, "Tooth_L%d_%s", tooth, materials[i]);
            jaw_add(&jaw, folder, name);
        }
    }
    dent_border_def border_def = dent_border_def_default();
    dent_query_def def = dent_query_def_default();
    dent_query_result result;
    def.questions = DENT_QUESTION_FACE_FACE;
    def.no_details = true;
    def.border = &border_def;
    assert_int_equal(dent_world_query(jaw.world, &def, &result), DENT_OK);
    uint64_t crossing = 0, border_vertices_inside = result.border.vertex_count;
    for (uint64_t i = 0; i < result.face_face.count; i++) {
        crossing += result.face_face.pairs[i].kind == DENT_PAIR_CROSSING;
    }
    for (uint64_t i = 0; i < result.border.curve_count; i++) {
        check_curve(&jaw, &result.border, &result.border.curves[i], &sums);
    }
    printf("%u parts: %llu closed curves, %llu segments (%llu degenerate; %llu points, %llu degenerate), %llu crossing "
           "face pairs, %llu cut "
           "edges, %llu border vertices, %.1f ms\n",
           (unsigned)jaw.count, (unsigned long long)sums.curves, (unsigned long long)sums.segments,
           (unsigned long long)sums.degenerate, (unsigned long long)sums.points,
           (unsigned long long)sums.degenerate_points, (unsigned long long)crossing,
           (unsigned long long)result.border.cut_edge_count, (unsigned long long)border_vertices_inside,
           (double)result.border.ns * 1e-6);
    assert_true(sums.curves > 0);
    assert_int_equal(sums.segments - sums.degenerate, crossing); /* nothing is tied here, and no part crosses itself */
    dent_world_destroy(jaw.world);
    for (uint32_t i = 0; i < jaw.count; i++) {
        dent_mesh_destroy(jaw.context, jaw.parts[i]);
    }
    dent_context_destroy(jaw.context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(crossing_curves_are_closed_and_lie_on_both_faces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
