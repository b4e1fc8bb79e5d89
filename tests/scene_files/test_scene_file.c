/* Scene files: what good ones mean, and that bad ones are refused with line, column and what was expected, changing
 * nothing. */
#include "support_scene_files.h"

/* A whole scene; `inside` goes where a key and value more may stand. */
#define SCENE(inside) "{\n  \"dent_scene\": 1,\n  " inside "\n  \"bodies\": [" BOX("block") "]\n}\n"
#define BOX(name) BODY("\"name\": \"" name "\", ")
#define BODY(inside)                                                                                                   \
    "{" inside "\"kind\": \"solid\", \"generate\": {\"shape\": \"box\", \"size\": [1, 1, 1], \"cells\": [1, 1, 1]}}"
#define BODIES(list) "{\n\"dent_scene\": 1,\n\"bodies\": [\n" list "\n]}\n"

/* A rigid body "a" and a joint of it at the origin. */
#define JOINT(inside)                                                                                                  \
    "{\"dent_scene\": 1, \"bodies\": [{\"name\": \"a\", \"kind\": \"rigid\", \"generate\": {\"shape\": \"box\", "      \
    "\"size\": "                                                                                                       \
    "[1, 1, 1], \"cells\": [1, 1, 1]}}],\n\"joints\": [{\"body\": \"a\", " inside ", \"point\": [0, 0, 0]}]}"

struct bad_file {
    const char *kind, *text;
    const char *place;    /* ":line:column: " */
    const char *expected; /* part of the message */
};

