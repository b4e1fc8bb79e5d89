/* Robots from URDF: what is read, where meshes are found, and one clear line for everything that is wrong. With the
 * data kit: the UR5e, whose forward kinematics is compared with a product of matrices written out here. */
#include "reading.h"

#include "support/failing_allocator.h"

#include <dent/urdf.h>

#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

struct robot_test {
    struct reading reading;
    dent_robot *robot;
};

static void robot_open(struct robot_test *test)
{
    memset(test, 0, sizeof *test);
    reading_open(&test->reading);
}

static void robot_clear(struct robot_test *test)
{
    dent_robot_destroy(test->reading.context, test->robot);
    test->robot = NULL;
    reading_clear(&test->reading);
}

static void robot_close(struct robot_test *test)
{
    robot_clear(test);
    reading_close(&test->reading);
}

static void robot_finish(struct robot_test *test, dent_status status)
{
    test->reading.status = status;
    if (status != DENT_OK) {
        dent_context_message(test->reading.context, test->reading.message, sizeof test->reading.message);
        assert_null(test->robot);
    }
}

static void read_robot(struct robot_test *test, const char *text)
{
    robot_clear(test);
    robot_finish(test,
                 dent_robot_read_memory(test->reading.context, "r.urdf", text, strlen(text), NULL, &test->robot));
}

static void read_good(struct robot_test *test, const char *text)
{
    read_robot(test, text);
    if (test->reading.status != DENT_OK) {
        print_error("%s\n", test->reading.message);
    }
    assert_int_equal(test->reading.status, DENT_OK);
    assert_non_null(test->robot);
}

static bool has_expat(void)
{
    struct robot_test test;
    robot_open(&test);
    read_robot(&test, "<robot/>");
    bool has = test.reading.status != DENT_ERROR_UNSUPPORTED;
    if (!has) {
        assert_non_null(strstr(test.reading.message, "without expat"));
        print_message("SKIPPED: this build cannot read URDF: it was made without expat\n");
    }
    robot_close(&test);
    return has;
}

#define SKIP_WITHOUT_EXPAT()                                                                                           \
    do {                                                                                                               \
        (void)state;                                                                                                   \
        if (!has_expat()) {                                                                                            \
            skip();                                                                                                    \
        }                                                                                                              \
    } while (0)

#define LINK(name) "<link name='" name "'/>"
#define JOINT(name, type, parent, child, rest)                                                                         \
    "<joint name='" name "' type='" type "'><parent link='" parent "'/><child link='" child "'/>" rest "</joint>"
#define SHAPE(rest) "<collision><geometry>" rest "</geometry></collision>"

/* ---- what is read ------------------------------------------------------------------------------------------------ */

static void links_joints_and_their_numbers_are_read(void **state)
{
    SKIP_WITHOUT_EXPAT();
    struct robot_test test;
    robot_open(&test);
    read_good(&test,
              "<?xml version='1.0'?><!-- note --><robot name='two'>" LINK("a") LINK("b") LINK("c") LINK("d") LINK("e")
                  JOINT("j1", "revolute", "a", "b",
                        "<origin xyz='1 2 3' rpy='0 0 1.5707963267948966'/><axis xyz='0 0 2'/>"
                        "<limit lower='-1' upper='2' effort='5' velocity='1'/><dynamics damping='0'/>")
                      JOINT("j2", "continuous", "b", "c", "<limit effort='5' velocity='1'/>")
                          JOINT("j3", "prismatic", "c", "d",
                                "<mimic joint='j1' multiplier='-2' offset='0.25'/><limit upper='3'/>")
                              JOINT("j4", "floating", "d", "e", "")
              "<transmission name='t'><joint name='j1'><hardwareInterface>x</hardwareInterface></joint></transmission>"
              "<gazebo reference='a'><x><joint name='j1' type='odd'/></x></gazebo></robot>");
    const dent_linkage *linkage = test.robot->linkage;
    assert_string_equal(test.robot->name, "two");
    assert_int_equal(test.robot->link_count, 5);
    assert_int_equal(dent_linkage_joint_count(linkage), 4);
    const dent_joint_def *first = dent_linkage_joint(linkage, 0), *third = dent_linkage_joint(linkage, 2);
    assert_true(first->kind == DENT_JOINT_REVOLUTE && first->parent == 0 && first->child == 1);
    assert_true(first->has_limits && first->lower == -1 && first->upper == 2 && first->axis[2] == 2);
    assert_true(first->origin.translation[2] == 3 && fabs(first->origin.rotation[3] - sqrt(0.5)) < 1e-15);
    assert_true(!dent_linkage_joint(linkage, 1)->has_limits && dent_linkage_joint(linkage, 1)->axis[0] == 1);
    assert_true(third->mimics == 0 && third->multiplier == -2 && third->offset == 0.25);
    assert_int_equal(dent_linkage_joint(linkage, 3)->kind, DENT_JOINT_FREE);
    assert_true(third->has_limits && third->lower == 0 && third->upper == 3); /* one of the two is enough */
    assert_int_equal(dent_linkage_value_count(linkage), 2 + 7);
    robot_close(&test);
}

