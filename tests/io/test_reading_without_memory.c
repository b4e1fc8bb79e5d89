/* Every allocation of a read may fail: for each N the Nth request is refused (alone, and together with all later ones),
 * the read says so, gives everything back, and works again afterwards. */
#include "reading.h"

#include "tetgen_memory.h"
#include "support/failing_allocator.h"

static const char nodes_text[] = "5 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 1 1 1\n";
static const char cells_text[] = "2 4 1\n1 1 2 3 4 1\n2 2 3 4 5 2\n";

/* Small files that walk through every path that takes memory: names, groups, several bodies, sparse tags, quads,
 * packing. */
static const char gmsh_text[] =
    "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$PhysicalNames\n2\n2 9 \"wall\"\n3 1 \"left\"\n$EndPhysicalNames\n"
    "$Entities\n0 0 1 2\n1 0 0 0 1 1 0 1 9 0\n2 0 0 0 1 1 1 1 2 0\n1 0 0 0 1 1 1 1 1 0\n$EndEntities\n"
    "$Nodes\n1 5 7 9000000000\n3 1 0 5\n30\n20\n10\n9000000000\n7\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n1 1 1\n$EndNodes\n"
    "$Elements\n4 4 1 5\n2 1 2 1\n1 30 20 10\n2 1 3 1\n2 30 20 10 7\n"
    "3 1 4 1\n4 30 20 10 9000000000\n3 2 4 1\n5 20 10 9000000000 7\n$EndElements\n";
static const char medit_text[] = "MeshVersionFormatted 2\nDimension 3\nVertices 4\n0 0 0 0\n1 0 0 0\n1 1 0 0\n0 1 0 0\n"
                                 "Quadrilaterals 1\n1 2 3 4 1\nTriangles 2\n1 2 3 1\n1 2 4 5\nEdges 1\n1 2 3\nEnd\n";
/* A tetrahedron as Gmsh 1, by xz -0 and by gzip. */
static const uint8_t packed_xz[] = {
    0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00, 0x00, 0x04, 0xe6, 0xd6, 0xb4, 0x46, 0x02, 0x00, 0x21, 0x01, 0x0c, 0x00,
    0x00, 0x00, 0x8f, 0x98, 0x41, 0x9c, 0xe0, 0x00, 0x4f, 0x00, 0x3c, 0x5d, 0x00, 0x12, 0x13, 0x85, 0xe4, 0x45,
    0x78, 0x08, 0x5d, 0x65, 0x60, 0x79, 0x49, 0x46, 0xba, 0xa0, 0x8f, 0x51, 0x81, 0xa8, 0x2c, 0x4f, 0x9b, 0x45,
    0x35, 0x95, 0x62, 0xed, 0x7c, 0xc5, 0x80, 0x0e, 0xb4, 0xcd, 0xb8, 0x02, 0xb8, 0xbc, 0x3c, 0xcf, 0x72, 0x26,
    0x42, 0x8b, 0x8f, 0x90, 0x9c, 0xc6, 0x33, 0xa4, 0xc0, 0x1e, 0xd3, 0xea, 0x68, 0xa0, 0xad, 0xf3, 0x85, 0x7c,
    0xe1, 0x00, 0x53, 0x5d, 0xf8, 0x9a, 0x14, 0x1d, 0x5a, 0xb8, 0x00, 0x01, 0x58, 0x50, 0x83, 0x33, 0x8f, 0x39,
    0x1f, 0xb6, 0xf3, 0x7d, 0x01, 0x00, 0x00, 0x00, 0x00, 0x04, 0x59, 0x5a};
