/* The spatial-hashing paper as one would write it down after reading it: a table of slots, each a growing list with a
 * time stamp; vertices hashed one by one; every tetrahedron looks into the cells of its box. Faces, which the paper
 * does not treat, are hashed into all cells of their boxes.
 *
 * Two liberties, without which the answer would be wrong: an entry remembers its cell, so that two cells of one
 * tetrahedron that share a slot do not report a pair twice, and a pair of boxes is looked at only in the one cell that
 * holds the lower corner of what they have in common. */
#include "peer_common.hpp"

namespace
{

struct Entry {
    uint32_t feature;
    int32_t cell[3];
};

struct Slot {
    uint64_t stamp = 0;
    std::vector<Entry> entries;
};

class PlainHash
{
  public:
    PlainHash(const peer_input &given, double setting)
        : input(given), inverse(1 / (setting * given.mean_edge)), slots(prime_from(2 * uint64_t(count_a(given)) + 1)),
          answers(1), boxes(count_a(given))
    {
    }

    void find(peer_output *output)
    {
        step++;
        answers.clear();
        for (uint32_t a = 0; a < count_a(input); a++) {
            boxes[a] = box_a(input, a);
            insert(a, boxes[a]);
        }
        for (uint32_t b = 0; b < count_b(input); b++) {
            look_up(b, box_b(input, b));
        }
        answers.give(output);
    }

  private:
    peer_input input;
    double inverse;
    std::vector<Slot> slots;
    AnswerSet answers;
    std::vector<Box> boxes;
    uint64_t step = 0;

    static uint64_t prime_from(uint64_t number)
    {
        for (;; number++) {
            bool prime = number > 1;
            for (uint64_t divisor = 2; divisor * divisor <= number && prime; divisor++) {
                prime = number % divisor != 0;
            }
            if (prime) {
                return number;
            }
        }
    }

    int32_t cell_of(float x) const
    {
        return int32_t(std::floor(double(x) * inverse));
    }

    Slot &slot_of(int32_t i, int32_t j, int32_t k)
    {
        uint32_t hash = uint32_t(i) * 73856093u ^ uint32_t(j) * 19349663u ^ uint32_t(k) * 83492791u;
        return slots[hash % slots.size()];
    }

    template <class Visit> void visit_cells(const Box &box, Visit visit)
    {
        int32_t lo[3], hi[3];
        for (int axis = 0; axis < 3; axis++) {
            lo[axis] = cell_of(box.lo[axis]);
            hi[axis] = cell_of(box.hi[axis]);
        }
        for (int32_t i = lo[0]; i <= hi[0]; i++) {
            for (int32_t j = lo[1]; j <= hi[1]; j++) {
                for (int32_t k = lo[2]; k <= hi[2]; k++) {
                    visit(i, j, k);
                }
            }
        }
    }

    void insert(uint32_t a, const Box &box)
    {
        visit_cells(box, [&](int32_t i, int32_t j, int32_t k) {
            Slot &slot = slot_of(i, j, k);
            if (slot.stamp != step) {
                slot.stamp = step;
                slot.entries.clear();
            }
            slot.entries.push_back({a, {i, j, k}});
        });
    }

    bool is_home(const Box &a, const Box &b, int32_t i, int32_t j, int32_t k) const
    {
        return cell_of(a.lo[0] > b.lo[0] ? a.lo[0] : b.lo[0]) == i &&
               cell_of(a.lo[1] > b.lo[1] ? a.lo[1] : b.lo[1]) == j &&
               cell_of(a.lo[2] > b.lo[2] ? a.lo[2] : b.lo[2]) == k;
    }

    void look_up(uint32_t b, const Box &box)
    {
        bool faces = input.question == DENT_QUESTION_FACE_FACE, points = input.question == DENT_QUESTION_VERTEX_CELL;
        visit_cells(box, [&](int32_t i, int32_t j, int32_t k) {
            const Slot &slot = slot_of(i, j, k);
            if (slot.stamp != step) {
                return;
            }
            for (const Entry &entry : slot.entries) {
                if (entry.cell[0] != i || entry.cell[1] != j || entry.cell[2] != k || (faces && entry.feature >= b) ||
                    !boxes_meet(boxes[entry.feature], box)) {
                    continue;
                }
                if (points || is_home(boxes[entry.feature], box, i, j, k)) {
                    answers.workers[0].consider(input, entry.feature, b);
                }
            }
        });
    }
};

} // namespace

peer_row plain_hash_row()
{
    static const double settings[] = {0.5, 0.75, 1, 1.4, 2};
    return make_row<PlainHash>("plain-paper-hash", "the spatial-hashing paper, as one would write it down",
                               questions_all, false, "cell/edge", settings);
}
