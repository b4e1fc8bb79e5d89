/* Wavefront OBJ: "v x y z" lines, then "f a b c" lines, numbers from 1. Surfaces only. */
#include "mesh_writers.h"
#include "output_file.h"

dent_status write_obj(dent_context *context, const char *path, const dent_mesh_view *view)
{
    struct output_file file;
    dent_status status = output_open(&file, context, path);
    if (status != DENT_OK) {
        return status;
    }
    for (size_t v = 0; v < view->vertex_count; v++) {
        output_text(&file, "v");
        for (int axis = 0; axis < 3; axis++) {
            output_text(&file, " ");
            output_number(&file, view->positions[3 * v + axis]);
        }
        output_text(&file, "\n");
    }
    for (size_t f = 0; f < view->element_count; f++) {
        output_text(&file, "f");
        for (int c = 0; c < 3; c++) {
            output_text(&file, " ");
            output_decimal(&file, (uint64_t)view->element_corners[3 * f + c] + 1);
        }
        output_text(&file, "\n");
    }
    return output_close(&file);
}
