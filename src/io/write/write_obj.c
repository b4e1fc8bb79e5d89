/* XYZ: a point a line, and Wavefront OBJ: "v x y z" lines, then "f a b c" or, for lines, "l a b …" lines; numbers from 1. No solids. */
#include "mesh_writers.h"
#include "output_file.h"

static void write_vertices(struct output_file *file, const dent_mesh_view *view)
{
    for (size_t v = 0; v < view->vertex_count; v++) {
        output_text(file, "v");
        for (int axis = 0; axis < 3; axis++) {
            output_text(file, " ");
            output_number(file, view->positions[3 * v + axis]);
        }
        output_text(file, "\n");
    }
}

dent_status write_xyz(dent_context *context, const char *path, const dent_mesh_view *view)
{
    struct output_file file;
    dent_status status = output_open(&file, context, path);
    if (status != DENT_OK) {
        return status;
    }
    for (size_t i = 0; i < 3 * (size_t)view->vertex_count; i++) {
        output_number(&file, view->positions[i]);
        output_text(&file, i % 3 == 2 ? "\n" : " ");
    }
    return output_close(&file);
}

static dent_status write_elements(dent_context *context, const char *path, const dent_mesh_view *view, const char *word,
                                  size_t corners)
{
    struct output_file file;
    dent_status status = output_open(&file, context, path);
    if (status != DENT_OK) {
        return status;
    }
    write_vertices(&file, view);
    for (size_t f = 0; f < view->element_count; f++) {
        output_text(&file, word);
        for (size_t c = 0; c < corners; c++) {
            output_text(&file, " ");
            output_decimal(&file, (uint64_t)view->element_corners[corners * f + c] + 1);
        }
        output_text(&file, "\n");
    }
    return output_close(&file);
}

static dent_status write_obj_strands(dent_context *context, const char *path, const dent_mesh_view *view)
{
    struct output_file file;
    dent_status status = output_open(&file, context, path);
    if (status != DENT_OK) {
        return status;
    }
    write_vertices(&file, view);
    for (uint32_t s = 0; s < view->strand_count; s++) {
        output_text(&file, "l");
        for (uint64_t v = view->first[s]; v < view->first[s + 1]; v++) {
            output_text(&file, " ");
            output_decimal(&file, v + 1);
        }
        output_text(&file, "\n");
    }
    return output_close(&file);
}

dent_status write_obj(dent_context *context, const char *path, const dent_mesh_view *view)
{
    if (view->kind == DENT_BODY_STRANDS) {
        return write_obj_strands(context, path, view);
    }
    return write_elements(context, path, view, "f", 3);
}

dent_status write_obj_lines(dent_context *context, const char *path, const dent_mesh_view *view)
{
    return write_elements(context, path, view, "l", 2);
}
