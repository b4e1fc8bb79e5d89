/* The only list of methods, and the rule by which AUTO chooses. A new method is one file and one row here. */
#include "methods/method_table.h"

static const struct method_row *const rows[] = {
    &brute_force_method,
    &sweep_method,
    &spatial_hash_method,
    &bucket_tree_method,
    &cluster_search_method,
};

const struct method_row *method_row_of(dent_method method)
{
    for (size_t row = 0; row < sizeof rows / sizeof rows[0]; row++) {
        if (rows[row]->method == method) {
            return rows[row];
        }
    }
    return NULL;
}

/* Below this many elements the sort of the sweep costs more than looking at every pair. */
enum { FEW_ELEMENTS = 16 };

const struct method_row *method_choose(const struct pose *pose, uint32_t questions, const char **reason)
{
    (void)questions;
    uint64_t elements = 0;
    for (uint32_t rank = 0; rank < pose->body_count; rank++) {
        elements += pose->bodies[rank].body->element_count;
    }
    if (elements <= FEW_ELEMENTS) {
        *reason = "at most 16 elements: looking at every pair is quickest";
        return &brute_force_method;
    }
    *reason = "more than 16 elements: sort and sweep";
    return &sweep_method;
}

const char *dent_method_name(dent_method method)
{
    if (method == DENT_METHOD_AUTO) {
        return "auto";
    }
    const struct method_row *row = method_row_of(method);
    return row ? row->name : NULL;
}

const char *dent_method_summary(dent_method method)
{
    if (method == DENT_METHOD_AUTO) {
        return "chooses by what the bodies look like, and says why in the counters";
    }
    const struct method_row *row = method_row_of(method);
    return row ? row->summary : NULL;
}

uint32_t dent_method_questions(dent_method method)
{
    if (method == DENT_METHOD_AUTO) {
        return DENT_QUESTION_VERTEX_CELL | DENT_QUESTION_FACE_CELL | DENT_QUESTION_FACE_FACE;
    }
    const struct method_row *row = method_row_of(method);
    return row ? row->questions : 0;
}
