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

/* Side a: vertices or faces; side b: cells or faces. */
inline uint32_t count_a(const peer_input &input)
{
    return input.question == DENT_QUESTION_VERTEX_CELL ? input.used_count : input.face_count;
}

inline uint32_t count_b(const peer_input &input)
{
    return input.question == DENT_QUESTION_FACE_FACE ? input.face_count : input.cell_count;
}

inline Box box_a(const peer_input &input, uint32_t index)
{
    return input.question == DENT_QUESTION_VERTEX_CELL ? box_of(input, &input.used_vertices[index], 1)
                                                       : box_of(input, input.faces[index], 3);
}

inline Box box_b(const peer_input &input, uint32_t index)
{
    return input.question == DENT_QUESTION_FACE_FACE ? box_of(input, input.faces[index], 3)
                                                     : box_of(input, input.cells[index], 4);
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

peer_row plain_hash_row();
peer_row plain_grid_row();
peer_row plain_grid_cells_row();
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
