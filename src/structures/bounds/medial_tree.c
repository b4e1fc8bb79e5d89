/* The medial-axis builder. See medial_tree.h.
 *
 * All three reductions work on one matrix: m[i][f] = reach of face f from centre i, less that centre's distance from
 * the surface: the protrusion ball i needs to hold face f. At upper levels balls and faces are sampled evenly
 * (BALLS_MOST, FACES_MOST); in the end every face goes to the ball that needs the least.
 */
#include "structures/bounds/medial_tree.h"

#include <string.h>

#include "base/arena.h"
#include "structures/bounds/bound_tree_point.h"
#include "structures/bounds/medial_balls.h"

enum { BALLS_MOST = 200, FACES_MOST = 800, SHRINK_STEPS = 40, BISECTIONS = 16, NEIGHBOURS = 6, RANGE_CANDIDATES = 8 };

struct medial_ball {
    double centre[3];
    double inside; /* distance from the surface; negative outside */
    bool known;
};

struct medial_builder {
    const struct bound_build *build;
    struct bound_tree surface; /* for nearest faces */
    struct medial_ball *balls; /* by face, as they are asked for */
    double outward;            /* 1 when normals point outward, -1 when inward */
    double extent;
    struct medial_rest *rests; /* by node */
    uint32_t rest_capacity;
    struct arena scratch;
};

/* ---- balls ------------------------------------------------------------------------------------------------------- */

double medial_inside_distance(const struct bound_tree *surface, const double p[3])
{
    struct nearest_face nearest;
    bound_tree_nearest(surface, NULL, p, &nearest);
    return bound_tree_winding(surface, p) != 0 ? nearest.distance : -nearest.distance;
}

static bool face_normal(const struct bound_build *build, uint32_t face, double normal[3])
{
    const uint32_t *v = build->faces[face].corners;
    double e[3], f[3];
    for (int axis = 0; axis < 3; axis++) {
        e[axis] = build->xyz[v[1]][axis] - build->xyz[v[0]][axis];
        f[axis] = build->xyz[v[2]][axis] - build->xyz[v[0]][axis];
    }
    normal[0] = e[1] * f[2] - e[2] * f[1];
    normal[1] = e[2] * f[0] - e[0] * f[2];
    normal[2] = e[0] * f[1] - e[1] * f[0];
    double length = sqrt((normal[0] * normal[0] + normal[1] * normal[1]) + normal[2] * normal[2]);
    for (int axis = 0; axis < 3; axis++) {
        normal[axis] /= length;
    }
    return length > 0 && length <= DBL_MAX;
}

/* The largest ball inside that touches the surface at p. */
static void shrink_ball(const struct medial_builder *builder, const double p[3], const double normal[3],
                        struct medial_ball *ball)
{
    double radius = builder->extent;
    for (int step = 0; step < SHRINK_STEPS; step++) {
        struct nearest_face nearest;
        double square = 0, along = 0;
        for (int axis = 0; axis < 3; axis++) {
            ball->centre[axis] = p[axis] - builder->outward * normal[axis] * radius;
        }
        bound_tree_nearest(&builder->surface, NULL, ball->centre, &nearest);
        for (int axis = 0; axis < 3; axis++) {
            double difference = p[axis] - nearest.point[axis];
            square += difference * difference;
            along += builder->outward * normal[axis] * difference;
        }
        double smaller = square / (2 * along);
        if (nearest.distance >= radius * (1 - 1e-6) || !(along > 0) || !(smaller < radius)) {
            break;
        }
        radius = smaller;
    }
    ball->inside = medial_inside_distance(&builder->surface, ball->centre);
}

static const struct medial_ball *ball_of_face(struct medial_builder *builder, const struct bound_splitter *splitter,
                                              uint32_t face)
{
    struct medial_ball *ball = &builder->balls[face];
    double normal[3];
    if (!ball->known) {
        ball->known = true;
        memcpy(ball->centre, splitter->centres[face], sizeof ball->centre);
        if (face_normal(builder->build, face, normal)) {
            shrink_ball(builder, splitter->centres[face], normal, ball);
        }
    }
    return ball;
}