static void a_planar_joint_has_three_values_and_the_normal_of_its_plane(void **state)
{
    SKIP_WITHOUT_EXPAT();
    struct robot_test test;
    robot_open(&test);
    read_good(&test, "<robot>" LINK("floor") LINK("cart")
                         JOINT("drive", "planar", "floor", "cart",
                               "<axis xyz='0 0 1'/><limit lower='-1' upper='1' effort='5' velocity='1'/>") "</robot>");
    const dent_linkage *linkage = test.robot->linkage;
    const dent_joint_def *drive = dent_linkage_joint(linkage, 0);
    assert_true(drive->kind == DENT_JOINT_PLANAR && drive->axis[2] == 1 && !drive->has_limits);
    assert_int_equal(dent_linkage_value_count(linkage), 3);
    const double values[3] = {4, 5, 0};
    dent_pose poses[2];
    assert_int_equal(dent_linkage_poses(linkage, NULL, values, poses), DENT_OK);
    assert_true(poses[1].translation[0] == 4 && poses[1].translation[1] == 5 && poses[1].translation[2] == 0);
    robot_close(&test);
}

/* Volume inside a closed surface, and the largest and smallest distance of faces and vertices from the origin. */
static double volume_of(const dent_robot_link *link)
{
    double volume = 0;
    for (uint32_t t = 0; t < link->triangle_count; t++) {
        const double *a = link->positions + 3 * link->triangles[3 * t],
                     *b = link->positions + 3 * link->triangles[3 * t + 1];
        const double *c = link->positions + 3 * link->triangles[3 * t + 2];
        volume += (a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
                   a[2] * (b[0] * c[1] - b[1] * c[0])) / 6;
    }
    return volume;
}

/* Every face's plane is at least this far from the origin. */
static double inner_radius(const dent_robot_link *link)
{
    double least = INFINITY;
    for (uint32_t t = 0; t < link->triangle_count; t++) {
        const double *a = link->positions + 3 * link->triangles[3 * t],
                     *b = link->positions + 3 * link->triangles[3 * t + 1];
        const double *c = link->positions + 3 * link->triangles[3 * t + 2];
        double n[3], u[3], v[3];
        for (int i = 0; i < 3; i++) {
            u[i] = b[i] - a[i];
            v[i] = c[i] - a[i];
        }
        for (int i = 0; i < 3; i++) {
            n[i] = u[(i + 1) % 3] * v[(i + 2) % 3] - u[(i + 2) % 3] * v[(i + 1) % 3];
        }
        double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
        least = fmin(least, (n[0] * a[0] + n[1] * a[1] + n[2] * a[2]) / length);
    }
    return least;
}

static void assert_closed(const dent_robot *robot, dent_context *context)
{
    dent_world *world = dent_world_create(context);
    dent_body_id ids[8];
    assert_int_equal(dent_robot_add_to_world(robot, world, ids), DENT_OK);
    for (uint32_t i = 0; i < robot->link_count; i++) {
        dent_body_topology topology;
        assert_int_equal(dent_body_get_topology(world, ids[i], &topology), DENT_OK);
        assert_true(topology.surface_closed);
        assert_string_equal(dent_body_name(world, ids[i]), robot->links[i].name);
    }
    dent_world_destroy(world);
}

