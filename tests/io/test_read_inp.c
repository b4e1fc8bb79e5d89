/* Abaqus input files in strings: nodes, elements, sets, parts and instances, and what broken ones say. */
#include "mesh_file_checks.h"

#define FIVE "*NODE\n1, 0, 0, 0\n2, 1, 0, 0\n3, 0, 1, 0\n4, 0, 0, 1\n5, 0., 0., -1.\n"
#define PAIR "1, 1,2,3,4\n2, 1,3,2,5\n"

static void nodes_and_elements_are_read(void **state)
{
    struct checks *checks = *state;
    dent_mesh *mesh = read_good_text(checks, "dir/part.inp",
                                     "*HEADING\n a model, 1, 2\n** comment\n" FIVE "*Element, type=C3D4\n" PAIR
                                     "*MATERIAL, NAME=steel\n*ELASTIC\n2e11, 0.3\n*STEP\n*END STEP\n");
    const dent_mesh_body *body = only_body(mesh, DENT_BODY_SOLID, 5, 2);
    assert_string_equal(body->name, "part");
    assert_string_equal(mesh->format, "abaqus");
    assert_corners(body, (uint32_t[]){0, 1, 2, 3, 0, 2, 1, 4}, 8);
    assert_same_doubles(body->positions, (double[]){0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, -1}, 15);
    dent_mesh_destroy(checks->context, mesh);
}

static void element_types_have_their_corners(void **state)
{
    struct checks *checks = *state;
    static const struct {
        const char *type, *nodes;
        dent_body_kind kind;
        uint32_t elements, corners;
    } rows[] = {
        {"C3D4H", "1,2,3,4", DENT_BODY_SOLID, 1, 4},
        {"C3D10M", "1,2,3,4,5,6,7,8,9,10", DENT_BODY_SOLID, 1, 4},
        {"C3D6", "1,2,3,4,5,6", DENT_BODY_SOLID, 1, 6},
        {"c3d8r", "1,2,3,4,5,6,7,8", DENT_BODY_SOLID, 1, 8},
        {"C3D20R", "1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,\n16,17,18,19,20", DENT_BODY_SOLID, 1, 8},
        {"SC8R", "1,2,3,4,5,6,7,8", DENT_BODY_SOLID, 1, 8},
        {"S3R", "1,2,3", DENT_BODY_SURFACE, 1, 3},
        {"S4R5", "1,2,3,4", DENT_BODY_SURFACE, 2, 6},
        {"STRI65", "1,2,3,4,5,6", DENT_BODY_SURFACE, 1, 3},
        {"S8R", "1,2,3,4,5,6,7,8", DENT_BODY_SURFACE, 2, 6},
        {"M3D4R", "1,2,3,4", DENT_BODY_SURFACE, 2, 6},
        {"R3D3", "1,2,3", DENT_BODY_SURFACE, 1, 3},
        {"T3D2", "1,2", DENT_BODY_STRANDS, 1, 2},
        {"B32", "1,2,3", DENT_BODY_STRANDS, 1, 2},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char text[1024] = "*NODE\n";
        for (int n = 1; n <= 20; n++) {
            snprintf(text + strlen(text), sizeof text - strlen(text), "%d, %d, %d, %d\n", n, n % 3, n % 5, n % 7);
        }
        snprintf(text + strlen(text), sizeof text - strlen(text), "*ELEMENT, TYPE=%s\n1, %s\n", rows[i].type,
                 rows[i].nodes);
        dent_mesh *mesh = read_good_text(checks, "a.inp", text);
        assert_int_equal(mesh->body_count, 1);
        assert_int_equal(mesh->bodies[0].kind, rows[i].kind);
        assert_int_equal(mesh->bodies[0].element_count, rows[i].elements);
        assert_int_equal(mesh->bodies[0].corner_count, rows[i].corners);
        dent_mesh_destroy(checks->context, mesh);
    }
}

static void bodies_are_named(struct checks *checks, const char *text, const char *first, const char *second)
{
    dent_mesh *mesh = read_good_text(checks, "a.inp", text);
    assert_int_equal(mesh->body_count, second ? 2 : 1);
    assert_string_equal(mesh->bodies[0].name, first);
    if (second) {
        assert_string_equal(mesh->bodies[1].name, second);
    }
    dent_mesh_destroy(checks->context, mesh);
}

static void sets_of_elements_make_bodies(void **state)
{
    bodies_are_named(
        *state,
        FIVE "*ELEMENT, TYPE=C3D4, ELSET=bone\n1,1,2,3,4\n*ELEMENT, ELSET=\"soft part\",\n TYPE=C3D4\n2,1,3,2,5\n",
        "bone", "soft part");
    bodies_are_named(*state,
                     FIVE "*ELSET, ELSET=up\n1,\n*ELEMENT, TYPE=C3D4\n" PAIR "*ELSET, ELSET=down, GENERATE\n1, 2, 1\n",
                     "up", "down");
    /* Only sets that sections use count, where there are sections. */
    bodies_are_named(*state,
                     FIVE "*ELEMENT, TYPE=C3D4\n" PAIR "*ELSET, ELSET=all, GENERATE\n1,2\n*ELSET, ELSET=A\n1\n"
                          "*ELSET, ELSET=B\n2\n*SOLID SECTION, ELSET=a, MATERIAL=m\n*Solid Section, elset=b\n",
                     "A", "B");
}

