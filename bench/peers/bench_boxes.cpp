/* The race of broad phases: dent_boxes, Bullet's dynamic tree, CGAL's box intersection, Embree and a plain grid find all
 * overlapping pairs of moving boxes, interleaved frame by frame, one thread, CPU time. Numbers of pairs, and an order-free
 * hash of them, must agree. Medians, and means: some programs put their structure in order in some frames only.
 *
 *   bench_boxes [boxes = 1000000] [frames = 5] [ratio = 1] [methods = auto|all] [peers = all|none|comma list] [isa]
 *
 * Boxes are floats in a cube, edges log-uniform in [1, ratio] times the smallest. They move by about a tenth of their edge
 * a frame. Every program gets the boxes as an array of six floats and has to deliver pairs of indices; dent sorts them.
 */
#include <dent/boxes.h>

#include <embree3/rtcore.h>
#include <BulletCollision/BroadphaseCollision/btDbvt.h>
#include <CGAL/box_intersection_d.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace
{

struct box6 {
    float lo[3], hi[3];
};
using pair_list = std::vector<dent_box_pair>;

enum { WARM_UP = 3 }; /* frames that are not measured: memory grows */

double cpu_seconds()
{
    timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return double(time.tv_sec) + 1e-9 * double(time.tv_nsec);
}

/* Boxes and their velocities; the expected number of partners of a box of mean size is about five. */
struct scene {
    std::vector<box6> boxes;
    std::vector<float> velocity;

    scene(uint32_t count, double ratio)
    {
        dent_random random = dent_random_seeded(7);
        std::vector<double> edges(count);
        double sum = 0, sum2 = 0, sum3 = 0;
        for (double &edge : edges) {
            edge = std::pow(ratio, dent_random_unit(&random));
            sum += edge, sum2 += edge * edge, sum3 += edge * edge * edge;
        }
        /* partners of all boxes in a unit cube: n^2 <(a + b)^3> = n^2 (2 <e^3> + 6 <e^2><e>) s^3 */
        double n = count, mean = 2 * sum3 / n + 6 * (sum2 / n) * (sum / n);
        double scale = std::cbrt(5.0 / (n * mean));
        for (uint32_t i = 0; i < count; i++) {
            box6 box;
            for (int axis = 0; axis < 3; axis++) {
                double edge = edges[i] * scale, at = dent_random_unit(&random) * (1 - edge);
                box.lo[axis] = float(at), box.hi[axis] = float(at + edge);
                velocity.push_back(float(0.2 * edge * (dent_random_unit(&random) - 0.5)));
            }
            boxes.push_back(box);
        }
    }

    void move()
    {
        for (size_t i = 0; i < boxes.size(); i++) {
            for (int axis = 0; axis < 3; axis++) {
                float &v = velocity[3 * i + axis];
                if (boxes[i].lo[axis] + v < 0 || boxes[i].hi[axis] + v > 1) {
                    v = -v;
                }
                boxes[i].lo[axis] += v, boxes[i].hi[axis] += v;
            }
        }
    }
};

uint64_t hash_of(const dent_box_pair *pairs, size_t count)
{
    uint64_t hash = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t a = std::min(pairs[i].a, pairs[i].b), b = std::max(pairs[i].a, pairs[i].b);
        uint64_t key = (a << 32 | b) * UINT64_C(0x9E3779B97F4A7C15);
        hash += (key ^ key >> 29) * UINT64_C(0xBF58476D1CE4E5B9);
    }
    return hash;
}

/* A program in the race. */
struct racer {
    std::string name;
    std::vector<double> seconds;
    uint64_t count = 0, hash = 0;
    explicit racer(const std::string &given) : name(given) {}
    virtual ~racer() = default;
    virtual void find(const scene &world, const dent_box_pair **pairs, size_t *count) = 0;
};

/* ---- dent -------------------------------------------------------------------------------------------------------- */

struct dent_racer : racer {
    dent_boxes *boxes = nullptr;
    dent_racer(dent_context *context, dent_boxes_method method) : racer(std::string("dent ") + dent_boxes_method_name(method))
    {
        dent_boxes_def def = dent_boxes_def_default();
        def.method = method;
        if (dent_boxes_create(context, &def, &boxes)) {
            std::exit(1);
        }
    }
    ~dent_racer() override { dent_boxes_destroy(boxes); }
    void find(const scene &world, const dent_box_pair **pairs, size_t *found) override
    {
        dent_box_pairs result;
        if (dent_boxes_update(boxes, dent_box_list_float(world.boxes[0].lo), uint32_t(world.boxes.size())) ||
            dent_boxes_pairs(boxes, &result)) {
            std::exit(1);
        }
        *pairs = result.pairs, *found = result.count;
    }
};