static void round_shapes_contain_what_they_stand_for(void **state)
{
    SKIP_WITHOUT_EXPAT();
    const double pi = 3.14159265358979323846;
    struct robot_test test;
    robot_open(&test);
    read_good(&test, "<robot><link name='box'>" SHAPE("<box size='1 2 4'/>") "</link><link name='can'>" SHAPE(
                         "<cylinder radius='2' length='6'/>") "</link><link name='ball'>" SHAPE("<sphere radius='3'/>")
                     "</link>" JOINT("a", "fixed", "box", "can", "") JOINT("b", "fixed", "box", "ball", "") "</robot>");
    const dent_robot_link *links = test.robot->links;
    assert_int_equal(links[0].triangle_count, 12);
    assert_true(fabs(volume_of(&links[0]) - 8) < 1e-14);
    double can = volume_of(&links[1]) / (pi * 2 * 2 * 6), ball = volume_of(&links[2]) / (4 * pi * 27 / 3);
    assert_true(can > 1 && can < 1.01);
    assert_true(ball > 1 && ball < 1.12);
    assert_true(inner_radius(&links[1]) >= 2 && inner_radius(&links[2]) >= 3 * (1 - 1e-15));
    for (uint32_t v = 0; v < links[2].vertex_count; v++) {
        const double *p = links[2].positions + 3 * v;
        assert_true(sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]) < 3 * 1.04);
    }
    assert_closed(test.robot, test.reading.context);
    robot_close(&test);
}

static void shapes_of_a_link_are_placed_and_joined(void **state)
{
    SKIP_WITHOUT_EXPAT();
    struct robot_test test;
    robot_open(&test);
    read_good(
        &test,
        "<robot><link name='l'><collision><origin xyz='5 0 0' rpy='0 1.5707963267948966 0'/><geometry>"
        "<box size='2 4 6'/></geometry></collision><visual><geometry><box size='1 1 1'/></geometry></visual>" SHAPE(
            "<box size='2 2 2'/>") "</link></robot>");
    const dent_robot_link *link = &test.robot->links[0];
    assert_int_equal(link->vertex_count, 16);
    double high = 0;
    for (uint32_t v = 0; v < 8; v++) {
        high = fmax(high, link->positions[3 * v]);
    }
    assert_true(fabs(high - 8) < 1e-14); /* 5 + half of 6: its z is x now */
    assert_true(link->positions[3 * 15] == 1);
    robot_close(&test);
}

