/* Probabilistic bounds of an interrupted search, beside the certain ones. See dent_time_critical_estimate.
 *
 * The certain bound of a pending pair of nodes is what is known without work. Here a few entries are drawn at random and
 * looked into: from both nodes down to leaves, each time to the child whose witness is nearest, then face by face. That
 * gives a smaller upper bound h of the entry's gap, as certain as the other. What is probable is what the drawn entries
 * say of all: draws are independent and uniform, so
 *
 *   share   if more than a share q of all entries had a gap above the largest h drawn, all k draws missed it with a
 *           probability below (1 - q)^k. q = 1 - (1 - confidence)^(1/k)
 *   mean    Hoeffding: the mean of all h is at most the mean of those drawn plus r sqrt(ln(1 / (1 - confidence)) / 2k),
 *           where r bounds every h
 *
 * Klein and Zachmann's trees (2003) estimate such probabilities from stored averages of the distribution of faces,
 * which holds for surfaces that are like the average. Drawing holds for all. */
#include "query/deadline/time_critical_search.h"

#include "base/floating_point_guard.h"
#include "geometry/metric/feature_distance.h"
#include "structures/bounds/bound_tests.h"

enum { SAMPLES_MOST = 1 << 20 };

dent_region_estimate_def dent_region_estimate_def_default(void)
{
    return (dent_region_estimate_def){
        .struct_size = sizeof(dent_region_estimate_def), .samples = 64, .confidence = 0.95, .seed = 1};
}

static double face_distance_above(const struct bound_tree *a, uint32_t slot_a, const struct bound_tree *b,
                                  uint32_t slot_b)
{
    const double *p[3], *q[3];
    double best = INFINITY, size = 0;
    for (int k = 0; k < 3; k++) {
        p[k] = a->xyz[a->corners[slot_a][k]];
        q[k] = b->xyz[b->corners[slot_b][k]];
        for (int axis = 0; axis < 3; axis++) {
            size = fmax(size, fmax(fabs(p[k][axis]), fabs(q[k][axis])));
        }
    }
    for (int i = 0; i < 3; i++) {
        best = fmin(best, fmin(vertex_face_distance(p[i], q), vertex_face_distance(q[i], p)));
        for (int j = 0; j < 3; j++) {
            const double *edge_a[2] = {p[i], p[(i + 1) % 3]}, *edge_b[2] = {q[j], q[(j + 1) % 3]};
            best = fmin(best, edge_edge_distance(edge_a, edge_b));
        }
    }
    return best + 0x1p-44 * size; /* these distances round by a few units of the coordinates */
}

/* To the child of `node` whose witness is nearest to `point`. */
static uint32_t nearest_child(struct bound_tree *tree, uint32_t node, const double *point)
{
    const struct bound_link *link = &tree->links[node];
    uint32_t best = link->first_child;
    double least = INFINITY;
    for (uint32_t child = link->first_child; child < link->first_child + link->child_count; child++) {
        bound_tree_touch(tree, child);
        double distance = distance_above(bound_witness(tree, child), point);
        if (distance < least) {
            least = distance;
            best = child;
        }
    }
    return best;
}

/* A certain upper bound of the gap of an entry; never above that of the entry. */
static double look_into(dent_time_critical *search, const dent_region_pair *entry)
{
    struct bound_tree *a = search->a, *b = search->b;
    uint32_t node_a = entry->node_a, node_b = entry->node_b;
    double best = (entry->lo > 0 ? entry->lo : 0) + entry->error;
    while (!bound_is_leaf(a, node_a) || !bound_is_leaf(b, node_b)) {
        if (!bound_is_leaf(a, node_a)) {
            node_a = nearest_child(a, node_a, bound_witness(b, node_b));
        }
        if (!bound_is_leaf(b, node_b)) {
            node_b = nearest_child(b, node_b, bound_witness(a, node_a));
        }
        best = fmin(best, distance_above(bound_witness(a, node_a), bound_witness(b, node_b)));
    }
    bound_tree_touch_positions(a, node_a);
    bound_tree_touch_positions(b, node_b);
    const struct bound_link *leaf_a = &a->links[node_a], *leaf_b = &b->links[node_b];
    for (uint32_t i = leaf_a->first_face; i < leaf_a->first_face + leaf_a->face_count; i++) {
        for (uint32_t j = leaf_b->first_face; j < leaf_b->first_face + leaf_b->face_count; j++) {
            best = fmin(best, face_distance_above(a, i, b, j));
        }
    }
    return best;
}

