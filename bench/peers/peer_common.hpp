/* What the peers share: dent's exact tests behind a candidate, boxes, and places to put answers.
 *
 * Boxes are floats rounded to nearest. Rounding is monotone, so two closed sets of doubles that meet still meet when
 * everything is rounded: no pair is lost, and nothing needs to be widened.
 */
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "bench/bench_peers.h"

/* One pair at a time, as any program would call them. Tests of many pairs in lanes are dent's own and not for peers: no
 * other header of the library is included here or in a peer (tests/tools/test_peers_are_plain.py). */
extern "C" {
#include "geometry/metric/feature_distance.h"
#include "geometry/predicates/tetrahedron_predicates.h"
#include "geometry/predicates/triangle_predicates.h"
}

struct Box {
    float lo[3], hi[3];
};

inline const double *position(const peer_input &input, uint32_t vertex)
{
    return input.positions + 3 * size_t(vertex);
}

inline Box box_of(const peer_input &input, const uint32_t *corners, int count)
{
    Box box;
    const double *p = position(input, corners[0]);
    double lo[3] = {p[0], p[1], p[2]}, hi[3] = {p[0], p[1], p[2]};
    for (int i = 1; i < count; i++) {
        p = position(input, corners[i]);
        for (int axis = 0; axis < 3; axis++) {
            lo[axis] = p[axis] < lo[axis] ? p[axis] : lo[axis];
            hi[axis] = p[axis] > hi[axis] ? p[axis] : hi[axis];
        }
    }
    for (int axis = 0; axis < 3; axis++) {
        box.lo[axis] = float(lo[axis]);
        box.hi[axis] = float(hi[axis]);
    }
    return box;
}

inline bool boxes_meet(const Box &a, const Box &b)
{
    return (a.lo[0] <= b.hi[0]) & (b.lo[0] <= a.hi[0]) & (a.lo[1] <= b.hi[1]) & (b.lo[1] <= a.hi[1]) &
           (a.lo[2] <= b.hi[2]) & (b.lo[2] <= a.hi[2]);
}

/* The box of a capsule: that of the segment, grown as dent's own boxes are (growth_of_thickness); what the distance may
 * be wrong by is covered by the coordinates of either end. */
inline Box box_of_segment(const peer_input &input, uint32_t segment)
{
    const double *p = position(input, input.segments[segment][0]), *q = position(input, input.segments[segment][1]);
    double largest = 0, radius = input.radii[segment];
    for (int axis = 0; axis < 3; axis++) {
        largest = std::fmax(largest, std::fmax(std::fabs(p[axis]), std::fabs(q[axis])));
    }
    double growth = radius * (1 + 0x1p-40) + 0x1p-40 * largest + 0x1p-1000;
    Box box;
    for (int axis = 0; axis < 3; axis++) {
        box.lo[axis] = float((p[axis] < q[axis] ? p[axis] : q[axis]) - growth);
        box.hi[axis] = float((p[axis] > q[axis] ? p[axis] : q[axis]) + growth);
    }
    return box;
}

/* Both sides are the same features, and a pair has no order. */
inline bool sides_are_one(const peer_input &input)
{
    return input.question == DENT_QUESTION_FACE_FACE || input.question == DENT_QUESTION_STRAND;
}

/* Side a: vertices, faces or segments; side b: cells, faces or segments. */
inline uint32_t count_a(const peer_input &input)
{
    return input.question == DENT_QUESTION_VERTEX_CELL ? input.used_count
           : input.question == DENT_QUESTION_STRAND    ? input.segment_count
                                                       : input.face_count;
}

inline uint32_t count_b(const peer_input &input)
{
    return sides_are_one(input) ? count_a(input) : input.cell_count;
}

inline Box box_a(const peer_input &input, uint32_t index)
{
    return input.question == DENT_QUESTION_VERTEX_CELL ? box_of(input, &input.used_vertices[index], 1)
           : input.question == DENT_QUESTION_STRAND    ? box_of_segment(input, index)
                                                       : box_of(input, input.faces[index], 3);
}

inline Box box_b(const peer_input &input, uint32_t index)
{
    return sides_are_one(input) ? box_a(input, index) : box_of(input, input.cells[index], 4);
}

enum class Nearness { near, far, open };

/* What dent's kernels do in floats, for one pair in doubles: the closest points in the usual way, then near or far if
 * rounding cannot change it (strand_kernels.h says why; 1e-12 is thousands of roundings). */
