/* The strongest plain baselines we know how to write: dense uniform grids filled by a counting sort, boxes as columns
 * of floats, rows of cells as one run of memory.
 *
 *   plain-grid        side a is sorted by the cell of its box's lower corner; side b looks at the cells of its box,
 * widened downwards by the largest box of side a. No pair twice, runs along x are contiguous. plain-grid-cells  side a
 * is entered into every cell its box touches; pairs are looked at in the cell that holds the lower corner of the common
 * box. Better when boxes of side a differ in size. plain-grid-mailbox  the same for strands, with a mailbox in place of
 * the lower corner.
 *
 * For vertices both are the same thing. Filling is serial, looking up parallel. */
#include "peer_common.hpp"

#include <algorithm>

namespace
{

/* Where cells are. The number of cells is bounded by that of the entries. */
struct GridFrame {
    double lo[3], inverse;
    uint32_t count[3];

    void fit(const std::vector<Box> &boxes, double cell, uint64_t most)
    {
        double hi[3];
        for (int axis = 0; axis < 3; axis++) {
            lo[axis] = boxes.empty() ? 0 : boxes[0].lo[axis];
            hi[axis] = boxes.empty() ? 0 : boxes[0].hi[axis];
            for (const Box &box : boxes) {
                lo[axis] = std::min(lo[axis], double(box.lo[axis]));
                hi[axis] = std::max(hi[axis], double(box.hi[axis]));
            }
        }
        for (;; cell *= 1.25) {
            inverse = 1 / cell;
            double cells = 1;
            for (int axis = 0; axis < 3; axis++) {
                double wide = std::floor((hi[axis] - lo[axis]) * inverse) + 1;
                cells *= wide;
                count[axis] = wide < 1e9 ? uint32_t(wide) : 0;
            }
            if (cells <= double(most)) {
                return;
            }
        }
    }

    uint64_t cell_count() const
    {
        return uint64_t(count[0]) * count[1] * count[2];
    }

    uint32_t cell_of(double x, int axis) const
    {
        double place = (x - lo[axis]) * inverse;
        return place <= 0 ? 0 : place >= count[axis] - 1.0 ? count[axis] - 1 : uint32_t(place);
    }

    uint64_t row(uint32_t j, uint32_t k) const
    {
        return (uint64_t(k) * count[1] + j) * count[0];
    }
};

class PlainGridBase
{
  public:
    PlainGridBase(const peer_input &given, double setting)
        : input(given), cell(setting * given.mean_edge), answers(dent_context_worker_count(given.context)),
          boxes(count_a(given))
    {
    }

  protected:
    enum { BLOCK = 512 };
    peer_input input;
    double cell;
    GridFrame frame;
    AnswerSet answers;
    std::vector<Box> boxes;
    std::vector<uint32_t> start;     /* first entry of each cell, and the end */
    std::vector<float> lo[3], hi[3]; /* of the entries */
    std::vector<uint32_t> feature, entry_cell;

    void read_boxes()
    {
        answers.clear();
        for (uint32_t a = 0; a < boxes.size(); a++) {
            boxes[a] = box_a(input, a);
        }
        frame.fit(boxes, cell, 16 * uint64_t(boxes.size()) + 65536);
        start.assign(frame.cell_count() + 1, 0);
    }

    void resize_entries(size_t count)
    {
        feature.resize(count);
        for (int axis = 0; axis < 3; axis++) {
            lo[axis].resize(count);
            hi[axis].resize(input.question == DENT_QUESTION_VERTEX_CELL ? 0 : count);
        }
    }

    /* Counts in start[cell + 1] become first places. */
    void sum_counts()
    {
        for (size_t i = 1; i < start.size(); i++) {
            start[i] += start[i - 1];
        }
    }

    void put(size_t place, uint32_t a)
    {
        feature[place] = a;
        for (int axis = 0; axis < 3; axis++) {
            lo[axis][place] = boxes[a].lo[axis];
            if (!hi[axis].empty()) {
                hi[axis][place] = boxes[a].hi[axis];
            }
        }
    }

