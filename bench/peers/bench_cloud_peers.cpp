/* Do two scans meet? dent's clouds against what users do today, on the same scans: the smallest distance of points under
 * a threshold (PCL's k-d tree), and a mesh of each scan (alpha shape and advancing front of CGAL, Poisson of PCL) with an
 * exact test of the meshes (dent's face-face). One thread, wall time.
 *
 * The scans are a torus (1, 0.3) and a ball (0.5) with noise along the normal. At a random pose the ball's middle is put
 * at a distance from the torus that is 0.5 plus a gap. The surfaces meet iff the gap is negative, so every decision is
 * right or wrong. Preparation is once a scan; decisions are per placement.
 *
 *   bench_cloud_peers [points = 10000] [placements = 400] [noise in spacings = 0.2] [largest gap in spacings = 4]
 */
#include <dent/cloud.h>
#include <dent/query.h>
#include <dent/world.h>

#include <CGAL/Advancing_front_surface_reconstruction.h>
#include <CGAL/Alpha_shape_3.h>
#include <CGAL/Alpha_shape_cell_base_3.h>
#include <CGAL/Alpha_shape_vertex_base_3.h>
#include <CGAL/Delaunay_triangulation_3.h>
#include <CGAL/Exact_predicates_inexact_constructions_kernel.h>
#include <CGAL/Triangulation_vertex_base_with_info_3.h>
#include <CGAL/mst_orient_normals.h>
#include <CGAL/pca_estimate_normals.h>
#include <pcl/kdtree/kdtree_flann.h>
#include <pcl/point_types.h>
#include <pcl/surface/poisson.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace {

using vec3 = std::array<double, 3>;
const double pi = 3.14159265358979323846;

double seconds()
{
    return 1e-9 * double(dent_clock_ns());
}

double uniform(dent_random *random, double low, double high)
{
    return low + (high - low) * dent_random_unit(random);
}

/* ---- scans ------------------------------------------------------------------------------------------------------- */

struct scan {
    std::vector<vec3> points, normals;
    double spacing;
};

/* Uniform by area; `at` makes a place and its normal, `keep` the share of the area there. */
scan make_scan(size_t count, double area, double noise, uint64_t seed,
               const std::function<double(double, double, vec3 &, vec3 &)> &at)
{
    scan made;
    made.spacing = std::sqrt(area / double(count));
    dent_random random = dent_random_seeded(seed);
    while (made.points.size() < count) {
        vec3 place, normal;
        double share = at(dent_random_unit(&random), dent_random_unit(&random), place, normal);
        if (dent_random_unit(&random) < share) {
            double off = noise * made.spacing * uniform(&random, -1, 1);
            for (int axis = 0; axis < 3; axis++) {
                place[axis] += off * normal[axis];
            }
            made.points.push_back(place);
            made.normals.push_back(normal);
        }
    }
    return made;
}

scan torus_scan(size_t count, double noise)
{
    return make_scan(count, 4 * pi * pi * 0.3, noise, 1, [](double u, double v, vec3 &place, vec3 &normal) {
        double along = 2 * pi * u, around = 2 * pi * v, out = 1 + 0.3 * std::cos(along);
        normal = {std::cos(along) * std::cos(around), std::cos(along) * std::sin(around), std::sin(along)};
        place = {out * std::cos(around), out * std::sin(around), 0.3 * std::sin(along)};
        return out / 1.3;
    });
}

scan ball_scan(size_t count, double noise)
{
    return make_scan(count, pi, noise, 2, [](double u, double v, vec3 &place, vec3 &normal) {
        double height = 1 - 2 * u, across = std::sqrt(1 - height * height);
        normal = {across * std::cos(2 * pi * v), across * std::sin(2 * pi * v), height};
        place = {0.5 * normal[0], 0.5 * normal[1], 0.5 * normal[2]};
        return 1.0;
    });
}

/* ---- placements -------------------------------------------------------------------------------------------------- */

struct placement {
    dent_pose torus, ball;
    double gap; /* of the surfaces; negative: they meet */
};

vec3 turned(const dent_pose &pose, const vec3 &p, bool shift)
{
    const double *q = pose.rotation, w = q[0], x = q[1], y = q[2], z = q[3];
    double r[9] = {1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y),
                   2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
                   2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)};
    vec3 out;
    for (int i = 0; i < 3; i++) {
        out[i] = r[3 * i] * p[0] + r[3 * i + 1] * p[1] + r[3 * i + 2] * p[2] + (shift ? pose.translation[i] : 0);
    }
    return out;
}

