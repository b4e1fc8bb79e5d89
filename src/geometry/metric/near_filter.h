/* The filter of near_kernels.h, written once: plain loops over sixteen lanes that every compiler turns into vector
 * code. Included by near_kernels_<isa>.c, compiled with the flags of its instruction set. */
#include "geometry/metric/near_kernels.h"

#define EACH_LANE for (int i = 0; i < NEAR_BATCH; i++)

struct lanes {
    _Alignas(64) float at[NEAR_BATCH];
};

struct lanes3 {
    struct lanes x, y, z;
};

static inline struct lanes3 difference(const float (*to)[NEAR_BATCH], const float (*from)[NEAR_BATCH])
{
    struct lanes3 r;
    EACH_LANE r.x.at[i] = to[0][i] - from[0][i];
    EACH_LANE r.y.at[i] = to[1][i] - from[1][i];
    EACH_LANE r.z.at[i] = to[2][i] - from[2][i];
    return r;
}

static inline struct lanes3 subtract(const struct lanes3 *a, const struct lanes3 *b)
{
    struct lanes3 r;
    EACH_LANE r.x.at[i] = a->x.at[i] - b->x.at[i];
    EACH_LANE r.y.at[i] = a->y.at[i] - b->y.at[i];
    EACH_LANE r.z.at[i] = a->z.at[i] - b->z.at[i];
    return r;
}

/* a + t b */
static inline struct lanes3 step(const struct lanes3 *a, const struct lanes *t, const struct lanes3 *b)
{
    struct lanes3 r;
    EACH_LANE r.x.at[i] = a->x.at[i] + t->at[i] * b->x.at[i];
    EACH_LANE r.y.at[i] = a->y.at[i] + t->at[i] * b->y.at[i];
    EACH_LANE r.z.at[i] = a->z.at[i] + t->at[i] * b->z.at[i];
    return r;
}

static inline struct lanes dot(const struct lanes3 *a, const struct lanes3 *b)
{
    struct lanes r;
    EACH_LANE r.at[i] = (a->x.at[i] * b->x.at[i] + a->y.at[i] * b->y.at[i]) + a->z.at[i] * b->z.at[i];
    return r;
}

/* numerator / denominator, cut to [0, 1]; denominators near 0 are raised, which keeps it finite or infinite, never
 * NaN, for numbers of size 1. */
static inline struct lanes place(const struct lanes *numerator, const struct lanes *denominator)
{
    struct lanes r;
    EACH_LANE
    {
        float below = denominator->at[i] > 0x1p-60f ? denominator->at[i] : 0x1p-60f;
        float t = numerator->at[i] / below;
        t = t > 0.0f ? t : 0.0f;
        r.at[i] = t < 1.0f ? t : 1.0f;
    }
    return r;
}

/* 1 where q separates: gap is the least of q . x over a less the most over b. */
static inline void separated(const struct lanes *gap, const struct lanes3 *q, const float *bound,
                             int32_t found[NEAR_BATCH])
{
    struct lanes squared = dot(q, q);
    EACH_LANE
    {
        float g = gap->at[i];
        int32_t far = (g > 0.0f) & (squared.at[i] > 0x1p-80f) & (g * g > squared.at[i] * (bound[i] * bound[i]));
        found[i] |= far;
    }
}

static inline uint32_t pack_bits(const int32_t found[NEAR_BATCH])
{
    uint32_t bits = 0;
    EACH_LANE bits |= (uint32_t)found[i] << i;
    return bits;
}