static const struct bad_file bad_files[] = {
    {"empty", "", ":1:", "expected"},
    {"no JSON", "hello", ":1:", "expected"},
    {"cut short", "{\"dent_scene\": 1,", ":1:", "the text ends too early"},
    {"missing comma", "{\n\"dent_scene\": 1\n\"bodies\": []}", ":3:", "expected"},
    {"missing quote", "{\n\"dent_scene: 1}", ":2:", "the text ends too early"},
    {"trailing text", SCENE("") "x", ":6:1: ", "end of file expected"},
    {"single quotes", "{'dent_scene': 1}", ":1:", "expected"},
    {"a comment", "{\n// hello\n\"dent_scene\": 1}", ":2:", "expected"},
    {"bad value", "{\n\"dent_scene\": yes}", ":2:", "a value was expected"},
    {"array at the top", "[1, 2]", ":1:1: ", "an object { ... }, not an array"},
    {"UTF-16", "\xFF\xFE{", ":1:1: ", "UTF-16"},
    {"behind a byte order mark", "\xEF\xBB\xBF{}", ":1:1: ", "needs the key \"dent_scene\""},
    {"bad UTF-8", "{\"dent_scene\": 1, \"name\": \"\xFF\"}", ":1:", "UTF-8"},
    {"a key twice", "{\n\"dent_scene\": 1,\n\"dent_scene\": 1}", ":3:", "each key may stand once only"},
    {"no version", "{\n\"bodies\": []}", ":1:1: ", "needs the key \"dent_scene\""},
    {"wrong version", "{\n  \"dent_scene\": 2}", ":2:17: ", "a whole number from 1 to 1 was expected, not 2"},
    {"unknown key", SCENE("\"gravty\": [0, 0, 0],"), ":3:3: ", "no key \"gravty\"; did you mean \"gravity\"?"},
    {"unknown key far from all", SCENE("\"xylophone\": 1,"),
     ":3:3: ", "no key \"xylophone\"; expected one of dent_scene"},
    {"wrong type", SCENE("\"gravity\": \"down\","), ":3:14: ", "an array [x, y, z] of three was expected, not text"},
    {"vector of two", SCENE("\"gravity\": [0, -9.81],"), ":3:14: ", "of three was expected, not an array of 2"},
    {"wrong unit", SCENE("\"time_step\": \"10 mm\","),
     ":3:16: ", "a time such as \"10 ms\" was expected; \"10 mm\" is a length"},
    {"unknown unit", SCENE("\"time_step\": \"10 fortnights\","), ":3:16: ", "\"fortnights\" is no unit"},
    {"not positive", SCENE("\"time_step\": 0,"), ":3:16: ", "a time above 0, from 1e-09 to 10 s, was expected, not 0"},
    {"fraction for a count", SCENE("\"substeps\": 2.5,"),
     ":3:15: ", "a whole number from 1 to 1000 was expected, not a fraction"},
    {"count out of range", SCENE("\"substeps\": 100000,"),
     ":3:15: ", "a whole number from 1 to 1000 was expected, not 100000"},
    {"number too large", SCENE("\"time_step\": 1e999,"), ":3:", "real number overflow"},
    {"bad working unit", SCENE("\"units\": {\"length\": \"kg\"},"),
     ":3:23: ", "a unit of length was expected (m, cm or mm), not \"kg\""},
    {"bad Poisson's ratio", SCENE("\"materials\": {\"a\": {\"poisson\": 0.7}},"),
     ":3:34: ", "from 0 to 0.4999 was expected, not 0.7"},
    {"Poisson's ratio near its limit", SCENE("\"materials\": {\"a\": {\"poisson\": 0.4999999}},"),
     ":3:34: ", "from 0 to 0.4999 was expected, not 0.4999999"},
    {"a time step of nothing", SCENE("\"time_step\": 1e-300,"),
     ":3:16: ", "above 0, from 1e-09 to 10 s, was expected, not 1e-300"},
    {"a time step of days", SCENE("\"time_step\": 1e6,"), ":3:16: ", "from 1e-09 to 10 s, was expected, not 1000000"},
    {"a wild acceleration", SCENE("\"gravity\": [0, 0, 1e20],"),
     ":3:21: ", "an acceleration of at most 1e+06 m/s^2 in size was expected, not 1e+20"},
    {"a wild pressure in other units",
     SCENE("\"units\": {\"length\": \"mm\"}, \"materials\": {\"a\": {\"young\": 1e15}},"),
     ":3:", "a pressure of at most 1e+15 Pa in size was expected, not 1e+18"},
    {"a wild velocity",
     BODIES("{\"kind\": \"rigid\", \"velocity\": [1e30, 0, 0], \"generate\": {\"shape\": \"box\", \"size\": [1, 1, 1], "
            "\"cells\": [1, 1, 1]}}"),
     ":4:32: ", "a velocity of at most 1e+06 m/s in size was expected, not 1e+30"},
    {"a wild size",
     BODIES("{\"kind\": \"rigid\", \"generate\": {\"shape\": \"box\", \"size\": [1e200, 1, 1], \"cells\": [1, 1, 1]}}"),
     ":4:57: ", "a length of at most 1e+09 m in size was expected, not 1e+200"},
    {"kinetic above static", SCENE("\"materials\": {\"a\": {\"friction_static\": 0.2, \"friction_kinetic\": 0.3}},"),
     ":3:", "from 0 to friction_static was expected"},
    {"materials as a list", SCENE("\"materials\": [],"), ":3:16: ", "an object was expected, a name for each material"},
    {"pair of a missing material", SCENE("\"material_pairs\": [{\"materials\": [\"ice\", \"steel\"]}],"),
     ":3:37: ", "none is called \"ice\""},
    {"bad choice", SCENE("\"contact\": {\"continuous\": \"thick\"},"), ":3:29: ", "did you mean \"thin\"?"},
    {"word for a flag", SCENE("\"contact\": {\"enabled\": 1},"), ":3:26: ", "true or false was expected, not a number"},
    {"no bodies", "{\"dent_scene\": 1}", ":1:1: ", "needs the key \"bodies\""},
    {"an empty list of bodies", "{\n\"dent_scene\": 1,\n\"bodies\": []}", ":3:11: ", "at least one body was expected"},
    {"a body without a kind", BODIES("{\"name\": \"a\"}"), ":4:1: ", "a body needs the key \"kind\""},
    {"an unknown kind", BODIES("{\"kind\": \"jelly\"}"),
     ":4:10: ", "expected one of solid, cloth, rigid, prescribed, embedded"},
    {"a body without a mesh", BODIES("{\"kind\": \"solid\"}"),
     ":4:1: ", "needs one of \"mesh\", \"generate\" and \"scene\", and this one has none"},
    {"two meshes", BODIES("{\"kind\": \"solid\", \"mesh\": \"a.mesh\", \"scene\": {}}"),
     ":4:1: ", "this one has several"},
    {"a missing mesh file", BODIES("{\"kind\": \"solid\", \"mesh\": \"missing.mesh\"}"),
     ":4:27: ", "a mesh file was expected"},
    {"an unknown shape", BODIES("{\"kind\": \"solid\", \"generate\": {\"shape\": \"cube\"}}"),
     ":4:41: ", "expected one of box"},
    {"a shape without a size", BODIES("{\"kind\": \"solid\", \"generate\": {\"shape\": \"box\"}}"),
     ":4:31: ", "a box needs the key \"size\""},
    {"two sizes for a box", BODIES("{\"kind\": \"solid\", \"generate\": {\"shape\": \"box\", \"size\": [1, 2]}}"),
     ":4:56: ", "3 lengths were expected, not 2"},
    {"a spacing too coarse",
     BODIES("{\"kind\": \"solid\", \"generate\": {\"shape\": \"sphere\", \"radius\": 1, \"spacing\": 50}}"),
     ":4:31: ", "a smaller \"spacing\" was expected"},
    {"too many cells",
     BODIES("{\"kind\": \"solid\", \"generate\": {\"shape\": \"sphere\", \"radius\": 1, \"spacing\": 1e-6}}"),
     ":4:31: ", "a larger \"spacing\" was expected"},
    {"triangles for a solid",
     BODIES("{\"kind\": \"solid\", \"generate\": {\"shape\": \"sheet\", \"size\": [1, 1], \"cells\": [2, 2]}}"),
     ":4:1: ", "needs a mesh of tetrahedra"},
    {"tetrahedra for a cloth",
     BODIES("{\"kind\": \"cloth\", \"generate\": {\"shape\": \"box\", \"size\": [1, 1, 1], \"cells\": [1, 1, 1]}}"),
     ":4:1: ", "needs a mesh of triangles"},
    {"an unknown built-in scene", BODIES("{\"kind\": \"solid\", \"scene\": {\"name\": \"jam\", \"body\": 0}}"),
     ":4:37: ", "a built-in scene was expected: no scene is named 'jam'"},
    {"a body a scene has not", BODIES("{\"kind\": \"solid\", \"scene\": {\"name\": \"v-self\", \"body\": 7}}"),
     ":4:28: ", "a number below 1"},
    {"the same name twice", BODIES(BOX("a") ",\n" BOX("a")), ":5:10: ", "a name of its own was expected"},
    {"a missing material", BODIES(BODY("\"material\": \"gold\", ")), ":4:14: ", "none is called \"gold\""},
    {"fixed vertices outside", BODIES(BODY("\"fixed\": [8], ")),
     ":4:12: ", "a whole number from 0 to 7 was expected, not 8"},
    {"fixed vertices nowhere", BODIES(BODY("\"fixed\": {\"box\": [[5, 5, 5], [6, 6, 6]]}, ")),
     ":4:11: ", "at least one vertex"},
    {"a box upside down", BODIES(BODY("\"fixed\": {\"box\": [[1, 0, 0], [0, 1, 1]]}, ")),
     ":4:19: ", "the lower corner first was expected"},
    {"a motion of a free body", BODIES(BODY("\"motion\": {\"keys\": [{\"time\": 0}]}, ")),
     ":4:2: ", "goes with \"kind\": \"prescribed\""},
    {"times that go back", BODIES(BODY("\"fixed\": \"all\", \"motion\": {\"keys\": [{\"time\": 1}, {\"time\": 0}]}, ")),
     ":4:60: ", "ascending times were expected; 0 comes after 1"},
    {"a rotation about nothing", BODIES(BODY("\"rotate\": {\"axis\": [0, 0, 0], \"angle\": 5}, ")),
     ":4:21: ", "other than zero"},
    {"a host of a free body", BODIES(BOX("a") ",\n" BODY("\"host\": \"a\", ")),
     ":5:2: ", "only an embedded body has a host"},
    {"an attachment to nobody",
     "{\"dent_scene\": 1, \"bodies\": [" BOX(
         "a") "],\n\"attachments\": [{\"body\": \"a\", \"vertices\": \"all\", \"to\": \"b\"}]}",
     ":2:56: ", "none is called \"b\""},
    {"an attachment to itself",
     "{\"dent_scene\": 1, \"bodies\": [" BOX(
         "a") "],\n\"attachments\": [{\"body\": \"a\", \"vertices\": \"all\", \"to\": \"a\"}]}",
     ":2:56: ", "another body was expected"},
    {"a joint of an elastic body",
     "{\"dent_scene\": 1, \"bodies\": [" BOX(
         "a") "],\n\"joints\": [{\"kind\": \"ball\", \"body\": \"a\", \"to\": \"space\", \"point\": [0, 0, 0]}]}",
     ":2:37: ", "a body of kind \"rigid\" was expected"},
    {"a joint of no kind", JOINT("\"kind\": \"hing\", \"to\": \"space\""), ":2:34: ", "did you mean \"hinge\"?"},
    {"a joint with itself", JOINT("\"kind\": \"ball\", \"to\": \"a\""), ":2:48: ", "another body was expected"},
    {"no limits at all", JOINT("\"kind\": \"slider\", \"limits\": [], \"to\": \"space\""),
     ":2:54: ", "\"limits\": two numbers were expected"},
    {"a ball with limits", JOINT("\"kind\": \"ball\", \"limits\": [0, 1], \"to\": \"space\""),
     ":2:42: ", "\"limits\": a ball has none"},
    {"limits that leave out the start", JOINT("\"kind\": \"slider\", \"limits\": [1, 2], \"to\": \"space\""),
     ":2:55: ", "of at most 0"},
    {"a motor without a goal", JOINT("\"kind\": \"hinge\", \"motor\": {\"max_force\": 1}, \"to\": \"space\""),
     ":2:52: ", "either \"speed\", \"position\" or \"force\""},
    {"a spring without an end", JOINT("\"kind\": \"spring\", \"stiffness\": 1, \"to\": \"space\""),
     ":2:12: ", "a spring needs the key \"point_to\""},
    {"a group out of range", BODIES(BODY("\"group\": 32, ")), ":4:11: ", "a whole number from 0 to 31 was expected"},
    {"deep brackets",
     "{\"a\": "
     "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]"
     "]]]]]]]]]]]]]]]]]]]]]]]]}",
     ":1:", "at most 64 deep"},
};
enum { BAD_FILES = sizeof bad_files / sizeof bad_files[0] };

