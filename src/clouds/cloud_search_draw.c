/* Stochastic bracketing and interpolation search (Klein and Zachmann 2005).
 *
 * The surface near the other cloud is thought to consist of p surfels. Drawing p ln p + c p of its points hits all of
 * them with probability about exp(-exp(-c)). A drawn point leaps along its own surface towards the other: down the slope
 * of the other's f, to the point nearest to where f should have changed its sign, a few times. Two points of different
 * signs bracket an intersection. A path along the graph between them keeps to one sheet. Interpolation search finds the
 * edge of the path where the sign changes; after the expected number of steps it alternates with bisection, so that it
 * never takes more than O(log m).
 *
 * Points are drawn without replacement: draw i is the i-th value of a keyed permutation (a Feistel network that walks
 * its cycles), so a draw depends on nothing but seed and number. */
#include "clouds/cloud_search.h"

enum { LEAPS_MOST = 6, PATH_MOST = 256, FEISTEL_ROUNDS = 6 };
#define SLOPE_LEAST 0.02 /* sine of the angle between the surfaces below which there is no direction to leap in */

/* ---- draws ------------------------------------------------------------------------------------------------------- */

static uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ x >> 27) * UINT64_C(0x94D049BB133111EB);
    return x ^ x >> 31;
}

/* Where the draw falls among `count` places. */
static uint64_t permuted(uint64_t seed, uint64_t draw, uint64_t count, int bits)
{
    uint64_t mask = (UINT64_C(1) << bits) - 1;
    do {
        uint64_t left = draw >> bits, right = draw & mask;
        for (uint64_t round = 0; round < FEISTEL_ROUNDS; round++) {
            uint64_t next = left ^ (mix(seed + (round + 1) * UINT64_C(0x9E3779B97F4A7C15) + mix(right)) & mask);
            left = right;
            right = next;
        }
        draw = left << bits | right;
    } while (draw >= count);
    return draw;
}

/* ln x for normal x > 0: ln(m 2^e), and ln m = 2 artanh((m - 1) / (m + 1)) as a series, 0.7 <= m < 1.42. */
static double logarithm(double x)
{
    int exponent;
    double mantissa = frexp(x, &exponent);
    if (mantissa < 0.70710678118654752) {
        mantissa *= 2.0;
        exponent--;
    }
    double t = (mantissa - 1.0) / (mantissa + 1.0), square = t * t, sum = 0.0;
    for (int k = 23; k >= 1; k -= 2) {
        sum = sum * square + 1.0 / k;
    }
    return 2.0 * t * sum + exponent * 0.69314718055994530942;
}

static void collect_leaves(dent_cloud_search *search, struct search_side *side)
{
    const dent_cloud *cloud = side->cloud;
    double area = 0.0, radius = search->resolution;
    side->leaf_count = 0;
    side->points = 0;
    for (uint32_t leaf = 0; leaf < cloud->tree.leaf_count; leaf++) {
        if (!side->near[leaf]) {
            continue;
        }
        side->leaves[side->leaf_count++] = leaf;
        for (uint32_t slot = leaf * CLOUD_LANES; slot < (leaf + 1) * CLOUD_LANES && slot < cloud->count; slot++) {
            side->points += cloud_degree(cloud, slot) > 0;
            area += cloud_degree(cloud, slot) > 0 ? cloud->area[slot] : 0.0;
        }
    }
    double surfels = radius > 0.0 ? area / (3.14159265358979323846 * radius * radius) : 1.0;
    side->surfels = surfels > 1.0 ? surfels : 1.0;
}

void search_plan_draws(dent_cloud_search *search)
{
    for (int number = 0; number < 2; number++) {
        struct search_side *side = &search->side[number];
        collect_leaves(search, side);
        uint64_t places = (uint64_t)side->leaf_count * CLOUD_LANES;
        double wanted = side->surfels * (logarithm(side->surfels) + search->def.certainty);
        side->draws = 0;
        side->draws_planned = wanted < (double)places ? (uint64_t)wanted + 1 : places;
        for (side->draw_bits = 1; UINT64_C(1) << 2 * side->draw_bits < places; side->draw_bits++) {
        }
    }
}