/* ---- peers ------------------------------------------------------------------------------------------------------- */

struct list_racer : racer {
    pair_list list;
    using racer::racer;
    virtual void collect(const scene &world) = 0;
    void find(const scene &world, const dent_box_pair **pairs, size_t *found) override
    {
        list.clear();
        collect(world);
        *pairs = list.data(), *found = list.size();
    }
};

struct bullet_racer : list_racer, btDbvt::ICollide {
    btDbvt tree;
    std::vector<btDbvtNode *> leaves;
    bullet_racer() : list_racer("bullet-dbvt update") {}
    static btDbvtVolume volume(const box6 &box)
    {
        return btDbvtVolume::FromMM(btVector3(box.lo[0], box.lo[1], box.lo[2]), btVector3(box.hi[0], box.hi[1], box.hi[2]));
    }
    void Process(const btDbvtNode *a, const btDbvtNode *b) override
    {
        uint32_t i = uint32_t(a->dataAsInt), j = uint32_t(b->dataAsInt);
        if (i != j) {
            list.push_back({std::min(i, j), std::max(i, j)});
        }
    }
    void collect(const scene &world) override
    {
        size_t count = world.boxes.size();
        if (leaves.size() == count) {
            for (size_t i = 0; i < count; i++) {
                btDbvtVolume box = volume(world.boxes[i]);
                tree.update(leaves[i], box);
            }
            tree.optimizeIncremental(1 + int(count) / 100);
        } else {
            leaves.resize(count);
            for (size_t i = 0; i < count; i++) {
                leaves[i] = tree.insert(volume(world.boxes[i]), nullptr);
                leaves[i]->dataAsInt = int(i);
            }
            tree.optimizeTopDown(2);
        }
        tree.collideTTpersistentStack(tree.m_root, tree.m_root, *this);
    }
};

struct cgal_racer : list_racer {
    using box = CGAL::Box_intersection_d::Box_with_info_d<float, 3, uint32_t>;
    std::vector<box> boxes;
    std::vector<const box *> pointers;
    std::ptrdiff_t cutoff;
    explicit cgal_racer(int given) : list_racer("cgal box_self_intersection cutoff " + std::to_string(given)), cutoff(given) {}
    void collect(const scene &world) override
    {
        boxes.clear(), pointers.clear();
        for (size_t i = 0; i < world.boxes.size(); i++) {
            box6 copy = world.boxes[i]; /* CGAL wants to be able to write */
            boxes.emplace_back(copy.lo, copy.hi, uint32_t(i));
        }
        for (const box &one : boxes) {
            pointers.push_back(&one);
        }
        CGAL::box_self_intersection_d(
            pointers.begin(), pointers.end(),
            [this](const box *a, const box *b) { list.push_back({std::min(a->info(), b->info()), std::max(a->info(), b->info())}); },
            cutoff);
    }
};

