/* paper_depth.c — what "Consistent Penetration Depth Estimation for Deformable Collision Response" (Heidelberger,
 * Teschner, Keiser, Mueller, Gross 2004) is about, in numbers: a bar slides through a table past its middle, and the
 * push that a vertex gets, depth times direction, is compared with that of the nearest surface point; and a cut through
 * both with the pushes as arrows. */
#include "paper_stage.h"

#include "tool.h"
#include "tool_vectors.h"

#include <dent/contact.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- two blocks ------------------------------------------------------------------------------------------ */

enum { TABLE_X = 28, TABLE_Y = 10, TABLE_Z = 8, BAR_X = 3, BAR_Y = 3, BAR_Z = 9 };

typedef struct depth_block {
    uint32_t vertex_count, cell_count;
    double (*xyz)[3], (*rest)[3];
    uint32_t *cells;
} depth_block;

static void block_release(dent_context *context, depth_block *block)
{
    dent_release(context, block->xyz, block->vertex_count, sizeof *block->xyz);
    dent_release(context, block->rest, block->vertex_count, sizeof *block->rest);
    dent_release(context, block->cells, block->cell_count, 4 * sizeof *block->cells);
}

/* nx * ny * nz cubes of the given size, six tetrahedra each. */
static bool block_build(dent_context *context, depth_block *block, uint32_t nx, uint32_t ny, uint32_t nz, double size)
{
    static const uint8_t paths[6][4] = {{0, 1, 3, 7}, {0, 2, 6, 7}, {0, 4, 5, 7},
                                        {0, 3, 2, 7}, {0, 6, 4, 7}, {0, 5, 1, 7}};
    block->vertex_count = (nx + 1) * (ny + 1) * (nz + 1);
    block->cell_count = 6 * nx * ny * nz;
    block->xyz = dent_allocate(context, block->vertex_count, sizeof *block->xyz);
    block->rest = dent_allocate(context, block->vertex_count, sizeof *block->rest);
    block->cells = dent_allocate(context, block->cell_count, 4 * sizeof *block->cells);
    if (!block->xyz || !block->rest || !block->cells) {
        return false;
    }
    uint32_t *corner = block->cells, vertex = 0;
    for (uint32_t z = 0; z <= nz; z++) {
        for (uint32_t y = 0; y <= ny; y++) {
            for (uint32_t x = 0; x <= nx; x++, vertex++) {
                block->rest[vertex][0] = size * x;
                block->rest[vertex][1] = size * y;
                block->rest[vertex][2] = size * z;
                for (int i = 0; i < 24 && x < nx && y < ny && z < nz; i++) {
                    uint8_t at = paths[i / 4][i % 4];
                    *corner++ = vertex + (at & 1) + (at >> 1 & 1) * (nx + 1) + (at >> 2) * (nx + 1) * (ny + 1);
                }
            }
        }
    }
    return true;
}

typedef struct depth_stage {
    dent_context *context;
    depth_block table, bar;
    dent_world *world;
    dent_body_id table_id;
} depth_stage;

static void add_block(depth_stage *stage, const depth_block *block, dent_body_id *id, dent_status *status)
{
    dent_body_def def = dent_solid_def_default();
    def.vertex_count = block->vertex_count;
    def.element_count = block->cell_count;
    def.element_corners = block->cells;
    def.positions_t0 = dent_positions_double(block->xyz[0]);
    *status = *status == DENT_OK ? dent_world_add_body(stage->world, &def, id) : *status;
}

static void stage_close(depth_stage *stage)
{
    dent_world_destroy(stage->world);
    block_release(stage->context, &stage->table);
    block_release(stage->context, &stage->bar);
}