/* ---- the matrix -------------------------------------------------------------------------------------------------- */

static double face_reach(const struct bound_build *build, const double centre[3], uint32_t face)
{
    double farthest = 0;
    for (int k = 0; k < 3; k++) {
        double distance = distance_above(centre, build->xyz[build->faces[face].corners[k]]);
        farthest = distance > farthest ? distance : farthest;
    }
    return farthest;
}

struct reduction {
    struct medial_builder *builder;
    uint32_t ball_count, face_count; /* sampled */
    struct medial_ball *balls;
    uint32_t *faces;
    double *needs; /* m[i][f] at i * face_count + f */
    uint32_t wanted;
};

/* A few centres: what a reduction leaves. */
struct choice {
    uint32_t count;
    struct medial_ball balls[BOUND_BRANCHING_MAX];
    double worst; /* largest protrusion over the sampled faces */
};

static bool reduction_begin(struct reduction *reduction, struct medial_builder *builder,
                            const struct bound_splitter *splitter, uint32_t first, uint32_t count)
{
    struct arena *scratch = &builder->scratch;
    reduction->builder = builder;
    reduction->wanted = builder->build->branching;
    reduction->ball_count = count < BALLS_MOST ? count : BALLS_MOST;
    reduction->face_count = count < FACES_MOST ? count : FACES_MOST;
    reduction->balls = arena_allocate(scratch, reduction->ball_count, sizeof *reduction->balls);
    reduction->faces = arena_allocate(scratch, reduction->face_count, sizeof *reduction->faces);
    reduction->needs =
        arena_allocate(scratch, (size_t)reduction->ball_count * reduction->face_count, sizeof *reduction->needs);
    if (!reduction->balls || !reduction->faces || !reduction->needs) {
        return false;
    }
    for (uint32_t i = 0; i < reduction->ball_count; i++) {
        uint32_t face = splitter->order[first + (uint64_t)i * count / reduction->ball_count];
        reduction->balls[i] = *ball_of_face(builder, splitter, face);
    }
    for (uint32_t f = 0; f < reduction->face_count; f++) {
        reduction->faces[f] = splitter->order[first + (uint64_t)f * count / reduction->face_count];
    }
    for (uint32_t i = 0; i < reduction->ball_count; i++) {
        for (uint32_t f = 0; f < reduction->face_count; f++) {
            double need = face_reach(builder->build, reduction->balls[i].centre, reduction->faces[f]) -
                          reduction->balls[i].inside;
            reduction->needs[(size_t)i * reduction->face_count + f] = need <= DBL_MAX ? need : DBL_MAX;
        }
    }
    return true;
}

/* The largest protrusion when every sampled face goes to the ball that needs the least. */
static void judge(const struct reduction *reduction, struct choice *choice)
{
    choice->worst = choice->count > 0 ? 0 : INFINITY;
    for (uint32_t f = 0; f < reduction->face_count; f++) {
        double least = INFINITY;
        for (uint32_t i = 0; i < choice->count; i++) {
            double need = face_reach(reduction->builder->build, choice->balls[i].centre, reduction->faces[f]) -
                          choice->balls[i].inside;
            least = need < least ? need : least;
        }
        choice->worst = least > choice->worst ? least : choice->worst;
    }
}

/* ---- burst ------------------------------------------------------------------------------------------------------- */

struct two_best {
    uint32_t first, second;
};

static struct two_best best_for_face(const struct reduction *reduction, const uint8_t *alive, uint32_t f)
{
    struct two_best best = {UINT32_MAX, UINT32_MAX};
    double first = INFINITY, second = INFINITY;
    for (uint32_t i = 0; i < reduction->ball_count; i++) {
        double need = reduction->needs[(size_t)i * reduction->face_count + f];
        if (!alive[i]) {
            continue;
        }
        if (need < first) {
            second = first;
            best.second = best.first;
            first = need;
            best.first = i;
        } else if (need < second) {
            second = need;
            best.second = i;
        }
    }
    return best;
}