dent_pose random_pose(dent_random *random)
{
    dent_pose pose = {{0, 0, 0, 0}, {0, 0, 0}};
    double square = 0;
    while (square < 1e-2 || square > 1) {
        square = 0;
        for (int k = 0; k < 4; k++) {
            pose.rotation[k] = uniform(random, -1, 1);
            square += pose.rotation[k] * pose.rotation[k];
        }
    }
    for (int k = 0; k < 4; k++) {
        pose.rotation[k] /= std::sqrt(square);
    }
    return pose;
}

/* The ball's middle lies on the normal of a random place of the torus, outside; not in the hole, where another part of
 * the torus may be nearer. */
placement random_placement(dent_random *random, double spacing, double most)
{
    placement made;
    made.torus = random_pose(random);
    made.ball = random_pose(random);
    made.gap = spacing * uniform(random, -most, most);
    double along = uniform(random, -0.4 * pi, 0.4 * pi), around = uniform(random, 0, 2 * pi);
    double out = 1 + (0.8 + made.gap) * std::cos(along);
    vec3 middle = {out * std::cos(around), out * std::sin(around), (0.8 + made.gap) * std::sin(along)};
    vec3 placed = turned(made.torus, middle, true);
    for (int axis = 0; axis < 3; axis++) {
        made.ball.translation[axis] = placed[axis];
    }
    return made;
}

/* ---- ways to decide ---------------------------------------------------------------------------------------------- */

enum decision { NO, YES, UNKNOWN };

struct way {
    std::string name;
    double prepare_seconds = 0, query_seconds = 0, worst_seconds = 0;
    uint32_t false_yes = 0, false_no = 0, unknown = 0, clear_wrong = 0, asked = 0, clear = 0;
    std::function<decision(const placement &)> decide;
};

void judge(way *asked, const placement &at, double spacing)
{
    double start = seconds();
    decision said = asked->decide(at);
    double took = seconds() - start;
    asked->query_seconds += took;
    asked->worst_seconds = std::max(asked->worst_seconds, took);
    bool meets = at.gap < 0, wrong = said != UNKNOWN && (said == YES) != meets;
    asked->asked++;
    asked->false_yes += wrong && !meets;
    asked->false_no += wrong && meets;
    asked->unknown += said == UNKNOWN;
    if (std::fabs(at.gap) > spacing) { /* farther from touching than the points lie apart */
        asked->clear++;
        asked->clear_wrong += wrong;
    }
}

way dent_way(dent_context *context, const scan scans[2])
{
    way made;
    made.name = "dent, sphere fit";
    dent_cloud *clouds[2] = {nullptr, nullptr};
    double start = seconds();
    for (int i = 0; i < 2; i++) {
        dent_cloud_def def = dent_cloud_def_default();
        def.positions = dent_positions_double(scans[i].points[0].data());
        def.point_count = uint32_t(scans[i].points.size());
        if (dent_cloud_create(context, &def, &clouds[i]) != DENT_OK) {
            std::exit(1);
        }
    }
    made.prepare_seconds = seconds() - start;
    dent_cloud_search_def def = dent_cloud_search_def_default();
    def.cloud_a = clouds[0];
    def.cloud_b = clouds[1];
    def.first_only = true;
    dent_cloud_search *search = nullptr;
    dent_cloud_search_create(context, &def, &search); /* both live as long as the program */
    made.decide = [search](const placement &at) {
        dent_cloud_result result;
        dent_cloud_search_begin(search, &at.torus, &at.ball, 1);
        dent_cloud_search_run(search, dent_budget_ns(INFINITY), &result);
        return result.answer == DENT_CLOUD_YES ? YES : result.answer == DENT_CLOUD_NO ? NO : UNKNOWN;
    };
    return made;
}

/* Is a point of one nearer to one of the other than the threshold? The tree stays; the other's points are brought to it. */
way threshold_way(const scan scans[2], double spacings)
{
    way made;
    char name[64];
    std::snprintf(name, sizeof name, "PCL, points within %.2g spacings", spacings);
    made.name = name;
    auto cloud = std::make_shared<pcl::PointCloud<pcl::PointXYZ>>();
    double start = seconds();
    for (const vec3 &p : scans[0].points) {
        cloud->push_back(pcl::PointXYZ(float(p[0]), float(p[1]), float(p[2])));
    }
    auto tree = std::make_shared<pcl::KdTreeFLANN<pcl::PointXYZ>>();
    tree->setInputCloud(cloud);
    made.prepare_seconds = seconds() - start;
    double most = spacings * std::max(scans[0].spacing, scans[1].spacing);
    made.decide = [tree, most, &scan = scans[1]](const placement &at) {
        dent_pose back = at.torus;
        for (int k = 1; k < 4; k++) {
            back.rotation[k] = -back.rotation[k];
        }
        std::vector<int> index(1);
        std::vector<float> square(1);
        for (const vec3 &p : scan.points) {
            vec3 world = turned(at.ball, p, true), local = turned(back, world, false);
            tree->nearestKSearch(pcl::PointXYZ(float(local[0]), float(local[1]), float(local[2])), 1, index, square);
            if (square[0] <= most * most) {
                return YES;
            }
        }
        return NO;
    };
    return made;
}