/* The table is 14 by 5 by 4 with three low hills; the bar 1 by 1 by 4. */
static bool stage_open(depth_stage *stage, dent_context *context)
{
    memset(stage, 0, sizeof *stage);
    stage->context = context;
    bool built = block_build(context, &stage->table, TABLE_X, TABLE_Y, TABLE_Z, 0.5) &&
                 block_build(context, &stage->bar, BAR_X, BAR_Y, BAR_Z, 1.0 / 3);
    stage->world = built ? dent_world_create(context) : NULL;
    if (!stage->world) {
        stage_close(stage);
        return false;
    }
    for (uint32_t v = 0; v < stage->table.vertex_count; v++) {
        const double *p = stage->table.rest[v];
        double height = 0;
        for (int hill = 0; hill < 3; hill++) {
            double x = p[0] - (3 + 4 * hill), y = p[1] - 2.5;
            height += 0.4 / (1 + 0.5 * (x * x + y * y));
        }
        memcpy(stage->table.xyz[v], p, sizeof stage->table.xyz[v]);
        stage->table.xyz[v][2] *= 1 + height / 4;
    }
    memcpy(stage->bar.xyz, stage->bar.rest, stage->bar.vertex_count * sizeof *stage->bar.xyz);
    dent_status status = DENT_OK;
    dent_body_id ignored;
    add_block(stage, &stage->bar, &ignored, &status);
    add_block(stage, &stage->table, &stage->table_id, &status);
    if (status != DENT_OK) {
        stage_close(stage);
    }
    return status == DENT_OK;
}

/* t from 0 to 1: along the table, from above its middle to below, a little askew. */
static void stage_pose(depth_stage *stage, double t)
{
    for (uint32_t v = 0; v < stage->bar.vertex_count; v++) {
        const double *p = stage->bar.rest[v];
        stage->bar.xyz[v][0] = 2 + 9 * t + p[0] - 0.03 * p[2];
        stage->bar.xyz[v][1] = 2.03 + p[1] + 0.02 * p[0];
        stage->bar.xyz[v][2] = 2.6 - 1.2 * t + p[2] + 0.01 * p[1];
    }
}

/* ---- the nearest point of the surface -------------------------------------------------------------------- */

static double clamped(double value)
{
    return value < 0 ? 0 : value > 1 ? 1 : value;
}

/* Nearest point of the triangle: inside, if the foot of p is, else on the nearest side. */
static double nearest_on_triangle(const double p[3], const double *const c[3], double out[3])
{
    double u[3], v[3], w[3];
    for (int k = 0; k < 3; k++) {
        u[k] = c[1][k] - c[0][k];
        v[k] = c[2][k] - c[0][k];
        w[k] = p[k] - c[0][k];
    }
    double uu = tool_dot(u, u), uv = tool_dot(u, v), vv = tool_dot(v, v), wu = tool_dot(w, u), wv = tool_dot(w, v), det = uu * vv - uv * uv;
    double a = (vv * wu - uv * wv) / det, b = (uu * wv - uv * wu) / det, best = INFINITY;
    if (a >= 0 && b >= 0 && a + b <= 1) {
        for (int k = 0; k < 3; k++) {
            out[k] = c[0][k] + a * u[k] + b * v[k];
        }
        return sqrt((p[0] - out[0]) * (p[0] - out[0]) + (p[1] - out[1]) * (p[1] - out[1]) +
                    (p[2] - out[2]) * (p[2] - out[2]));
    }
    for (int side = 0; side < 3; side++) {
        const double *s = c[side], *t = c[(side + 1) % 3];
        double along[3], from[3], here[3], away[3];
        for (int k = 0; k < 3; k++) {
            along[k] = t[k] - s[k];
            from[k] = p[k] - s[k];
        }
        double share = clamped(tool_dot(from, along) / tool_dot(along, along));
        for (int k = 0; k < 3; k++) {
            here[k] = s[k] + share * along[k];
            away[k] = p[k] - here[k];
        }
        double distance = sqrt(tool_dot(away, away));
        if (distance < best) {
            best = distance;
            memcpy(out, here, sizeof here);
        }
    }
    return best;
}