static void bad_files_are_refused_with_their_place(void **state)
{
    (void)state;
    int failures = 0;
    for (int i = 0; i < BAD_FILES; i++) {
        const struct bad_file *file = &bad_files[i];
        dent_sim_scene *scene = NULL;
        dent_status status =
            dent_sim_scene_read_memory(context, "bad.json", ".", file->text, strlen(file->text), NULL, &scene);
        char message[1024] = "";
        dent_context_message(context, message, sizeof message);
        char place[64];
        snprintf(place, sizeof place, "bad.json%s", file->place);
        bool good = status != DENT_OK && scene == NULL && strncmp(message, place, strlen(place)) == 0 &&
                    strstr(message, file->expected) != NULL;
        if (!good) {
            print_error("%s: status %d, \"%s\" instead of \"%s … %s\"\n", file->kind, (int)status, message, place,
                        file->expected);
            failures++;
        }
    }
    print_message("%d kinds of bad files\n", (int)BAD_FILES);
    assert_int_equal(failures, 0);
}

/* ---- good files -------------------------------------------------------------------------------------------------- */

static struct sim_plan read_plan(const char *text)
{
    struct sim_plan plan;
    plan_open(&plan, context);
    if (scene_file_plan(&plan, "good.json", NULL, text, strlen(text)) != DENT_OK) {
        char message[1024];
        dent_context_message(context, message, sizeof message);
        fail_msg("%s", message);
    }
    return plan;
}

