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

/* Lengths are not negative, so a sum that has reached the limit stays there. */
bool strand_rule_along(const struct body_snapshot *strands, uint32_t segment_a, uint32_t segment_b, double radius)
{
    const dent_edge *edges = strands->body->edges;
    uint32_t i = segment_a < segment_b ? segment_a : segment_b, j = segment_a < segment_b ? segment_b : segment_a;
    if (edges[j].v0 - edges[i].v0 != j - i) { /* of two strands */
        return false;
    }
    double limit = STRAND_PI * radius, length = 0;
    bool below = j - i < 2 || length < limit;
    for (uint32_t vertex = edges[i].v1; below && vertex < edges[j].v0; vertex++) {
        length += segment_length(strands->xyz[vertex], strands->xyz[vertex + 1]);
        below = length < limit;
    }
    return below;
}

const uint32_t *strand_root_face(const struct snapshot *snapshot, const struct body *strands, uint32_t strand,
                                 const struct body *other)
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
    if (low == strands->root_count || strands->roots[low].strand != strand) {
        return NULL;
    }
    const dent_strand_root *root = &strands->roots[low];
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
