/* Golden counts and hashes of every scene, the same for every compiler and optimisation level; with DENT_QUICK_TESTS
 * those of at most 50,000 elements (every scene at a small scale among them). */
#include "support/cmocka_includes.h"

#include "support/test_context.h"
#include "scenes/support_counting.h"

#include <stdlib.h>
#include <string.h>

/* Counts, and FNV-1a over corners and references of all bodies followed by the positions of frames 0, 1 and 17. */
struct golden {
    const char *name;
    double scale;
    uint32_t bodies, vertices, elements;
    uint64_t hash;
};

static const struct golden golden_rows[] = {
    {"teschner-a", 1, 100, 1200, 1000, UINT64_C(0x89913E285662907E)},
    {"teschner-a", 0.02, 2, 24, 20, UINT64_C(0x3C8A1D61FC0F4CD5)},
    {"teschner-b", 1, 8, 1936, 4000, UINT64_C(0x63CEA1A923C7655B)},
    {"teschner-b", 0.02, 2, 484, 1000, UINT64_C(0xC8E8002A92F325B7)},
    {"teschner-c", 1, 20, 4840, 10000, UINT64_C(0x5950FC5CFE7316CC)},
    {"teschner-c", 0.02, 2, 484, 1000, UINT64_C(0x6DA8BE7DA7A3AF0C)},
    {"teschner-d", 1, 2, 5932, 20436, UINT64_C(0xB1ADD79F53F46D7D)},
    {"teschner-d", 0.02, 2, 1012, 2652, UINT64_C(0xFA960598AD43154B)},
    {"teschner-e", 1, 100, 24200, 50000, UINT64_C(0x79BDBE81C1F1DB63)},
    {"teschner-e", 0.02, 2, 484, 1000, UINT64_C(0x6DA8BE7DA7A3AF0C)},
    {"v-shapes", 1, 2, 990, 2560, UINT64_C(0x77036ED1359F2358)},
    {"v-shapes", 0.02, 2, 88, 100, UINT64_C(0xFA64F62C34773EE8)},
    {"v-self", 1, 1, 495, 1280, UINT64_C(0xED9DAF6CCC67CFF7)},
    {"v-self", 0.02, 1, 44, 50, UINT64_C(0xC3EC226555BC735F)},
    {"blocks-640k", 1, 16, 148176, 640000, UINT64_C(0x016008DA52A5FFCD)},
    {"blocks-640k", 0.02, 16, 3456, 10000, UINT64_C(0x07593AD174ED0200)},
    {"folded-1m", 1, 1, 215271, 1000000, UINT64_C(0xEE68EB6A8079A5FA)},
    {"folded-1m", 0.02, 1, 4950, 18900, UINT64_C(0xD215AEE3EEDA6FF9)},
    {"cloth-500k", 1, 1, 251001, 500000, UINT64_C(0xA5A01E0DF6B38CDC)},
    {"cloth-500k", 0.02, 1, 5184, 10082, UINT64_C(0xBCF8BDA974DDED9F)},
    {"sheet-flat", 1, 1, 251001, 500000, UINT64_C(0xCE72D34320F58375)},
    {"sheet-flat", 0.02, 1, 5184, 10082, UINT64_C(0xC21C2904725EA568)},
    {"sheet-tilted", 1, 1, 251001, 500000, UINT64_C(0xFCD908C4945AA1B2)},
    {"sheet-tilted", 0.02, 1, 5184, 10082, UINT64_C(0x927630B5175026A0)},
    {"sheet-curved", 1, 1, 251001, 500000, UINT64_C(0xF5A1F898F726E201)},
    {"sheet-curved", 0.02, 1, 5184, 10082, UINT64_C(0x06F96F09390F145D)},
    {"jaw", 1, 44, 81083, 314736, UINT64_C(0x69673614FB3E39B0)},
    {"jaw", 0.02, 5, 5503, 19690, UINT64_C(0x1925D655A7676404)},
    {"graded", 1, 24, 18600, 57600, UINT64_C(0x1EE3F04CDBBCE656)},
    {"graded", 0.02, 24, 864, 960, UINT64_C(0xBC31027D4048FFFD)},
    {"rod", 1, 2, 326, 644, UINT64_C(0xC80BE903566D56CC)},
    {"rod", 0.02, 2, 16, 24, UINT64_C(0xEA9234E7243D0D59)},
    {"teapot", 1, 2, 3532, 7040, UINT64_C(0x6A20404B55FDD555)},
    {"teapot", 0.02, 2, 196, 368, UINT64_C(0x42DAEA8502085D22)},
    {"rings", 1, 2, 1536, 3072, UINT64_C(0x7C089EA780485FCD)},
    {"rings", 0.02, 2, 64, 128, UINT64_C(0xF0671CC814681007)},
    {"arm", 1, 8, 2320, 4608, UINT64_C(0x2A89334C4BCC0184)},
    {"arm", 0.02, 8, 96, 160, UINT64_C(0x8D3340277E525075)},
    {"shelf", 1, 8, 2330, 4608, UINT64_C(0x9B48BAC66026D476)},
    {"shelf", 0.02, 8, 132, 212, UINT64_C(0x346012D09A5F8273)},
    {"piano", 1, 2, 252, 448, UINT64_C(0x0B7B412BB9CFF607)},
    {"piano", 0.02, 2, 112, 168, UINT64_C(0x4A731D29D9A012F1)},
    {"peg", 1, 2, 30002, 60000, UINT64_C(0x7507BDB63FAE3DCA)},
    {"peg", 0.02, 2, 590, 1176, UINT64_C(0x544060B3FAFFD166)},
    {"fitted", 1, 8, 35929, 136582, UINT64_C(0xD2B049B321F712B8)},
    {"fitted", 0.02, 8, 5733, 17273, UINT64_C(0x6775B65275BBF75F)},
    {"strands-1m", 1, 1, 1031250, 1000000, UINT64_C(0x0AD4B31C2E80D39F)},
    {"strands-1m", 0.02, 1, 20625, 20000, UINT64_C(0x31FAC809E4509DA8)},
    {"strands-1m-sparse", 1, 1, 1031250, 1000000, UINT64_C(0x0AD4B31C2E80D39F)},
    {"strands-1m-sparse", 0.02, 1, 20625, 20000, UINT64_C(0x31FAC809E4509DA8)},
    {"head", 1, 2, 67154, 66304, UINT64_C(0xD3774BF8AB1A973C)},
    {"head", 0.02, 2, 2474, 3584, UINT64_C(0x2A965F047F9E222E)},
    {"ponytail", 1, 2, 34154, 34304, UINT64_C(0xCBEBCA22B7E1822E)},
    {"ponytail", 0.02, 2, 1814, 2944, UINT64_C(0x601FA511C68592DA)},
    {"fibre-clump", 1, 2, 6889, 6912, UINT64_C(0x37F8AAB4C98A439F)},
    {"fibre-clump", 0.02, 2, 421, 640, UINT64_C(0x670A2ACC6DD0563B)},
    {"strand-curtain", 1, 2, 6600, 6400, UINT64_C(0xA6C3163B03848DD2)},
    {"strand-curtain", 0.02, 2, 132, 128, UINT64_C(0x902C1830619CC6A1)},
    {"cloud-spheres", 1, 2, 20000, 20000, UINT64_C(0xC569503CD65A3E5B)},
    {"cloud-spheres", 0.02, 2, 400, 400, UINT64_C(0x28E4FB627F6544A0)},
    {"cloud-torus", 1, 2, 20000, 20000, UINT64_C(0x49AE77E97CFA2EAA)},
    {"cloud-torus", 0.02, 2, 400, 400, UINT64_C(0x88D18CAA071AE292)},
    {"cloud-sheets", 1, 2, 20000, 20000, UINT64_C(0xB4C7B0D4BC7C245D)},
    {"cloud-sheets", 0.02, 2, 392, 392, UINT64_C(0xFC5B17804E5A6ED5)},
    {"cloud-scans", 1, 2, 19092, 19092, UINT64_C(0x0726A1128DF97D5A)},
    {"cloud-scans", 0.02, 2, 382, 382, UINT64_C(0xDC5E90F233AE730F)},
};