static void numbers_are_in_the_units_of_the_file(void **state)
{
    (void)state;
    struct sim_plan plan = read_plan(
        "{\"dent_scene\": 1, \"units\": {\"length\": \"mm\"}, \"gravity\": [0, 0, \"-9.81 m/s^2\"],"
        "\"time_step\": \"5 ms\", \"materials\": {\"gum\": {\"young\": \"2 MPa\", \"density\": \"1100 kg/m^3\","
        "\"friction\": 0.3}}, \"bodies\": [" BODY(
            "\"velocity\": [\"1 m/s\", 2, 0], \"move\": [\"1 cm\", 0, 0], ") "]}");
    assert_true(plan.def.gravity[2] == -9810 && plan.def.time_step == 0.005);
    assert_true(plan.materials[0].young == 2000 && fabs(plan.materials[0].density - 1.1e-6) < 1e-21);
    assert_true(plan.materials[0].friction_static == 0.3 && plan.materials[0].friction_kinetic == 0.3);
    assert_true(plan.bodies[0].linear_velocity[0] == 1000 && plan.bodies[0].linear_velocity[1] == 2);
    assert_true(plan.bodies[0].positions[0] == 9.5);
    assert_string_equal(plan.length_unit, "mm");
    plan_close(&plan);
}

static void defaults_are_those_of_the_library_in_any_units(void **state)
{
    (void)state;
    struct sim_plan metres = read_plan(SCENE("")),
                    millimetres = read_plan(SCENE("\"units\": {\"length\": \"mm\", \"mass\": \"g\"},"));
    dent_sim_def def = dent_sim_def_default();
    dent_sim_material material = dent_sim_material_default();
    assert_true(metres.def.gravity[2] == def.gravity[2] && metres.materials[0].young == material.young);
    assert_true(millimetres.def.gravity[2] == 1000 * def.gravity[2]);
    assert_true(fabs(millimetres.materials[0].young / material.young - 1) < 1e-15);              /* g/(mm s^2) is Pa */
    assert_true(fabs(millimetres.materials[0].density / (1e-6 * material.density) - 1) < 1e-12); /* g/mm^3 */
    plan_close(&metres);
    plan_close(&millimetres);
}