static bool reduce_by_bursting(const struct reduction *reduction, struct choice *choice)
{
    struct arena *scratch = &reduction->builder->scratch;
    uint8_t *alive = arena_allocate(scratch, reduction->ball_count, 1);
    double *costs = arena_allocate(scratch, reduction->ball_count, sizeof *costs);
    struct two_best *best = arena_allocate(scratch, reduction->face_count, sizeof *best);
    if (!alive || !costs || !best) {
        return false;
    }
    memset(alive, 1, reduction->ball_count);
    for (uint32_t f = 0; f < reduction->face_count; f++) {
        best[f] = best_for_face(reduction, alive, f);
    }
    for (uint32_t left = reduction->ball_count; left > reduction->wanted; left--) {
        uint32_t victim = UINT32_MAX;
        for (uint32_t i = 0; i < reduction->ball_count; i++) {
            costs[i] = -INFINITY; /* balls without faces go first */
        }
        for (uint32_t f = 0; f < reduction->face_count; f++) {
            double need = reduction->needs[(size_t)best[f].second * reduction->face_count + f];
            costs[best[f].first] = need > costs[best[f].first] ? need : costs[best[f].first];
        }
        for (uint32_t i = 0; i < reduction->ball_count; i++) {
            if (alive[i] && (victim == UINT32_MAX || costs[i] < costs[victim])) {
                victim = i;
            }
        }
        alive[victim] = 0;
        for (uint32_t f = 0; f < reduction->face_count; f++) {
            if (best[f].first == victim || best[f].second == victim) {
                best[f] = best_for_face(reduction, alive, f);
            }
        }
    }
    choice->count = 0;
    for (uint32_t i = 0; i < reduction->ball_count; i++) {
        if (alive[i]) {
            choice->balls[choice->count++] = reduction->balls[i];
        }
    }
    judge(reduction, choice);
    return true;
}

/* ---- expand ------------------------------------------------------------------------------------------------------ */

/* Greedy cover with this stand-off; how many balls it takes, at most wanted + 1. */
static uint32_t cover_greedily(const struct reduction *reduction, double standoff, uint8_t *covered, uint32_t *chosen)
{
    uint32_t left = reduction->face_count, count = 0;
    memset(covered, 0, reduction->face_count);
    while (left > 0 && count < reduction->wanted) {
        uint32_t best = 0, best_gain = 0;
        for (uint32_t i = 0; i < reduction->ball_count; i++) {
            const double *needs = reduction->needs + (size_t)i * reduction->face_count;
            uint32_t gain = 0;
            for (uint32_t f = 0; f < reduction->face_count; f++) {
                gain += !covered[f] && needs[f] <= standoff;
            }
            if (gain > best_gain) {
                best = i;
                best_gain = gain;
            }
        }
        if (best_gain == 0) {
            break;
        }
        chosen[count++] = best;
        for (uint32_t f = 0; f < reduction->face_count; f++) {
            covered[f] |= reduction->needs[(size_t)best * reduction->face_count + f] <= standoff;
        }
        left -= best_gain;
    }
    return left > 0 ? reduction->wanted + 1 : count;
}

static bool reduce_by_expanding(const struct reduction *reduction, struct choice *choice)
{
    uint8_t *covered = arena_allocate(&reduction->builder->scratch, reduction->face_count, 1);
    uint32_t chosen[BOUND_BRANCHING_MAX];
    double low = INFINITY, high = INFINITY;
    if (!covered) {
        return false;
    }
    for (uint32_t i = 0; i < reduction->ball_count; i++) { /* one ball alone is enough at its worst need */
        double worst = -INFINITY, least = INFINITY;
        for (uint32_t f = 0; f < reduction->face_count; f++) {
            double need = reduction->needs[(size_t)i * reduction->face_count + f];
            worst = need > worst ? need : worst;
            least = need < least ? need : least;
        }
        high = worst < high ? worst : high;
        low = least < low ? least : low;
    }
    choice->count = 0;
    for (int step = 0; step <= BISECTIONS; step++) {
        double standoff = step == BISECTIONS || step == 0 ? high : low * 0.5 + high * 0.5;
        uint32_t count = cover_greedily(reduction, standoff, covered, chosen);
        if (count > reduction->wanted) {
            low = standoff;
            continue;
        }
        high = standoff;
        choice->count = count;
        for (uint32_t i = 0; i < count; i++) {
            choice->balls[i] = reduction->balls[chosen[i]];
        }
    }
    judge(reduction, choice);
    return true;
}