static uint32_t far_edges(const struct near_batch *batch)
{
    struct lanes3 u = difference(batch->point[1], batch->point[0]);   /* edge a */
    struct lanes3 w = difference(batch->point[2], batch->point[0]);   /* its beginning to that of b */
    struct lanes3 end = difference(batch->point[3], batch->point[0]); /* … to the end of b */
    struct lanes3 v = subtract(&end, &w);                             /* edge b */
    struct lanes uu = dot(&u, &u), uv = dot(&u, &v), vv = dot(&v, &v), uw = dot(&u, &w), vw = dot(&v, &w);
    struct lanes numerator, denominator;
    EACH_LANE numerator.at[i] = uw.at[i] * vv.at[i] - uv.at[i] * vw.at[i];
    EACH_LANE denominator.at[i] = uu.at[i] * vv.at[i] - uv.at[i] * uv.at[i];
    struct lanes s = place(&numerator, &denominator);
    EACH_LANE numerator.at[i] = s.at[i] * uv.at[i] - vw.at[i];
    struct lanes t = place(&numerator, &vv);
    EACH_LANE numerator.at[i] = t.at[i] * uv.at[i] + uw.at[i];
    s = place(&numerator, &uu);
    struct lanes3 to_b = step(&w, &t, &v), q;
    EACH_LANE q.x.at[i] = s.at[i] * u.x.at[i] - to_b.x.at[i];
    EACH_LANE q.y.at[i] = s.at[i] * u.y.at[i] - to_b.y.at[i];
    EACH_LANE q.z.at[i] = s.at[i] * u.z.at[i] - to_b.z.at[i];
    struct lanes qu = dot(&q, &u), qw = dot(&q, &w), qe = dot(&q, &end), gap;
    EACH_LANE
    {
        float least = qu.at[i] < 0.0f ? qu.at[i] : 0.0f;
        float most = qw.at[i] > qe.at[i] ? qw.at[i] : qe.at[i];
        gap.at[i] = least - most;
    }
    _Alignas(64) int32_t found[NEAR_BATCH] = {0};
    separated(&gap, &q, batch->bound, found);
    return pack_bits(found);
}

/* Of an edge from `from` along `along`, seen from the origin: the point closest to it, if closer than the best so
 * far. */
static inline void consider_edge(const struct lanes3 *from, const struct lanes3 *along, struct lanes3 *best,
                                 struct lanes *squared)
{
    struct lanes numerator = dot(from, along), length = dot(along, along);
    EACH_LANE numerator.at[i] = -numerator.at[i];
    struct lanes t = place(&numerator, &length);
    struct lanes3 point = step(from, &t, along);
    struct lanes own = dot(&point, &point);
    EACH_LANE
    {
        int closer = own.at[i] < squared->at[i];
        best->x.at[i] = closer ? point.x.at[i] : best->x.at[i];
        best->y.at[i] = closer ? point.y.at[i] : best->y.at[i];
        best->z.at[i] = closer ? point.z.at[i] : best->z.at[i];
        squared->at[i] = closer ? own.at[i] : squared->at[i];
    }
}

/* The gap from the origin down to three corners along q. */
static inline struct lanes gap_to_corners(const struct lanes3 *q, const struct lanes3 *a, const struct lanes3 *b,
                                          const struct lanes3 *c)
{
    struct lanes qa = dot(q, a), qb = dot(q, b), qc = dot(q, c), gap;
    EACH_LANE
    {
        float most = qa.at[i] > qb.at[i] ? qa.at[i] : qb.at[i];
        most = most > qc.at[i] ? most : qc.at[i];
        gap.at[i] = -most;
    }
    return gap;
}

static uint32_t far_vertices(const struct near_batch *batch)
{
    struct lanes3 a = difference(batch->point[1], batch->point[0]);
    struct lanes3 b = difference(batch->point[2], batch->point[0]);
    struct lanes3 c = difference(batch->point[3], batch->point[0]);
    struct lanes3 ab = subtract(&b, &a), bc = subtract(&c, &b), ac = subtract(&c, &a), best = a, q;
    struct lanes squared = dot(&a, &a);
    _Alignas(64) int32_t found[NEAR_BATCH] = {0};
    consider_edge(&a, &ab, &best, &squared);
    consider_edge(&b, &bc, &best, &squared);
    consider_edge(&a, &ac, &best, &squared);
    EACH_LANE q.x.at[i] = -best.x.at[i];
    EACH_LANE q.y.at[i] = -best.y.at[i];
    EACH_LANE q.z.at[i] = -best.z.at[i];
    struct lanes gap = gap_to_corners(&q, &a, &b, &c);
    separated(&gap, &q, batch->bound, found);

    EACH_LANE q.x.at[i] = ab.y.at[i] * ac.z.at[i] - ab.z.at[i] * ac.y.at[i];
    EACH_LANE q.y.at[i] = ab.z.at[i] * ac.x.at[i] - ab.x.at[i] * ac.z.at[i];
    EACH_LANE q.z.at[i] = ab.x.at[i] * ac.y.at[i] - ab.y.at[i] * ac.x.at[i];
    struct lanes side = dot(&q, &a);
    EACH_LANE
    {
        float sign = side.at[i] > 0.0f ? -1.0f : 1.0f;
        q.x.at[i] *= sign;
        q.y.at[i] *= sign;
        q.z.at[i] *= sign;
    }
    gap = gap_to_corners(&q, &a, &b, &c);
    separated(&gap, &q, batch->bound, found);
    return pack_bits(found);
}
