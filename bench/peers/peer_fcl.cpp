/* FCL's bounding-volume hierarchies over the surface triangles, traversed against themselves: face-face is the question
 * its mesh models can be asked. Setting 0: built anew each step, 1: refitted bottom-up. */
#include "peer_common.hpp"

#include <fcl/math/bv/utility.h>

#include <fcl/geometry/bvh/BVH_model.h>
#include <fcl/math/bv/AABB.h>
#include <memory>

namespace
{

class Fcl
{
  public:
    Fcl(const peer_input &given, double setting) : input(given), refit(setting != 0), answers(1)
    {
    }

    void find(peer_output *output)
    {
        answers.clear();
        vertices.resize(input.vertex_count);
        for (uint32_t v = 0; v < input.vertex_count; v++) {
            const double *p = position(input, v);
            vertices[v] = fcl::Vector3d(p[0], p[1], p[2]);
        }
        if (refit && model) {
            model->beginUpdateModel();
            model->updateSubModel(vertices);
            model->endUpdateModel(true, true);
        } else {
            build();
        }
        collide(0, 0);
        answers.give(output);
    }

  private:
    typedef fcl::BVHModel<fcl::AABBd> Model;
    peer_input input;
    bool refit;
    AnswerSet answers;
    std::unique_ptr<Model> model;
    std::vector<fcl::Vector3d> vertices;
    std::vector<fcl::Triangle> triangles;

    void build()
    {
        triangles.resize(input.face_count);
        for (uint32_t face = 0; face < input.face_count; face++) {
            triangles[face] = fcl::Triangle(input.faces[face][0], input.faces[face][1], input.faces[face][2]);
        }
        model.reset(new Model);
        model->beginModel(int(input.face_count), int(input.vertex_count));
        model->addSubModel(vertices, triangles);
        model->endModel();
    }

    /* A node against itself, or two nodes that do not contain one another: each pair of leaves once. */
    void collide(int first, int second)
    {
        const fcl::BVNode<fcl::AABBd> &a = model->getBV(first), &b = model->getBV(second);
        if (first == second) {
            if (!a.isLeaf()) {
                collide(a.leftChild(), a.leftChild());
                collide(a.rightChild(), a.rightChild());
                collide(a.leftChild(), a.rightChild());
            }
            return;
        }
        if (!a.bv.overlap(b.bv)) {
            return;
        }
        if (a.isLeaf() && b.isLeaf()) {
            answers.workers[0].consider_faces(input, uint32_t(a.primitiveId()), uint32_t(b.primitiveId()));
        } else if (b.isLeaf() || (!a.isLeaf() && a.bv.size() > b.bv.size())) {
            collide(a.leftChild(), second);
            collide(a.rightChild(), second);
        } else {
            collide(first, b.leftChild());
            collide(first, b.rightChild());
        }
    }
};

} // namespace

peer_row fcl_row()
{
    static const double settings[] = {0, 1};
    return make_row<Fcl>("fcl-bvh", "FCL's box hierarchy over the surface", DENT_QUESTION_FACE_FACE, false, "refit",
                         settings);
}
