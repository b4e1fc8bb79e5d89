/* The calls of dent/view.h without a page: what they refuse, with which status, and that a refusal changes nothing; two
 * views at once; ports; a failing allocator; worlds that change. With pages: test_library.mjs. */
#include "support/cmocka_includes.h"
#include "support/failing_allocator.h"

#include <dent/dent.h>
#include <dent/view.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double corners[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
static const uint32_t tetrahedron[4] = {0, 1, 2, 3};

typedef struct stage {
    struct failing_allocator memory;
    dent_context *context;
    dent_world *world;
    char printed[1024];
} stage;

static void keep_line(void *user, const char *line)
{
    stage *made = user;
    size_t used = strlen(made->printed);
    snprintf(made->printed + used, sizeof made->printed - used, "%s\n", line);
}

static void open_stage(stage *made)
{
    memset(made, 0, sizeof *made);
    made->memory = failing_allocator_make();
    dent_context_def def = dent_context_def_default();
    def.allocator = failing_allocator_hook(&made->memory);
    def.thread_count = 1;
    made->context = dent_context_create(&def, NULL);
    made->world = dent_world_create(made->context);
    assert_non_null(made->world);
}

static void close_stage(stage *made)
{
    dent_world_destroy(made->world);
    dent_context_destroy(made->context);
    assert_true(failing_allocator_clean(&made->memory));
}

static dent_body_id add_body(stage *made, dent_positions positions)
{
    dent_body_def def = dent_solid_def_default();
    dent_body_id id;
    def.vertex_count = 4;
    def.element_count = 1;
    def.element_corners = tetrahedron;
    def.positions_t0 = positions;
    assert_int_equal(dent_world_add_body(made->world, &def, &id), DENT_OK);
    return id;
}

static dent_view_def quiet_def(stage *made)
{
    dent_view_def def = dent_view_def_default();
    def.no_browser = true;
    def.print = keep_line;
    def.user = made;
    return def;
}

static dent_view *open_view(stage *made)
{
    dent_view_def def = quiet_def(made);
    dent_view *view = NULL;
    assert_int_equal(dent_view_create(made->world, &def, &view), DENT_OK);
    assert_non_null(view);
    return view;
}

static void assert_message(const stage *made, const char *part)
{
    char message[512];
    dent_context_message(made->context, message, sizeof message);
    if (strstr(message, part) == NULL) {
        fail_msg("'%s' is not in '%s'", part, message);
    }
}

static uint16_t port_of(const dent_view *view)
{
    return (uint16_t)atoi(dent_view_address(view) + strlen("http://127.0.0.1:"));
}

static void two_views_of_one_world_have_addresses_of_their_own(void **state)
{
    (void)state;
    stage made;
    open_stage(&made);
    add_body(&made, dent_positions_double(corners));
    dent_view *first = open_view(&made), *second = open_view(&made);
    assert_string_not_equal(dent_view_address(first), dent_view_address(second));
    assert_int_not_equal(port_of(first), port_of(second));
    assert_non_null(strstr(made.printed, dent_view_address(first)));
    assert_non_null(strstr(made.printed, dent_view_address(second)));
    for (int i = 0; i < 100; i++) {
        assert_int_equal(dent_view_update(first, i), DENT_OK);
        assert_int_equal(dent_view_update(second, -i), DENT_OK);
    }
    dent_view_destroy(first);
    assert_int_equal(dent_view_update(second, 0), DENT_OK);
    assert_int_equal(dent_view_get_info(second).update_count, 101);
    assert_int_equal(dent_view_get_info(second).frames_made, 0); /* nobody looks */
    dent_view_destroy(second);
    close_stage(&made);
}

static void a_port_that_is_taken_is_an_error_that_names_it_and_leaves_the_first_view(void **state)
{
    (void)state;
    stage made;
    char port[16];
    open_stage(&made);
    dent_view *view = open_view(&made), *other = (dent_view *)&made;
    dent_view_def def = quiet_def(&made);
    def.port = port_of(view);
    assert_int_equal(dent_view_create(made.world, &def, &other), DENT_ERROR_FILE);
    assert_ptr_equal(other, &made);
    snprintf(port, sizeof port, ":%u:", (unsigned)def.port);
    assert_message(&made, port);
    assert_int_equal(dent_view_update(view, 1), DENT_OK);
    dent_view_destroy(view);
    assert_int_equal(dent_view_create(made.world, &def, &view), DENT_OK); /* it is free again */
    dent_view_destroy(view);
    close_stage(&made);
}