static struct golden measure(dent_context *context, const char *name, double scale)
{
    struct golden row = {name, scale, 0, 0, 0, 0};
    dent_scene_def def = dent_scene_def_default();
    def.name = name;
    def.scale = scale;
    dent_scene *scene;
    assert_int_equal(dent_scene_create(context, &def, &scene), DENT_OK);
    row.bodies = dent_scene_body_count(scene);
    for (uint32_t b = 0; b < row.bodies; b++) {
        row.vertices += dent_scene_body_at(scene, b)->vertex_count;
        row.elements += dent_scene_body_at(scene, b)->element_count;
    }
    row.hash = hash_scene(scene);
    dent_scene_destroy(scene);
    return row;
}

static void every_scene_has_its_golden_counts_and_hash(void **state)
{
    dent_context *context = *state;
    bool all_equal = true;
    uint32_t most = getenv("DENT_QUICK_TESTS") ? 50000 : UINT32_MAX;
    for (size_t i = 0; i < sizeof golden_rows / sizeof golden_rows[0]; i++) {
        const struct golden *expected = &golden_rows[i];
        if (expected->elements > most) {
            continue;
        }
        struct golden found = measure(context, expected->name, expected->scale);
        if (found.bodies != expected->bodies || found.vertices != expected->vertices ||
            found.elements != expected->elements || found.hash != expected->hash) {
            all_equal = false;
            print_message("    {\"%s\", %g, %u, %u, %u, UINT64_C(0x%016llX)},\n", found.name, found.scale, found.bodies,
                          found.vertices, found.elements, (unsigned long long)found.hash);
        }
    }
    assert_true(all_equal);
}

static void the_golden_list_names_every_scene_at_full_size(void **state)
{
    (void)state;
    for (uint32_t s = 0; s < dent_scene_count(); s++) {
        bool found = false;
        for (size_t i = 0; i < sizeof golden_rows / sizeof golden_rows[0]; i++) {
            found =
                found || (strcmp(golden_rows[i].name, dent_scene_info_at(s)->name) == 0 && golden_rows[i].scale == 1);
        }
        assert_true(found);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_scene_has_its_golden_counts_and_hash),
        cmocka_unit_test(the_golden_list_names_every_scene_at_full_size),
    };
    return cmocka_run_group_tests(tests, test_open_context_of_two, test_close_context);
}
