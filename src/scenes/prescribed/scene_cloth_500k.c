/* cloth-500k: one sheet of 500 x 500 squares, half a million triangles, crumpled until it crosses itself.
 *
 * The sheet carries a handful of waves that move every point along a circle in the wave's own plane, as water waves do;
 * where the crests of several meet, they are so steep that the sheet turns over and passes through itself. All wave
 * vectors fit a whole number of times on the sheet and all waves glide along together, so every frame shows the same
 * crumpled pattern at another place of the sheet: the number of crossing pairs hardly changes. The whole sheet also
 * hangs and rocks.
 *
 * The sheet keeps its size; the scale changes how finely it is cut. The steepness is chosen for about 10,000 crossing
 * pairs at scale 1; at other scales their number grows with the square root of the number of triangles. */
#include "scenes/elementary_functions.h"
#include "scenes/scene_table.h"

#include <math.h>

enum { FRAMES = 500, BENCHMARK_FRAMES = 40, WAVES = 7 };

enum { CRUMPLE, PARAMETER_COUNT };

static const dent_scene_parameter_info parameters[PARAMETER_COUNT] = {
    {"crumple", "steepness of the waves, times the usual one; 0 is a flat sheet, below about 0.5 nothing crosses", 1, 0,
     2},
};

static const double sheet_size = 500;

/* Found with the counting loop of tests/scenes: 10,000 crossing pairs in the mean over the benchmark frames. */
static const double steepness = 0.648;

struct wave {
    int across, along; /* waves over the sheet in its two directions */
    double phase;      /* radians */
    double share;      /* of the steepness */
};

static const struct wave waves[WAVES] = {
    {5, 1, 0.3, 1.0},  {-2, 5, 1.7, 1.0}, {3, -4, 4.1, 0.9}, {4, 4, 2.6, 0.8},
    {-7, 3, 5.4, 0.5}, {1, 8, 0.9, 0.5},  {9, -6, 3.3, 0.4},
};

static dent_status build(dent_scene *scene)
{
    return scene_build_sheet(scene, sheet_size, "cloth");
}

struct wave_now {
    double x, y;         /* wave vector, radians per length */
    double phase;        /* in this frame */
    double out_x, out_y; /* amplitude in the sheet */
    double up;           /* amplitude across the sheet */
};

static void waves_at(const dent_scene *scene, uint32_t frame, struct wave_now now[WAVES])
{
    for (int w = 0; w < WAVES; w++) {
        double vector[2] = {2 * SCENE_PI * waves[w].across / sheet_size, 2 * SCENE_PI * waves[w].along / sheet_size};
        double length = sqrt(vector[0] * vector[0] + vector[1] * vector[1]);
        double radius = scene->parameters[CRUMPLE] * steepness * waves[w].share / length;
        /* All waves move by the same piece of the sheet in a frame: 3 in one direction while 1 in the other. */
        double moved = 2 * SCENE_PI * (frame % FRAMES) / FRAMES * (waves[w].across + 3 * waves[w].along);
        now[w] = (struct wave_now){
            .x = vector[0],
            .y = vector[1],
            .phase = waves[w].phase - moved,
            .out_x = -radius * vector[0] / length,
            .out_y = -radius * vector[1] / length,
            .up = radius,
        };
    }
}

static void pose(const dent_scene *scene, uint32_t body, uint32_t frame, double *positions)
{
    (void)body;
    struct wave_now now[WAVES];
    waves_at(scene, frame, now);
    double time = 2 * SCENE_PI * (frame % FRAMES) / FRAMES;
    struct scene_sine_cosine rock = scene_sine_cosine(0.2 * scene_sine(time));
    const struct scene_mesh *mesh = &scene->meshes[0];
    for (size_t v = 0; v < mesh->vertex_count; v++) {
        double x = mesh->reference[3 * v], y = mesh->reference[3 * v + 1], z = 0;
        double at_x = x, at_y = y;
        for (int w = 0; w < WAVES; w++) {
            struct scene_sine_cosine turn = scene_sine_cosine((now[w].x * at_x + now[w].y * at_y) + now[w].phase);
            x += now[w].out_x * turn.sine;
            y += now[w].out_y * turn.sine;
            z += now[w].up * turn.cosine;
        }
        positions[3 * v] = x * rock.cosine + z * rock.sine;
        positions[3 * v + 1] = y;
        positions[3 * v + 2] = z * rock.cosine - x * rock.sine;
    }
}

const struct scene_row scene_cloth_500k = {
    .info =
        {
            .name = "cloth-500k",
            .summary = "one sheet of 500x500 squares crumpled until it crosses itself",
            .frame_count = FRAMES,
            .benchmark_frames = BENCHMARK_FRAMES,
            .parameter_count = PARAMETER_COUNT,
            .parameters = parameters,
        },
    .build = build,
    .pose = pose,
};