/* ---- merge ------------------------------------------------------------------------------------------------------- */

struct cluster {
    struct medial_ball ball;
    double radius;         /* holds its faces */
    uint32_t first, count; /* its faces: a chain through `next` */
    uint32_t last;
    uint32_t partner; /* the cheapest to join with */
    double cost;
    struct medial_ball joint;
    double joint_radius;
};

struct merging {
    const struct reduction *reduction;
    struct cluster *clusters;
    uint32_t count;
    uint32_t *next;
};

static double chain_reach(const struct merging *merging, const struct cluster *cluster, const double centre[3])
{
    double farthest = 0;
    for (uint32_t f = cluster->first; f != UINT32_MAX; f = merging->next[f]) {
        double reach = face_reach(merging->reduction->builder->build, centre, merging->reduction->faces[f]);
        farthest = reach > farthest ? reach : farthest;
    }
    return farthest;
}

static void joint_ball(const struct merging *merging, const struct cluster *a, const struct cluster *b,
                       struct medial_ball *joint, double *radius)
{
    double distance = distance_above(a->ball.centre, b->ball.centre);
    double share = distance > 0 ? 0.5 + 0.5 * (b->radius - a->radius) / distance : 0.5;
    share = share > 0 ? (share < 1 ? share : 1) : 0;
    for (int axis = 0; axis < 3; axis++) {
        joint->centre[axis] = a->ball.centre[axis] + share * (b->ball.centre[axis] - a->ball.centre[axis]);
    }
    double reach_a = chain_reach(merging, a, joint->centre), reach_b = chain_reach(merging, b, joint->centre);
    *radius = reach_a > reach_b ? reach_a : reach_b;
    joint->inside = medial_inside_distance(&merging->reduction->builder->surface, joint->centre);
    joint->known = true;
}

/* Among the nearest few. */
static void find_partner(struct merging *merging, uint32_t own)
{
    struct cluster *cluster = &merging->clusters[own];
    uint32_t nearest[NEIGHBOURS], count = 0;
    double distances[NEIGHBOURS];
    for (uint32_t other = 0; other < merging->count; other++) {
        double distance = distance_above(cluster->ball.centre, merging->clusters[other].ball.centre);
        if (other == own || (count == NEIGHBOURS && distance >= distances[count - 1])) {
            continue;
        }
        uint32_t slot = count < NEIGHBOURS ? count++ : count - 1;
        for (; slot > 0 && distances[slot - 1] > distance; slot--) {
            distances[slot] = distances[slot - 1];
            nearest[slot] = nearest[slot - 1];
        }
        distances[slot] = distance;
        nearest[slot] = other;
    }
    cluster->cost = INFINITY;
    for (uint32_t i = 0; i < count; i++) {
        struct medial_ball joint;
        double radius;
        joint_ball(merging, cluster, &merging->clusters[nearest[i]], &joint, &radius);
        if (radius - joint.inside < cluster->cost) {
            cluster->cost = radius - joint.inside;
            cluster->partner = nearest[i];
            cluster->joint = joint;
            cluster->joint_radius = radius;
        }
    }
}

