/* sheet-flat, sheet-tilted, sheet-curved: the sheet of cloth-500k where nothing crosses, which is what most of a cloth
 * is most of the time.
 *
 * The sheet is stretched and sheared in its own plane by two waves that run across it, so that all positions change
 * from frame to frame and neighbours stay neighbours. `height` bends it into shallow waves; with 0 it is flat. `tilt`
 * turns it about an axis of the world. Flat and not tilted, every vertex has z = 0 exactly: all pairs of faces near one
 * another are coplanar to the last bit. Flat and tilted, they are coplanar but for rounding, which is the hardest case
 * for tests of signs. */
#include "scenes/elementary_functions.h"
#include "scenes/scene_table.h"


enum { FRAMES = 500, BENCHMARK_FRAMES = 40 };

enum { TILT, HEIGHT, PARAMETER_COUNT };

#define PARAMETERS(tilt, height)                                                                                       \
    {                                                                                                                  \
        {"tilt", "angle about the y axis, degrees; 0 lies in the plane z = 0", tilt, -180, 180},                       \
            {"height", "of the waves across the sheet, edges at scale 1; 0 is exactly flat before it is tilted",       \
             height, 0, 100},                                                                                          \
    }

static const dent_scene_parameter_info flat_parameters[PARAMETER_COUNT] = PARAMETERS(0, 0);
static const dent_scene_parameter_info tilted_parameters[PARAMETER_COUNT] = PARAMETERS(30, 0);
static const dent_scene_parameter_info curved_parameters[PARAMETER_COUNT] = PARAMETERS(0, 20);

static const double sheet_size = 500;

static dent_status build(dent_scene *scene)
{
    return scene_build_sheet(scene, sheet_size, "sheet");
}

/* The in-plane waves move a vertex by 3 edges at most and change lengths by 8 % at most. */
static void pose(const dent_scene *scene, uint32_t body, uint32_t frame, double *positions)
{
    (void)body;
    const double wave = 2 * SCENE_PI / sheet_size;
    double time = 2 * SCENE_PI * (frame % FRAMES) / FRAMES;
    double height = scene->parameters[HEIGHT];
    struct scene_sine_cosine tilt = scene_sine_cosine(scene->parameters[TILT] * (SCENE_PI / 180));
    const struct scene_mesh *mesh = &scene->meshes[0];
    for (size_t v = 0; v < mesh->vertex_count; v++) {
        double u = mesh->reference[3 * v], w = mesh->reference[3 * v + 1];
        double x = u + 3 * scene_sine(2 * wave * u + 5 * time);
        double y = w + 3 * scene_sine(wave * (u + w) + 7 * time);
        double z = 0;
        if (height > 0) {
            z = height * scene_cosine(wave * u + 3 * time) + 0.5 * height * scene_cosine(wave * (w - u) - 4 * time);
        }
        positions[3 * v] = x * tilt.cosine + z * tilt.sine;
        positions[3 * v + 1] = y;
        positions[3 * v + 2] = z * tilt.cosine - x * tilt.sine;
    }
}

#define SHEET_ROW(row_name, row_summary, row_parameters)                                                               \
    {                                                                                                                  \
        .info =                                                                                                        \
            {                                                                                                          \
                .name = row_name,                                                                                      \
                .summary = row_summary,                                                                                \
                .frame_count = FRAMES,                                                                                 \
                .benchmark_frames = BENCHMARK_FRAMES,                                                                  \
                .parameter_count = PARAMETER_COUNT,                                                                    \
                .parameters = row_parameters,                                                                          \
            },                                                                                                         \
        .build = build, .pose = pose,                                                                                  \
    }

const struct scene_row scene_sheet_flat =
    SHEET_ROW("sheet-flat", "one sheet of 500x500 squares in the plane z = 0, nothing crosses", flat_parameters);
const struct scene_row scene_sheet_tilted =
    SHEET_ROW("sheet-tilted", "the same sheet tilted: flat but for rounding", tilted_parameters);
const struct scene_row scene_sheet_curved =
    SHEET_ROW("sheet-curved", "the same sheet in shallow waves, nothing crosses", curved_parameters);
