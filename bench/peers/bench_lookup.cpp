/* Rays, closest points and distances: dent and CGAL's AABB tree, the same queries, interleaved, one thread, CPU time
 * per query.
 *
 *   bench_lookup [--faces N] [--queries N] [--rounds N]
 *
 * The surface is a closed bumpy ball of about N faces (100,000). Rays go from points of a sphere around it to points on the
 * other side; points lie close to the surface, or anywhere in its box. CGAL gets the best case: its trees are built before
 * the clock starts, plain doubles (Simple_cartesian) and exact predicates (Epick) are both timed and the faster counts,
 * and the queries come in the same order. dent's time includes reading the positions and refitting the boxes. Faces of
 * the answers are compared where they are unique, distances always.
 *
 * Distance of two surfaces: two such balls apart. CGAL's tree has no such query: it gets the distance of the vertices of one
 * to the tree of the other, each with the best so far as a bound, which is less than what dent finds (faces against
 * vertices, edges against edges). dent reads and refits both.
 */
#include <dent/dent.h>
#include <dent/lookup.h>

#include <CGAL/AABB_traits.h>
#include <CGAL/AABB_tree.h>
#include <CGAL/AABB_triangle_primitive.h>
#include <CGAL/Exact_predicates_inexact_constructions_kernel.h>
#include <CGAL/Simple_cartesian.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <vector>