static void contact_settings_are_taken(void **state)
{
    (void)state;
    struct sim_plan plan = read_plan(
        SCENE("\"contact\": {\"interval\": 3, \"impact_passes\": 5, \"budget\": 3000, \"continuous\": \"all\"},"));
    assert_int_equal(plan.def.contact_interval, 3);
    assert_int_equal(plan.def.impact_passes, 5);
    assert_int_equal(plan.def.contact_budget, 3000);
    assert_int_equal(plan.def.continuous, 2);
    plan_close(&plan);
}

static void generators_make_what_they_say(void **state)
{
    (void)state;
    struct sim_plan plan = read_plan(
        BODIES("{\"kind\": \"rigid\", \"generate\": {\"shape\": \"sphere\", \"radius\": 1, \"spacing\": 0.4}},"
               "{\"kind\": \"rigid\", \"surface\": true, \"generate\": {\"shape\": \"sphere\", \"radius\": 1, "
               "\"spacing\": 0.4}},"
               "{\"kind\": \"prescribed\", \"generate\": {\"shape\": \"capsule\", \"radius\": 1, \"length\": 2, "
               "\"spacing\": 0.5}},"
               "{\"kind\": \"cloth\", \"generate\": {\"shape\": \"sheet\", \"size\": [2, 3], \"cells\": [4, 6]}},"
               "{\"kind\": \"solid\", \"scene\": {\"name\": \"teschner-a\", \"body\": 3}}"));
    assert_int_equal(plan.body_count, 5);
    double radius = 0, length = 0;
    for (uint32_t v = 0; v < plan.bodies[0].vertex_count; v++) {
        const double *at = plan.bodies[0].positions + 3 * (size_t)v;
        double here = sqrt(at[0] * at[0] + at[1] * at[1] + at[2] * at[2]);
        radius = here > radius ? here : radius;
    }
    for (uint32_t v = 0; v < plan.bodies[2].vertex_count; v++) {
        double z = fabs(plan.bodies[2].positions[3 * (size_t)v + 2]);
        length = z > length ? z : length;
    }
    assert_true(fabs(radius - 1) < 0.02 && fabs(length - 2) < 0.05);
    assert_int_equal(plan.bodies[1].mesh, DENT_BODY_SURFACE);
    /* A closed surface: V - E + F = 2 with E = 3 F / 2. */
    assert_int_equal(2 * plan.bodies[1].vertex_count - plan.bodies[1].element_count, 4);
    assert_int_equal(plan.bodies[3].vertex_count, 35);
    assert_int_equal(plan.bodies[3].element_count, 48);
    assert_int_equal(plan.bodies[4].vertex_count, 12);
    assert_int_equal(plan.bodies[4].element_count, 10);
    plan_close(&plan);
}