/* ---- meshes ------------------------------------------------------------------------------------------------------ */

struct mesh {
    std::vector<vec3> points;
    std::vector<uint32_t> corners;
};

way mesh_way(dent_context *context, const std::string &name, const scan scans[2],
             const std::function<mesh(const scan &)> &reconstruct)
{
    struct state {
        mesh meshes[2];
        std::vector<vec3> moved[2];
        dent_world *world;
    };
    way made;
    auto own = std::make_shared<state>();
    double start = seconds();
    for (int i = 0; i < 2; i++) {
        own->meshes[i] = reconstruct(scans[i]);
        own->moved[i] = own->meshes[i].points;
    }
    made.prepare_seconds = seconds() - start;
    made.name = name;
    std::printf("  %s: %zu and %zu triangles\n", name.c_str(), own->meshes[0].corners.size() / 3,
                own->meshes[1].corners.size() / 3);
    own->world = dent_world_create(context);
    for (int i = 0; i < 2; i++) {
        dent_body_def def = dent_surface_def_default();
        dent_body_id id;
        def.vertex_count = uint32_t(own->moved[i].size());
        def.element_count = uint32_t(own->meshes[i].corners.size() / 3);
        def.element_corners = own->meshes[i].corners.data();
        def.positions_t0 = dent_positions_double(own->moved[i][0].data());
        def.self_collision = false;
        if (dent_world_add_body(own->world, &def, &id) != DENT_OK) {
            std::printf("  %s\n", dent_world_message(own->world));
            std::exit(1);
        }
    }
    made.decide = [own](const placement &at) {
        for (int i = 0; i < 2; i++) {
            for (size_t v = 0; v < own->moved[i].size(); v++) {
                own->moved[i][v] = turned(i == 0 ? at.torus : at.ball, own->meshes[i].points[v], true);
            }
        }
        dent_query_def def = dent_query_def_default();
        dent_query_result result;
        def.questions = DENT_QUESTION_FACE_FACE;
        def.no_details = true;
        if (dent_world_query(own->world, &def, &result) != DENT_OK) {
            return UNKNOWN;
        }
        return dent_query_result_list(&result, DENT_QUESTION_FACE_FACE)->count > 0 ? YES : NO;
    };
    return made;
}

using kernel = CGAL::Exact_predicates_inexact_constructions_kernel;

/* Facets of the alpha complex that bound it or stand alone. */
mesh alpha_mesh(const scan &from, double radius)
{
    using vertex_base = CGAL::Alpha_shape_vertex_base_3<kernel, CGAL::Triangulation_vertex_base_with_info_3<uint32_t, kernel>>;
    using cell_base = CGAL::Alpha_shape_cell_base_3<kernel>;
    using delaunay = CGAL::Delaunay_triangulation_3<kernel, CGAL::Triangulation_data_structure_3<vertex_base, cell_base>>;
    using shape = CGAL::Alpha_shape_3<delaunay>;
    std::vector<std::pair<kernel::Point_3, uint32_t>> points;
    for (size_t i = 0; i < from.points.size(); i++) {
        const vec3 &p = from.points[i];
        points.push_back({kernel::Point_3(p[0], p[1], p[2]), uint32_t(i)});
    }
    delaunay triangulation(points.begin(), points.end());
    shape made(triangulation, radius * radius, shape::GENERAL);
    std::vector<shape::Facet> facets;
    made.get_alpha_shape_facets(std::back_inserter(facets), shape::REGULAR);
    made.get_alpha_shape_facets(std::back_inserter(facets), shape::SINGULAR);
    mesh out;
    out.points = from.points;
    for (const shape::Facet &facet : facets) {
        for (int k = 1; k < 4; k++) {
            out.corners.push_back(facet.first->vertex((facet.second + k) % 4)->info());
        }
    }
    return out;
}

mesh front_mesh(const scan &from)
{
    std::vector<kernel::Point_3> points;
    for (const vec3 &p : from.points) {
        points.push_back(kernel::Point_3(p[0], p[1], p[2]));
    }
    std::vector<std::array<size_t, 3>> facets;
    CGAL::advancing_front_surface_reconstruction(points.begin(), points.end(), std::back_inserter(facets));
    mesh out;
    out.points = from.points;
    for (const auto &facet : facets) {
        for (size_t corner : facet) {
            out.corners.push_back(uint32_t(corner));
        }
    }
    return out;
}