inline Nearness nearness_of_segments(const double *p0, const double *p1, const double *q0, const double *q1, double radii)
{
    double u[3], v[3], w[3], r[3], uu = 0, uv = 0, vv = 0, uw = 0, vw = 0;
    for (int axis = 0; axis < 3; axis++) {
        u[axis] = p1[axis] - p0[axis];
        v[axis] = q1[axis] - q0[axis];
        w[axis] = p0[axis] - q0[axis];
        uu += u[axis] * u[axis];
        uv += u[axis] * v[axis];
        vv += v[axis] * v[axis];
        uw += u[axis] * w[axis];
        vw += v[axis] * w[axis];
    }
    auto cut = [](double place) { return place > 0 ? (place < 1 ? place : 1.0) : 0.0; };
    double s = cut((uv * vw - vv * uw) / (uu * vv - uv * uv));
    double t = cut((uv * s + vw) / vv);
    s = cut((uv * t - uw) / uu);
    double f = 0, along_u = 0, along_v = 0, scale = uu + vv + radii * radii;
    for (int axis = 0; axis < 3; axis++) {
        r[axis] = w[axis] + s * u[axis] - t * v[axis];
        f += r[axis] * r[axis];
        along_u += 2 * u[axis] * r[axis];
        along_v -= 2 * v[axis] * r[axis];
        scale += w[axis] * w[axis];
    }
    double slack = 1e-12 * scale;
    if (f + slack < radii * radii) {
        return Nearness::near;
    }
    double gap = std::fmax(along_u * s, along_u * (s - 1)) + std::fmax(along_v * t, along_v * (t - 1));
    return f - gap > radii * radii + slack ? Nearness::far : Nearness::open;
}

template <int count_1, int count_2> inline bool share_vertex(const uint32_t *first, const uint32_t *second)
{
    bool shared = false;
    for (int i = 0; i < count_1; i++) {
        for (int j = 0; j < count_2; j++) {
            shared |= first[i] == second[j];
        }
    }
    return shared;
}

/* Answers of one thread; a cache line apart from the next one's. */
struct alignas(64) Answers {
    std::vector<uint64_t> keys;
    uint64_t candidates = 0;
    predicate_counters counters = {};

    void clear()
    {
        keys.clear();
        candidates = 0;
    }

    /* Candidate: side a number `a` (of the used vertices, or a face), side b number `b`. */
    inline void consider(const peer_input &input, uint32_t a, uint32_t b)
    {
        switch (input.question) {
        case DENT_QUESTION_VERTEX_CELL:
            consider_vertex(input, input.used_vertices[a], b);
            break;
        case DENT_QUESTION_FACE_CELL:
            consider_face(input, a, b);
            break;
        case DENT_QUESTION_FACE_FACE:
            consider_faces(input, a, b);
            break;
        case DENT_QUESTION_STRAND:
            consider_segments(input, a, b);
            break;
        default:
            break; /* peers are not asked anything else */
        }
    }

    inline void consider_vertex(const peer_input &input, uint32_t vertex, uint32_t cell)
    {
        const uint32_t *t = input.cells[cell];
        if (share_vertex<1, 4>(&vertex, t)) {
            return;
        }
        candidates++;
        if (vertex_in_tetrahedron(position(input, vertex), position(input, t[0]), position(input, t[1]),
                                  position(input, t[2]), position(input, t[3]), &counters)) {
            keys.push_back(uint64_t(vertex) << 32 | cell);
        }
    }

    inline void consider_face(const peer_input &input, uint32_t face, uint32_t cell)
    {
        const uint32_t *f = input.faces[face], *t = input.cells[cell];
        if (share_vertex<3, 4>(f, t)) {
            return;
        }
        candidates++;
        const double *triangle[3] = {position(input, f[0]), position(input, f[1]), position(input, f[2])};
        const double *tetrahedron[4] = {position(input, t[0]), position(input, t[1]), position(input, t[2]),
                                        position(input, t[3])};
        if (triangle_meets_open_tetrahedron(triangle, tetrahedron, &counters)) {
            keys.push_back(uint64_t(face) << 32 | cell);
        }
    }

    /* In either order; a face and itself share vertices. */
    inline void consider_faces(const peer_input &input, uint32_t first, uint32_t second)
    {
        const uint32_t *f = input.faces[first], *g = input.faces[second];
        if (share_vertex<3, 3>(f, g)) {
            return;
        }
        candidates++;
        const double *a[3] = {position(input, f[0]), position(input, f[1]), position(input, f[2])};
        const double *b[3] = {position(input, g[0]), position(input, g[1]), position(input, g[2])};
        face_pair_kind kind = triangle_versus_triangle(a, b, &counters);
        if (kind == FACE_PAIR_CROSSING || kind == FACE_PAIR_COPLANAR) {
            keys.push_back(first < second ? uint64_t(first) << 32 | second : uint64_t(second) << 32 | first);
        }
    }

