/* CGAL's box_intersection_d (streamed segment trees) on float boxes with ids of their own; setting: the cutoff below
 * which it scans. With more than one thread its parallel form, which runs on TBB. */
#include "peer_common.hpp"

#include <CGAL/box_intersection_d.h>
#include <mutex>
#include <tbb/global_control.h>

namespace
{

struct CountedBox {
    Box box;
    uint32_t id; /* side b after side a: ids must differ */
};

struct CountedBoxTraits {
    typedef const CountedBox &Box_parameter;
    typedef float NT;
    typedef std::size_t ID;
    static NT min_coord(Box_parameter box, int axis)
    {
        return box.box.lo[axis];
    }
    static NT max_coord(Box_parameter box, int axis)
    {
        return box.box.hi[axis];
    }
    static ID id(Box_parameter box)
    {
        return box.id;
    }
    static int dimension()
    {
        return 3;
    }
};

class Cgal
{
  public:
    Cgal(const peer_input &given, double setting)
        : input(given), cutoff(std::ptrdiff_t(setting)), answers(1),
          limit(tbb::global_control::max_allowed_parallelism, given.threads)
    {
        boxes_a.resize(count_a(input));
        boxes_b.resize(count_b(input));
    }

    void find(peer_output *output)
    {
        answers.clear();
        uint32_t side_a = uint32_t(boxes_a.size());
        for (uint32_t a = 0; a < side_a; a++) {
            boxes_a[a] = {box_a(input, a), a};
        }
        bool self = sides_are_one(input);
        for (uint32_t b = 0; b < boxes_b.size() && !self; b++) {
            boxes_b[b] = {box_b(input, b), side_a + b};
        }
        if (input.threads > 1) {
            run<CGAL::Parallel_tag>(self);
        } else {
            run<CGAL::Sequential_tag>(self);
        }
        answers.give(output);
    }

  private:
    peer_input input;
    std::ptrdiff_t cutoff;
    AnswerSet answers;
    tbb::global_control limit;
    std::vector<CountedBox> boxes_a, boxes_b;
    std::mutex mutex;

    void take(uint32_t a, uint32_t b)
    {
        if (input.threads == 1) {
            answers.workers[0].consider(input, a, b);
            return;
        }
        thread_local Answers mine;
        mine.clear();
        mine.consider(input, a, b);
        thread_local uint64_t counted = 0;
        counted += mine.candidates;
        if (!mine.keys.empty()) {
            std::lock_guard<std::mutex> guard(mutex);
            answers.workers[0].keys.push_back(mine.keys[0]);
            answers.workers[0].candidates += counted;
            counted = 0;
        }
    }

    template <class Tag> void run(bool self)
    {
        uint32_t side_a = uint32_t(boxes_a.size());
        CountedBoxTraits traits;
        if (self) {
            auto callback = [this](const CountedBox &first, const CountedBox &second) { take(first.id, second.id); };
            CGAL::box_self_intersection_d<Tag>(boxes_a.begin(), boxes_a.end(), callback, traits, cutoff);
            return;
        }
        auto callback = [this, side_a](const CountedBox &first, const CountedBox &second) {
            take(first.id, second.id - side_a);
        };
        CGAL::box_intersection_d<Tag>(boxes_a.begin(), boxes_a.end(), boxes_b.begin(), boxes_b.end(), callback, traits,
                                      cutoff);
    }
};

} // namespace

peer_row cgal_row()
{
    static const double settings[] = {1000, 4000, 200, 50, 10};
    return make_row<Cgal>("cgal-box-intersection", "CGAL box_intersection_d", questions_and_strands, true, "cutoff", settings);
}
