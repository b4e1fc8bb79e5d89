/* Inside, outside or on: dent's two methods and CGAL's Side_of_triangle_mesh, the same points, interleaved, one thread,
 * CPU time per point. All answers are compared, and those of the two methods with each other.
 *
 *   bench_inside [--points N] [--rounds N] [--no-cgal] MESH...
 *
 * A third of the points lie anywhere in the box of the mesh, a third close to the surface, the rest on vertices and in the
 * middle of edges and faces as doubles give it. All trees are built before the clock starts and asked in every round; the
 * median counts. CGAL is asked the first 100,000 points. It answers closed manifold meshes that do not cross themselves;
 * other meshes are compared between the two methods only.
 */
#include <dent/dent.h>
#include <dent/inside.h>
#include <dent/mesh_io.h>

#include <CGAL/Exact_predicates_inexact_constructions_kernel.h>
#include <CGAL/Side_of_triangle_mesh.h>
#include <CGAL/Surface_mesh.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <memory>
#include <string>
#include <vector>

namespace {

typedef CGAL::Exact_predicates_inexact_constructions_kernel Kernel;
typedef CGAL::Surface_mesh<Kernel::Point_3> Mesh;

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

/* The surface faces of all bodies of a file; false: not closed. */
bool read_surface(dent_context *context, const char *path, surface &made)
{
    dent_mesh *mesh = nullptr;
    if (dent_mesh_read(context, path, nullptr, &mesh)) {
        return false;
    }
    dent_world *world = dent_world_create(context);
    std::vector<dent_body_id> ids(mesh->body_count);
    bool closed = !dent_mesh_add_to_world(mesh, world, ids.data());
    for (uint32_t b = 0; b < mesh->body_count && closed; b++) {
        dent_body_topology topology;
        dent_body_get_topology(world, ids[b], &topology);
        closed = topology.surface_closed && topology.surface_face_count > 0;
        uint32_t count, first = uint32_t(made.xyz.size() / 3);
        const dent_surface_face *faces = dent_body_surface_faces(world, ids[b], &count);
        std::vector<uint32_t> used(mesh->bodies[b].vertex_count, UINT32_MAX); /* inner vertices are left out */
        for (uint32_t f = 0; f < count; f++) {
            for (uint32_t corner : faces[f].corners) {
                if (used[corner] == UINT32_MAX) {
                    used[corner] = uint32_t(made.xyz.size() / 3);
                    const double *p = mesh->bodies[b].positions + 3 * corner;
                    made.xyz.insert(made.xyz.end(), p, p + 3);
                }
                made.corners.push_back(used[corner]);
            }
        }
        (void)first;
    }
    dent_world_destroy(world);
    dent_mesh_destroy(context, mesh);
    return closed;
}

std::vector<double> make_points(const surface &mesh, size_t count)
{
    dent_random random = dent_random_seeded(1);
    double low[3], high[3];
    for (size_t i = 0; i < mesh.xyz.size(); i++) {
        low[i % 3] = i < 3 ? mesh.xyz[i] : std::min(low[i % 3], mesh.xyz[i]);
        high[i % 3] = i < 3 ? mesh.xyz[i] : std::max(high[i % 3], mesh.xyz[i]);
    }
    std::vector<double> points(3 * count);
    for (size_t i = 0; i < count; i++) {
        const uint32_t *c = &mesh.corners[3 * dent_random_below(&random, uint32_t(mesh.corners.size() / 3))];
        const double *p[3] = {&mesh.xyz[3 * c[0]], &mesh.xyz[3 * c[1]], &mesh.xyz[3 * c[2]]};
        double u = dent_random_unit(&random), v = dent_random_unit(&random) * (1 - u);
        for (int axis = 0; axis < 3; axis++) {
            double width = high[axis] - low[axis], x = low[axis] + width * dent_random_unit(&random);
            double near = p[0][axis] + u * (p[1][axis] - p[0][axis]) + v * (p[2][axis] - p[0][axis]);
            switch (i % 9) {
            case 0: case 1: case 2: break;
            case 3: case 4: case 5: x = near + 0.01 * width * (dent_random_unit(&random) - 0.5); break;
            case 6: x = p[0][axis]; break;
            case 7: x = 0.5 * (p[0][axis] + p[1][axis]); break;
            default: x = near; break;
            }
            points[3 * i + axis] = x;
        }
    }
    return points;
}

struct answer {
    std::vector<uint8_t> places;
    double query = 0;
};

/* One method, made once as CGAL's tree is, and asked in every round. */
class dent_side
{
  public:
    double build;
    dent_side(dent_context *context, const surface &mesh, dent_inside_method method)
    {
        dent_inside_def def = dent_inside_def_default();
        def.positions = dent_positions_double(mesh.xyz.data());
        def.vertex_count = uint32_t(mesh.xyz.size() / 3);
        def.triangles = mesh.corners.data();
        def.triangle_count = uint32_t(mesh.corners.size() / 3);
        def.method = method;
        double start = cpu_seconds();
        if (dent_inside_create(context, &def, &inside)) {
            char text[512];
            dent_context_message(context, text, sizeof text);
            std::fprintf(stderr, "%s\n", text);
            std::exit(1);
        }
        build = cpu_seconds() - start;
    }
    ~dent_side() { dent_inside_destroy(inside); }
    answer ask(const std::vector<double> &points) const
    {
        answer made;
        made.places.resize(points.size() / 3);
        double start = cpu_seconds();
        dent_inside_classify(inside, dent_positions_double(points.data()), uint32_t(made.places.size()), made.places.data());
        made.query = cpu_seconds() - start;
        return made;
    }

