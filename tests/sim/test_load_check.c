/* Defs of loads, supports, springs and probes that mean nothing are refused in one line that names them. */
#include "support/cmocka_includes.h"
#include "support_loads.h"

#include <math.h>
#include <string.h>

static void refuse(void (*spoil)(struct stage *stage), const char *part)
{
    struct stage stage;
    char message[300];
    stage_open_everything(&stage, 1, DENT_ISA_AUTO);
    spoil(&stage);
    dent_sim *sim = NULL;
    dent_status status = dent_sim_create(stage.context, &stage.def, &sim);
    dent_context_message(stage.context, message, sizeof message);
    if (status == DENT_OK || !strstr(message, part)) {
        print_message("status %d: %s (instead of: %s)\n", (int)status, message, part);
    }
    assert_true(status != DENT_OK && strstr(message, part));
    stage_close(&stage);
}

static void spoil_body(struct stage *stage)
{
    stage->loads[0].body = 3;
}

static void spoil_torque(struct stage *stage)
{
    stage->loads[1].kind = DENT_SIM_LOAD_TORQUE;
}

static void spoil_number(struct stage *stage)
{
    stage->loads[1].vector[0] = NAN;
}

static void spoil_faces(struct stage *stage)
{
    static const uint32_t face[] = {0, 1, 80};
    stage->loads[0].faces = face;
    stage->loads[0].face_count = 1;
}

static void spoil_course(struct stage *stage)
{
    static const dent_sim_time_value rows[] = {{1, 0}, {1, 1}};
    stage->supports[1].course = (dent_sim_course){2, rows};
}

static void spoil_direction(struct stage *stage)
{
    stage->supports[1].direction[1] = stage->supports[1].direction[2] = 0;
}

static void spoil_spring(struct stage *stage)
{
    stage->springs[0].stiffness = stage->springs[0].damping = 0;
}

static void spoil_end(struct stage *stage)
{
    stage->springs[0].a.vertices[0] = UINT32_MAX;
}

static void spoil_probe(struct stage *stage)
{
    stage->probes[3].number = 9;
}

static void spoil_names(struct stage *stage)
{
    stage->probes[3].name = stage->probes[5].name = "same";
}

static void spoil_comma(struct stage *stage)
{
    stage->probes[3].name = "a,b";
}

static void bad_loads_are_refused_by_name(void **state)
{
    (void)state;
    refuse(spoil_body, "load 0: no body 3");
    refuse(spoil_torque, "load 1: not for a body of kind solid");
    refuse(spoil_number, "load 1: a number is not finite");
    refuse(spoil_faces, "load 0: 0 1 80 is no face of the surface");
    refuse(spoil_course, "support 1: the times of its course must ascend");
    refuse(spoil_direction, "support 1: needs axes, or a direction");
    refuse(spoil_spring, "spring 0: stiffness and damping");
    refuse(spoil_end, "spring 0: an end on a body that is not rigid needs vertices");
    refuse(spoil_probe, "probe 3: there is no support of that number");
    refuse(spoil_names, "probe same: an earlier probe has this name");
    refuse(spoil_comma, "probe a,b: a name has 1 to 63 bytes");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_loads_are_refused_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