static void ties_find_their_places(void **state)
{
    (void)state;
    struct sim_plan plan =
        read_plan("{\"dent_scene\": 1, \"bodies\": ["
                  "{\"name\": \"a\", \"kind\": \"solid\", \"fixed\": {\"box\": [[-1, -1, -0.6], [1, 1, -0.4]]},"
                  " \"motion\": {\"repeat\": true, \"pivot\": [0, 0, 1], \"keys\": [{\"time\": 0}, {\"time\": \"500 "
                  "ms\", \"move\": [1, 0, 0],"
                  "   \"rotate\": {\"axis\": [0, 0, 2], \"angle\": \"90 deg\"}}]},"
                  " \"generate\": {\"shape\": \"box\", \"size\": [1, 1, 1], \"cells\": [2, 2, 2]}},"
                  "{\"name\": \"b\", \"kind\": \"solid\", \"move\": [0, 0, 1.25], \"group\": 3, \"touches\": [3, 4],"
                  " \"generate\": {\"shape\": \"box\", \"size\": [1, 1, 1], \"cells\": [1, 1, 1]}}],"
                  "\"attachments\": [{\"body\": \"b\", \"vertices\": {\"box\": [[-1, -1, 0.7], [1, 1, 0.8]]}, \"to\": "
                  "\"a\", \"compliance\": \"1 mm/N\"},"
                  "{\"body\": \"b\", \"vertices\": [0], \"to\": \"a\", \"by\": \"vertices\", \"reach\": 0.3},"
                  "{\"body\": \"b\", \"vertices\": [7], \"to\": \"space\"}]}");
    const dent_sim_body_def *a = &plan.bodies[0];
    assert_int_equal(a->fixed_count, 9);
    assert_true(a->motion.repeat && a->motion.keyframe_count == 2 && a->motion.keyframes[1].time == 0.5);
    assert_true(fabs(a->motion.keyframes[1].rotation[0] - 0.70710678118654752) < 1e-15);
    assert_true(plan.bodies[1].collision_group == 8 && plan.bodies[1].collision_mask == 24);
    assert_int_equal(plan.attachment_count, 4 + 1 + 1);
    for (uint32_t i = 0; i < 4; i++) { /* weights put the point where the vertex is, outside the cells of a */
        const dent_sim_attachment *tie = &plan.attachments[i];
        const double *vertex = plan.bodies[1].positions + 3 * (size_t)tie->vertex_a;
        for (int axis = 0; axis < 3; axis++) {
            double sum = 0;
            for (int k = 0; k < 4; k++) {
                sum += tie->weights_b[k] * a->positions[3 * (size_t)tie->vertices_b[k] + axis];
            }
            assert_true(fabs(sum - vertex[axis]) < 1e-12);
        }
        assert_true(tie->compliance == 0.001 && tie->length == 0);
    }
    assert_true(fabs(plan.attachments[4].length - 0.25) < 1e-15);
    assert_int_equal(plan.attachments[5].body_b, UINT32_MAX);
    plan_close(&plan);
}

static void joints_are_read_with_their_units(void **state)
{
    (void)state;
    struct sim_plan plan = read_plan(
        JOINT("\"to\": \"space\", \"kind\": \"hinge\", \"axis\": [0, 2, 0], \"limits\": [\"-90 deg\", \"45 deg\"], "
              "\"motor\": {\"speed\": \"180 deg/s\", \"max_force\": \"2 N*m\"}, \"collide\": true"));
    const dent_sim_joint *hinge = &plan.joints[0];
    assert_int_equal(plan.joint_count, 1);
    assert_true(hinge->kind == DENT_SIM_JOINT_HINGE && hinge->body_a == 0 && hinge->body_b == UINT32_MAX);
    assert_true(hinge->axis[1] == 2 && hinge->limited && hinge->collide);
    assert_true(fabs(hinge->lower + 1.5707963267948966) < 1e-15 && fabs(hinge->upper - 0.7853981633974483) < 1e-15);
    assert_true(hinge->motor == DENT_SIM_MOTOR_VELOCITY && fabs(hinge->target - 3.141592653589793) < 1e-15);
    assert_true(hinge->max_force == 2);
    plan_close(&plan);
    plan = read_plan(JOINT("\"to\": \"space\", \"kind\": \"spring\", \"point_to\": [0, 0, \"50 cm\"], "
                           "\"stiffness\": \"2 kN/m\", \"damping\": \"3 N*s/m\", \"length\": \"1 cm\""));
    const dent_sim_joint *spring = &plan.joints[0];
    assert_true(spring->kind == DENT_SIM_JOINT_SPRING && spring->point_b[2] == 0.5 && spring->stiffness == 2000);
    assert_true(spring->damping == 3 && spring->length == 0.01 && spring->collide);
    plan_close(&plan);
}