  private:
    dent_inside *inside = nullptr;
};

class cgal_side
{
  public:
    explicit cgal_side(const surface &given)
    {
        for (size_t v = 0; v < given.xyz.size(); v += 3) {
            mesh.add_vertex(Kernel::Point_3(given.xyz[v], given.xyz[v + 1], given.xyz[v + 2]));
        }
        for (size_t f = 0; f < given.corners.size() && usable; f += 3) {
            usable = mesh.add_face(Mesh::Vertex_index(given.corners[f]), Mesh::Vertex_index(given.corners[f + 1]),
                                   Mesh::Vertex_index(given.corners[f + 2])) != Mesh::null_face();
        }
        if (usable) {
            side.reset(new CGAL::Side_of_triangle_mesh<Mesh, Kernel>(mesh));
            (*side)(Kernel::Point_3(0, 0, 0)); /* builds its tree */
        }
    }
    answer ask(const std::vector<double> &points, size_t count) const
    {
        answer made;
        made.places.resize(count);
        double start = cpu_seconds();
        for (size_t i = 0; i < count; i++) {
            CGAL::Bounded_side found = (*side)(Kernel::Point_3(points[3 * i], points[3 * i + 1], points[3 * i + 2]));
            made.places[i] = uint8_t(found == CGAL::ON_BOUNDED_SIDE     ? DENT_PLACE_IN
                                     : found == CGAL::ON_UNBOUNDED_SIDE ? DENT_PLACE_OUT
                                                                        : DENT_PLACE_ON);
        }
        made.query = cpu_seconds() - start;
        return made;
    }
    bool usable = true;

  private:
    Mesh mesh;
    std::unique_ptr<CGAL::Side_of_triangle_mesh<Mesh, Kernel>> side;
};

double median(std::vector<double> values)
{
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

size_t differing(const answer &a, const answer &b)
{
    size_t count = 0;
    for (size_t i = 0; i < std::min(a.places.size(), b.places.size()); i++) {
        count += a.places[i] != b.places[i];
    }
    return count;
}

/* Differences between the two methods. */
size_t race(dent_context *context, const char *path, size_t count, size_t rounds, bool with_cgal)
{
    surface mesh;
    if (!read_surface(context, path, mesh)) {
        std::printf("%s: not a closed mesh\n", path);
        return 0;
    }
    std::vector<double> points = make_points(mesh, count);
    std::unique_ptr<cgal_side> cgal;
    if (with_cgal) {
        cgal.reset(new cgal_side(mesh));
    }
    dent_side bsp_side(context, mesh, DENT_INSIDE_BSP), winding_side(context, mesh, DENT_INSIDE_WINDING);
    std::vector<double> bsp_times, winding_times, cgal_times;
    size_t differences = 0, cgal_differences = 0, cgal_count = std::min(count, size_t(100000));
    size_t on = 0, in = 0;
    for (size_t round = 0; round < rounds; round++) {
        answer bsp = bsp_side.ask(points);
        answer winding = winding_side.ask(points);
        differences = differing(bsp, winding);
        on = size_t(std::count(bsp.places.begin(), bsp.places.end(), DENT_PLACE_ON));
        in = size_t(std::count(bsp.places.begin(), bsp.places.end(), DENT_PLACE_IN));
        bsp_times.push_back(bsp.query / count * 1e9);
        winding_times.push_back(winding.query / count * 1e9);
        if (cgal && cgal->usable) {
            answer theirs = cgal->ask(points, cgal_count);
            cgal_times.push_back(theirs.query / cgal_count * 1e9);
            cgal_differences = differing(winding, theirs);
        }
    }
    const char *name = std::strrchr(path, '/') ? std::strrchr(path, '/') + 1 : path;
    std::printf("%-44s %7zu triangles %8zu points (%zu in, %zu on): bsp %6.1f ns (build %.0f ms), winding %6.1f ns (build "
                "%.1f ms), differences %zu",
                name, mesh.corners.size() / 3, count, in, on, median(bsp_times), 1e3 * bsp_side.build, median(winding_times),
                1e3 * winding_side.build, differences);
    if (!cgal_times.empty()) {
        std::printf("; CGAL %7.1f ns: bsp %.1fx, winding %.1fx, CGAL differs at %zu of %zu", median(cgal_times),
                    median(cgal_times) / median(bsp_times), median(cgal_times) / median(winding_times), cgal_differences,
                    cgal_count);
    }
    std::printf("\n");
    std::fflush(stdout);
    return differences;
}

} // namespace

int main(int argument_count, char **arguments)
{
    size_t points = 1000000, rounds = 3, differences = 0;
    bool with_cgal = true;
    dent_context_def def = dent_context_def_default();
    def.thread_count = 1;
    dent_context *context = dent_context_create(&def, nullptr);
    for (int i = 1; i < argument_count; i++) {
        if (!std::strcmp(arguments[i], "--points") && i + 1 < argument_count) {
            points = std::strtoul(arguments[++i], nullptr, 10);
        } else if (!std::strcmp(arguments[i], "--rounds") && i + 1 < argument_count) {
            rounds = std::strtoul(arguments[++i], nullptr, 10);
        } else if (!std::strcmp(arguments[i], "--no-cgal")) {
            with_cgal = false;
        } else {
            differences += race(context, arguments[i], points, rounds, with_cgal);
        }
    }
    dent_context_destroy(context);
    return differences != 0;
}