/* ---- meshes ------------------------------------------------------------------------------------------------------ */

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static const char tetrahedron_obj[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n";
static const char mesh_robot[] =
    "<robot name='m'><link name='l'><visual><geometry><mesh filename='package://some/nowhere.dae'/></geometry></visual>"
    "<collision><geometry><mesh filename='package://some/meshes/part.obj' scale='1 1 -2'/></geometry>"
    "</collision></link>"
    "</robot>";

static void meshes_are_found_by_package_path_and_by_walking_up(void **state)
{
    SKIP_WITHOUT_EXPAT();
    char folder[] = "/tmp/dent_urdf_XXXXXX", path[600], other[600];
    assert_non_null(mkdtemp(folder));
    static const char *const folders[] = {"/robots", "/robots/deep", "/meshes", "/packages", "/packages/some",
                                          "/packages/some/meshes"};
    for (size_t i = 0; i < 6; i++) {
        snprintf(path, sizeof path, "%s%s", folder, folders[i]);
        assert_int_equal(mkdir(path, 0777), 0);
    }
    snprintf(path, sizeof path, "%s/robots/deep/m.urdf", folder);
    write_file(path, mesh_robot);
    struct robot_test test;
    robot_open(&test);
    robot_finish(&test, dent_robot_read(test.reading.context, path, NULL, &test.robot));
    assert_refused(&test.reading, "missing mesh", DENT_ERROR_FILE,
                   "m.urdf:1: link 'l': collision mesh package://some/meshes/part.obj is not there");
    dent_robot_read_def def = dent_robot_read_def_default();
    def.skip_missing_meshes = true;
    robot_clear(&test);
    robot_finish(&test, dent_robot_read(test.reading.context, path, &def, &test.robot));
    assert_int_equal(test.reading.status, DENT_OK);
    assert_int_equal(test.robot->links[0].triangle_count, 0);
    assert_non_null(strstr(test.reading.notices, "was left out"));
    /* Beside a folder above the robot. */
    snprintf(other, sizeof other, "%s/meshes/part.obj", folder);
    write_file(other, tetrahedron_obj);
    robot_clear(&test);
    robot_finish(&test, dent_robot_read(test.reading.context, path, NULL, &test.robot));
    assert_int_equal(test.reading.status, DENT_OK);
    assert_non_null(strstr(test.reading.notices, "1 visual mesh is not there (package://some/nowhere.dae)"));
    assert_true(fabs(volume_of(&test.robot->links[0]) - 2 / 6.0) < 1e-15); /* mirrored, and turned round for it */
    assert_true(test.robot->links[0].positions[3 * 3 + 2] == -2);
    unlink(other);
    /* In a folder of packages. */
    snprintf(other, sizeof other, "%s/packages/some/meshes/part.obj", folder);
    write_file(other, tetrahedron_obj);
    char packages[600];
    snprintf(packages, sizeof packages, "%s/packages", folder);
    const char *list[] = {"/nowhere", packages};
    def = dent_robot_read_def_default();
    def.package_paths = list;
    def.package_path_count = 2;
    robot_clear(&test);
    robot_finish(&test, dent_robot_read(test.reading.context, path, &def, &test.robot));
    assert_int_equal(test.reading.status, DENT_OK);
    unlink(other);
    unlink(path);
    for (size_t i = 6; i-- > 0;) {
        snprintf(path, sizeof path, "%s%s", folder, folders[i]);
        rmdir(path);
    }
    rmdir(folder);
    robot_close(&test);
}

/* ---- what is refused --------------------------------------------------------------------------------------------- */

struct bad_robot {
    const char *what, *text;
    dent_status status;
    const char *words;
};

static const struct bad_robot bad_robots[] = {
    {"no XML", "hello", DENT_ERROR_FORMAT, "r.urdf:1: not XML"},
    {"cut off", "<robot><link name='a'>", DENT_ERROR_FORMAT, "not XML"},
    {"something else", "<mesh/>", DENT_ERROR_FORMAT, "<mesh> where <robot> should be"},
    {"nothing in it", "<robot/>", DENT_ERROR_FORMAT, "a robot without links"},
    {"xacro", "<robot xmlns:xacro='x'><xacro:include/></robot>", DENT_ERROR_FORMAT, "a xacro file"},
    {"entities", "<!DOCTYPE x [<!ENTITY a 'aaaa'><!ENTITY b '&a;&a;'>]><robot name='&b;'/>", DENT_ERROR_FORMAT,
     "no document types and no entities"},
    {"no name", "<robot><link/></robot>", DENT_ERROR_FORMAT, "<link> has no name"},
    {"an empty name", "<robot><link name=''/></robot>", DENT_ERROR_FORMAT, "name of <link> is empty"},
    {"a name twice", "<robot>" LINK("a") "\n" LINK("a") "</robot>", DENT_ERROR_FORMAT,
     "r.urdf:2: a second link 'a'; the first is in line 1"},
    {"a joint twice",
     "<robot>" LINK("a") LINK("b") LINK("c") JOINT("j", "fixed", "a", "b", "")
         JOINT("j", "fixed", "b", "c", "") "</robot>",
     DENT_ERROR_FORMAT, "a second joint 'j'"},
    {"a missing link", "<robot>" LINK("a") JOINT("j", "fixed", "a", "b", "") "</robot>", DENT_ERROR_FORMAT,
     "joint 'j' names link 'b', which does not exist"},
    {"a cycle",
     "<robot>" LINK("a") LINK("b") LINK("c") JOINT("j", "fixed", "a", "b", "") JOINT("k", "revolute", "b", "c", "")
         JOINT("l", "fixed", "c", "a", "") "</robot>",
     DENT_ERROR_FORMAT, "r.urdf: joints form a cycle: |'j'|'k'|'l'"},
    {"limits the wrong way round",
     "<robot>" LINK("a") LINK("b") JOINT("j", "revolute", "a", "b", "<limit lower='2' upper='-2'/>") "</robot>",
     DENT_ERROR_FORMAT, "r.urdf: joint 'j': its limits are the wrong way round, lower 2 and upper -2"},
    {"no axis", "<robot>" LINK("a") LINK("b") JOINT("j", "revolute", "a", "b", "<axis xyz='0 0 0'/>") "</robot>",
     DENT_ERROR_FORMAT, "joint 'j': its axis is 0 0 0"},
    {"two roots", "<robot>" LINK("a") LINK("b") "</robot>", DENT_ERROR_FORMAT, "links 'a' and 'b' both"},
    {"an unknown joint", "<robot>" LINK("a") LINK("b") JOINT("j", "screw", "a", "b", "") "</robot>",
     DENT_ERROR_UNSUPPORTED, "joint 'j' is of type 'screw'"},
    {"a planar joint without a normal",
     "<robot>" LINK("a") LINK("b") JOINT("j", "planar", "a", "b", "<axis xyz='0 0 0'/>") "</robot>", DENT_ERROR_FORMAT,
     "joint 'j': its axis is 0 0 0"},
    {"a type of two lines", "<robot>" LINK("a") LINK("b") JOINT("j", "rev&#10;olute", "a", "b", "") "</robot>",
     DENT_ERROR_UNSUPPORTED, "joint 'j' is of type 'rev?olute'"},
    {"no child", "<robot>" LINK("a") "<joint name='j' type='fixed'><parent link='a'/></joint></robot>",
     DENT_ERROR_FORMAT, "joint 'j' names no child link"},
    {"not a number", "<robot>" LINK("a") LINK("b") JOINT("j", "fixed", "a", "b", "<origin xyz='1 x 2'/>") "</robot>",
     DENT_ERROR_FORMAT, "xyz of <origin>: 'x' is not a number"},
    {"NaN", "<robot>" LINK("a") LINK("b") JOINT("j", "fixed", "a", "b", "<origin xyz='1 nan 2'/>") "</robot>",
     DENT_ERROR_BAD_NUMBER, "'nan' is not a finite number"},
    {"too large", "<robot>" LINK("a") LINK("b") JOINT("j", "fixed", "a", "b", "<origin xyz='1 1e999 2'/>") "</robot>",
     DENT_ERROR_BAD_NUMBER, "'1e999' is not a finite number"},
    {"two numbers", "<robot>" LINK("a") LINK("b") JOINT("j", "fixed", "a", "b", "<origin xyz='1 2'/>") "</robot>",
     DENT_ERROR_FORMAT, "xyz of <origin> has 2 numbers where 3 should be"},
    {"a wild angle", "<robot>" LINK("a") LINK("b") JOINT("j", "fixed", "a", "b", "<origin rpy='1 2 1e9'/>") "</robot>",
     DENT_ERROR_FORMAT, "an angle of 1e+09 radians"},
    {"no shape", "<robot><link name='a'><collision/></link></robot>", DENT_ERROR_FORMAT, "<collision> without a shape"},
    {"two shapes", "<robot><link name='a'>" SHAPE("<sphere radius='1'/><sphere radius='2'/>") "</link></robot>",
     DENT_ERROR_FORMAT, "more than one shape"},
    {"an odd shape", "<robot><link name='a'>" SHAPE("<capsule radius='1'/>") "</link></robot>", DENT_ERROR_UNSUPPORTED,
     "<capsule> is an unknown shape"},
    {"no size", "<robot><link name='a'>" SHAPE("<sphere/>") "</link></robot>", DENT_ERROR_FORMAT,
     "<sphere> has no radius"},
    {"a size of zero", "<robot><link name='a'>" SHAPE("<box size='1 0 1'/>") "</link></robot>", DENT_ERROR_FORMAT,
     "<box> has a size of 0"},
    {"a scale of zero", "<robot><link name='a'>" SHAPE("<mesh filename='a.stl' scale='1 0 1'/>") "</link></robot>",
     DENT_ERROR_FORMAT, "scale of <mesh> is 0 along y"},
    {"no file name", "<robot><link name='a'>" SHAPE("<mesh/>") "</link></robot>", DENT_ERROR_FORMAT,
     "<mesh> has no filename"},
    {"a missing mesh", "<robot>\n<link name='a'>" SHAPE("<mesh filename='nowhere.stl'/>") "</link></robot>",
     DENT_ERROR_FILE, "r.urdf:2: link 'a': collision mesh nowhere.stl is not there"},
    {"a mimic of nothing",
     "<robot>" LINK("a") LINK("b") JOINT("j", "revolute", "a", "b", "<mimic joint='k'/>") "</robot>", DENT_ERROR_FORMAT,
     "joint 'j' mimics joint 'k', which does not exist"},
    {"a mimic of itself",
     "<robot>" LINK("a") LINK("b") JOINT("j", "revolute", "a", "b", "<mimic joint='j'/>") "</robot>", DENT_ERROR_FORMAT,
     "joint 'j' mimics itself"},
    {"beyond the largest double", "<robot><link name='a'>" SHAPE("<sphere radius='1.79e308'/>") "</link></robot>",
     DENT_ERROR_BAD_NUMBER, "reaches beyond the largest double"},
};

static void what_is_wrong_with_a_robot_is_said_in_one_line(void **state)
{
    SKIP_WITHOUT_EXPAT();
    struct robot_test test;
    robot_open(&test);
    for (size_t i = 0; i < sizeof bad_robots / sizeof bad_robots[0]; i++) {
        read_robot(&test, bad_robots[i].text);
        assert_refused(&test.reading, bad_robots[i].what, bad_robots[i].status, bad_robots[i].words);
        assert_memory_equal(test.reading.message, "r.urdf:", 7);
        assert_null(strchr(test.reading.message, '\n'));
    }
    robot_close(&test);
}

static void deep_long_and_many_are_bounded(void **state)
{
    SKIP_WITHOUT_EXPAT();
    struct robot_test test;
    robot_open(&test);
    size_t size = 2000000;
    char *text = malloc(size + 64);
    /* A million nested elements. */
    strcpy(text, "<robot>");
    for (size_t i = 7; i + 3 <= size; i += 3) {
        memcpy(text + i, "<a>", 4);
    }
    read_robot(&test, text);
    assert_refused(&test.reading, "deep", DENT_ERROR_FORMAT, "nested deeper than 200");
    /* A name of two million letters. */
    strcpy(text, "<robot><link name='");
    memset(text + 19, 'x', size - 40);
    strcpy(text + size - 21, "'/></robot>");
    read_robot(&test, text);
    assert_refused(&test.reading, "long", DENT_ERROR_FORMAT, "name of <link> is longer than 255 bytes");
    /* A hundred and fifty thousand attributes. */
    size_t used = (size_t)sprintf(text, "<robot><link name='a' ");
    for (int i = 0; i < 150000; i++) {
        used += (size_t)sprintf(text + used, "a%06d='' ", i);
    }
    sprintf(text + used, "/></robot>");
    read_good(&test, text);
    /* A chain of ten thousand links. */
    used = (size_t)sprintf(text, "<robot>");
    for (int i = 0; i < 10000; i++) {
        used += (size_t)sprintf(text + used, "<link name='%d'/>", i);
        if (i > 0) {
            used += (size_t)sprintf(text + used,
                                    "<joint name='%d' type='fixed'><parent link='%d'/><child link='%d'/></joint>", i,
                                    i - 1, i);
        }
    }
    sprintf(text + used, "</robot>");
    read_good(&test, text);
    assert_int_equal(test.robot->link_count, 10000);
    free(text);
    robot_close(&test);
}

static void a_file_cut_off_anywhere_is_refused(void **state)
{
    SKIP_WITHOUT_EXPAT();
    static const char whole[] = "<robot name='r'><link name='a'>" SHAPE("<box size='1 2 3'/>") "</link>" LINK("b")
        JOINT("j", "revolute", "a", "b", "<origin xyz='1 2 3'/><limit lower='0' upper='1'/>") "</robot>";
    struct robot_test test;
    robot_open(&test);
    for (size_t size = 1; size + 1 < sizeof whole; size++) {
        robot_clear(&test);
        robot_finish(&test, dent_robot_read_memory(test.reading.context, "r.urdf", whole, size, NULL, &test.robot));
        assert_int_equal(test.reading.status, DENT_ERROR_FORMAT);
    }
    robot_close(&test);
}

static void a_def_not_made_by_its_function_is_refused(void **state)
{
    (void)state;
    struct robot_test test;
    robot_open(&test);
    dent_robot_read_def def = {0};
    robot_finish(&test, dent_robot_read_memory(test.reading.context, "r.urdf", "<robot/>", 8, &def, &test.robot));
    assert_int_equal(test.reading.status, DENT_ERROR_INVALID_ARGUMENT);
    robot_finish(&test, dent_robot_read(test.reading.context, "/nowhere/r.urdf", NULL, &test.robot));
    assert_int_equal(test.reading.status, DENT_ERROR_FILE);
    robot_close(&test);
}

static void every_allocation_may_fail(void **state)
{
    SKIP_WITHOUT_EXPAT();
    static const char text[] = "<robot><link name='a'>" SHAPE("<box size='1 2 4'/>") "</link><link name='b'>" SHAPE(
        "<sphere radius='3'/>") "</link>" JOINT("j", "revolute", "a", "b", "<limit lower='0' upper='1'/>") "</robot>";
    struct failing_allocator memory = failing_allocator_make();
    dent_context_def def = dent_context_def_default();
    def.thread_count = 1;
    def.allocator = failing_allocator_hook(&memory);
    dent_context *context = dent_context_create(&def, NULL);
    uint64_t bytes = memory.live_bytes, n = 0;
    dent_robot *robot = NULL;
    dent_status status;
    do {
        assert_null(robot);
        assert_int_equal(memory.live_bytes, bytes);
        memory.requests = 0;
        memory.fail_at = ++n;
        status = dent_robot_read_memory(context, "r.urdf", text, sizeof text - 1, NULL, &robot);
    } while (status == DENT_ERROR_OUT_OF_MEMORY);
    assert_int_equal(status, DENT_OK);
    assert_true(n > 20);
    dent_robot_destroy(context, robot);
    dent_context_destroy(context);
    assert_true(failing_allocator_clean(&memory));
}

/* ---- the data kit ------------------------------------------------------------------------------------------------ */

/* m = m * n, 4 x 4. */
static void multiply(double m[16], const double n[16])
{
    double r[16];
    for (int i = 0; i < 16; i++) {
        r[i] = 0;
        for (int k = 0; k < 4; k++) {
            r[i] += m[i / 4 * 4 + k] * n[4 * k + i % 4];
        }
    }
    memcpy(m, r, sizeof r);
}

static void multiply_turn(double m[16], int axis, double angle)
{
    double n[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    int i = (axis + 1) % 3, k = (axis + 2) % 3;
    n[4 * i + i] = n[4 * k + k] = cos(angle);
    n[4 * k + i] = sin(angle);
    n[4 * i + k] = -sin(angle);
    multiply(m, n);
}

static void multiply_origin(double m[16], double x, double y, double z, double roll, double pitch, double yaw)
{
    const double n[16] = {1, 0, 0, x, 0, 1, 0, y, 0, 0, 1, z, 0, 0, 0, 1};
    multiply(m, n);
    multiply_turn(m, 2, yaw);
    multiply_turn(m, 1, pitch);
    multiply_turn(m, 0, roll);
}

static void the_arm_of_the_kit_is_read_and_moves_as_its_file_says(void **state)
{
    SKIP_WITHOUT_EXPAT();
    const char *kit = getenv("DENT_DATA");
    if (!kit) {
        print_message("SKIPPED: DENT_DATA is not set\n");
        skip();
    }
    struct robot_test test;
    char path[1024];
    snprintf(path, sizeof path, "%s/meshes/robot-ur5e/ur5e.urdf", kit);
    robot_open(&test);
    robot_finish(&test, dent_robot_read(test.reading.context, path, NULL, &test.robot));
    assert_int_equal(test.reading.status, DENT_OK);
    assert_non_null(strstr(test.reading.notices, "7 visual meshes are not there"));
    const dent_linkage *linkage = test.robot->linkage;
    assert_int_equal(test.robot->link_count, 11);
    assert_int_equal(dent_linkage_value_count(linkage), 6);
    static const uint32_t triangles[11] = {0, 420, 1400, 1992, 1064, 1190, 1350, 142, 0, 0, 0};
    for (uint32_t i = 0; i < 11; i++) {
        assert_int_equal(test.robot->links[i].triangle_count, triangles[i]);
    }
    const double pi = 3.141592653589793, half = 1.570796327;
    dent_random random = dent_random_seeded(5);
    for (int round = 0; round < 50; round++) {
        double q[6];
        for (int i = 0; i < 6; i++) {
            q[i] = (2 * dent_random_unit(&random) - 1) * pi;
        }
        dent_pose poses[11];
        assert_int_equal(dent_linkage_check_values(linkage, q), DENT_OK);
        assert_int_equal(dent_linkage_poses(linkage, NULL, q, poses), DENT_OK);
        double m[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}, found[16];
        multiply_origin(m, 0, 0, 0, 0, 0, pi);
        multiply_origin(m, 0, 0, 0.1625, 0, 0, 0);
        multiply_turn(m, 2, q[0]);
        multiply_origin(m, 0, 0, 0, half, 0, 0);
        multiply_turn(m, 2, q[1]);
        multiply_origin(m, -0.425, 0, 0, 0, 0, 0);
        multiply_turn(m, 2, q[2]);
        multiply_origin(m, -0.3922, 0, 0.1333, 0, 0, 0);
        multiply_turn(m, 2, q[3]);
        multiply_origin(m, 0, -0.0997, -2.044881182297852e-11, half, 0, 0);
        multiply_turn(m, 2, q[4]);
        multiply_origin(m, 0, 0.0996, -2.042830148012698e-11, 1.570796326589793, pi, pi);
        multiply_turn(m, 2, q[5]);
        dent_pose_to_matrix(&poses[dent_linkage_find_link(linkage, "wrist_3_link")], found);
        for (int i = 0; i < 16; i++) {
            assert_true(fabs(m[i] - found[i]) < 1e-14);
        }
    }
    /* Base and what stands on it, hand and its frames are neighbours; base and forearm are not. */
    assert_true(dent_linkage_neighbours(linkage, dent_linkage_find_link(linkage, "base"),
                                        dent_linkage_find_link(linkage, "shoulder_link")));
    assert_false(dent_linkage_neighbours(linkage, dent_linkage_find_link(linkage, "base_link_inertia"),
                                         dent_linkage_find_link(linkage, "upper_arm_link")));
    robot_close(&test);
}

static void masses_and_drives_are_read_in_the_frame_of_the_link(void **state)
{
    (void)state;
    struct robot_test test;
    robot_open(&test);
    read_good(&test, "<robot name='r'><link name='a'/><link name='b'><inertial><origin xyz='1 2 3' "
                     "rpy='0 0 1.5707963267948966'/><mass value='2.5'/><inertia ixx='1' ixy='0.1' ixz='0' iyy='2' iyz='0' "
                     "izz='3'/></inertial></link><joint name='j' type='revolute'><parent link='a'/><child link='b'/>"
                     "<limit lower='-1' upper='1' effort='7' velocity='0.5'/><dynamics damping='0.2' friction='0.3'/>"
                     "</joint></robot>");
    const dent_robot_link *link = &test.robot->links[1];
    static const double turned[6] = {2, -0.1, 0, 1, 0, 3}; /* x is y, y is -x */
    assert_true(link->mass == 2.5 && link->mass_center[0] == 1 && link->mass_center[2] == 3);
    assert_true(test.robot->links[0].mass == 0 && test.robot->links[0].inertia[0] == 0);
    for (int n = 0; n < 6; n++) {
        assert_true(fabs(link->inertia[n] - turned[n]) < 1e-15);
    }
    const dent_robot_joint *joint = &test.robot->joints[0];
    assert_true(joint->max_force == 7 && joint->max_speed == 0.5 && joint->damping == 0.2 && joint->friction == 0.3);
    read_good(&test, "<robot name='r'><link name='a'/><link name='b'/><joint name='j' type='continuous'>"
                     "<parent link='a'/><child link='b'/></joint></robot>");
    joint = &test.robot->joints[0];
    assert_true(isinf(joint->max_force) && isinf(joint->max_speed) && joint->damping == 0 && joint->friction == 0);
    read_robot(&test, "<robot name='r'><link name='a'><inertial><mass value='heavy'/></inertial></link></robot>");
    assert_int_equal(test.reading.status, DENT_ERROR_FORMAT);
    assert_non_null(strstr(test.reading.message, "r.urdf:1: value of <mass>: 'heavy' is not a number"));
    read_robot(&test, "<robot name='r'><link name='a'><inertial><mass value='1e999'/></inertial></link></robot>");
    assert_int_equal(test.reading.status, DENT_ERROR_BAD_NUMBER);
    read_robot(&test, "<robot name='r'><link name='a'><inertial><inertia ixx='1' iyy='1'/></inertial></link></robot>");
    assert_int_equal(test.reading.status, DENT_ERROR_FORMAT);
    assert_non_null(strstr(test.reading.message, "izz"));
    robot_close(&test);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(masses_and_drives_are_read_in_the_frame_of_the_link),
        cmocka_unit_test(links_joints_and_their_numbers_are_read),
        cmocka_unit_test(a_planar_joint_has_three_values_and_the_normal_of_its_plane),
        cmocka_unit_test(round_shapes_contain_what_they_stand_for),
        cmocka_unit_test(shapes_of_a_link_are_placed_and_joined),
        cmocka_unit_test(meshes_are_found_by_package_path_and_by_walking_up),
        cmocka_unit_test(what_is_wrong_with_a_robot_is_said_in_one_line),
        cmocka_unit_test(deep_long_and_many_are_bounded),
        cmocka_unit_test(a_file_cut_off_anywhere_is_refused),
        cmocka_unit_test(a_def_not_made_by_its_function_is_refused),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(the_arm_of_the_kit_is_read_and_moves_as_its_file_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