static void columns_count_characters_not_bytes(void **state)
{
    (void)state;
    const char *text = "{\"name\": \"Zähne\", \"dent_scene\": 3}";
    dent_sim_scene *scene = NULL;
    assert_int_equal(dent_sim_scene_read_memory(context, "x.json", NULL, text, strlen(text), NULL, &scene),
                     DENT_ERROR_FORMAT);
    char message[1024];
    dent_context_message(context, message, sizeof message);
    assert_memory_equal(message, "x.json:1:33: ", 13);
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

static void a_file_without_memory_leaves_nothing(void **state)
{
    (void)state;
    static const char text[] = "{\"dent_scene\": 1, \"materials\": {\"a\": {}, \"b\": {}}, \"bodies\": [" BOX(
        "one") "," BODY("\"move\": [0, 0, 1.1], \"fixed\": \"all\", \"motion\": {\"keys\": [{\"time\": "
                        "0}]}, ") ","
                                  "{\"kind\": \"prescribed\", \"surface\": true, \"generate\": {\"shape\": "
                                  "\"sphere\", \"radius\": 1, \"spacing\": 0.9}}],"
                                  "\"attachments\": [{\"body\": \"one\", \"vertices\": \"all\", \"to\": "
                                  "\"space\"}]}";
    struct failing_allocator memory = failing_allocator_make();
    dent_context_def def = dent_context_def_default();
    def.allocator = failing_allocator_hook(&memory);
    def.thread_count = 1;
    dent_context *own = dent_context_create(&def, NULL);
    uint64_t before = atomic_load(&memory.live_bytes);
    bool done = false;
    uint64_t tries = 0;
    for (uint64_t n = 1; !done; n++, tries++) {
        struct sim_plan plan;
        plan_open(&plan, own);
        atomic_store(&memory.requests, 0);
        atomic_store(&memory.fail_at, n);
        dent_status status = scene_file_plan(&plan, "m.json", NULL, text, strlen(text));
        atomic_store(&memory.fail_at, 0);
        done = status == DENT_OK;
        assert_true(done || status == DENT_ERROR_OUT_OF_MEMORY);
        plan_close(&plan);
        assert_int_equal(atomic_load(&memory.live_bytes), before);
        assert_true(n < 5000);
    }
    print_message("%llu requests\n", (unsigned long long)tries - 1);
    dent_context_destroy(own);
    assert_true(failing_allocator_clean(&memory));
}

static void a_scene_without_memory_leaves_nothing(void **state)
{
    (void)state;
    static const char text[] = BODIES(BOX("one"));
    struct failing_allocator memory = failing_allocator_make();
    dent_context_def def = dent_context_def_default();
    def.allocator = failing_allocator_hook(&memory);
    def.thread_count = 1;
    dent_context *own = dent_context_create(&def, NULL);
    uint64_t before = atomic_load(&memory.live_bytes), tries = 0;
    dent_sim_scene *scene = NULL;
    for (uint64_t n = 1; scene == NULL; n++, tries++) {
        atomic_store(&memory.requests, 0);
        atomic_store(&memory.fail_at, n);
        dent_status status = dent_sim_scene_read_memory(own, "m.json", NULL, text, strlen(text), NULL, &scene);
        atomic_store(&memory.fail_at, 0);
        assert_true((status == DENT_OK) == (scene != NULL));
        assert_true(scene != NULL || (status == DENT_ERROR_OUT_OF_MEMORY && atomic_load(&memory.live_bytes) == before));
        assert_true(n < 20000);
    }
    print_message("%llu requests\n", (unsigned long long)tries - 1);
    assert_int_equal(dent_sim_scene_step_frame(scene), DENT_OK);
    assert_int_equal(dent_sim_step_count(dent_sim_scene_sim(scene)), 1);
    dent_sim_scene_destroy(scene);
    dent_context_destroy(own);
    assert_true(failing_allocator_clean(&memory));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_files_are_refused_with_their_place),
        cmocka_unit_test(numbers_are_in_the_units_of_the_file),
        cmocka_unit_test(defaults_are_those_of_the_library_in_any_units),
        cmocka_unit_test(contact_settings_are_taken),
        cmocka_unit_test(generators_make_what_they_say),
        cmocka_unit_test(ties_find_their_places),
        cmocka_unit_test(joints_are_read_with_their_units),
        cmocka_unit_test(columns_count_characters_not_bytes),
        cmocka_unit_test(a_file_without_memory_leaves_nothing),
        cmocka_unit_test(a_scene_without_memory_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, open_context, close_context);
}