/* The push to the nearest surface point of the table: depth times direction. */
static void nearest_push(const depth_stage *stage, const double p[3], double push[3])
{
    uint32_t count;
    const dent_surface_face *faces = dent_body_surface_faces(stage->world, stage->table_id, &count);
    double best = INFINITY;
    for (uint32_t i = 0; i < count; i++) {
        const double *corners[3] = {stage->table.xyz[faces[i].corners[0]], stage->table.xyz[faces[i].corners[1]],
                                    stage->table.xyz[faces[i].corners[2]]};
        double here[3], distance = nearest_on_triangle(p, corners, here);
        if (distance < best) {
            best = distance;
            for (int k = 0; k < 3; k++) {
                push[k] = here[k] - p[k];
            }
        }
    }
}

static const dent_contact *contact_of(const dent_contacts *contacts, uint32_t vertex)
{
    for (uint64_t i = 0; i < contacts->count; i++) {
        const dent_contact *contact = &contacts->contacts[i];
        if (contact->kind == DENT_CONTACT_VERTEX_CELL && contact->body_a == 0 && contact->feature_a == vertex) {
            return contact;
        }
    }
    return NULL;
}

static double distance(const double a[3], const double b[3])
{
    double difference[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
    return sqrt(tool_dot(difference, difference));
}

/* ---- sliding --------------------------------------------------------------------------------------------- */

enum { SLIDE_LIMIT = 2000 };

typedef struct slide_curves {
    uint32_t count;
    double x[SLIDE_LIMIT], ours[SLIDE_LIMIT], nearest[SLIDE_LIMIT];
    double way, jump, nearest_jump; /* of a step; largest changes of the push from one step to the next */
} slide_curves;

static int slide(paper_run *run, depth_stage *stage, slide_curves *curves)
{
    uint32_t steps = paper_steps(run, 600), vertex = (BAR_Y + 1) + 1; /* in the lowest layer, not on a side */
    steps = steps < 2 ? 2 : steps > SLIDE_LIMIT ? SLIDE_LIMIT : steps;
    double last[3] = {0, 0, 0}, last_nearest[3] = {0, 0, 0}, last_place[3] = {0, 0, 0};
    for (uint32_t step = 0; step < steps; step++) {
        dent_contacts_def def = dent_contacts_def_default();
        dent_contacts contacts;
        stage_pose(stage, (double)step / (steps - 1));
        if (dent_world_find_contacts(stage->world, &def, &contacts) != DENT_OK) {
            return complain("paper: %s", dent_world_message(stage->world));
        }
        const dent_contact *contact = contact_of(&contacts, vertex);
        double push[3] = {0, 0, 0}, nearest[3];
        for (int k = 0; contact && k < 3; k++) {
            push[k] = -contact->gap * contact->normal[k];
        }
        const double *p = stage->bar.xyz[vertex];
        nearest_push(stage, p, nearest);
        printer_format(&run->file, "%u,%.6g,%.6g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%s\n", step, p[0], p[2], push[0],
                       push[1], push[2], nearest[0], nearest[1], nearest[2],
                       contact ? dent_contact_source_name(contact->source) : "none");
        if (step > 0) {
            curves->way = fmax(curves->way, distance(p, last_place));
            curves->jump = fmax(curves->jump, distance(push, last));
            curves->nearest_jump = fmax(curves->nearest_jump, distance(nearest, last_nearest));
        }
        memcpy(last, push, sizeof last);
        memcpy(last_nearest, nearest, sizeof last_nearest);
        memcpy(last_place, p, sizeof last_place);
        curves->x[step] = p[0];
        curves->ours[step] = push[2];
        curves->nearest[step] = nearest[2];
        curves->count = step + 1;
    }
    return STATUS_GOOD;
}

static int make_sliding(paper_run *run)
{
    static slide_curves curves;
    depth_stage stage;
    memset(&curves, 0, sizeof curves);
    if (!stage_open(&stage, run->session->context)) {
        return complain("paper: out of memory");
    }
    int status = paper_file_open(run, "depth-sliding", "csv");
    if (status == STATUS_GOOD) {
        printer_text(&run->file, "step,x,z,push_x,push_y,push_z,nearest_x,nearest_y,nearest_z,source\n");
        status = slide(run, &stage, &curves);
        int closed = paper_file_close(run);
        status = status == STATUS_GOOD ? closed : status;
    }
    stage_close(&stage);
    if (status == STATUS_GOOD && (status = paper_file_open(run, "depth-sliding", "svg")) == STATUS_GOOD) {
        line_series series[2] = {
            {"consistent depth", curves.count, curves.x, curves.ours, NULL, NULL, false, false, false},
            {"nearest surface point", curves.count, curves.x, curves.nearest, NULL, NULL, false, true, false}};
        line_chart chart = {"A bar slides through a table, past its middle",
                            "place of a vertex along the table",
                            "upward push: depth times direction",
                            false,
                            false,
                            2,
                            series};
        line_chart_write(&chart, &run->file);
        status = paper_file_close(run);
    }
    printer_format(
        run->session->out,
        "steps %u of length %.4f: the push changes by at most %.4f (%.2f times the way); to the nearest point "
        "%.4f (%.0f times)\n",
        curves.count, curves.way, curves.jump, curves.jump / curves.way, curves.nearest_jump,
        curves.nearest_jump / curves.way);
    return status;
}

/* ---- arrows ---------------------------------------------------------------------------------------------- */

enum { PANEL_WIDTH = 460, PANEL_HEIGHT = 330, PIXELS = 56 };

static void panel_point(int panel, const double p[3], double *x, double *y)
{
    *x = panel * PANEL_WIDTH + (p[0] - 3) * PIXELS + 20;
    *y = PANEL_HEIGHT - 20 - p[2] * PIXELS;
}

static void draw_line(printer *file, int panel, const double a[3], const double b[3], const char *style)
{
    double x0, y0, x1, y1;
    panel_point(panel, a, &x0, &y0);
    panel_point(panel, b, &x1, &y1);
    printer_format(file, "<path d=\"M%.1f %.1fL%.1f %.1f\" %s/>\n", x0, y0, x1, y1, style);
}

/* The layer of the table through the bar, seen along y: its cells' outlines. */
static void draw_bodies(printer *file, const depth_stage *stage, int panel)
{
    for (uint32_t x = 0; x <= TABLE_X; x++) {
        for (uint32_t z = 0; z <= TABLE_Z; z++) {
            uint32_t at = (z * (TABLE_Y + 1) + TABLE_Y / 2) * (TABLE_X + 1) + x;
            const double *p = stage->table.xyz[at];
            if (p[0] < 2.9 || p[0] > 10.1) {
                continue;
            }
            if (x < TABLE_X && stage->table.xyz[at + 1][0] < 10.1) {
                draw_line(file, panel, p, stage->table.xyz[at + 1], "stroke=\"#ccc\"");
            }
            if (z < TABLE_Z) {
                draw_line(file, panel, p, stage->table.xyz[at + (TABLE_X + 1) * (TABLE_Y + 1)], "stroke=\"#ccc\"");
            }
        }
    }
    for (uint32_t x = 0; x <= BAR_X; x++) {
        for (uint32_t z = 0; z <= BAR_Z; z++) {
            uint32_t at = (z * (BAR_Y + 1) + 1) * (BAR_X + 1) + x;
            if (x < BAR_X) {
                draw_line(file, panel, stage->bar.xyz[at], stage->bar.xyz[at + 1], "stroke=\"#8a8\"");
            }
            if (z < BAR_Z) {
                draw_line(file, panel, stage->bar.xyz[at], stage->bar.xyz[at + (BAR_X + 1) * (BAR_Y + 1)],
                          "stroke=\"#8a8\"");
            }
        }
    }
}

static void draw_arrow(printer *file, int panel, const double p[3], const double push[3], const char *color)
{
    double to[3] = {p[0] + push[0], p[1] + push[1], p[2] + push[2]}, x, y;
    char style[96];
    snprintf(style, sizeof style, "stroke=\"%s\" stroke-width=\"1.6\" marker-end=\"url(#tip)\"", color);
    draw_line(file, panel, p, to, style);
    panel_point(panel, p, &x, &y);
    printer_format(file, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"2.2\" fill=\"%s\"/>\n", x, y, color);
}

static void draw_panels(printer *file, const depth_stage *stage, const dent_contacts *contacts)
{
    printer_format(
        file,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" "
        "font-family=\"sans-serif\" font-size=\"13\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n"
        "<defs><marker id=\"tip\" markerWidth=\"7\" markerHeight=\"7\" refX=\"5\" refY=\"2.5\" orient=\"auto\">"
        "<path d=\"M0 0L5 2.5L0 5z\"/></marker></defs>\n",
        2 * PANEL_WIDTH, PANEL_HEIGHT, 2 * PANEL_WIDTH, PANEL_HEIGHT);
    for (int panel = 0; panel < 2; panel++) {
        draw_bodies(file, stage, panel);
        for (uint32_t v = 0; v < stage->bar.vertex_count; v++) {
            const dent_contact *contact = contact_of(contacts, v);
            double push[3], nearest[3];
            if (!contact || v / (BAR_X + 1) % (BAR_Y + 1) != 1) {
                continue; /* one layer */
            }
            for (int k = 0; k < 3; k++) {
                push[k] = -contact->gap * contact->normal[k];
            }
            nearest_push(stage, contact->point_a, nearest);
            draw_arrow(file, panel, contact->point_a, panel ? nearest : push, panel ? "#b5443c" : "#1b6ca8");
        }
        printer_format(file, "<text x=\"%d\" y=\"20\" text-anchor=\"middle\" font-weight=\"bold\">%s</text>\n",
                       panel * PANEL_WIDTH + PANEL_WIDTH / 2, panel ? "nearest surface point" : "consistent depth");
    }
    printer_text(file, "</svg>\n");
}

static int make_directions(paper_run *run)
{
    depth_stage stage;
    dent_contacts_def def = dent_contacts_def_default();
    dent_contacts contacts;
    if (!stage_open(&stage, run->session->context)) {
        return complain("paper: out of memory");
    }
    stage_pose(&stage, 0.42);
    int status = dent_world_find_contacts(stage.world, &def, &contacts) == DENT_OK
                     ? STATUS_GOOD
                     : complain("paper: %s", dent_world_message(stage.world));
    if (status == STATUS_GOOD && (status = paper_file_open(run, "depth-directions", "csv")) == STATUS_GOOD) {
        uint32_t points = 0;
        printer_text(&run->file, "vertex,push_x,push_y,push_z,nearest_x,nearest_y,nearest_z\n");
        for (uint32_t v = 0; v < stage.bar.vertex_count; v++) {
            const dent_contact *contact = contact_of(&contacts, v);
            double nearest[3];
            if (contact) {
                points++;
                nearest_push(&stage, contact->point_a, nearest);
                printer_format(&run->file, "%u,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g\n", v, -contact->gap * contact->normal[0],
                               -contact->gap * contact->normal[1], -contact->gap * contact->normal[2], nearest[0],
                               nearest[1], nearest[2]);
            }
        }
        status = paper_file_close(run);
        printer_format(run->session->out, "%u vertices inside\n", points);
    }
    if (status == STATUS_GOOD && (status = paper_file_open(run, "depth-directions", "svg")) == STATUS_GOOD) {
        draw_panels(&run->file, &stage, &contacts);
        status = paper_file_close(run);
    }
    stage_close(&stage);
    return status;
}

const paper_figure figure_depth_sliding = {
    "depth-sliding", "penetration depth: the push on a vertex that slides past the middle, and to the nearest point",
    make_sliding};
const paper_figure figure_depth_directions = {
    "depth-directions", "penetration depth: pushes in a cut, and those to the nearest point", make_directions};