static void sets_of_nodes_become_groups_of_points(void **state)
{
    struct checks *checks = *state;
    dent_mesh *mesh = read_good_text(
        checks, "a.inp",
        FIVE "*NSET, NSET=clamped\n1, 3,\n*NSET, NSET=odd, GENERATE\n1, 5, 2\n*ELEMENT, TYPE=C3D4\n" PAIR);
    only_body(mesh, DENT_BODY_SOLID, 5, 2);
    assert_int_equal(mesh->group_count, 2);
    assert_string_equal(mesh->groups[0].name, "clamped");
    assert_memory_equal(mesh->groups[0].corners, ((uint32_t[]){0, 2}), 8);
    assert_int_equal(mesh->groups[1].element_count, 3);
    assert_memory_equal(mesh->groups[1].corners, ((uint32_t[]){0, 2, 4}), 12);
    dent_mesh_destroy(checks->context, mesh);
}

#define PART(name)                                                                                                     \
    "*PART, NAME=" name "\n*NODE\n1,0,0,0\n2,1,0,0\n3,0,1,0\n4,0,0,1\n*ELEMENT, TYPE=C3D4\n1,1,2,3,4\n*END PART\n"

static void parts_are_bodies_where_their_instances_are(void **state)
{
    struct checks *checks = *state;
    static const char text[] = "*HEADING\n" PART("tooth") PART(
        "root") "*ASSEMBLY, NAME=Assembly\n**\n"
                "*INSTANCE, NAME=tooth-1, PART=tooth\n*END INSTANCE\n*INSTANCE, NAME=root-1, PART=Root\n 0., 0., -2.5\n"
                "*END INSTANCE\n*NSET, NSET=hold, INSTANCE=root-1\n 1, 2\n*END ASSEMBLY\n";
    bodies_are_named(checks, text, "tooth", "root");
    dent_mesh *mesh = read_good_text(checks, "a.inp", text);
    assert_same_doubles(mesh->bodies[0].positions, (double[]){0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1}, 12);
    assert_same_doubles(mesh->bodies[1].positions, (double[]){0, 0, -2.5, 1, 0, -2.5, 0, 1, -2.5, 0, 0, -1.5}, 12);
    assert_int_equal(mesh->group_count, 1);
    assert_memory_equal(mesh->groups[0].corners, ((uint32_t[]){4, 5}), 8);
    dent_mesh_destroy(checks->context, mesh);
}

static void what_is_left_out_is_said(void **state)
{
    struct checks *checks = *state;
    dent_mesh *mesh =
        read_good_text(checks, "a.inp",
                       FIVE "*ELEMENT, TYPE=C3D4\n" PAIR "*ELEMENT, TYPE=MASS\n3, 1\n*NSET, NSET=x\nclamped\n"
                            "*NSET, NSET=y, GENERATE\n1, 9000000000000000000\n");
    assert_non_null(strstr(checks->log, "1 blocks of elements have a type that is not read (line 10: 'MASS')"));
    assert_non_null(strstr(checks->log, "names of other sets"));
    assert_non_null(strstr(checks->log, "more members than the file"));
    dent_mesh_destroy(checks->context, mesh);
}