struct embree_racer : list_racer {
    RTCDevice device;
    RTCScene scene_of = nullptr;
    RTCGeometry geometry = nullptr;
    const scene *world = nullptr;
    bool refit;
    embree_racer(bool given) : list_racer(given ? "embree refit" : "embree rebuild (morton)"), refit(given)
    {
        device = rtcNewDevice("threads=1,user_threads=1");
    }
    ~embree_racer() override
    {
        if (scene_of) {
            rtcReleaseGeometry(geometry), rtcReleaseScene(scene_of);
        }
        rtcReleaseDevice(device);
    }
    static void bounds(const RTCBoundsFunctionArguments *call)
    {
        const box6 &box = static_cast<embree_racer *>(call->geometryUserPtr)->world->boxes[call->primID];
        *call->bounds_o = {box.lo[0], box.lo[1], box.lo[2], 0, box.hi[0], box.hi[1], box.hi[2], 0};
    }
    static void take(void *user, RTCCollision *found, unsigned int count)
    {
        embree_racer *self = static_cast<embree_racer *>(user);
        for (unsigned int i = 0; i < count; i++) {
            uint32_t a = found[i].primID0, b = found[i].primID1;
            const box6 &x = self->world->boxes[a], &y = self->world->boxes[b];
            bool meet = (x.lo[0] <= y.hi[0]) & (y.lo[0] <= x.hi[0]) & (x.lo[1] <= y.hi[1]) & (y.lo[1] <= x.hi[1]) &
                        (x.lo[2] <= y.hi[2]) & (y.lo[2] <= x.hi[2]);
            if (a < b && meet) { /* Embree reports all pairs of two leaves, and each from both sides */
                self->list.push_back({a, b});
            }
        }
    }
    void collect(const scene &given) override
    {
        world = &given;
        if (!scene_of) {
            scene_of = rtcNewScene(device);
            geometry = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_USER);
            rtcSetSceneFlags(scene_of, RTC_SCENE_FLAG_DYNAMIC);
            rtcSetSceneBuildQuality(scene_of, RTC_BUILD_QUALITY_LOW);
            rtcSetGeometryUserPrimitiveCount(geometry, unsigned(given.boxes.size()));
            rtcSetGeometryUserData(geometry, this);
            rtcSetGeometryBoundsFunction(geometry, bounds, nullptr);
            rtcSetGeometryBuildQuality(geometry, refit ? RTC_BUILD_QUALITY_REFIT : RTC_BUILD_QUALITY_LOW);
            rtcCommitGeometry(geometry);
            rtcAttachGeometry(scene_of, geometry);
        } else {
            rtcCommitGeometry(geometry);
        }
        rtcCommitScene(scene_of);
        rtcCollide(scene_of, scene_of, take, this);
    }
};

/* The plain grid of peer_plain_grid.cpp: counting sort by lower corners, columns of floats, rows of cells in one run; each
 * box looks at the cells it reaches, widened below by the largest box. */
struct grid_racer : list_racer {
    double setting;
    std::vector<uint32_t> start, cell, index;
    std::vector<float> lo[3], hi[3];
    explicit grid_racer(double given)
        : list_racer("plain-grid cell/edge " + std::to_string(given).substr(0, 4)), setting(given)
    {
    }
    double origin[3], inverse;
    uint32_t cells[3];
    uint32_t cell_of(double x, int axis) const
    {
        double place = (x - origin[axis]) * inverse;
        return place <= 0 ? 0 : place >= cells[axis] - 1.0 ? cells[axis] - 1 : uint32_t(place);
    }
    uint64_t row(uint32_t j, uint32_t k) const { return (uint64_t(k) * cells[1] + j) * cells[0]; }
    void frame(const scene &world, float widest[3])
    {
        double far[3], sum = 0;
        for (int axis = 0; axis < 3; axis++) {
            origin[axis] = 1e30, far[axis] = -1e30, widest[axis] = 0;
        }
        for (const box6 &box : world.boxes) {
            float edge = 0;
            for (int axis = 0; axis < 3; axis++) {
                origin[axis] = std::min(origin[axis], double(box.lo[axis])), far[axis] = std::max(far[axis], double(box.hi[axis]));
                edge = std::max(edge, box.hi[axis] - box.lo[axis]);
                widest[axis] = std::max(widest[axis], (box.hi[axis] - box.lo[axis]) * 1.000001f);
            }
            sum += edge;
        }
        for (double size = setting * sum / double(world.boxes.size());; size *= 1.25) {
            double all = 1;
            inverse = 1 / size;
            for (int axis = 0; axis < 3; axis++) {
                cells[axis] = uint32_t(std::min(1e9, std::floor((far[axis] - origin[axis]) * inverse) + 1));
                all *= cells[axis];
            }
            if (all <= 16.0 * double(world.boxes.size()) + 65536) {
                return;
            }
        }
    }
    void collect(const scene &world) override
    {
        float widest[3];
        size_t count = world.boxes.size();
        frame(world, widest);
        start.assign(uint64_t(cells[0]) * cells[1] * cells[2] + 1, 0);
        cell.resize(count), index.resize(count);
        for (size_t i = 0; i < count; i++) {
            const box6 &box = world.boxes[i];
            cell[i] = uint32_t(row(cell_of(box.lo[1], 1), cell_of(box.lo[2], 2)) + cell_of(box.lo[0], 0));
            start[cell[i] + 1]++;
        }
        for (size_t i = 1; i < start.size(); i++) {
            start[i] += start[i - 1];
        }
        for (int axis = 0; axis < 3; axis++) {
            lo[axis].resize(count), hi[axis].resize(count);
        }
        for (size_t i = 0; i < count; i++) {
            uint32_t place = start[cell[i]]++;
            index[place] = uint32_t(i);
            for (int axis = 0; axis < 3; axis++) {
                lo[axis][place] = world.boxes[i].lo[axis], hi[axis][place] = world.boxes[i].hi[axis];
            }
        }
        for (size_t i = start.size() - 1; i > 0; i--) {
            start[i] = start[i - 1];
        }
        start[0] = 0;
        for (size_t b = 0; b < count; b++) { /* in the order of cells: neighbours are in the cache */
            look_up(b, widest);
        }
    }
    void look_up(size_t b, const float widest[3])
    {
        uint32_t first[3], last[3];
        box6 box;
        for (int axis = 0; axis < 3; axis++) {
            box.lo[axis] = lo[axis][b], box.hi[axis] = hi[axis][b];
            first[axis] = cell_of(double(box.lo[axis]) - widest[axis], axis), last[axis] = cell_of(box.hi[axis], axis);
        }
        for (uint32_t k = first[2]; k <= last[2]; k++) {
            for (uint32_t j = first[1]; j <= last[1]; j++) {
                uint64_t from = row(j, k);
                for (uint32_t i = start[from + first[0]]; i < start[from + last[0] + 1]; i++) {
                    bool meet = (lo[0][i] <= box.hi[0]) & (hi[0][i] >= box.lo[0]) & (lo[1][i] <= box.hi[1]) &
                                (hi[1][i] >= box.lo[1]) & (lo[2][i] <= box.hi[2]) & (hi[2][i] >= box.lo[2]);
                    if (meet && index[i] < index[b]) {
                        list.push_back({index[i], index[b]});
                    }
                }
            }
        }
    }
};

