/* CGAL's Polygon_mesh_processing::self_intersections: its own search and its own exact narrow test (filtered kernel),
 * on one surface mesh that holds the surfaces of all bodies; boxes anew each step, as CGAL does it. CGAL reports closed
 * triangles that meet, and those neighbours that meet in more than what they share; pairs with a common vertex and
 * pairs that only touch are no answers of dent's and are taken out of its list afterwards (by dent's test, a few
 * thousand pairs). A surface that is not manifold cannot be asked about: then this peer is left out. */
#include "peer_common.hpp"

#include <CGAL/Exact_predicates_inexact_constructions_kernel.h>
#include <CGAL/Polygon_mesh_processing/self_intersections.h>
#include <CGAL/Surface_mesh.h>
#include <stdexcept>
#include <tbb/global_control.h>

namespace
{

class CgalMesh
{
  public:
    CgalMesh(const peer_input &given, double)
        : input(given), answers(1), limit(tbb::global_control::max_allowed_parallelism, given.threads)
    {
        for (uint32_t v = 0; v < input.vertex_count; v++) {
            mesh.add_vertex(point(v));
        }
        for (uint32_t f = 0; f < input.face_count; f++) {
            const uint32_t *c = input.faces[f];
            Mesh::Face_index made =
                mesh.add_face(Mesh::Vertex_index(c[0]), Mesh::Vertex_index(c[1]), Mesh::Vertex_index(c[2]));
            if (made == Mesh::null_face()) {
                throw std::runtime_error("not manifold");
            }
        }
    }

    void find(peer_output *output)
    {
        answers.clear();
        found.clear();
        for (uint32_t v = 0; v < input.vertex_count; v++) {
            mesh.point(Mesh::Vertex_index(v)) = point(v);
        }
        if (input.threads > 1) {
            CGAL::Polygon_mesh_processing::self_intersections<CGAL::Parallel_tag>(mesh, std::back_inserter(found));
        } else {
            CGAL::Polygon_mesh_processing::self_intersections<CGAL::Sequential_tag>(mesh, std::back_inserter(found));
        }
        for (const auto &pair : found) {
            answers.workers[0].consider_faces(input, uint32_t(pair.first), uint32_t(pair.second));
        }
        answers.give(output);
    }

  private:
    typedef CGAL::Exact_predicates_inexact_constructions_kernel Kernel;
    typedef CGAL::Surface_mesh<Kernel::Point_3> Mesh;

    peer_input input;
    AnswerSet answers;
    tbb::global_control limit;
    Mesh mesh;
    std::vector<std::pair<Mesh::Face_index, Mesh::Face_index>> found;

    Kernel::Point_3 point(uint32_t vertex) const
    {
        const double *p = position(input, vertex);
        return Kernel::Point_3(p[0], p[1], p[2]);
    }
};

} // namespace

peer_row cgal_mesh_row()
{
    return make_row<CgalMesh>("cgal-self-intersections", "CGAL self_intersections, its own narrow test",
                              DENT_QUESTION_FACE_FACE, true);
}