/* Joins a cluster with its partner; the last one takes the partner's place. */
static void join(struct merging *merging, uint32_t own)
{
    struct cluster *cluster = &merging->clusters[own];
    uint32_t partner = cluster->partner, last = merging->count - 1;
    merging->next[cluster->last] = merging->clusters[partner].first;
    cluster->last = merging->clusters[partner].last;
    cluster->ball = cluster->joint;
    cluster->radius = cluster->joint_radius;
    merging->clusters[partner] = merging->clusters[last];
    merging->count--;
    uint32_t moved = own == last ? partner : own;
    for (uint32_t i = 0; i < merging->count; i++) {
        struct cluster *other = &merging->clusters[i];
        bool lost = other->partner == partner || other->partner == own || i == moved;
        other->partner = other->partner == last ? partner : other->partner;
        if (lost) {
            find_partner(merging, i);
        }
    }
}

static bool reduce_by_merging(const struct reduction *reduction, struct choice *choice)
{
    struct arena *scratch = &reduction->builder->scratch;
    struct merging merging = {.reduction = reduction};
    uint8_t *alive = arena_allocate(scratch, reduction->ball_count, 1);
    uint32_t *cluster_of = arena_allocate(scratch, reduction->ball_count, sizeof *cluster_of);
    merging.clusters = arena_allocate(scratch, reduction->ball_count, sizeof *merging.clusters);
    merging.next = arena_allocate(scratch, reduction->face_count, sizeof *merging.next);
    if (!alive || !cluster_of || !merging.clusters || !merging.next) {
        return false;
    }
    memset(alive, 1, reduction->ball_count);
    memset(cluster_of, 0xFF, reduction->ball_count * sizeof *cluster_of);
    for (uint32_t f = 0; f < reduction->face_count; f++) {
        uint32_t ball = best_for_face(reduction, alive, f).first;
        double radius = reduction->needs[(size_t)ball * reduction->face_count + f] + reduction->balls[ball].inside;
        merging.next[f] = UINT32_MAX;
        if (cluster_of[ball] == UINT32_MAX) {
            cluster_of[ball] = merging.count;
            merging.clusters[merging.count++] =
                (struct cluster){.ball = reduction->balls[ball], .radius = radius, .first = f, .last = f};
            continue;
        }
        struct cluster *cluster = &merging.clusters[cluster_of[ball]];
        cluster->radius = radius > cluster->radius ? radius : cluster->radius;
        merging.next[cluster->last] = f;
        cluster->last = f;
    }
    for (uint32_t i = 0; i < merging.count; i++) {
        find_partner(&merging, i);
    }
    while (merging.count > reduction->wanted) {
        uint32_t cheapest = 0;
        for (uint32_t i = 1; i < merging.count; i++) {
            cheapest = merging.clusters[i].cost < merging.clusters[cheapest].cost ? i : cheapest;
        }
        join(&merging, cheapest);
    }
    choice->count = merging.count;
    for (uint32_t i = 0; i < merging.count; i++) {
        choice->balls[i] = merging.clusters[i].ball;
    }
    judge(reduction, choice);
    return true;
}

/* ---- a node ------------------------------------------------------------------------------------------------------ */

static bool note_rest(struct medial_builder *builder, uint32_t node, const struct medial_rest *rest)
{
    if (node >= builder->rest_capacity) {
        uint32_t grown = node + node / 2 + 256;
        struct medial_rest *fresh =
            dent_reallocate(builder->build->context, builder->rests, builder->rest_capacity, grown, sizeof *fresh);
        if (!fresh) {
            return false;
        }
        builder->rests = fresh;
        builder->rest_capacity = grown;
    }
    builder->rests[node] = *rest;
    return true;
}

