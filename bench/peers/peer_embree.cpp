/* Embree's rtcCollide on user geometries whose primitives are boxes: one scene for side a, one for side b.
 *
 *   embree-rebuild       both trees built anew each step; setting: build quality 0 low (Morton), 1 medium (SAH)
 *   embree-refit         built once, then refitted
 *   embree-refit-check   the same, and the boxes of a pair compared before the exact test: Embree reports all pairs of
 * two leaves
 *
 * Boxes are computed inside Embree's bounds callback. */
#include "peer_common.hpp"

#include <atomic>
#include <embree3/rtcore.h>
#include <memory>
#include <mutex>
#include <stdexcept>

namespace
{

class Embree
{
  public:
    Embree(const peer_input &given, double setting) : input(given), answers(1), quality(setting)
    {
        char configuration[64];
        snprintf(configuration, sizeof configuration, "threads=%u,user_threads=%u", given.threads, given.threads);
        device = rtcNewDevice(configuration);
        if (!device) {
            throw std::runtime_error("no Embree device");
        }
        boxes_a.resize(count_a(given));
        boxes_b.resize(same_sides() ? 0 : count_b(given));
    }

    virtual ~Embree()
    {
        for (Side *side : {&side_a, &side_b}) {
            if (side->scene) {
                rtcReleaseGeometry(side->geometry);
                rtcReleaseScene(side->scene);
            }
        }
        rtcReleaseDevice(device);
    }

    void find(peer_output *output)
    {
        answers.clear();
        candidates = 0;
        commit(side_a, bounds_a, uint32_t(boxes_a.size()));
        if (!same_sides()) {
            commit(side_b, bounds_b, uint32_t(boxes_b.size()));
        }
        rtcCollide(side_a.scene, same_sides() ? side_a.scene : side_b.scene, take, this);
        answers.give(output);
        output->candidates = candidates;
    }

  protected:
    struct Side {
        RTCScene scene = nullptr;
        RTCGeometry geometry = nullptr;
    };

    peer_input input;
    AnswerSet answers;
    double quality; /* 0 low, 1 medium, 2 refit */
    bool check = false;
    RTCDevice device = nullptr;
    Side side_a, side_b;
    std::vector<Box> boxes_a, boxes_b;
    std::mutex mutex;
    std::atomic<uint64_t> candidates{0};

    bool same_sides() const
    {
        return sides_are_one(input);
    }

    RTCBuildQuality build_quality() const
    {
        return quality == 0 ? RTC_BUILD_QUALITY_LOW : quality == 1 ? RTC_BUILD_QUALITY_MEDIUM : RTC_BUILD_QUALITY_REFIT;
    }

    static void write_bounds(const Box &box, RTCBounds *bounds)
    {
        bounds->lower_x = box.lo[0];
        bounds->lower_y = box.lo[1];
        bounds->lower_z = box.lo[2];
        bounds->upper_x = box.hi[0];
        bounds->upper_y = box.hi[1];
        bounds->upper_z = box.hi[2];
    }

    static void bounds_a(const RTCBoundsFunctionArguments *arguments)
    {
        Embree *self = static_cast<Embree *>(arguments->geometryUserPtr);
        Box &box = self->boxes_a[arguments->primID] = box_a(self->input, arguments->primID);
        write_bounds(box, arguments->bounds_o);
    }

    static void bounds_b(const RTCBoundsFunctionArguments *arguments)
    {
        Embree *self = static_cast<Embree *>(arguments->geometryUserPtr);
        Box &box = self->boxes_b[arguments->primID] = box_b(self->input, arguments->primID);
        write_bounds(box, arguments->bounds_o);
    }

    void commit(Side &side, RTCBoundsFunction bounds, uint32_t count)
    {
        if (!side.scene) {
            side.scene = rtcNewScene(device);
            side.geometry = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_USER);
            rtcSetSceneFlags(side.scene, RTC_SCENE_FLAG_DYNAMIC);
            rtcSetSceneBuildQuality(side.scene, quality == 1 ? RTC_BUILD_QUALITY_MEDIUM : RTC_BUILD_QUALITY_LOW);
            rtcSetGeometryUserPrimitiveCount(side.geometry, count);
            rtcSetGeometryUserData(side.geometry, this);
            rtcSetGeometryBoundsFunction(side.geometry, bounds, nullptr);
            rtcSetGeometryBuildQuality(side.geometry, build_quality());
            rtcCommitGeometry(side.geometry);
            rtcAttachGeometry(side.scene, side.geometry);
        } else {
            rtcCommitGeometry(side.geometry);
        }
        rtcCommitScene(side.scene);
    }

    static void take(void *user, RTCCollision *collisions, unsigned int count)
    {
        Embree *self = static_cast<Embree *>(user);
        if (self->input.threads == 1) {
            self->consider(collisions, count, self->answers.workers[0]);
            self->candidates.store(self->answers.workers[0].candidates, std::memory_order_relaxed);
            return;
        }
        thread_local Answers mine;
        mine.clear();
        self->consider(collisions, count, mine);
        self->candidates.fetch_add(mine.candidates, std::memory_order_relaxed);
        if (!mine.keys.empty()) {
            std::lock_guard<std::mutex> guard(self->mutex);
            std::vector<uint64_t> &keys = self->answers.workers[0].keys;
            keys.insert(keys.end(), mine.keys.begin(), mine.keys.end());
        }
    }

    void consider(const RTCCollision *collisions, unsigned int count, Answers &found)
    {
        const std::vector<Box> &others = same_sides() ? boxes_a : boxes_b;
        for (unsigned int i = 0; i < count; i++) {
            uint32_t a = collisions[i].primID0, b = collisions[i].primID1;
            if ((same_sides() && a >= b) || (check && !boxes_meet(boxes_a[a], others[b]))) {
                continue;
            }
            found.consider(input, a, b);
        }
    }
};

struct EmbreeCheck : Embree {
    EmbreeCheck(const peer_input &given, double setting) : Embree(given, setting)
    {
        check = true;
    }
};

const double rebuild_settings[] = {0, 1};
const double refit_settings[] = {2};

} // namespace

peer_row embree_rebuild_row()
{
    return make_row<Embree>("embree-rebuild", "Embree rtcCollide, trees built each step", questions_and_strands, true,
                            "quality", rebuild_settings);
}

peer_row embree_refit_row()
{
    return make_row<Embree>("embree-refit", "Embree rtcCollide, trees refitted", questions_and_strands, true, "quality",
                            refit_settings);
}

peer_row embree_refit_check_row()
{
    return make_row<EmbreeCheck>("embree-refit-check", "Embree rtcCollide, trees refitted, boxes compared",
                                 questions_and_strands, true, "quality", refit_settings);
}