    template <class Finder> void look_up(Finder *finder, peer_output *output)
    {
        uint32_t blocks = (count_b(input) + BLOCK - 1) / BLOCK;
        struct Call {
            Finder *finder;
        } call = {finder};
        dent_parallel_for(
            input.context, blocks,
            [](void *data, uint32_t block, uint32_t worker) {
                Finder *self = static_cast<Call *>(data)->finder;
                uint32_t end = std::min(count_b(self->input), (block + 1) * BLOCK);
                for (uint32_t b = block * BLOCK; b < end; b++) {
                    self->look_up_one(b, box_b(self->input, b), self->answers.workers[worker]);
                }
            },
            &call);
        answers.give(output);
    }
};

class PlainGrid : public PlainGridBase
{
  public:
    using PlainGridBase::PlainGridBase;
    friend class PlainGridBase;

    void find(peer_output *output)
    {
        read_boxes();
        fill();
        look_up(this, output);
    }

  private:
    float widest[3];
    std::vector<uint32_t> place_of;

    void fill()
    {
        widest[0] = widest[1] = widest[2] = 0;
        place_of.resize(boxes.size());
        for (size_t a = 0; a < boxes.size(); a++) {
            const Box &box = boxes[a];
            uint64_t at =
                frame.row(frame.cell_of(box.lo[1], 1), frame.cell_of(box.lo[2], 2)) + frame.cell_of(box.lo[0], 0);
            place_of[a] = uint32_t(at);
            start[at + 1]++;
            for (int axis = 0; axis < 3; axis++) {
                widest[axis] = std::max(widest[axis], box.hi[axis] - box.lo[axis]);
            }
        }
        for (int axis = 0; axis < 3; axis++) {
            widest[axis] *= 1.000001f; /* the difference was rounded */
        }
        resize_entries(boxes.size());
        sum_counts();
        for (size_t a = 0; a < boxes.size(); a++) {
            put(start[place_of[a]]++, uint32_t(a));
        }
        for (size_t i = start.size() - 1; i > 0; i--) {
            start[i] = start[i - 1];
        }
        start[0] = 0;
    }

    void look_up_one(uint32_t b, const Box &box, Answers &found)
    {
        uint32_t first[3], last[3];
        for (int axis = 0; axis < 3; axis++) {
            first[axis] = frame.cell_of(double(box.lo[axis]) - widest[axis], axis);
            last[axis] = frame.cell_of(box.hi[axis], axis);
        }
        for (uint32_t k = first[2]; k <= last[2]; k++) {
            for (uint32_t j = first[1]; j <= last[1]; j++) {
                uint64_t row = frame.row(j, k);
                scan(start[row + first[0]], start[row + last[0] + 1], b, box, found);
            }
        }
    }

    void scan(uint32_t begin, uint32_t end, uint32_t b, const Box &box, Answers &found)
    {
        if (input.question == DENT_QUESTION_VERTEX_CELL) {
            for (uint32_t i = begin; i < end; i++) {
                bool inside = (lo[0][i] >= box.lo[0]) & (lo[0][i] <= box.hi[0]) & (lo[1][i] >= box.lo[1]) &
                              (lo[1][i] <= box.hi[1]) & (lo[2][i] >= box.lo[2]) & (lo[2][i] <= box.hi[2]);
                if (inside) {
                    found.consider_vertex(input, input.used_vertices[feature[i]], b);
                }
            }
            return;
        }
        for (uint32_t i = begin; i < end; i++) {
            bool meet = (lo[0][i] <= box.hi[0]) & (hi[0][i] >= box.lo[0]) & (lo[1][i] <= box.hi[1]) &
                        (hi[1][i] >= box.lo[1]) & (lo[2][i] <= box.hi[2]) & (hi[2][i] >= box.lo[2]);
            if (meet && input.question == DENT_QUESTION_FACE_CELL) {
                found.consider_face(input, feature[i], b);
            } else if (meet && feature[i] < b) {
                found.consider(input, feature[i], b);
            }
        }
    }
};

class PlainGridCells : public PlainGridBase
{
  public:
    using PlainGridBase::PlainGridBase;
    friend class PlainGridBase;

    void find(peer_output *output)
    {
        read_boxes();
        fill();
        look_up(this, output);
    }

  protected:
    template <class Visit> void visit_cells(const Box &box, Visit visit)
    {
        uint32_t first[3], last[3];
        for (int axis = 0; axis < 3; axis++) {
            first[axis] = frame.cell_of(box.lo[axis], axis);
            last[axis] = frame.cell_of(box.hi[axis], axis);
        }
        for (uint32_t k = first[2]; k <= last[2]; k++) {
            for (uint32_t j = first[1]; j <= last[1]; j++) {
                uint64_t row = frame.row(j, k);
                for (uint32_t i = first[0]; i <= last[0]; i++) {
                    visit(row + i, i, j, k);
                }
            }
        }
    }