static void the_tunnel_is_told_in_an_ssh_session_alone_and_has_no_token(void **state)
{
    (void)state;
    stage made;
    char wanted[96];
    open_stage(&made);
    unsetenv("SSH_CONNECTION");
    dent_view *view = open_view(&made);
    assert_string_equal(dent_view_tunnel(view), "");
    assert_null(strstr(made.printed, "ssh"));
    dent_view_destroy(view);
    setenv("SSH_CONNECTION", "192.0.2.7 51234 198.51.100.9 2222", 1);
    setenv("USER", "ada", 1);
    view = open_view(&made);
    unsigned port = port_of(view);
    snprintf(wanted, sizeof wanted, "ssh -N -L %u:127.0.0.1:%u -p 2222 ada@198.51.100.9", port, port);
    assert_string_equal(dent_view_tunnel(view), wanted);
    assert_non_null(strstr(made.printed, wanted));
    dent_view_destroy(view);
    setenv("SSH_CONNECTION", "192.0.2.7 51234 $(reboot) 22", 1); /* it is there to be copied into a shell */
    view = open_view(&made);
    assert_string_equal(dent_view_tunnel(view), "");
    dent_view_destroy(view);
    unsetenv("SSH_CONNECTION");
    close_stage(&made);
}

static void bad_defs_are_refused(void **state)
{
    (void)state;
    stage made;
    char name[DENT_VIEW_NAME_MAX + 2];
    memset(name, 'a', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    open_stage(&made);
    dent_view *view = NULL;
    dent_view_def def = quiet_def(&made);
    def.struct_size--;
    assert_int_equal(dent_view_create(made.world, &def, &view), DENT_ERROR_INVALID_ARGUMENT);
    assert_message(&made, "dent_view_def_default");
    def = quiet_def(&made);
    def.title = name;
    assert_int_equal(dent_view_create(made.world, &def, &view), DENT_ERROR_INVALID_ARGUMENT);
    assert_message(&made, "title");
    def = quiet_def(&made);
    def.length_unit = "millimetres by far";
    assert_int_equal(dent_view_create(made.world, &def, &view), DENT_ERROR_INVALID_ARGUMENT);
    assert_message(&made, "length_unit");
    assert_int_equal(dent_view_create(NULL, NULL, &view), DENT_ERROR_INVALID_ARGUMENT);
    assert_null(view);
    close_stage(&made);
}

static void wrong_plots_are_refused_and_named(void **state)
{
    (void)state;
    stage made;
    open_stage(&made);
    dent_view *view = open_view(&made);
    double values[3] = {1, NAN, INFINITY};
    uint32_t plot = 77;
    assert_int_equal(dent_view_set_plot(view, 0, values), DENT_ERROR_INVALID_ARGUMENT);
    assert_message(&made, "plot 0: the view has 0 plots");
    assert_int_equal(dent_view_add_plot(view, "two", 2, &plot), DENT_ERROR_INVALID_ARGUMENT);
    assert_message(&made, "column_count");
    assert_int_equal(plot, 77);
    for (uint32_t i = 0; i < DENT_VIEW_PLOTS_MAX; i++) {
        assert_int_equal(dent_view_add_plot(view, "x, y and z", i % 2 == 0 ? 3 : 1, &plot), DENT_OK);
        assert_int_equal(plot, i);
        assert_int_equal(dent_view_set_plot(view, plot, values), DENT_OK); /* not finite: a gap, no error */
    }
    assert_int_equal(dent_view_add_plot(view, "one more", 1, &plot), DENT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(dent_view_set_plot(view, UINT32_MAX, values), DENT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(dent_view_update(view, 0), DENT_OK);
    dent_view_destroy(view);
    close_stage(&made);
}

static void wrong_markers_and_times_are_refused_and_named(void **state)
{
    (void)state;
    stage made;
    char text[DENT_VIEW_NAME_MAX + 2];
    memset(text, 'a', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    open_stage(&made);
    dent_view *view = open_view(&made);
    dent_view_marker markers[3] = {
        {.text = "first"}, {.kind = DENT_VIEW_ARROW, .b = {1, 2, 3}}, {.b = {NAN, NAN, NAN}}};
    assert_int_equal(dent_view_set_markers(view, markers, 3), DENT_OK); /* a point has no b */
    markers[2].kind = DENT_VIEW_SEGMENT;
    assert_int_equal(dent_view_set_markers(view, markers, 3), DENT_ERROR_BAD_NUMBER);
    assert_message(&made, "marker 2");
    markers[2].kind = DENT_VIEW_MARKER_KIND_COUNT;
    assert_int_equal(dent_view_set_markers(view, markers, 3), DENT_ERROR_INVALID_ARGUMENT);
    markers[2] = (dent_view_marker){.text = text};
    assert_int_equal(dent_view_set_markers(view, markers, 3), DENT_ERROR_INVALID_ARGUMENT);
    assert_message(&made, "text above");
    assert_int_equal(dent_view_set_markers(view, markers, DENT_VIEW_MARKERS_MAX + 1), DENT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(dent_view_set_markers(view, NULL, 0), DENT_OK);
    assert_int_equal(dent_view_update(view, NAN), DENT_ERROR_BAD_NUMBER);
    assert_int_equal(dent_view_update(view, INFINITY), DENT_ERROR_BAD_NUMBER);
    assert_int_equal(dent_view_get_info(view).update_count, 0);
    dent_view_destroy(view);
    close_stage(&made);
}

static void worlds_that_are_empty_grow_shrink_or_have_strange_positions_are_shown(void **state)
{
    (void)state;
    stage made;
    const float narrow[16] = {0, 0, 0, 9, 1, 0, 0, 9, 0, 1, 0, 9, 0, 0, 1, 9};
    double wild[12];
    memcpy(wild, corners, sizeof wild);
    wild[4] = NAN, wild[5] = INFINITY, wild[7] = 1e308;
    open_stage(&made);
    dent_view *view = open_view(&made);
    assert_int_equal(dent_view_update(view, 0), DENT_OK);
    dent_body_id first = add_body(&made, (dent_positions){narrow, 4 * sizeof(float), DENT_SCALAR_FLOAT});
    assert_int_equal(dent_view_update(view, 1), DENT_OK);
    add_body(&made, (dent_positions){0}); /* none yet */
    add_body(&made, dent_positions_double(wild));
    assert_int_equal(dent_view_update(view, 2), DENT_OK);
    assert_int_equal(dent_world_remove_body(made.world, first), DENT_OK);
    assert_int_equal(dent_view_update(view, 3), DENT_OK);
    assert_int_equal(dent_view_set_contacts(view, NULL), DENT_OK);
    assert_true(dent_view_wants_step(view)); /* nobody has paused it */
    dent_view_event event;
    assert_false(dent_view_next_event(view, &event));
    dent_view_destroy(view);
    close_stage(&made);
}

/* Whatever allocation fails: a status, the view goes on, and nothing is lost. Without pages a view makes no frames; what
 * is not met here is met with pages. */
static void every_allocation_may_fail(void **state)
{
    (void)state;
    bool reached = true;
    uint32_t refused = 0;
    for (uint64_t n = 1; reached; n++) {
        stage made;
        open_stage(&made);
        add_body(&made, dent_positions_double(corners));
        dent_view_def def = quiet_def(&made);
        dent_view *view = NULL;
        dent_view_marker markers[2] = {{.text = "one"}, {.text = "two"}};
        atomic_store(&made.memory.requests, 0);
        atomic_store(&made.memory.fail_once, 1);
        atomic_store(&made.memory.fail_at, n);
        dent_status status = dent_view_create(made.world, &def, &view);
        dent_status more = view != NULL ? dent_view_set_markers(view, markers, 2) : DENT_OK;
        atomic_store(&made.memory.fail_at, 0);
        reached = atomic_load(&made.memory.requests) >= n;
        assert_true(status == DENT_OK || (status == DENT_ERROR_OUT_OF_MEMORY && view == NULL));
        assert_true(more == DENT_OK || more == DENT_ERROR_OUT_OF_MEMORY);
        refused += status != DENT_OK || more != DENT_OK;
        if (view == NULL) {
            view = open_view(&made);
        }
        assert_int_equal(dent_view_set_markers(view, markers, 2), DENT_OK);
        assert_int_equal(dent_view_update(view, 0), DENT_OK);
        dent_view_destroy(view);
        close_stage(&made);
    }
    assert_true(refused >= 6);
    printf("%u allocations failed\n", refused);
}

int main(void)
{
    unsetenv("SSH_CONNECTION");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_views_of_one_world_have_addresses_of_their_own),
        cmocka_unit_test(a_port_that_is_taken_is_an_error_that_names_it_and_leaves_the_first_view),
        cmocka_unit_test(the_tunnel_is_told_in_an_ssh_session_alone_and_has_no_token),
        cmocka_unit_test(bad_defs_are_refused),
        cmocka_unit_test(wrong_plots_are_refused_and_named),
        cmocka_unit_test(wrong_markers_and_times_are_refused_and_named),
        cmocka_unit_test(worlds_that_are_empty_grow_shrink_or_have_strange_positions_are_shown),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
