/* Intervals of the two triple products. See motion_coplanarity.h. */
#include "geometry/motion/motion_coplanarity.h"

#include "geometry/numbers/interval.h"

struct interval_vector {
    struct interval x[3];
};

static struct interval_vector difference(const struct interval_vector *p, const struct interval_vector *q)
{
    struct interval_vector result;
    for (int k = 0; k < 3; k++) {
        result.x[k] = interval_subtract(p->x[k], q->x[k]);
    }
    return result;
}

/* u . (v x w) */
static struct interval triple(const struct interval_vector *u, const struct interval_vector *v,
                              const struct interval_vector *w)
{
    struct interval sum = {0, 0};
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        struct interval cross =
            interval_subtract(interval_multiply(v->x[i], w->x[j]), interval_multiply(v->x[j], w->x[i]));
        sum = interval_add(sum, interval_multiply(u->x[k], cross));
    }
    return sum;
}

static bool may_vanish(struct interval f)
{
    return !(f.lo > 0 || f.hi < 0);
}

static bool vertex_and_face(const struct interval_vector *vertex, const struct interval_vector face[3])
{
    struct interval_vector u = difference(vertex, &face[0]), v = difference(&face[1], &face[0]),
                           w = difference(&face[2], &face[0]);
    return may_vanish(triple(&u, &v, &w));
}

static bool two_edges(const struct interval_vector a[3], int i, const struct interval_vector b[3], int j)
{
    struct interval_vector u = difference(&b[j], &a[i]), v = difference(&a[(i + 1) % 3], &a[i]),
                           w = difference(&b[(j + 1) % 3], &b[j]);
    return may_vanish(triple(&u, &v, &w));
}

bool faces_never_coplanar(const double (*a)[3], const struct moving_points *b, double first, double last)
{
    struct interval_vector still[3], moving[3];
    for (int c = 0; c < 3; c++) {
        for (int k = 0; k < 3; k++) {
            struct interval along = interval_scale(interval_of(first, last), b->sweep[c][k]);
            still[c].x[k] = interval_point(a[c][k]);
            moving[c].x[k] =
                interval_add(interval_add(interval_point(b->position[c][k]), along), interval_of(-b->rest, b->rest));
        }
    }
    for (int i = 0; i < 3; i++) {
        if (vertex_and_face(&moving[i], still) || vertex_and_face(&still[i], moving)) {
            return false;
        }
        for (int j = 0; j < 3; j++) {
            if (two_edges(still, i, moving, j)) {
                return false;
            }
        }
    }
    return true;
}
