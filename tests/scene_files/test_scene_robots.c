/* Robots in scene files: what they become, and where errors are placed. */
#define _POSIX_C_SOURCE 200809L

#include "support_scene_files.h"

#include <unistd.h>

#define FILE_NAME "test_scene_robots.urdf"

static const char robot_text[] =
    "<robot name='arm'><link name='base'><collision><geometry><box size='1 1 1'/></geometry></collision></link>"
    "<link name='upper'><collision><origin xyz='0 0 2'/><geometry><box size='1 1 1'/></geometry></collision></link>"
    "<link name='tip'/><joint name='turn' type='revolute'><parent link='base'/><child link='upper'/><axis xyz='0 1 0'/>"
    "<limit lower='-1' upper='1' effort='9' velocity='2'/><dynamics damping='0.1'/></joint>"
    "<joint name='weld' type='fixed'><parent link='upper'/><child link='tip'/></joint></robot>";

static void write_robot(void)
{
    FILE *file = fopen(FILE_NAME, "w");
    assert_non_null(file);
    assert_true(fputs(robot_text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static dent_status plan_of(struct sim_plan *plan, const char *robot)
{
    char text[1500];
    snprintf(text, sizeof text, "{\"dent_scene\": 1,\n\"robots\": [%s]}", robot);
    plan_open(plan, context);
    return scene_file_plan(plan, "s.json", "./", text, strlen(text));
}

static void links_become_bodies_and_joints_with_their_drives(void **state)
{
    (void)state;
    struct sim_plan plan;
    write_robot();
    assert_int_equal(plan_of(&plan, "{\"name\": \"r\", \"file\": \"" FILE_NAME "\", \"move\": [0, 0, 5], \"density\": 500,"
                                    "\"joints\": {\"turn\": {\"value\": \"0.5 rad\", \"friction\": \"2 N*m\", \"motor\": "
                                    "{\"position\": \"-0.5 rad\", \"max_speed\": \"1 rad/s\"}}}}"),
                     DENT_OK);
    assert_int_equal(plan.body_count, 2);
    assert_int_equal(plan.joint_count, 1);
    assert_string_equal(plan.bodies[0].name, "r/base");
    assert_string_equal(plan.bodies[1].name, "r/upper");
    assert_true(plan.bodies[0].kind == DENT_SIM_PRESCRIBED && plan.bodies[1].kind == DENT_SIM_RIGID);
    assert_true(plan.bodies[1].density == 500 && plan.bodies[1].mass == 0);
    const dent_sim_joint *joint = &plan.joints[0];
    assert_true(joint->body_a == 1 && joint->body_b == 0 && joint->start == 0.5 && joint->friction == 2);
    assert_true(joint->motor == DENT_SIM_MOTOR_POSITION && joint->target == -0.5 && joint->max_speed == 1);
    assert_true(joint->max_force == 9 && joint->damping == 0.1 && joint->limited && joint->upper == 1);
    assert_true(joint->point[2] == 5 && joint->axis[1] == 1);
    dent_sim_scene *scene = NULL;
    assert_int_equal(plan_finish(&plan, &scene), DENT_OK);
    assert_int_equal(dent_sim_step(dent_sim_scene_sim(scene)), DENT_OK);
    dent_sim_scene_destroy(scene);
    unlink(FILE_NAME);
}

static void mistakes_about_robots_are_placed(void **state)
{
    (void)state;
    static const struct {
        const char *robot, *place, *words;
    } cases[] = {
        {"{}", "s.json:2:", "file"},
        {"{\"file\": \"none.urdf\"}", "s.json:2:21: ", "a robot was expected: "},
        {"{\"file\": \"" FILE_NAME "\", \"colour\": 1}", "s.json:2:", "colour"},
        {"{\"file\": \"" FILE_NAME "\", \"joints\": {\"trun\": {}}}", "s.json:2:60: ", "revolute or prismatic joint"},
        {"{\"file\": \"" FILE_NAME "\", \"joints\": {\"weld\": {}}}", "s.json:2:60: ", "revolute or prismatic joint"},
        {"{\"file\": \"" FILE_NAME "\", \"joints\": {\"turn\": {\"value\": \"2 rad\"}}}", "s.json:2:", "within the limits"},
        {"{\"file\": \"" FILE_NAME "\", \"joints\": {\"turn\": {\"motor\": {}}}}", "s.json:2:", "one of \"position\""},
        {"{\"file\": \"" FILE_NAME "\", \"joints\": {\"turn\": {\"friction\": \"2 N\"}}}", "s.json:2:", "friction"},
        {"{\"file\": \"" FILE_NAME "\", \"joints\": []}", "s.json:2:", "a name for each joint"},
        {"{\"file\": \"" FILE_NAME "\", \"allow\": [[\"base\", \"tail\"]]}", "s.json:2:", "none is called \"tail\""},
        {"{\"file\": \"" FILE_NAME "\", \"allow\": [[\"base\"]]}", "s.json:2:", "two names of links"},
        {"{\"name\": \"r\", \"file\": \"" FILE_NAME "\"}, {\"name\": \"r\", \"file\": \"" FILE_NAME "\"}",
         "s.json:2:", "is an earlier body"},
    };
    write_robot();
    for (size_t n = 0; n < sizeof cases / sizeof cases[0]; n++) {
        struct sim_plan plan;
        char message[600];
        assert_int_not_equal(plan_of(&plan, cases[n].robot), DENT_OK);
        dent_context_message(context, message, sizeof message);
        if (strncmp(message, cases[n].place, 9) != 0 || !strstr(message, cases[n].words)) {
            fail_msg("case %zu: %s", n, message);
        }
        plan_close(&plan);
    }
    unlink(FILE_NAME);
}

static void a_robot_in_other_units_is_refused(void **state)
{
    (void)state;
    struct sim_plan plan;
    const char *text = "{\"dent_scene\": 1, \"units\": {\"length\": \"mm\"}, \"robots\": [{\"file\": \"" FILE_NAME "\"}]}";
    char message[600];
    write_robot();
    plan_open(&plan, context);
    assert_int_not_equal(scene_file_plan(&plan, "s.json", "./", text, strlen(text)), DENT_OK);
    dent_context_message(context, message, sizeof message);
    assert_non_null(strstr(message, "robots are in SI units"));
    plan_close(&plan);
    unlink(FILE_NAME);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(links_become_bodies_and_joints_with_their_drives),
        cmocka_unit_test(mistakes_about_robots_are_placed),
        cmocka_unit_test(a_robot_in_other_units_is_refused),
    };
    return cmocka_run_group_tests(tests, open_context, close_context);
}
