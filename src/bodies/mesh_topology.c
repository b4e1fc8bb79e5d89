/* The topology of a body, stage by stage: vertices in use, components, duplicates; faces and edges are elsewhere.
 *
 * Components are connected through shared vertices: a union-find in which the smaller vertex is always the root, so a
 * component is numbered by its smallest vertex without a second pass over the elements. Duplicates (elements with the
 * same set of corners, in any order) meet in the bucket of their smallest vertex, next to each other by their second
 * and third; runs of elements that agree so far are compared in full.
 */
#include "bodies/mesh_topology.h"

#include "base/containers/heap_sort.h"
#include "base/containers/union_find.h"
#include "bodies/cell_split.h"
#include "bodies/vertex_buckets.h"

#include <inttypes.h>
#include <string.h>

/* ---- vertices ---------------------------------------------------------------------------------------------------- */

static bool find_used_vertices(struct body *body)
{
    body->vertex_use = dent_allocate(body->context, body->vertex_count, sizeof *body->vertex_use);
    if (!body->vertex_use) {
        return false;
    }
    if (body->vertex_count > 0) {
        memset(body->vertex_use, 0, body->vertex_count);
    }
    for (uint64_t i = 0; body_has_features(body) && i < body->corner_count; i++) {
        body->vertex_use[body->element_corners[i]] = VERTEX_USED;
    }
    dent_body_topology *topology = &body->topology;
    topology->first_unused_vertex = UINT32_MAX;
    for (uint32_t vertex = 0; vertex < body->vertex_count; vertex++) {
        if (!body->vertex_use[vertex]) {
            if (topology->unused_vertices++ == 0) {
                topology->first_unused_vertex = vertex;
            }
        }
    }
    return true;
}

static void join_elements(const struct body *body, uint32_t *parent)
{
    for (uint32_t element = 0; element < body->element_count; element++) {
        uint32_t corner_count;
        const uint32_t *corners = mesh_element(body, element, &corner_count);
        uint32_t root = corners[0];
        for (uint32_t i = 1; i < corner_count; i++) {
            root = union_find_join(parent, root, corners[i]);
        }
    }
}

static bool find_components(struct body *body)
{
    uint32_t *component = dent_allocate(body->context, body->vertex_count, sizeof *component);
    if (!component) {
        return false;
    }
    body->vertex_component = component;
    union_find_init(component, body->vertex_count);
    join_elements(body, component);
    /* A parent is never larger than its child, so going up the array every parent is a root already. */
    for (uint32_t vertex = 0; vertex < body->vertex_count; vertex++) {
        component[vertex] = component[component[vertex]];
    }
    uint32_t count = 0;
    for (uint32_t vertex = 0; vertex < body->vertex_count; vertex++) {
        if (!(body->vertex_use[vertex] & VERTEX_USED)) {
            component[vertex] = UINT32_MAX;
        } else {
            component[vertex] = component[vertex] == vertex ? count++ : component[component[vertex]];
        }
    }
    body->topology.component_count = count;
    return true;
}

/* ---- duplicates -------------------------------------------------------------------------------------------------- */

static uint32_t sorted_corners(const struct body *body, uint32_t element, uint32_t sorted[CELL_MAX_CORNERS])
{
    uint32_t corner_count;
    const uint32_t *corners = mesh_element(body, element, &corner_count);
    for (uint32_t i = 0; i < corner_count; i++) {
        uint32_t j = i;
        while (j > 0 && sorted[j - 1] > corners[i]) {
            sorted[j] = sorted[j - 1];
            j--;
        }
        sorted[j] = corners[i];
    }
    return corner_count;
}

/* Order of two elements by their sorted corners; zero: the same set. */
static int compare_corner_sets(const struct body *body, uint32_t a, uint32_t b)
{
    uint32_t sorted_a[CELL_MAX_CORNERS], sorted_b[CELL_MAX_CORNERS];
    uint32_t count_a = sorted_corners(body, a, sorted_a), count_b = sorted_corners(body, b, sorted_b);
    if (count_a != count_b) {
        return count_a < count_b ? -1 : 1;
    }
    for (uint32_t i = 0; i < count_a; i++) {
        if (sorted_a[i] != sorted_b[i]) {
            return sorted_a[i] < sorted_b[i] ? -1 : 1;
        }
    }
    return 0;
}

static bool corner_set_before(const void *a, const void *b, const void *body)
{
    const struct bucket_record *record_a = a, *record_b = b;
    return compare_corner_sets(body, record_a->ref, record_b->ref) < 0;
}