/* x^n, 0 <= x <= 1; the same bits everywhere. */
static double power(double x, uint32_t n)
{
    double result = 1;
    for (; n > 0; n /= 2, x *= x) {
        result *= n % 2 ? x : 1;
    }
    return result;
}

/* The smallest share q with (1 - q)^count <= doubt, rounded up. */
static double share_of(double doubt, uint32_t count)
{
    double low = 0, high = 1;
    for (int i = 0; i < 60; i++) {
        double middle = 0.5 * (low + high);
        *(power(1 - middle, count) <= doubt ? &high : &low) = middle;
    }
    return fmin(1, high * (1 + 0x1p-20));
}

/* -ln(x) for 0 < x < 1, rounded up: x = m 2^-e with m in [1/2, 1), ln m = -2 artanh((1 - m) / (1 + m)). */
static double minus_logarithm(double x)
{
    int exponent;
    double m = frexp(x, &exponent), ratio = (1 - m) / (1 + m), term = ratio, sum = 0;
    for (int k = 1; k < 60; k += 2, term *= ratio * ratio) {
        sum += term / k;
    }
    return (2 * sum - exponent * 0x1.62e42fefa39efp-1) * (1 + 0x1p-40);
}

static DENT_NOINLINE void draw(dent_time_critical *search, const dent_region_estimate_def *def,
                               dent_region_estimate *estimate)
{
    const struct region_queue *queue = &search->queue;
    dent_random random = dent_random_seeded(def->seed);
    double sum = 0, range = 0, count = def->samples;
    *estimate = (dent_region_estimate){.samples = queue->count > 0 ? def->samples : 0};
    if (queue->count == 0) {
        return;
    }
    for (uint32_t i = 0; i < queue->count; i++) {
        const dent_region_pair *entry = &queue->entries[i];
        range = fmax(range, (entry->lo > 0 ? entry->lo : 0) + entry->error);
    }
    for (uint32_t i = 0; i < def->samples; i++) {
        double gap = look_into(search, &queue->entries[dent_random_below(&random, queue->count)]);
        estimate->gap = fmax(estimate->gap, gap);
        sum += gap;
    }
    estimate->share = share_of(1 - def->confidence, def->samples);
    estimate->mean = sum / count;
    estimate->mean_bound = fmin(range, estimate->mean + range * sqrt(minus_logarithm(1 - def->confidence) / (2 * count)));
}

static const char *fault_of(const dent_time_critical *search, const dent_region_estimate_def *def)
{
    return def->struct_size != sizeof *def              ? "the def was not made by dent_region_estimate_def_default()"
           : def->samples < 1 || def->samples > SAMPLES_MOST ? "samples: expected 1 to 2^20"
           : !(def->confidence > 0 && def->confidence < 1)   ? "confidence: expected a number between 0 and 1"
           : search->a == search->b ? "estimates are for two bodies, not for one with itself"
           : bound_has_strands(search->a) || bound_has_strands(search->b) ? "estimates are not for strands"
                                                                          : NULL;
}

dent_status dent_time_critical_estimate(dent_time_critical *search, const dent_region_estimate_def *def,
                                        dent_region_estimate *estimate)
{
    DENT_REQUIRE(NULL, search);
    DENT_REQUIRE(search->context, def);
    DENT_REQUIRE(search->context, estimate);
    const char *fault = fault_of(search, def);
    if (fault) {
        return dent_fail(search->context, DENT_ERROR_INVALID_ARGUMENT, "%s", fault);
    }
    dent_status status = search_check_trees(search);
    if (status != DENT_OK) {
        return status;
    }
    struct floating_point_guard guard;
    floating_point_guard_enter(&guard);
    draw(search, def, estimate);
    floating_point_guard_leave(&guard);
    return DENT_OK;
}