    /* On one strand: segments that follow one another, or along less than pi radii, are no pair. */
    static bool left_out(const peer_input &input, uint32_t i, uint32_t j)
    {
        uint32_t from = input.segments[i][1], to = input.segments[j][0];
        if (input.segments[j][0] - input.segments[i][0] != j - i) {
            return false;
        }
        double limit = 3.14159265358979323846 * std::fmax(input.radii[i], input.radii[j]), length = 0;
        bool below = j - i < 2 || length < limit;
        for (uint32_t vertex = from; below && vertex < to; vertex++) {
            const double *p = position(input, vertex), *q = position(input, vertex + 1);
            double x = q[0] - p[0], y = q[1] - p[1], z = q[2] - p[2];
            length += std::sqrt((x * x + y * y) + z * z);
            below = length < limit;
        }
        return below;
    }

    /* In either order; never a segment with itself. */
    inline void consider_segments(const peer_input &input, uint32_t first, uint32_t second)
    {
        uint32_t i = first < second ? first : second, j = first < second ? second : first;
        const uint32_t *s = input.segments[i], *t = input.segments[j];
        const double *a[2] = {position(input, s[0]), position(input, s[1])};
        const double *b[2] = {position(input, t[0]), position(input, t[1])};
        candidates++;
        Nearness found = nearness_of_segments(a[0], a[1], b[0], b[1], input.radii[i] + input.radii[j]);
        if (found == Nearness::far ||
            (found == Nearness::open && !(edge_edge_distance(a, b) <= input.radii[i] + input.radii[j])) ||
            left_out(input, i, j)) {
            return;
        }
        keys.push_back(uint64_t(i) << 32 | j);
    }
};

/* The answers of several threads in one list. */
struct AnswerSet {
    std::vector<Answers> workers;
    std::vector<uint64_t> joined;

    explicit AnswerSet(uint32_t count) : workers(count)
    {
    }

    void clear()
    {
        for (Answers &worker : workers) {
            worker.clear();
        }
    }

    void give(peer_output *output)
    {
        output->candidates = 0;
        for (const Answers &worker : workers) {
            output->candidates += worker.candidates;
        }
        if (workers.size() == 1) {
            output->keys = workers[0].keys.data();
            output->count = workers[0].keys.size();
            return;
        }
        joined.clear();
        for (const Answers &worker : workers) {
            joined.insert(joined.end(), worker.keys.begin(), worker.keys.end());
        }
        output->keys = joined.data();
        output->count = joined.size();
    }
};

/* Rows of the table are made from classes with a constructor (input, setting) and find(output). */
template <class Finder> void *create_finder(const peer_input *input, double setting)
{
    try {
        return new Finder(*input, setting);
    } catch (...) {
        return nullptr;
    }
}

template <class Finder> bool find_with(void *state, peer_output *output)
{
    try {
        static_cast<Finder *>(state)->find(output);
        return true;
    } catch (...) {
        return false;
    }
}

template <class Finder> void destroy_finder(void *state)
{
    delete static_cast<Finder *>(state);
}

template <class Finder, size_t count>
peer_row make_row(const char *name, const char *summary, uint32_t questions, bool parallel, const char *setting_name,
                  const double (&settings)[count])
{
    return {name,
            summary,
            questions,
            setting_name,
            uint32_t(count),
            settings,
            parallel,
            create_finder<Finder>,
            find_with<Finder>,
            destroy_finder<Finder>};
}

/* Without anything to set. */
template <class Finder> peer_row make_row(const char *name, const char *summary, uint32_t questions, bool parallel)
{
    return {name,
            summary,
            questions,
            nullptr,
            0,
            nullptr,
            parallel,
            create_finder<Finder>,
            find_with<Finder>,
            destroy_finder<Finder>};
}

constexpr uint32_t questions_of_cells = DENT_QUESTION_VERTEX_CELL | DENT_QUESTION_FACE_CELL;
constexpr uint32_t questions_all = questions_of_cells | DENT_QUESTION_FACE_FACE;
constexpr uint32_t questions_and_strands = questions_all | DENT_QUESTION_STRAND;

peer_row plain_hash_row();
peer_row plain_grid_row();
peer_row plain_grid_cells_row();
peer_row plain_grid_mailbox_row();
#ifdef DENT_PEER_EMBREE
peer_row embree_rebuild_row();
peer_row embree_refit_row();
peer_row embree_refit_check_row();
#endif
#ifdef DENT_PEER_CGAL
peer_row cgal_row();
#endif
#ifdef DENT_PEER_CGAL_MESH
peer_row cgal_mesh_row();
#endif
#ifdef DENT_PEER_BULLET
peer_row bullet_row();
#endif
#ifdef DENT_PEER_FCL
peer_row fcl_row();
#endif
