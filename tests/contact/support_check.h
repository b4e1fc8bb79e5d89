/* Small worlds for the tests of the penetration check. */
#ifndef DENT_TESTS_CONTACT_SUPPORT_CHECK_H
#define DENT_TESTS_CONTACT_SUPPORT_CHECK_H

#include "support/cmocka_includes.h"

#include <dent/dent.h>
#include <dent/penetration.h>

#include "support/random_scene.h"

struct check_world {
    dent_context *context;
    dent_world *world;
    struct test_scene
        scene; /* bodies are made with the test_add_... functions, then given to the world by the first check */
    bool added;
};

void check_world_open(struct check_world *check, uint32_t threads);
void check_world_close(struct check_world *check);

/* Adds the scene's bodies when that has not been done, checks, and asserts DENT_OK. Null def: defaults. */
dent_check_result check_world_run(struct check_world *check, const dent_check_def *def);

/* The surface of a solid of positive cells as a closed surface body, appended to `into`; inside_out turns every face.
 */
struct test_body *add_surface_of(struct test_scene *into, const struct test_body *solid, bool inside_out);

/* A body from arrays. */
struct test_body *add_solid(struct test_scene *scene, uint32_t vertices, const double (*xyz)[3], uint32_t cells,
                            const uint32_t *corners);

/* Asserts that two results are the same to the bit, times and search counters left out. */
void assert_same_report(const dent_check_result *a, const dent_check_result *b);

#endif