/* Every face to the ball that needs the least; faces of a ball together. Returns the number of balls with faces. */
static uint32_t divide_faces(struct bound_splitter *splitter, const struct choice *choice, uint32_t first,
                             uint32_t count, uint32_t *sizes, struct medial_rest *rests, uint32_t *scratch)
{
    uint32_t parts = 0, slot = 0;
    for (uint32_t f = 0; f < count; f++) {
        uint32_t face = splitter->order[first + f], best = 0;
        double least = INFINITY;
        for (uint32_t i = 0; i < choice->count; i++) {
            double need = face_reach(splitter->build, choice->balls[i].centre, face) - choice->balls[i].inside;
            best = need < least ? i : best;
            least = need < least ? need : least;
        }
        splitter->keys[face] = best;
    }
    for (uint32_t i = 0; i < choice->count; i++) {
        uint32_t before = slot;
        struct medial_rest rest = {.inside = choice->balls[i].inside};
        memcpy(rest.centre, choice->balls[i].centre, sizeof rest.centre);
        for (uint32_t f = 0; f < count; f++) {
            uint32_t face = splitter->order[first + f];
            if (splitter->keys[face] == i) {
                double reach = face_reach(splitter->build, rest.centre, face);
                rest.reach = reach > rest.reach ? reach : rest.reach;
                scratch[slot++] = face;
            }
        }
        if (slot > before) {
            sizes[parts] = slot - before;
            rests[parts++] = rest;
        }
    }
    memcpy(splitter->order + first, scratch, count * sizeof *scratch);
    return parts;
}

/* A ball around the middle of a range of faces: for the root, and where the covariance divides. */
static struct medial_rest ball_of_range(const struct medial_builder *builder, const struct bound_splitter *splitter,
                                        uint32_t first, uint32_t count)
{
    struct medial_rest rest = {.reach = 0};
    for (int axis = 0; axis < 3; axis++) {
        double lo = INFINITY, hi = -INFINITY;
        for (uint32_t i = first; i < first + count; i++) {
            for (int k = 0; k < 3; k++) {
                double c = splitter->build->xyz[splitter->build->faces[splitter->order[i]].corners[k]][axis];
                lo = c < lo ? c : lo;
                hi = c > hi ? c : hi;
            }
        }
        rest.centre[axis] = lo * 0.5 + hi * 0.5;
    }
    for (uint32_t i = first; i < first + count; i++) {
        double reach = face_reach(splitter->build, rest.centre, splitter->order[i]);
        rest.reach = reach > rest.reach ? reach : rest.reach;
    }
    rest.inside = medial_inside_distance(&builder->surface, rest.centre);
    return rest;
}

/* The same, or a medial ball of one of a few of the faces where that needs less protrusion to hold them all. */
static struct medial_rest best_ball_of_range(struct medial_builder *builder, const struct bound_splitter *splitter,
                                             uint32_t first, uint32_t count)
{
    struct medial_rest best = ball_of_range(builder, splitter, first, count);
    for (uint32_t i = first; i < first + count; i += count / RANGE_CANDIDATES + 1) {
        const struct medial_ball *ball = ball_of_face(builder, splitter, splitter->order[i]);
        struct medial_rest rest = {.inside = ball->inside};
        memcpy(rest.centre, ball->centre, sizeof rest.centre);
        for (uint32_t f = first; f < first + count; f++) {
            double reach = face_reach(splitter->build, rest.centre, splitter->order[f]);
            rest.reach = reach > rest.reach ? reach : rest.reach;
        }
        best = rest.inside > 0 && rest.reach - rest.inside < best.reach - best.inside ? rest : best;
    }
    return best;
}

static uint32_t split_by_balls(struct bound_splitter *splitter, uint32_t first, uint32_t count, uint32_t *sizes,
                               struct medial_rest *rests)
{
    struct medial_builder *builder = splitter->medial;
    struct reduction reduction;
    struct choice choices[3];
    uint32_t *kept = arena_allocate(&builder->scratch, count, sizeof *kept);
    if (!kept || !reduction_begin(&reduction, builder, splitter, first, count) ||
        !reduce_by_merging(&reduction, &choices[0]) || !reduce_by_bursting(&reduction, &choices[1]) ||
        !reduce_by_expanding(&reduction, &choices[2])) {
        return 0;
    }
    int best = 0;
    for (int i = 1; i < 3; i++) {
        best = choices[i].worst < choices[best].worst ? i : best;
    }
    return divide_faces(splitter, &choices[best], first, count, sizes, rests, kept);
}