static void broken_files_are_refused_by_name(void **state)
{
#define TET "*ELEMENT, TYPE=C3D4\n1, 1,2,3,4\n"
    static const struct broken_file files[] = {
        {"no Abaqus file", "a.inp", "hello\n", 0, DENT_ERROR_FORMAT, "a.inp:1: 'hello' where a keyword should be"},
        {"no such node", "a.inp", FIVE "*ELEMENT, TYPE=C3D4\n1, 1,2,3,9\n", 0, DENT_ERROR_BAD_MESH,
         "a.inp:8: element 1: no node has number 9"},
        {"element that ends early", "a.inp", FIVE "*ELEMENT, TYPE=C3D4\n1, 1,2,3\n*STEP\n", 0, DENT_ERROR_FORMAT,
         "element 1 ends after 3 of 4 nodes"},
        {"element at the end of the file", "a.inp", FIVE "*ELEMENT, TYPE=C3D4\n1, 1,2,", 0, DENT_ERROR_FORMAT,
         "ends after 2 of 4 nodes"},
        {"element with too many nodes", "a.inp", FIVE "*ELEMENT, TYPE=C3D4\n1, 1,2,3,4,5\n", 0, DENT_ERROR_FORMAT,
         "a.inp:8: element 1 has more than 4 nodes"},
        {"element without type", "a.inp", FIVE "*ELEMENT\n1, 1,2,3,4\n", 0, DENT_ERROR_FORMAT, "*ELEMENT without TYPE"},
        {"a node twice", "a.inp", "*NODE\n7,0,0,0\n7,1,0,0\n", 0, DENT_ERROR_BAD_MESH, "node number 7 appears twice"},
        {"node that is a word", "a.inp", "*NODE\nx,0,0,0\n", 0, DENT_ERROR_FORMAT, "a.inp:2: node number 'x'"},
        {"coordinate that is a word", "a.inp", "*NODE\n1,0,y,0\n", 0, DENT_ERROR_FORMAT, "coordinate 'y'"},
        {"NaN", "a.inp", "*NODE\n1,0,nan,0\n" TET, 0, DENT_ERROR_BAD_NUMBER, "a.inp:2: vertex 0: y"},
        {"cylinder coordinates", "a.inp", "*NODE, SYSTEM=C\n1,0,0,0\n", 0, DENT_ERROR_UNSUPPORTED, "SYSTEM=C"},
        {"included files", "a.inp", "*INCLUDE, INPUT=b.inp\n", 0, DENT_ERROR_UNSUPPORTED, "a.inp:1: *INCLUDE"},
        {"generated nodes", "a.inp", FIVE "*NGEN\n1,5,1\n", 0, DENT_ERROR_UNSUPPORTED, "*NGEN"},
        {"set without name", "a.inp", FIVE TET "*NSET\n1\n", 0, DENT_ERROR_FORMAT, "the name of the set is missing"},
        {"set of no instance", "a.inp", FIVE TET "*NSET, NSET=a, INSTANCE=b\n1\n", 0, DENT_ERROR_FORMAT,
         "unknown instance"},
        {"range backwards", "a.inp", FIVE TET "*NSET, NSET=a, GENERATE\n5, 1, 1\n", 0, DENT_ERROR_FORMAT,
         "a.inp:10: range 5, 1, 1"},
        {"range without step", "a.inp", FIVE TET "*NSET, NSET=a, GENERATE\n1, 5, 0\n", 0, DENT_ERROR_FORMAT,
         "range 1, 5, 0"},
        {"instance that is turned", "a.inp",
         PART("p") "*INSTANCE, NAME=p-1, PART=p\n1,0,0\n0,0,0, 0,0,1, 90\n*END INSTANCE\n", 0, DENT_ERROR_UNSUPPORTED,
         "instance 'p-1' is turned"},
        {"part with two instances", "a.inp",
         PART("p") "*INSTANCE, NAME=p-1, PART=p\n*END INSTANCE\n*INSTANCE, NAME=p-2, PART=p\n9,0,0\n*END INSTANCE\n", 0,
         DENT_ERROR_UNSUPPORTED, "part 'p' has several instances"},
        {"instance beyond all numbers", "a.inp",
         "*PART, NAME=p\n*NODE\n1,1e308,0,0\n*END PART\n*INSTANCE, NAME=p-1, PART=p\n1e308\n*END INSTANCE\n", 0,
         DENT_ERROR_BAD_NUMBER, "instance 'p-1': a position overflows"},
        {"two parts of one name", "a.inp", PART("p") PART("P"), 0, DENT_ERROR_FORMAT, "a second part 'P'"},
        {"nodes only", "a.inp", FIVE, 0, DENT_ERROR_BAD_MESH, "nothing that makes a body"},
    };
    assert_all_refused(*state, files, COUNT_OF(files));
}

static const char sample[] =
    FIVE "*NSET, NSET=n\n1,2\n*ELEMENT, TYPE=C3D4, ELSET=e\n1,1,2,3,4\n*ELSET, ELSET=f, GENERATE\n1,2\n" PART(
        "p") "*INSTANCE, NAME=i, PART=p\n1\n*END INSTANCE\n*ELEMENT, TYPE=S4\n9,1,2,\n3,4\n*SHELL SECTION, ELSET=e\n";

static void every_failing_allocation_is_out_of_memory_and_leaves_nothing(void **state)
{
    assert_true(fail_every_allocation(*state, "a.inp", sample, sizeof sample - 1) > 15);
}

static void every_prefix_is_read_or_refused(void **state)
{
    assert_every_prefix_is_safe(*state, "a.inp", sample, sizeof sample - 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, checks_setup, checks_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(nodes_and_elements_are_read),
        TEST(element_types_have_their_corners),
        TEST(sets_of_elements_make_bodies),
        TEST(sets_of_nodes_become_groups_of_points),
        TEST(parts_are_bodies_where_their_instances_are),
        TEST(what_is_left_out_is_said),
        TEST(broken_files_are_refused_by_name),
        TEST(every_failing_allocation_is_out_of_memory_and_leaves_nothing),
        TEST(every_prefix_is_read_or_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
