/* Bullet's dynamic box trees (btDbvt), one per side, walked in tandem. Setting 0: trees filled anew each step and
 * optimised top-down (hopeless with hundreds of thousands of boxes, and not tried then); 1: leaves updated in place
 * with Bullet's own incremental optimisation. */
#include "peer_common.hpp"

#include <BulletCollision/BroadphaseCollision/btDbvt.h>
#include <stdexcept>

namespace
{

class Bullet
{
  public:
    Bullet(const peer_input &given, double setting) : input(given), update(setting != 0), answers(1)
    {
        if (!update && count_a(given) + count_b(given) > 200000) {
            throw std::length_error("filling anew takes seconds");
        }
    }

    void find(peer_output *output)
    {
        answers.clear();
        bool self = sides_are_one(input);
        fill(tree_a, leaves_a, count_a(input), true);
        if (!self) {
            fill(tree_b, leaves_b, count_b(input), false);
        }
        Policy policy(this, self);
        tree_a.collideTTpersistentStack(tree_a.m_root, self ? tree_a.m_root : tree_b.m_root, policy);
        answers.give(output);
    }

  private:
    struct Policy : btDbvt::ICollide {
        Bullet *owner;
        bool self;
        Policy(Bullet *given, bool alone) : owner(given), self(alone)
        {
        }
        void Process(const btDbvtNode *first, const btDbvtNode *second) override
        {
            uint32_t a = uint32_t(first->dataAsInt), b = uint32_t(second->dataAsInt);
            if (!self || a != b) {
                owner->answers.workers[0].consider(owner->input, a, b);
            }
        }
    };

    peer_input input;
    bool update;
    AnswerSet answers;
    btDbvt tree_a, tree_b;
    std::vector<btDbvtNode *> leaves_a, leaves_b;

    btDbvtVolume volume_of(uint32_t index, bool side_a) const
    {
        Box box = side_a ? box_a(input, index) : box_b(input, index);
        return btDbvtVolume::FromMM(btVector3(box.lo[0], box.lo[1], box.lo[2]),
                                    btVector3(box.hi[0], box.hi[1], box.hi[2]));
    }

    void fill(btDbvt &tree, std::vector<btDbvtNode *> &leaves, uint32_t count, bool side_a)
    {
        if (update && leaves.size() == count) {
            for (uint32_t i = 0; i < count; i++) {
                btDbvtVolume volume = volume_of(i, side_a);
                tree.update(leaves[i], volume);
            }
            tree.optimizeIncremental(1 + int(count) / 100);
            return;
        }
        tree.clear();
        leaves.resize(count);
        for (uint32_t i = 0; i < count; i++) {
            leaves[i] = tree.insert(volume_of(i, side_a), nullptr);
            leaves[i]->dataAsInt = int(i);
        }
        tree.optimizeTopDown(2); /* Bullet's own threshold, 128, makes it quadratic in groups: minutes at a million */
    }
};

} // namespace

peer_row bullet_row()
{
    static const double settings[] = {1, 0};
    return make_row<Bullet>("bullet-dbvt", "Bullet's dynamic box trees", questions_and_strands, false, "update", settings);
}