/* 1 - exp(-p q), where q is the chance that no draw hits a given surfel of N / p of the N places. */
double search_miss_probability(const struct search_side *side)
{
    double places = (double)side->leaf_count * CLOUD_LANES, draws = (double)side->draws;
    if (draws >= places) {
        return 0.0;
    }
    double missed = draws > 0.0 ? -logarithm(1.0 - draws / places) * (places / side->surfels) : 0.0;
    double expected = missed < 700.0 ? side->surfels * exponential_of_minus(missed, exponential_halvings(missed)) : 0.0;
    return expected < 1e-8   ? expected
           : expected < 40.0 ? 1.0 - exponential_of_minus(expected, exponential_halvings(expected))
                             : 1.0;
}

/* ---- brackets ---------------------------------------------------------------------------------------------------- */

/* A point of the drawing side and the other's f there. */
struct sounding {
    uint32_t slot;
    double place[3]; /* in the world */
    dent_cloud_value value;
};

static double reach_of(const dent_cloud *cloud, uint32_t slot)
{
    return cloud->def.reach_radii * cloud->radius[slot];
}

/* False where f is undefined; counts that if the surfaces may meet there. */
static bool sound(dent_cloud_search *search, int side, uint32_t slot, struct sounding *sounding)
{
    const dent_cloud *cloud = search->side[side].cloud, *other = search->side[1 - side].cloud;
    sounding->slot = slot;
    side_to_world(&search->side[side], cloud->point[slot], sounding->place);
    uint32_t nearest = search_value(search, 1 - side, sounding->place, &sounding->value);
    if (sounding->value.state == DENT_CLOUD_DEFINED) {
        return true;
    }
    search->result.undefined +=
        nearest != UINT32_MAX && sounding->value.distance <= reach_of(cloud, slot) + reach_of(other, nearest);
    return false;
}

/* Along edges that lead nearer to the end each time; 0: there is no such path. Few edges are followed in vain: points that
 * are near and on one sheet have one. */
static uint32_t find_path(const dent_cloud *cloud, uint32_t from, uint32_t to, uint32_t path[PATH_MOST])
{
    uint32_t count = 0;
    double distance = cloud_length(cloud->point[from], cloud->point[to]);
    path[count++] = from;
    while (from != to) {
        uint32_t best = UINT32_MAX;
        for (uint64_t e = cloud->first[from]; e < cloud->first[from + 1]; e++) {
            double left = cloud_length(cloud->point[cloud->edges[e]], cloud->point[to]);
            best = left < distance ? cloud->edges[e] : best;
            distance = left < distance ? left : distance;
        }
        if (best == UINT32_MAX || count == PATH_MOST) {
            return 0;
        }
        path[count++] = from = best;
    }
    return count;
}

/* How many steps of interpolation are expected: 2 log2 log2 m + 4. */
static uint32_t expected_steps(uint32_t length)
{
    uint32_t log = 0, log_log = 0;
    while (length >> log > 1) {
        log++;
    }
    while (log >> log_log > 1) {
        log_log++;
    }
    return 2 * log_log + 4;
}

/* Moves two soundings of different signs along the path until they are neighbours. False where f is undefined. */
static bool close_bracket(dent_cloud_search *search, int side, const uint32_t *path, uint32_t count,
                          struct sounding *first, struct sounding *last)
{
    uint32_t low = 0, high = count - 1, expected = expected_steps(count);
    for (uint32_t step = 0; high - low > 1; step++) {
        double below = fabs(first->value.value), above = fabs(last->value.value);
        double share = below + above > 0.0 ? below / (below + above) : 0.5;
        bool halve = step >= expected && step % 2;
        uint32_t next = halve ? (high - low) / 2 : (uint32_t)((high - low) * share + 0.5);
        next = low + (next < 1 ? 1 : next > high - low - 1 ? high - low - 1 : next);
        struct sounding middle;
        if (!sound(search, side, path[next], &middle)) {
            return false;
        }
        if ((middle.value.value < 0.0) == (first->value.value < 0.0)) {
            *first = middle;
            low = next;
        } else {
            *last = middle;
            high = next;
        }
    }
    return true;
}