/* The same, entered into every cell it touches; pairs in the cell of the common lower corner. */
struct cells_racer : grid_racer {
    explicit cells_racer(double given) : grid_racer(given)
    {
        name = "plain-grid-cells cell/edge " + std::to_string(given).substr(0, 4);
    }
    template <class visit_type> void visit(const box6 &box, visit_type visit_cell)
    {
        uint32_t first[3], last[3];
        for (int axis = 0; axis < 3; axis++) {
            first[axis] = cell_of(box.lo[axis], axis), last[axis] = cell_of(box.hi[axis], axis);
        }
        for (uint32_t k = first[2]; k <= last[2]; k++) {
            for (uint32_t j = first[1]; j <= last[1]; j++) {
                uint64_t from = row(j, k);
                for (uint32_t i = first[0]; i <= last[0]; i++) {
                    visit_cell(from + i, i, j, k);
                }
            }
        }
    }
    void collect(const scene &world) override
    {
        float widest[3];
        frame(world, widest);
        start.assign(uint64_t(cells[0]) * cells[1] * cells[2] + 1, 0);
        for (const box6 &box : world.boxes) {
            visit(box, [&](uint64_t at, uint32_t, uint32_t, uint32_t) { start[at + 1]++; });
        }
        for (size_t i = 1; i < start.size(); i++) {
            start[i] += start[i - 1];
        }
        size_t entries = start.back();
        index.resize(entries);
        for (int axis = 0; axis < 3; axis++) {
            lo[axis].resize(entries), hi[axis].resize(entries);
        }
        for (size_t b = 0; b < world.boxes.size(); b++) {
            visit(world.boxes[b], [&](uint64_t at, uint32_t, uint32_t, uint32_t) {
                uint32_t place = start[at]++;
                index[place] = uint32_t(b);
                for (int axis = 0; axis < 3; axis++) {
                    lo[axis][place] = world.boxes[b].lo[axis], hi[axis][place] = world.boxes[b].hi[axis];
                }
            });
        }
        for (size_t i = start.size() - 1; i > 0; i--) {
            start[i] = start[i - 1];
        }
        start[0] = 0;
        for (uint32_t k = 0; k < cells[2]; k++) {
            for (uint32_t j = 0; j < cells[1]; j++) {
                for (uint32_t i = 0; i < cells[0]; i++) {
                    join(row(j, k) + i, i, j, k);
                }
            }
        }
    }
    void join(uint64_t at, uint32_t i, uint32_t j, uint32_t k)
    {
        for (uint32_t a = start[at]; a < start[at + 1]; a++) {
            for (uint32_t b = a + 1; b < start[at + 1]; b++) {
                bool meet = (lo[0][b] <= hi[0][a]) & (hi[0][b] >= lo[0][a]) & (lo[1][b] <= hi[1][a]) &
                            (hi[1][b] >= lo[1][a]) & (lo[2][b] <= hi[2][a]) & (hi[2][b] >= lo[2][a]);
                if (meet && cell_of(std::max(lo[0][a], lo[0][b]), 0) == i && cell_of(std::max(lo[1][a], lo[1][b]), 1) == j &&
                    cell_of(std::max(lo[2][a], lo[2][b]), 2) == k) {
                    list.push_back({std::min(index[a], index[b]), std::max(index[a], index[b])});
                }
            }
        }
    }
};