/* With the normals of the scan. */
mesh poisson_mesh(const scan &from)
{
    auto cloud = std::make_shared<pcl::PointCloud<pcl::PointNormal>>();
    for (size_t i = 0; i < from.points.size(); i++) {
        pcl::PointNormal point;
        for (int axis = 0; axis < 3; axis++) {
            point.data[axis] = float(from.points[i][axis]);
            point.data_n[axis] = float(from.normals[i][axis]);
        }
        cloud->push_back(point);
    }
    pcl::Poisson<pcl::PointNormal> poisson;
    int depth = 5; /* cells of about a spacing */
    while (std::ldexp(from.spacing, depth) < 3 && depth < 10) {
        depth++;
    }
    poisson.setDepth(depth);
    poisson.setInputCloud(cloud);
    poisson.setThreads(1);
    pcl::PointCloud<pcl::PointNormal> vertices;
    std::vector<pcl::Vertices> faces;
    poisson.performReconstruction(vertices, faces);
    mesh out;
    for (const auto &p : vertices) {
        out.points.push_back({p.x, p.y, p.z});
    }
    for (const auto &face : faces) {
        for (auto corner : face.vertices) {
            out.corners.push_back(uint32_t(corner));
        }
    }
    return out;
}

/* With normals that are estimated from 18 neighbours and oriented along a spanning tree. */
mesh poisson_mesh_of_points(const scan &from)
{
    using oriented = std::pair<kernel::Point_3, kernel::Vector_3>;
    std::vector<oriented> points;
    for (const vec3 &p : from.points) {
        points.push_back({kernel::Point_3(p[0], p[1], p[2]), kernel::Vector_3(0, 0, 0)});
    }
    auto maps = CGAL::parameters::point_map(CGAL::First_of_pair_property_map<oriented>())
                    .normal_map(CGAL::Second_of_pair_property_map<oriented>());
    CGAL::pca_estimate_normals<CGAL::Sequential_tag>(points, 18, maps);
    points.erase(CGAL::mst_orient_normals(points, 18, maps), points.end());
    scan with = {{}, {}, from.spacing};
    for (const oriented &each : points) {
        with.points.push_back({each.first.x(), each.first.y(), each.first.z()});
        with.normals.push_back({each.second.x(), each.second.y(), each.second.z()});
    }
    return poisson_mesh(with);
}

} // namespace

int main(int count, char **words)
{
    size_t points = count > 1 ? size_t(std::atol(words[1])) : 10000;
    int placements = count > 2 ? std::atoi(words[2]) : 400;
    double noise = count > 3 ? std::atof(words[3]) : 0.2, most = count > 4 ? std::atof(words[4]) : 4;
    dent_context_def context_def = dent_context_def_default();
    context_def.thread_count = 1;
    dent_context *context = dent_context_create(&context_def, nullptr);
    const scan scans[2] = {torus_scan(points, noise), ball_scan(points, noise)};
    double spacing = std::max(scans[0].spacing, scans[1].spacing);
    std::printf("%zu points each, noise %g spacings, %d placements, gaps of -%g to %g spacings\n", points, noise,
                placements, most, most);
    std::vector<way> ways;
    ways.push_back(dent_way(context, scans));
    for (double spacings : {0.25, 0.5, 1.0}) {
        ways.push_back(threshold_way(scans, spacings));
    }
    for (double radius : {1.5, 3.0}) {
        char name[64];
        std::snprintf(name, sizeof name, "CGAL alpha shape (%.2g spacings) + face-face", radius);
        ways.push_back(mesh_way(context, name, scans,
                                [radius](const scan &from) { return alpha_mesh(from, radius * from.spacing); }));
    }
    ways.push_back(mesh_way(context, "CGAL advancing front + face-face", scans, front_mesh));
    ways.push_back(mesh_way(context, "PCL Poisson, true normals + face-face", scans, poisson_mesh));
    ways.push_back(mesh_way(context, "PCL Poisson, CGAL's estimated normals + face-face", scans, poisson_mesh_of_points));
    dent_random random = dent_random_seeded(3);
    for (int i = 0; i < placements; i++) { /* interleaved */
        placement at = random_placement(&random, spacing, most);
        for (way &each : ways) {
            judge(&each, at, spacing);
        }
    }
    std::printf("| way | preparing both, s | a decision, ms | longest, ms | wrong yes | wrong no | unknown | wrong of %u "
                "with a gap over a spacing |\n|---|---|---|---|---|---|---|---|\n",
                ways[0].clear);
    for (const way &each : ways) {
        std::printf("| %s | %.3f | %.3f | %.2f | %u | %u | %u | %u |\n", each.name.c_str(), each.prepare_seconds,
                    1e3 * each.query_seconds / each.asked, 1e3 * each.worst_seconds, each.false_yes, each.false_no,
                    each.unknown, each.clear_wrong);
    }
    return 0;
}
