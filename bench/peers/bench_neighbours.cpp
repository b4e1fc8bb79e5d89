/* The race of neighbour searches: dent, FLANN and nanoflann find the k nearest of every point of a cloud, building
 * included, interleaved, one thread, CPU time. Distances are compared bit by bit, indices where distances differ.
 *
 *   bench_neighbours [points = 1000000] [k = 8] [rounds = 5] [cloud = cube|sphere|scan]
 */
#include <dent/neighbours.h>

#include <nanoflann.hpp>
#if DENT_HAVE_FLANN
#include <flann/flann.hpp>
#endif

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>
#include <vector>

namespace {

struct answer {
    std::vector<uint32_t> indices;
    std::vector<double> distances;
    double build_seconds = 0, query_seconds = 0;
};

struct cloud {
    std::vector<double> xyz;
    size_t kdtree_get_point_count() const { return xyz.size() / 3; }
    double kdtree_get_pt(size_t i, size_t axis) const { return xyz[3 * i + axis]; }
    template <class box> bool kdtree_get_bbox(box &) const { return false; }
};

double cpu_seconds()
{
    timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return double(time.tv_sec) + 1e-9 * double(time.tv_nsec);
}

/* A filled cube, a sphere, or a scan: rows over hills, denser near the scanner, with noise. */
cloud make_cloud(const std::string &kind, size_t count)
{
    cloud made;
    dent_random random = dent_random_seeded(1);
    for (size_t i = 0; i < count; i++) {
        double x = dent_random_unit(&random) - 0.5, y = dent_random_unit(&random) - 0.5, z = dent_random_unit(&random) - 0.5;
        if (kind == "sphere") {
            double length = std::sqrt(x * x + y * y + z * z);
            x /= length, y /= length, z /= length;
        } else if (kind == "scan") {
            double range = 0.01 / (0.011 + x), angle = 6.28 * y;
            x = range * std::cos(angle), y = range * std::sin(angle);
            z = 0.1 * std::sin(3 * x) * std::cos(5 * y) + 1e-4 * z;
        }
        made.xyz.insert(made.xyz.end(), {x, y, z});
    }
    return made;
}

answer run_dent(dent_context *context, const cloud &points, size_t k)
{
    answer made;
    size_t count = points.xyz.size() / 3;
    made.indices.resize(count * k);
    made.distances.resize(count * k);
    double start = cpu_seconds();
    dent_neighbours *neighbours = nullptr;
    dent_neighbours_query query = dent_neighbours_query_default();
    query.nearest = uint32_t(k);
    if (dent_neighbours_create(context, dent_positions_double(points.xyz.data()), uint32_t(count), &neighbours)) {
        std::exit(1);
    }
    double built = cpu_seconds();
    if (dent_neighbours_nearest(neighbours, &query, made.indices.data(), made.distances.data(), nullptr)) {
        std::exit(1);
    }
    made.build_seconds = built - start;
    made.query_seconds = cpu_seconds() - built;
    dent_neighbours_destroy(neighbours);
    return made;
}

answer run_nanoflann(const cloud &points, size_t k)
{
    using tree = nanoflann::KDTreeSingleIndexAdaptor<nanoflann::L2_Simple_Adaptor<double, cloud>, cloud, 3, uint32_t>;
    answer made;
    size_t count = points.xyz.size() / 3;
    made.indices.resize(count * k);
    made.distances.resize(count * k);
    double start = cpu_seconds();
    tree index(3, points, nanoflann::KDTreeSingleIndexAdaptorParams(10));
    index.buildIndex();
    double built = cpu_seconds();
    for (size_t i = 0; i < count; i++) {
        index.knnSearch(&points.xyz[3 * i], k, &made.indices[i * k], &made.distances[i * k]);
    }
    made.build_seconds = built - start;
    made.query_seconds = cpu_seconds() - built;
    return made;
}

#if DENT_HAVE_FLANN
answer run_flann(cloud &points, size_t k)
{
    answer made;
    size_t count = points.xyz.size() / 3;
    made.indices.resize(count * k);
    made.distances.resize(count * k);
    std::vector<int> found(count * k);
    flann::Matrix<double> rows(points.xyz.data(), count, 3);
    flann::Matrix<int> indices(found.data(), count, k);
    flann::Matrix<double> distances(made.distances.data(), count, k);
    double start = cpu_seconds();
    flann::Index<flann::L2_Simple<double>> index(rows, flann::KDTreeSingleIndexParams(10));
    index.buildIndex();
    double built = cpu_seconds();
    flann::SearchParams exact(flann::FLANN_CHECKS_UNLIMITED, 0.0f, true);
    exact.cores = 1;
    index.knnSearch(rows, indices, distances, int(k), exact);
    made.build_seconds = built - start;
    made.query_seconds = cpu_seconds() - built;
    std::copy(found.begin(), found.end(), made.indices.begin());
    return made;
}
#endif

/* Different distances, and different indices at places whose distance no neighbour in the list shares. Returns how many
 * neighbours were compared. */
size_t compare(const char *name, const answer &ours, const answer &theirs, size_t k)
{
    size_t distances = 0, indices = 0;
    for (size_t i = 0; i < ours.distances.size(); i++) {
        bool first = i % k == 0, last = i % k == k - 1;
        distances += ours.distances[i] != theirs.distances[i];
        bool tie = last || (!first && ours.distances[i] == ours.distances[i - 1]) ||
                   (!last && ours.distances[i] == ours.distances[i + 1]);
        indices += !tie && ours.indices[i] != theirs.indices[i];
    }
    if (distances || indices) {
        std::printf("%s: %zu distances and %zu indices differ\n", name, distances, indices);
        std::exit(1);
    }
    return ours.distances.size();
}

struct times {
    std::vector<double> build, query, total;
    void add(const answer &made)
    {
        build.push_back(made.build_seconds);
        query.push_back(made.query_seconds);
        total.push_back(made.build_seconds + made.query_seconds);
    }
};

double median(std::vector<double> values)
{
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

void print(const char *name, const times &theirs, const times &ours)
{
    std::vector<double> ratios;
    for (size_t i = 0; i < ours.total.size(); i++) {
        ratios.push_back(theirs.total[i] / ours.total[i]);
    }
    std::printf("%-10s build %7.1f ms  query %8.1f ms  total %8.1f ms  %.2f times dent (%.2f to %.2f)\n", name,
                1e3 * median(theirs.build), 1e3 * median(theirs.query), 1e3 * median(theirs.total), median(ratios),
                *std::min_element(ratios.begin(), ratios.end()), *std::max_element(ratios.begin(), ratios.end()));
}

} // namespace

int main(int argument_count, char **arguments)
{
    size_t count = argument_count > 1 ? std::strtoul(arguments[1], nullptr, 10) : 1000000;
    size_t k = argument_count > 2 ? std::strtoul(arguments[2], nullptr, 10) : 8;
    size_t rounds = argument_count > 3 ? std::strtoul(arguments[3], nullptr, 10) : 5;
    cloud points = make_cloud(argument_count > 4 ? arguments[4] : "cube", count);
    dent_context_def def = dent_context_def_default();
    def.thread_count = 1;
    dent_context *context = dent_context_create(&def, nullptr);
    times dent, nano, flann_times;
    size_t compared = 0;
    for (size_t round = 0; round < rounds; round++) {
        answer ours = run_dent(context, points, k), theirs = run_nanoflann(points, k);
        dent.add(ours);
        nano.add(theirs);
        compared += compare("nanoflann", ours, theirs, k);
#if DENT_HAVE_FLANN
        theirs = run_flann(points, k);
        flann_times.add(theirs);
        compared += compare("FLANN", ours, theirs, k);
#endif
    }
    print("dent", dent, dent);
    print("nanoflann", nano, dent);
    if (!flann_times.total.empty()) {
        print("FLANN", flann_times, dent);
    }
    std::printf("%zu neighbours compared: the same distances, and the same indices where distances differ\n", compared);
    dent_context_destroy(context);
    return 0;
}