static const uint8_t packed_gz[] = {0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0xff, 0x53, 0xf1, 0xf3,
                                    0x77, 0xe1, 0x32, 0xe1, 0x32, 0x54, 0x30, 0x00, 0x41, 0x2e, 0x23, 0x05, 0x30,
                                    0x8b, 0xcb, 0x18, 0x48, 0x02, 0x59, 0x5c, 0x26, 0x60, 0x71, 0x43, 0x2e, 0x15,
                                    0x57, 0x3f, 0x17, 0x90, 0x4a, 0x15, 0x57, 0x1f, 0x5f, 0x2e, 0x43, 0xa0, 0x72,
                                    0x13, 0x05, 0x73, 0x05, 0x10, 0x69, 0xa8, 0x60, 0xa4, 0x60, 0xac, 0x60, 0x02,
                                    0x56, 0x00, 0x92, 0x03, 0x00, 0x71, 0xe9, 0x0c, 0x9b, 0x50, 0x00, 0x00, 0x00};

struct source {
    const char *name;
    const void *bytes;
    size_t size;
};

static dent_status read_source(dent_context *context, const struct source *source, dent_mesh **mesh)
{
    if (!source->bytes) {
        return tetgen_read_memory(context, (struct tetgen_file){"t.node", nodes_text, sizeof nodes_text - 1},
                                  (struct tetgen_file){"t.ele", cells_text, sizeof cells_text - 1}, false, mesh);
    }
    return dent_mesh_read_memory(context, source->name, source->bytes, source->size, NULL, mesh);
}

static dent_status read_and_use(dent_context *context, const struct source *source)
{
    dent_mesh *mesh = NULL;
    dent_status status = read_source(context, source, &mesh);
    if (status != DENT_OK) {
        assert_null(mesh);
        return status;
    }
    dent_world *world = dent_world_create(context);
    status = DENT_ERROR_OUT_OF_MEMORY;
    if (world) {
        dent_body_id ids[8];
        assert_true(mesh->body_count <= 8);
        status = dent_mesh_add_to_world(mesh, world, ids);
        assert_int_equal(dent_world_body_count(world), status == DENT_OK ? mesh->body_count : 0);
        dent_world_destroy(world);
    }
    dent_mesh_destroy(context, mesh);
    return status;
}

static void fail_every_request(const struct source *source, bool once)
{
    struct failing_allocator memory = failing_allocator_make();
    dent_context_def def = dent_context_def_default();
    def.thread_count = 1;
    def.allocator = failing_allocator_hook(&memory);
    dent_context *context = dent_context_create(&def, NULL);
    assert_non_null(context);
    uint64_t bytes = memory.live_bytes;
    memory.fail_once = once;
    uint64_t n = 0;
    dent_status status;
    do {
        memory.requests = 0;
        memory.fail_at = ++n;
        status = read_and_use(context, source);
        if (status == DENT_ERROR_UNSUPPORTED) {
            print_message("SKIPPED %s: this build cannot unpack it\n", source->name);
            break;
        }
        /* A shrinking or growing request that fails may be made up for; anything else is out of memory. */
        assert_true(status == DENT_ERROR_OUT_OF_MEMORY || status == DENT_OK);
        assert_int_equal(memory.live_bytes, bytes);
        assert_int_equal(memory.complaints, 0);
    } while (memory.requests >= n);
    assert_true(status == DENT_OK || status == DENT_ERROR_UNSUPPORTED);
    assert_true(status != DENT_OK || n > 10);
    dent_context_destroy(context);
    assert_true(failing_allocator_clean(&memory));
}

static void a_read_that_runs_out_of_memory_anywhere_says_so_and_leaves_nothing(void **state)
{
    (void)state;
    const struct source sources[] = {
        {"two.msh", gmsh_text, sizeof gmsh_text - 1},
        {"quads.mesh", medit_text, sizeof medit_text - 1},
        {"tetgen", NULL, 0},
        {"packed.msh.gz", packed_gz, sizeof packed_gz},
        {"packed.msh.xz", packed_xz, sizeof packed_xz},
    };
    for (size_t i = 0; i < sizeof sources / sizeof sources[0]; i++) {
        fail_every_request(&sources[i], false);
        fail_every_request(&sources[i], true);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_read_that_runs_out_of_memory_anywhere_says_so_and_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