double median(std::vector<double> values)
{
    std::sort(values.begin(), values.end());
    return values.empty() ? 0 : values[values.size() / 2];
}

double mean(const std::vector<double> &values)
{
    double sum = 0;
    for (double value : values) {
        sum += value;
    }
    return values.empty() ? 0 : sum / double(values.size());
}

bool wanted(const std::string &list, const char *name)
{
    return list == "all" || ("," + list + ",").find("," + std::string(name) + ",") != std::string::npos;
}

} // namespace

int main(int argc, char **argv)
{
    uint32_t count = argc > 1 ? uint32_t(std::atof(argv[1])) : 1000000;
    int frames = argc > 2 ? std::atoi(argv[2]) : 5;
    double ratio = argc > 3 ? std::atof(argv[3]) : 1;
    std::string methods = argc > 4 ? argv[4] : "auto", peers = argc > 5 ? argv[5] : "all", isa = argc > 6 ? argv[6] : "auto";
    dent_context_def def = dent_context_def_default();
    def.thread_count = 1;
    for (int i = 0; i < DENT_ISA_COUNT; i++) {
        def.isa = isa == dent_isa_name(dent_isa(i)) ? dent_isa(i) : def.isa;
    }
    dent_context *context = dent_context_create(&def, nullptr);
    std::vector<std::unique_ptr<racer>> racers;
    for (int i = 0; i < DENT_BOXES_METHOD_COUNT; i++) {
        if (wanted(methods, dent_boxes_method_name(dent_boxes_method(i)))) {
            racers.emplace_back(new dent_racer(context, dent_boxes_method(i)));
        }
    }
    if (wanted(peers, "grid")) {
        for (double setting : ratio > 4 ? std::vector<double>{1, 2, 4} : std::vector<double>{0.7, 1, 1.4}) {
            if (ratio <= 4) {
                racers.emplace_back(new grid_racer(setting));
            }
            racers.emplace_back(new cells_racer(setting * (ratio > 4 ? 1 : 1.5)));
        }
    }
    if (wanted(peers, "cgal")) {
        racers.emplace_back(new cgal_racer(10));
        racers.emplace_back(new cgal_racer(100));
    }
    if (wanted(peers, "embree")) {
        racers.emplace_back(new embree_racer(false));
        racers.emplace_back(new embree_racer(true));
    }
    if (wanted(peers, "bullet")) {
        racers.emplace_back(new bullet_racer());
    }
    scene world(count, ratio);
    for (int frame = 1 - WARM_UP; frame <= frames; frame++) {
        for (auto &one : racers) {
            const dent_box_pair *pairs;
            double begin = cpu_seconds();
            one->find(world, &pairs, &one->count);
            double end = cpu_seconds();
            one->hash = hash_of(pairs, one->count);
            if (frame > 0) {
                one->seconds.push_back(end - begin);
            }
            if (one->count != racers[0]->count || one->hash != racers[0]->hash) {
                std::printf("%s: %zu pairs differ from the %zu of %s\n", one->name.c_str(), size_t(one->count),
                            size_t(racers[0]->count), racers[0]->name.c_str());
            }
        }
        world.move();
    }
    std::printf("%u boxes, ratio %g, %d frames, %s, %llu pairs\n", count, ratio, frames,
                dent_isa_name(dent_context_isa(context)), (unsigned long long)racers[0]->count);
    for (auto &one : racers) {
        double own = median(racers[0]->seconds), time = median(one->seconds);
        double all = mean(one->seconds), own_all = mean(racers[0]->seconds);
        std::printf("%-44s %10.2f ms  %7.2f times the first; mean %10.2f ms, %7.2f times\n", one->name.c_str(), 1e3 * time,
                    time / own, 1e3 * all, all / own_all);
    }
    racers.clear();
    dent_context_destroy(context);
    return 0;
}