namespace {

double cpu_seconds()
{
    timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return double(time.tv_sec) + 1e-9 * double(time.tv_nsec);
}

struct surface {
    std::vector<double> xyz;
    std::vector<uint32_t> corners;
};

/* Rows of a ball with bumps. */
surface make_ball(uint32_t faces)
{
    surface ball;
    uint32_t rows = uint32_t(std::sqrt(faces / 4.0)), columns = 2 * rows;
    for (uint32_t i = 0; i <= rows; i++) {
        for (uint32_t j = 0; j < columns; j++) {
            double a = M_PI * i / rows, b = 2 * M_PI * j / columns;
            double r = 1 + 0.1 * std::sin(9 * a) * std::cos(7 * b) + 0.02 * std::sin(41 * a) * std::sin(37 * b);
            ball.xyz.insert(ball.xyz.end(), {r * std::sin(a) * std::cos(b), r * std::sin(a) * std::sin(b), r * std::cos(a)});
        }
    }
    for (uint32_t i = 0; i < rows; i++) {
        for (uint32_t j = 0; j < columns; j++) {
            uint32_t k = (j + 1) % columns, a = i * columns + j, b = i * columns + k, c = a + columns, d = b + columns;
            ball.corners.insert(ball.corners.end(), {a, c, d});
            ball.corners.insert(ball.corners.end(), {a, d, b});
        }
    }
    return ball;
}

void random_direction(dent_random *random, double d[3])
{
    double length;
    do {
        for (int axis = 0; axis < 3; axis++) {
            d[axis] = 2 * dent_random_unit(random) - 1;
        }
        length = std::sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    } while (length > 1 || length < 0.01);
    for (int axis = 0; axis < 3; axis++) {
        d[axis] /= length;
    }
}

struct queries {
    std::vector<double> from, to, points;
};

queries make_queries(const surface &ball, uint32_t count)
{
    queries made;
    dent_random random = dent_random_seeded(7);
    for (uint32_t i = 0; i < count; i++) {
        double a[3], b[3];
        random_direction(&random, a);
        random_direction(&random, b);
        uint32_t vertex = dent_random_below(&random, uint32_t(ball.xyz.size() / 3));
        for (int axis = 0; axis < 3; axis++) {
            made.from.push_back(3 * a[axis]);
            made.to.push_back(-3 * a[axis] + 1.5 * b[axis]);
            made.points.push_back(i % 2 ? 1.2 * (2 * dent_random_unit(&random) - 1) : ball.xyz[3 * vertex + axis] + 0.02 * b[axis]);
        }
    }
    return made;
}

struct times {
    std::vector<double> rays, points, surfaces;
};

/* Beside the ball, apart from it. */
surface beside(const surface &ball)
{
    const double by[3] = {2.4, 0.3, 0.2};
    surface moved = ball;
    for (size_t i = 0; i < moved.xyz.size(); i++) {
        moved.xyz[i] += by[i % 3];
    }
    return moved;
}

double median(std::vector<double> values)
{
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

template <class Kernel> class cgal_tree
{
  public:
    typedef std::vector<typename Kernel::Triangle_3> list;
    typedef CGAL::AABB_triangle_primitive<Kernel, typename list::const_iterator> primitive;
    typedef CGAL::AABB_tree<CGAL::AABB_traits<Kernel, primitive>> tree_type;

    explicit cgal_tree(const surface &ball)
    {
        auto point = [&](uint32_t v) {
            return typename Kernel::Point_3(ball.xyz[3 * v], ball.xyz[3 * v + 1], ball.xyz[3 * v + 2]);
        };
        for (size_t f = 0; f < ball.corners.size(); f += 3) {
            typename Kernel::Triangle_3 triangle(point(ball.corners[f]), point(ball.corners[f + 1]), point(ball.corners[f + 2]));
            if (!triangle.is_degenerate()) { /* at the poles; CGAL refuses them */
                triangles.push_back(triangle);
                numbers.push_back(uint32_t(f / 3));
            }
        }
        tree.insert(triangles.begin(), triangles.end());
        tree.build();
        tree.accelerate_distance_queries();
    }

    void run(const queries &asked, times &spent, std::vector<uint32_t> &faces, std::vector<double> &distances)
    {
        size_t count = asked.from.size() / 3;
        faces.assign(count, UINT32_MAX);
        distances.assign(count, 0);
        double start = cpu_seconds();
        for (size_t i = 0; i < count; i++) {
            typename Kernel::Ray_3 ray(typename Kernel::Point_3(asked.from[3 * i], asked.from[3 * i + 1], asked.from[3 * i + 2]),
                                       typename Kernel::Point_3(asked.to[3 * i], asked.to[3 * i + 1], asked.to[3 * i + 2]));
            auto hit = tree.first_intersected_primitive(ray);
            faces[i] = hit ? numbers[size_t(*hit - triangles.cbegin())] : UINT32_MAX;
        }
        double middle = cpu_seconds();
        for (size_t i = 0; i < count; i++) {
            typename Kernel::Point_3 p(asked.points[3 * i], asked.points[3 * i + 1], asked.points[3 * i + 2]);
            auto found = tree.closest_point_and_primitive(p);
            distances[i] = std::sqrt(CGAL::to_double(CGAL::squared_distance(p, found.first)));
        }
        spent.rays.push_back((middle - start) / double(count));
        spent.points.push_back((cpu_seconds() - middle) / double(count));
    }

    /* The smallest distance of a vertex of the other surface; the closest point of the vertex before bounds the search. */
    double run(const surface &other, times &spent)
    {
        double best = INFINITY, start = cpu_seconds();
        typename Kernel::Point_3 hint = triangles[0][0];
        for (size_t i = 0; i < other.xyz.size(); i += 3) {
            typename Kernel::Point_3 p(other.xyz[i], other.xyz[i + 1], other.xyz[i + 2]);
            hint = tree.closest_point(p, hint);
            best = std::min(best, CGAL::to_double(CGAL::squared_distance(p, hint)));
        }
        spent.surfaces.push_back(cpu_seconds() - start);
        return std::sqrt(best);
    }

  private:
    list triangles;
    std::vector<uint32_t> numbers;
    tree_type tree;
};

struct dent_side {
    dent_context *context;
    dent_world *world;
    double box_tests[2], candidates[2]; /* per ray, per point */

    dent_world *pair; /* the ball and the one beside it */
    dent_body_id first, second;

    dent_side(const surface &ball, const surface &other)
    {
        dent_context_def def = dent_context_def_default();
        def.thread_count = 1;
        context = dent_context_create(&def, nullptr);
        world = dent_world_create(context);
        pair = dent_world_create(context);
        add(world, ball);
        first = add(pair, ball);
        second = add(pair, other);
    }

    static dent_body_id add(dent_world *world, const surface &ball)
    {
        dent_body_def body = dent_surface_def_default();
        dent_body_id id;
        body.vertex_count = uint32_t(ball.xyz.size() / 3);
        body.element_count = uint32_t(ball.corners.size() / 3);
        body.element_corners = ball.corners.data();
        body.positions_t0 = dent_positions_double(ball.xyz.data());
        if (dent_world_add_body(world, &body, &id)) {
            std::fprintf(stderr, "bench_lookup: %s\n", dent_world_message(world));
            std::exit(1);
        }
        return id;
    }

    double run(times &spent)
    {
        dent_distance_def def = dent_distance_def_default();
        dent_distance_result result;
        def.body_a = first, def.body_b = second;
        double start = cpu_seconds();
        dent_world_distance(pair, &def, &result);
        spent.surfaces.push_back(cpu_seconds() - start);
        return result.distance;
    }

    void run(const queries &asked, times &spent, std::vector<uint32_t> &faces, std::vector<double> &distances)
    {
        uint32_t count = uint32_t(asked.from.size() / 3);
        dent_ray_def ray = dent_ray_def_default();
        dent_ray_result hits;
        ray.starts = dent_positions_double(asked.from.data());
        ray.ends = dent_positions_double(asked.to.data());
        ray.count = count;
        double start = cpu_seconds();
        dent_world_cast_rays(world, &ray, &hits);
        spent.rays.push_back((cpu_seconds() - start) / count);
        faces.resize(count);
        box_tests[0] = double(hits.counters.box_tests) / count, candidates[0] = double(hits.counters.candidates) / count;
        for (uint32_t i = 0; i < count; i++) {
            faces[i] = hits.hits[i].face;
        }
        dent_closest_def closest = dent_closest_def_default();
        dent_closest_result found;
        closest.points = dent_positions_double(asked.points.data());
        closest.count = count;
        start = cpu_seconds();
        dent_world_closest_points(world, &closest, &found);
        spent.points.push_back((cpu_seconds() - start) / count);
        distances.resize(count);
        box_tests[1] = double(found.counters.box_tests) / count, candidates[1] = double(found.counters.candidates) / count;
        for (uint32_t i = 0; i < count; i++) {
            distances[i] = found.points[i].distance;
        }
    }
};

/* dent casts segments, CGAL rays: the ends lie behind the ball. Rays through edges may be given either face. */
void compare(const std::vector<uint32_t> &faces, const std::vector<double> &distances, const std::vector<uint32_t> &other,
             const std::vector<double> &far, const char *name)
{
    size_t different = 0;
    double worst = 0;
    for (size_t i = 0; i < faces.size(); i++) {
        different += faces[i] != other[i];
        worst = std::max(worst, std::fabs(distances[i] - far[i]));
    }
    std::printf("# against %s: %zu of %zu rays with another face, distances differ by at most %.1e\n", name, different,
                faces.size(), worst);
}

void print(const char *what, const std::vector<double> &ours, const std::vector<double> &simple, const std::vector<double> &exact)
{
    double best = std::min(median(simple), median(exact));
    std::printf("%-15s dent %7.3f us (%.3f-%.3f)   CGAL doubles %7.3f us   CGAL Epick %7.3f us   ratio %.1f\n", what,
                1e6 * median(ours), 1e6 * *std::min_element(ours.begin(), ours.end()),
                1e6 * *std::max_element(ours.begin(), ours.end()), 1e6 * median(simple), 1e6 * median(exact),
                best / median(ours));
}

} // namespace

int main(int argc, char **argv)
{
    uint32_t faces = 100000, count = 100000, rounds = 5;
    for (int i = 1; i + 1 < argc; i += 2) {
        uint32_t value = uint32_t(std::strtoul(argv[i + 1], nullptr, 10));
        uint32_t *option = !std::strcmp(argv[i], "--faces")     ? &faces
                           : !std::strcmp(argv[i], "--queries") ? &count
                           : !std::strcmp(argv[i], "--rounds")  ? &rounds
                                                                : nullptr;
        if (!option) {
            std::fprintf(stderr, "bench_lookup: unknown option '%s'; use --faces, --queries or --rounds\n", argv[i]);
            return 2;
        }
        *option = value;
    }
    surface ball = make_ball(faces);
    queries asked = make_queries(ball, count);
    surface other = beside(ball);
    dent_side dent(ball, other);
    cgal_tree<CGAL::Simple_cartesian<double>> simple(ball);
    cgal_tree<CGAL::Exact_predicates_inexact_constructions_kernel> exact(ball);
    times spent[3];
    std::vector<uint32_t> hits[3];
    std::vector<double> distances[3];
    double apart[3];
    std::printf("# %zu faces, %u rays and points, %u rounds, one thread, CPU time per query\n", ball.corners.size() / 3, count,
                rounds);
    for (uint32_t round = 0; round < rounds + 1; round++) { /* the first one warms up */
        dent.run(asked, spent[0], hits[0], distances[0]);
        simple.run(asked, spent[1], hits[1], distances[1]);
        exact.run(asked, spent[2], hits[2], distances[2]);
        apart[0] = dent.run(spent[0]);
        apart[1] = simple.run(other, spent[1]);
        apart[2] = exact.run(other, spent[2]);
    }
    for (times &t : spent) {
        t.rays.erase(t.rays.begin());
        t.points.erase(t.points.begin());
        t.surfaces.erase(t.surfaces.begin());
    }
    compare(hits[0], distances[0], hits[1], distances[1], "CGAL doubles");
    compare(hits[0], distances[0], hits[2], distances[2], "CGAL Epick");
    print("rays", spent[0].rays, spent[1].rays, spent[2].rays);
    print("two surfaces", spent[0].surfaces, spent[1].surfaces, spent[2].surfaces);
    std::printf("# two surfaces: %.17g apart by dent, %.17g by CGAL's vertices\n", apart[0], apart[1]);
    print("closest points", spent[0].points, spent[1].points, spent[2].points);
    std::printf("# dent: %.0f boxes and %.1f faces tested for a ray, %.0f and %.1f for a point\n", dent.box_tests[0],
                dent.candidates[0], dent.box_tests[1], dent.candidates[1]);
    return 0;
}