static bool try_bracket(dent_cloud_search *search, int side, struct sounding first, struct sounding last)
{
    uint32_t path[PATH_MOST], count = find_path(search->side[side].cloud, first.slot, last.slot, path);
    search->result.brackets++;
    if (count == 0 || !close_bracket(search, side, path, count, &first, &last)) {
        search->result.rejected++;
        return true;
    }
    double below = fabs(first.value.value), above = fabs(last.value.value), place[3];
    double share = below + above > 0.0 ? below / (below + above) : 0.5, length = cloud_length(first.place, last.place);
    for (int axis = 0; axis < 3; axis++) {
        place[axis] = (1.0 - share) * first.place[axis] + share * last.place[axis];
    }
    double ball = (share > 0.5 ? share : 1.0 - share) * length, radius = search->side[side].cloud->radius[first.slot];
    return search_refine(search, side, place, ball > radius ? ball : radius);
}

/* The point nearest to where f should have changed its sign; UINT32_MAX if there is no direction to go in. */
static uint32_t leap(const dent_cloud_search *search, int number, const struct sounding *from)
{
    const struct search_side *side = &search->side[number];
    double normal[3], slope[3], target[3], local[3], square = INFINITY;
    side_turn(side, side->cloud->normal[from->slot], normal);
    double cosine = cloud_dot_product(normal, from->value.normal);
    for (int axis = 0; axis < 3; axis++) {
        slope[axis] = from->value.normal[axis] - cosine * normal[axis];
    }
    double sine = sqrt(cloud_dot_product(slope, slope));
    if (!(sine >= SLOPE_LEAST)) {
        return UINT32_MAX;
    }
    double length = 1.25 * fabs(from->value.value) / sine + 0.5 * side->cloud->radius[from->slot];
    length = length < search->bracket_length ? length : search->bracket_length;
    for (int axis = 0; axis < 3; axis++) {
        target[axis] = from->place[axis] - (from->value.value < 0.0 ? -length : length) * slope[axis] / sine;
    }
    side_to_local(side, target, local);
    return cloud_kernels_for(dent_context_isa(side->cloud->context))->nearest(&side->cloud->tree, local, &square);
}

bool search_try_point(dent_cloud_search *search, int side, uint32_t slot)
{
    const dent_cloud *cloud = search->side[side].cloud;
    struct sounding at, next;
    if (!sound(search, side, slot, &at)) {
        return true;
    }
    for (int leaps = 0; leaps < LEAPS_MOST; leaps++) {
        if (fabs(at.value.value) <= search->tolerance) {
            search->result.brackets++;
            return search_refine(search, side, at.place, cloud->radius[at.slot]);
        }
        uint32_t to = leap(search, side, &at);
        if (to == UINT32_MAX || to == at.slot ||
            cloud_length(cloud->point[to], cloud->point[slot]) > search->bracket_length ||
            !sound(search, side, to, &next)) {
            return true;
        }
        if ((next.value.value < 0.0) != (at.value.value < 0.0)) {
            return try_bracket(search, side, at, next);
        }
        if (fabs(next.value.value) >= fabs(at.value.value)) {
            return true;
        }
        at = next;
    }
    return true;
}

bool search_draw(dent_cloud_search *search)
{
    /* the sides take turns, in proportion to what they have planned */
    struct search_side *a = &search->side[0], *b = &search->side[1];
    double left_a = (double)(a->draws_planned - a->draws) * (double)b->draws_planned;
    double left_b = (double)(b->draws_planned - b->draws) * (double)a->draws_planned;
    int number = a->draws < a->draws_planned && (left_a >= left_b || b->draws == b->draws_planned) ? 0 : 1;
    struct search_side *side = &search->side[number];
    uint64_t places = (uint64_t)side->leaf_count * CLOUD_LANES;
    uint64_t place = permuted(search->seed, side->draws++, places, side->draw_bits);
    uint32_t slot = side->leaves[place / CLOUD_LANES] * CLOUD_LANES + (uint32_t)(place % CLOUD_LANES);
    search->result.draws++;
    search->used++;
    return slot >= side->cloud->count || cloud_degree(side->cloud, slot) == 0 || search_try_point(search, number, slot);
}