    void fill()
    {
        for (const Box &box : boxes) {
            visit_cells(box, [&](uint64_t at, uint32_t, uint32_t, uint32_t) { start[at + 1]++; });
        }
        sum_counts();
        resize_entries(start.back());
        for (size_t a = 0; a < boxes.size(); a++) {
            visit_cells(boxes[a], [&](uint64_t at, uint32_t, uint32_t, uint32_t) { put(start[at]++, uint32_t(a)); });
        }
        for (size_t i = start.size() - 1; i > 0; i--) {
            start[i] = start[i - 1];
        }
        start[0] = 0;
    }

    void look_up_one(uint32_t b, const Box &box, Answers &found)
    {
        visit_cells(box, [&](uint64_t at, uint32_t i, uint32_t j, uint32_t k) {
            for (uint32_t entry = start[at]; entry < start[at + 1]; entry++) {
                bool meet = (lo[0][entry] <= box.hi[0]) & (hi[0][entry] >= box.lo[0]) & (lo[1][entry] <= box.hi[1]) &
                            (hi[1][entry] >= box.lo[1]) & (lo[2][entry] <= box.hi[2]) & (hi[2][entry] >= box.lo[2]);
                if (!meet || frame.cell_of(std::max(lo[0][entry], box.lo[0]), 0) != i ||
                    frame.cell_of(std::max(lo[1][entry], box.lo[1]), 1) != j ||
                    frame.cell_of(std::max(lo[2][entry], box.lo[2]), 2) != k) {
                    continue;
                }
                if (input.question == DENT_QUESTION_FACE_CELL) {
                    found.consider_face(input, feature[entry], b);
                } else if (feature[entry] < b) {
                    found.consider(input, feature[entry], b);
                }
            }
        });
    }
};

/* The grid of the sources for strands: capsules in every cell their boxes touch, and a mailbox that remembers with which
 * segment another one was last compared. */
class PlainGridMailbox : public PlainGridCells
{
  public:
    PlainGridMailbox(const peer_input &given, double setting)
        : PlainGridCells(given, setting), last(dent_context_worker_count(given.context))
    {
    }
    friend class PlainGridBase;

    void find(peer_output *output)
    {
        read_boxes();
        fill();
        for (std::vector<uint32_t> &stamps : last) {
            stamps.assign(boxes.size(), UINT32_MAX);
        }
        look_up(this, output);
    }

  private:
    std::vector<std::vector<uint32_t>> last; /* by worker */

    void look_up_one(uint32_t b, const Box &box, Answers &found)
    {
        std::vector<uint32_t> &stamps = last[size_t(&found - answers.workers.data())];
        visit_cells(box, [&](uint64_t at, uint32_t, uint32_t, uint32_t) {
            for (uint32_t entry = start[at]; entry < start[at + 1]; entry++) {
                uint32_t a = feature[entry];
                bool meet = (a < b) & (lo[0][entry] <= box.hi[0]) & (hi[0][entry] >= box.lo[0]) &
                            (lo[1][entry] <= box.hi[1]) & (hi[1][entry] >= box.lo[1]) & (lo[2][entry] <= box.hi[2]) &
                            (hi[2][entry] >= box.lo[2]);
                if (meet && stamps[a] != b) {
                    stamps[a] = b;
                    found.consider(input, a, b);
                }
            }
        });
    }
};

const double cell_settings[] = {0.35, 0.5, 0.7, 1, 1.4, 2};

} // namespace

peer_row plain_grid_row()
{
    return make_row<PlainGrid>("plain-grid", "dense grid, counting sort by lower corners", questions_and_strands, true,
                               "cell/edge", cell_settings);
}

peer_row plain_grid_cells_row()
{
    return make_row<PlainGridCells>("plain-grid-cells", "dense grid, counting sort into every cell touched",
                                    DENT_QUESTION_FACE_CELL | DENT_QUESTION_FACE_FACE | DENT_QUESTION_STRAND, true,
                                    "cell/edge", cell_settings);
}

peer_row plain_grid_mailbox_row()
{
    return make_row<PlainGridMailbox>("plain-grid-mailbox", "the same, with a mailbox for segments of strands",
                                      DENT_QUESTION_STRAND, true, "cell/edge", cell_settings);
}
