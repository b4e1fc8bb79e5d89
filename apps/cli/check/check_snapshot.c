/* check_snapshot.c — draws the surfaces of all bodies, then lets the culprits that others hide shine through. */
#include "check_snapshot.h"

#include "picture_canvas.h"
#include "tool.h"

#include <math.h>
#include <string.h>

enum { WIDTH = 1200, HEIGHT = 800 };

/* Colours that stay apart for colour-blind readers (after Okabe and Ito), pale, so that culprits stand out. */
static const picture_color body_colors[] = {
    {0.91f, 0.88f, 0.80f}, {0.62f, 0.80f, 0.92f}, {0.58f, 0.83f, 0.74f}, {0.93f, 0.80f, 0.88f}, {0.80f, 0.80f, 0.84f},
};
static const picture_color culprit_color = {0.84f, 0.20f, 0.05f}, touching_color = {0.95f, 0.80f, 0.25f},
                           ring_color = {0, 0, 0};

static void bound(const loaded_world *loaded, double lo[3], double hi[3])
{
    for (int axis = 0; axis < 3; axis++) {
        lo[axis] = INFINITY;
        hi[axis] = -INFINITY;
    }
    for (uint32_t body_index = 0; body_index < loaded->body_count; body_index++) {
        const loaded_body *body = &loaded->bodies[body_index];
        for (size_t i = 0; i < 3 * (size_t)body->vertex_count; i++) {
            lo[i % 3] = fmin(lo[i % 3], body->positions[i]);
            hi[i % 3] = fmax(hi[i % 3], body->positions[i]);
        }
    }
}

/* Pass 0 draws all faces, pass 1 the marked ones again as a glow. `plain_only`: marks are not shown. */
static void draw_body(picture_canvas *canvas, const loaded_world *loaded, uint32_t body_index, int pass, bool plain_only)
{
    const loaded_body *body = &loaded->bodies[body_index];
    const uint8_t *marks = dent_check_element_marks(loaded->world, body->id);
    picture_color plain = body_colors[body_index % (sizeof body_colors / sizeof body_colors[0])];
    uint32_t count;
    const dent_surface_face *faces = dent_body_surface_faces(loaded->world, body->id, &count);
    for (uint32_t i = 0; i < count; i++) {
        const double *corner[3];
        for (int k = 0; k < 3; k++) {
            corner[k] = body->positions + 3 * (size_t)faces[i].corners[k];
        }
        uint8_t mark = marks != NULL && !plain_only ? marks[faces[i].cell] : DENT_MARK_NONE;
        if (pass == 0) {
            picture_color color = mark == DENT_MARK_OVERLAPPING ? culprit_color
                                  : mark == DENT_MARK_TOUCHING  ? touching_color
                                                                : plain;
            picture_triangle(canvas, corner[0], corner[1], corner[2], color);
        } else if (mark == DENT_MARK_OVERLAPPING) {
            picture_glow(canvas, corner[0], corner[1], corner[2], culprit_color, 0.12f);
        }
    }
}

static void draw_curves(picture_canvas *canvas, const crossing_curves *curves)
{
    for (uint32_t i = 0; i < curves->segment_count; i++) {
        const uint32_t *ends = curves->ends + 2 * (size_t)i;
        picture_line(canvas, curves->positions + 3 * (size_t)ends[0], curves->positions + 3 * (size_t)ends[1], 3,
                     culprit_color);
    }
}

/* With curves the bodies are plain, and the curves alone are red. */
static void draw(picture_canvas *canvas, const loaded_world *loaded, const dent_check_result *result,
                 const crossing_curves *curves)
{
    bool plain = curves->segment_count > 0;
    for (int pass = 0; pass < (plain ? 1 : 2); pass++) {
        for (uint32_t body_index = 0; body_index < loaded->body_count; body_index++) {
            draw_body(canvas, loaded, body_index, pass, plain);
        }
    }
    draw_curves(canvas, curves);
    for (uint64_t i = 0; !plain && i < result->pair_count; i++) {
        if (result->pairs[i].state == DENT_BODY_PAIR_PENETRATING) {
            picture_ring(canvas, result->pairs[i].deepest, 9, ring_color);
        }
    }
}

int check_snapshot_write(tool_session *session, const loaded_world *loaded, const dent_check_result *result,
                         const crossing_curves *curves)
{
    const tool_options *options = session->options;
    bool rotated = options_have(options, OPTION_VIEW);
    picture_canvas canvas;
    double lo[3], hi[3];
    int status = STATUS_GOOD;
    bound(loaded, lo, hi);
    if (picture_canvas_open(&canvas, session->context, WIDTH, HEIGHT, rotated ? options->azimuth : 35,
                            rotated ? options->elevation : 20, lo, hi)) {
        draw(&canvas, loaded, result, curves);
        dent_status written = picture_canvas_write(&canvas, options->picture);
        status = written == DENT_OK ? STATUS_GOOD : complain("--picture %s", session_message(session, written));
    } else {
        status = complain("--picture: out of memory");
    }
    picture_canvas_close(&canvas);
    return status;
}
