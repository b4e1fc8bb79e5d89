/* See strand_rules.h. */
#include "bodies/strand_rules.h"

#include <math.h>

#define STRAND_PI 3.14159265358979323846

static double segment_length(const double a[3], const double b[3])
{
    double x = b[0] - a[0], y = b[1] - a[1], z = b[2] - a[2];
    double largest = fmax(fabs(x), fmax(fabs(y), fabs(z)));
    /* Where squares would overflow or vanish, a power of two on either side of the root keeps all other bits. */
    double scale = largest > 0x1p500 ? 0x1p-600 : largest < 0x1p-450 ? 0x1p600 : 1.0;
    x *= scale;
    y *= scale;
    z *= scale;
    return sqrt((x * x + y * y) + z * z) / scale;
}

enum { ARC_SAMPLES = 64, FEW_TERMS = 8 };

bool strand_arcs_pay(const struct body_snapshot *strands, double radius)
{
    uint32_t count = strands->body->element_count;
    double sum = 0;
    for (uint32_t i = 0; i < ARC_SAMPLES && count > 0; i++) {
        dent_edge edge = strands->body->edges[(uint64_t)i * count / ARC_SAMPLES];
        sum += segment_length(strands->xyz[edge.v0], strands->xyz[edge.v1]);
    }
    return STRAND_PI * radius > FEW_TERMS * (sum / ARC_SAMPLES);
}

void strand_arcs_fill(const struct body_snapshot *strands, double *arcs)
{
    const struct body *body = strands->body;
    for (uint32_t strand = 0; strand < body->strand_count; strand++) {
        double arc = 0;
        for (uint32_t vertex = body->strand_first[strand]; vertex < body->strand_first[strand + 1]; vertex++) {
            arcs[vertex] = arc;
            if (vertex + 1 < body->strand_first[strand + 1]) {
                arc += segment_length(strands->xyz[vertex], strands->xyz[vertex + 1]);
            }
        }
    }
}

/* Decides by two arc lengths from the root: 1 below the limit, -1 not below, 0 not known. With u = 2^-53, n vertices from
 * the root to the farther end, and A its arc length, all lengths taken as the doubles they are: either arc length is
 * wrong by (n - 1) u A at most, their difference by u A more, the sum in index order by (n - 1) u A. So the computed
 * difference and the sum are no farther apart than 3 n u A, to first order; 4 n u A holds for n < 2^32 (terms in u^2,
 * and the rounding of the bound). Sums of doubles do not underflow. Infinite ones decide nothing. */
static int compare_arcs(double near, double far, uint32_t count, double limit)
{
    double difference = far - near, bound = (0x1p-51 * count) * far;
    return difference + bound < limit ? 1 : difference - bound > limit ? -1 : 0;
}

/* Lengths are not negative, so a sum that has reached the limit stays there. */
bool strand_arc_is_short(const double (*xyz)[3], uint32_t from, uint32_t to, double limit)
{
    double length = 0;
    bool below = length < limit;
    for (uint32_t vertex = from; below && vertex < to; vertex++) {
        length += segment_length(xyz[vertex], xyz[vertex + 1]);
        below = length < limit;
    }
    return below;
}

bool strand_rule_along(const struct body_snapshot *strands, const double *arcs, uint32_t segment_a, uint32_t segment_b,
                       double radius)
{
    const dent_edge *edges = strands->body->edges;
    uint32_t i = segment_a < segment_b ? segment_a : segment_b, j = segment_a < segment_b ? segment_b : segment_a;
    if (edges[j].v0 - edges[i].v0 != j - i) { /* of two strands */
        return false;
    }
    double limit = STRAND_PI * radius;
    if (arcs && j - i > FEW_TERMS) {
        uint32_t first = strands->body->strand_first[strand_of_segment(strands->body, i)];
        int order = compare_arcs(arcs[edges[i].v1], arcs[edges[j].v0], edges[j].v0 - first + 1, limit);
        if (order != 0) {
            return order > 0;
        }
    }
    return j - i < 2 || strand_arc_is_short(strands->xyz, edges[i].v1, edges[j].v0, limit);
}

const dent_strand_root *strand_root_of(const struct body *strands, uint32_t strand)
{
    uint32_t low = 0, high = strands->root_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (strands->roots[middle].strand < strand) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low == strands->root_count || strands->roots[low].strand != strand ? NULL : &strands->roots[low];
}

const uint32_t *strand_root_face(const struct snapshot *snapshot, const struct body *strands, uint32_t strand,
                                 const struct body *other)
{
    const dent_strand_root *root = strand_root_of(strands, strand);
    if (!root) {
        return NULL;
    }
    bool there = body_table_find(snapshot->table, root->body) == other && root->face < other->surface_face_count;
    return there ? other->surface_faces[root->face].corners : NULL;
}

bool strand_rule_root(const struct snapshot *snapshot, const struct body *strands, const uint32_t *ends,
                      uint32_t count, const struct body *other, const uint32_t *corners, uint32_t corner_count)
{
    if (strands->root_count == 0) {
        return false;
    }
    uint32_t root = count == 2 && ends[1] < ends[0] ? ends[1] : ends[0], strand = strands->vertex_component[root];
    const uint32_t *face =
        strands->strand_first[strand] == root ? strand_root_face(snapshot, strands, strand, other) : NULL;
    for (uint32_t i = 0; face && i < 3 * corner_count; i++) {
        if (face[i % 3] == corners[i / 3]) {
            return true;
        }
    }
    return false;
}
