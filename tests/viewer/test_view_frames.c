/* Frames of the viewer when memory is short: contacts and questions fail, what can be seen is sent all the same. The
 * model's view_frames.c alone, with a source of two tetrahedra; messages have memory of their own. */
#include "support/cmocka_includes.h"
#include "support/failing_allocator.h"

#include "../apps/viewer/model/view_frames.h"

#include <string.h>

static const double positions[2][12] = {{0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1},
                                        {0.1, 0.1, 0.1, 1.1, 0.1, 0.1, 0.1, 1.1, 0.1, 0.1, 0.1, 1.1}};

static int find_contacts(view_source *source)
{
    dent_contacts_def def = dent_contacts_def_default();
    dent_contacts found;
    if (dent_world_find_contacts(source->world, &def, &found) != DENT_OK) {
        return view_fail(source, "%s", dent_world_message(source->world));
    }
    source->facts.contact_count = found.count;
    source->facts.push = found.scale_depth;
    return VIEW_GOOD;
}

typedef struct stage {
    struct failing_allocator memory;
    dent_context *context;
    view_source source;
    view_body bodies[2];
    uint32_t shown[4];
} stage;

static void open_stage(stage *made)
{
    static const uint32_t corners[4] = {0, 1, 2, 3};
    memset(made, 0, sizeof *made);
    made->memory = failing_allocator_make();
    dent_context_def def = dent_context_def_default();
    def.allocator = failing_allocator_hook(&made->memory);
    def.thread_count = 1;
    made->context = dent_context_create(&def, NULL);
    assert_non_null(made->context);
    view_source *source = &made->source;
    source->context = made->context;
    source->world = dent_world_create(made->context);
    source->bodies = made->bodies;
    source->body_count = 2;
    source->find_contacts = find_contacts;
    source->unit = source->per_unit = 1;
    for (uint32_t i = 0; i < 2; i++) {
        view_body *body = &made->bodies[i];
        dent_body_def solid = dent_solid_def_default();
        solid.positions_t0 = dent_positions_double(positions[i]);
        solid.vertex_count = 4;
        solid.element_corners = corners;
        solid.element_count = 1;
        assert_int_equal(dent_world_add_body(source->world, &solid, &body->id), DENT_OK);
        made->shown[i] = i;
        made->shown[i + 2] = i + 2;
        body->positions = positions[i];
        body->vertex_count = body->shown_count = 4;
        body->shown_vertices = made->shown;
    }
    for (uint32_t i = 0; i < 2; i++) {
        made->bodies[i].faces = dent_body_surface_faces(source->world, made->bodies[i].id, &made->bodies[i].face_count);
    }
}

static void close_stage(stage *made)
{
    dent_world_destroy(made->source.world);
    dent_context_destroy(made->context);
    assert_true(failing_allocator_clean(&made->memory));
}

static view_frame_header header_of(const view_message *message)
{
    view_frame_header header;
    memcpy(&header, message->bytes, sizeof header);
    return header;
}

static int find_none(view_source *source)
{
    source->facts.contact_count = 0;
    return VIEW_GOOD;
}

/* Makes a frame with every single allocation failing in turn; returns how often it came without what was asked. */
static uint32_t fail_every_allocation(int (*contacts)(view_source *), dent_question question)
{
    bool reached = true; /* there were so many allocations; some can be done without */
    uint32_t without = 0;
    for (uint64_t n = 1; reached; n++) {
        stage made;
        open_stage(&made);
        made.source.find_contacts = contacts;
        made.source.moved = true;
        view_settings requests = {.question = question};
        atomic_store(&made.memory.requests, 0);
        atomic_store(&made.memory.fail_once, 1);
        atomic_store(&made.memory.fail_at, n);
        view_message *frame = view_make_frame(&made.source, &requests, 7, 0);
        atomic_store(&made.memory.fail_at, 0);
        reached = atomic_load(&made.memory.requests) >= n;
        bool failed = made.source.trouble[0] != '\0';
        assert_true(frame != NULL || failed); /* null: no memory for marks, which has been said */
        if (frame != NULL) {
            view_frame_header header = header_of(frame);
            float second;
            memcpy(&second, frame->bytes + sizeof header + 12, sizeof second);
            assert_true(second == 1); /* x of the second vertex */
            assert_int_equal((header.flags & VIEW_FLAG_MARKS) != 0, requests.question != 0);
            assert_int_equal(header.pair_count == UINT32_MAX, requests.question == 0);
            without += failed && (contacts == find_none ? requests.question == 0 : header.contact_count == 0);
        }
        view_message_drop(frame);
        requests.question = question;
        made.source.trouble[0] = '\0';
        made.source.moved = true;
        frame = view_make_frame(&made.source, &requests, 8, 0); /* with memory again */
        assert_non_null(frame);
        assert_string_equal(made.source.trouble, "");
        assert_true(contacts == find_none || header_of(frame).contact_count > 0);
        assert_true(question == 0 || (header_of(frame).pair_count > 0 && header_of(frame).pair_count < UINT32_MAX));
        view_message_drop(frame);
        close_stage(&made);
    }
    return without;
}

static void contacts_are_looked_for_once_and_not_for_a_frame_that_leaves_them_for_later(void **state)
{
    (void)state;
    stage made;
    view_settings requests = {.question = DENT_QUESTION_FACE_FACE};
    open_stage(&made);
    made.source.moved = true;
    for (int i = 0; i < 3; i++) {
        view_message *frame = view_make_frame(&made.source, &requests, 1, i == 0 ? VIEW_FLAG_PENDING : 0);
        assert_non_null(frame);
        assert_int_equal(header_of(frame).contact_count > 0, i > 0);
        assert_int_equal(header_of(frame).pair_count != UINT32_MAX, i > 0);
        assert_int_equal(made.source.moved, i == 0);
        view_message_drop(frame);
        made.source.find_contacts = i == 1 ? find_none : find_contacts; /* would show in the third frame */
    }
    close_stage(&made);
}

static void contacts_that_fail_leave_a_frame_without_them(void **state)
{
    (void)state;
    assert_true(fail_every_allocation(find_contacts, 0) > 0);
}

static void a_question_that_fails_is_taken_back_and_leaves_a_frame(void **state)
{
    (void)state;
    assert_true(fail_every_allocation(find_none, DENT_QUESTION_FACE_FACE) > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contacts_are_looked_for_once_and_not_for_a_frame_that_leaves_them_for_later),
        cmocka_unit_test(contacts_that_fail_leave_a_frame_without_them),
        cmocka_unit_test(a_question_that_fails_is_taken_back_and_leaves_a_frame),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