/* One run of elements with the same corners: all but the first are duplicates. */
static void count_run_of_duplicates(dent_body_topology *topology, const struct bucket_record *records, size_t count)
{
    if (count < 2) {
        return;
    }
    uint32_t first = UINT32_MAX, second = UINT32_MAX;
    for (size_t i = 0; i < count; i++) {
        uint32_t element = records[i].ref;
        if (element < first) {
            second = first;
            first = element;
        } else if (element < second) {
            second = element;
        }
    }
    topology->duplicate_elements += (uint32_t)(count - 1);
    if (second < topology->first_duplicate_element) {
        topology->first_duplicate_element = second;
    }
}

static void count_duplicates_in_run(struct body *body, struct bucket_record *records, size_t count)
{
    bool all_same = true;
    for (size_t i = 1; i < count && all_same; i++) {
        all_same = compare_corner_sets(body, records[0].ref, records[i].ref) == 0;
    }
    if (!all_same) {
        /* In O(n log n): a million cells at one face must not take long. */
        heap_sort(records, count, sizeof *records, corner_set_before, body);
    }
    for (size_t begin = 0, end; begin < count; begin = end) {
        end = begin + 1;
        while (end < count && (all_same || compare_corner_sets(body, records[begin].ref, records[end].ref) == 0)) {
            end++;
        }
        count_run_of_duplicates(&body->topology, records + begin, end - begin);
    }
}

static void count_duplicates_in_buckets(struct body *body, const struct vertex_buckets *buckets)
{
    for (size_t vertex = 0; vertex < buckets->vertex_count; vertex++) {
        struct bucket_record *records = buckets->records;
        uint64_t end = buckets->start[vertex + 1];
        for (uint64_t i = buckets->start[vertex], j; i < end; i = j) {
            j = i + 1;
            while (j < end && records[j].key0 == records[i].key0 && records[j].key1 == records[i].key1) {
                j++;
            }
            if (j - i > 1) {
                count_duplicates_in_run(body, records + i, (size_t)(j - i));
            }
        }
    }
}

static bool find_duplicates(struct body *body)
{
    struct vertex_buckets buckets;
    bool good = vertex_buckets_begin(&buckets, body->context, body->vertex_count);
    body->topology.first_duplicate_element = UINT32_MAX;
    uint32_t sorted[CELL_MAX_CORNERS] = {0}; /* elements may have fewer than three corners */
    for (uint32_t element = 0; good && element < body->element_count; element++) {
        sorted_corners(body, element, sorted);
        vertex_buckets_count(&buckets, sorted[0]);
    }
    good = good && vertex_buckets_allocate(&buckets);
    for (uint32_t element = 0; good && element < body->element_count; element++) {
        sorted_corners(body, element, sorted);
        vertex_buckets_put(&buckets, sorted[0], sorted[1], sorted[2], element);
    }
    if (good) {
        vertex_buckets_sort(&buckets);
        count_duplicates_in_buckets(body, &buckets);
    }
    vertex_buckets_end(&buckets);
    return good;
}

/* ---- all of it --------------------------------------------------------------------------------------------------- */

static void fill_counts(struct body *body)
{
    dent_body_topology *topology = &body->topology;
    topology->kind = body->kind;
    topology->vertex_count = body->vertex_count;
    topology->element_count = body->element_count;
    topology->tetrahedron_count = body->tetrahedron_count;
    topology->surface_face_count = body->surface_face_count;
    topology->edge_count = body->edge_count;
}

static bool compute_stages(struct body *body, uint32_t *first_nonmanifold_cell, bool *too_many_edges)
{
    body->topology.first_nonmanifold_element = UINT32_MAX;
    if (!find_used_vertices(body) || !find_components(body) || !find_duplicates(body) ||
        !mesh_faces_find_neighbours(body, first_nonmanifold_cell)) {
        return false;
    }
    mesh_wedges_follow_neighbours(body);
    return mesh_faces_list_surface(body) && mesh_edges_list(body, too_many_edges) && mesh_edges_judge_surface(body);
}

dent_status mesh_topology_compute(struct body *body, struct message *message, uint32_t *first_nonmanifold_cell)
{
    bool too_many_edges = false;
    *first_nonmanifold_cell = UINT32_MAX;
    if (!compute_stages(body, first_nonmanifold_cell, &too_many_edges)) {
        if (too_many_edges) {
            return message_fail(message, DENT_ERROR_TOO_LARGE, BODY_TITLE ": more edges than 32-bit indices can name",
                                BODY_TITLE_OF(body));
        }
        return message_fail(message, DENT_ERROR_OUT_OF_MEMORY, BODY_TITLE ": not enough memory for its topology",
                            BODY_TITLE_OF(body));
    }
    fill_counts(body);
    return DENT_OK;
}