uint32_t split_by_medial_balls(struct bound_splitter *splitter, uint32_t first_child, uint32_t first, uint32_t count,
                               uint32_t *sizes)
{
    struct medial_builder *builder = splitter->medial;
    struct medial_rest rests[BOUND_BRANCHING_MAX];
    struct arena_mark mark = arena_mark(&builder->scratch);
    if (first_child == 1) {
        rests[0] = best_ball_of_range(builder, splitter, first, count);
        if (!note_rest(builder, 0, &rests[0])) {
            return 0;
        }
    }
    uint32_t parts = split_by_balls(splitter, first, count, sizes, rests), largest = 0;
    arena_rewind(&builder->scratch, mark);
    for (uint32_t i = 0; i < parts; i++) {
        largest = sizes[i] > largest ? sizes[i] : largest;
    }
    if (parts > 0 && largest > count - (count + 7) / 8) { /* the balls do not divide them: no progress, or hardly any */
        uint32_t slot = first;
        parts = split_by_covariance(splitter, first, count, sizes);
        for (uint32_t i = 0; i < parts; slot += sizes[i++]) {
            rests[i] = best_ball_of_range(builder, splitter, slot, sizes[i]);
        }
    }
    for (uint32_t i = 0; i < parts; i++) {
        if (!note_rest(builder, first_child + i, &rests[i])) {
            return 0;
        }
    }
    return parts;
}

/* ---- life -------------------------------------------------------------------------------------------------------- */

/* Six times the volume, in units of the extent: its sign tells which way the normals point. */
static double signed_volume(const struct bound_build *build, const double centre[3], double extent)
{
    double sum = 0;
    for (uint32_t face = 0; face < build->face_count; face++) {
        double p[3][3];
        for (int k = 0; k < 9; k++) {
            p[k / 3][k % 3] = (build->xyz[build->faces[face].corners[k / 3]][k % 3] - centre[k % 3]) / extent;
        }
        sum += p[0][0] * (p[1][1] * p[2][2] - p[1][2] * p[2][1]) + p[0][1] * (p[1][2] * p[2][0] - p[1][0] * p[2][2]) +
               p[0][2] * (p[1][0] * p[2][1] - p[1][1] * p[2][0]);
    }
    return sum;
}

struct medial_builder *medial_builder_create(const struct bound_build *build)
{
    struct medial_builder *builder = dent_allocate(build->context, 1, sizeof *builder);
    if (!builder) {
        return NULL;
    }
    *builder = (struct medial_builder){.build = build};
    arena_init(&builder->scratch, build->context);
    struct bound_build plain = *build;
    plain.kind = DENT_BOUND_SPHERES;
    plain.builder = DENT_BUILD_SPLIT;
    plain.branching = 8;
    plain.leaf_faces = 4;
    builder->balls = dent_allocate(build->context, build->face_count, sizeof *builder->balls);
    if (!builder->balls || bound_tree_build(&builder->surface, &plain) != DENT_OK) {
        builder->surface.context = build->context;
        medial_builder_destroy(builder);
        return NULL;
    }
    memset(builder->balls, 0, build->face_count * sizeof *builder->balls);
    bound_tree_refit(&builder->surface);
    builder->extent = 2 * builder->surface.volumes[0].v[3];
    builder->outward =
        signed_volume(build, builder->surface.centre, builder->extent > 0 ? builder->extent : 1) < 0 ? -1 : 1;
    return builder;
}

void medial_builder_destroy(struct medial_builder *builder)
{
    if (!builder) {
        return;
    }
    dent_context *context = builder->build->context;
    dent_release(context, builder->balls, builder->build->face_count, sizeof *builder->balls);
    dent_release(context, builder->rests, builder->rest_capacity, sizeof *builder->rests);
    if (builder->surface.context) {
        bound_tree_destroy(&builder->surface);
    }
    arena_destroy(&builder->scratch);
    dent_release(context, builder, 1, sizeof *builder);
}

struct medial_rest *medial_rests(const struct medial_builder *builder, uint32_t node_count)
{
    struct medial_rest *rests = dent_allocate(builder->build->context, node_count, sizeof *rests);
    if (rests) {
        memcpy(rests, builder->rests, node_count * sizeof *rests);
    }
    return rests;
}
