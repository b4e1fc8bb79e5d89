/* The energy stored in attachments and contacts (dent_sim_statistics.contact), against what springs hold. */
#include "support/test_context.h"

#include "physics_stage.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static physics_mesh unit_cube(dent_context *context, double height)
{
    const uint32_t cells[3] = {1, 1, 1};
    const double low[3] = {-0.5, -0.5, height}, high[3] = {0.5, 0.5, height + 1};
    return physics_box(context, cells, low, high);
}

static void an_attachment_stores_half_of_stiffness_times_stretch_squared(void **state)
{
    dent_context *context = test_context(1, DENT_ISA_AUTO);
    const double compliances[] = {1e-6, 1e-3, 1, 0}, lengths[] = {0, 0.25, 2};
    (void)state;
    for (int n = 0; n < 12; n++) {
        physics_stage stage;
        dent_sim_attachment tie = dent_sim_attachment_default();
        double compliance = compliances[n % 4], length = lengths[n / 4], distance = 1.5;
        physics_open(&stage, context);
        uint32_t a = physics_add(&stage, DENT_SIM_SOLID, unit_cube(context, 0));
        uint32_t b = physics_add(&stage, DENT_SIM_RIGID, unit_cube(context, 2.5));
        bool to_space = n % 2 == 0;
        tie.body_a = a;
        tie.vertex_a = 7; /* 0.5, 0.5, 1 */
        tie.body_b = to_space ? UINT32_MAX : b;
        tie.vertices_b[0] = to_space ? UINT32_MAX : 3; /* 0.5, 0.5, 2.5 */
        tie.weights_b[0] = to_space ? 0 : 1;
        const double point[3] = {0.5, 0.5, 2.5};
        memcpy(tie.point, point, sizeof point);
        tie.length = length;
        tie.compliance = compliance;
        stage.def.attachments = &tie;
        stage.def.attachment_count = 1;
        assert_true(physics_begin(&stage));
        double stretch = distance - length, force[3];
        dent_sim_attachment_forces(stage.sim, force);
        /* A hard one is a stiff spring: half of its force times the stretch. */
        double expected = compliance > 0 ? 0.5 * stretch * stretch / compliance : 0.5 * force[2] * stretch;
        double found = dent_sim_get_statistics(stage.sim).contact;
        assert_true(expected > 0 && fabs(found - expected) <= 1e-12 * expected);
        physics_close(&stage);
    }
    dent_context_destroy(context);
}

/* At rest on a compliant plane: sum of force^2 * compliance / 2 over the contacts. Hard contacts store nothing. */
static void compliant_contacts_store_their_force_squared_times_half_their_compliance(void **state)
{
    dent_context *context = test_context(1, DENT_ISA_AUTO);
    (void)state;
    for (int n = 0; n < 2; n++) {
        physics_stage stage;
        uint64_t count = 0;
        double expected = 0, compliance = n == 0 ? 1e-6 : 0;
        physics_open(&stage, context);
        stage.materials[0].contact_compliance = compliance / 2; /* two bodies: the sum */
        physics_set_thickness(&stage, PHYSICS_THICKNESS);
        physics_add_ground(&stage, 4);
        physics_add(&stage, DENT_SIM_RIGID, unit_cube(context, 2 * PHYSICS_THICKNESS));
        assert_true(physics_begin(&stage) && physics_steps(&stage, 60));
        const dent_sim_contact *contacts = dent_sim_contacts(stage.sim, &count);
        for (uint64_t i = 0; i < count; i++) {
            double force = 0;
            for (int axis = 0; axis < 3; axis++) {
                force += contacts[i].force[axis] * contacts[i].normal[axis];
            }
            expected += 0.5 * compliance * force * force;
        }
        double found = dent_sim_get_statistics(stage.sim).contact;
        printf("compliance %g: %llu contacts, %g J\n", compliance, (unsigned long long)count, found);
        assert_true(count > 0);
        assert_true(n == 0 ? expected > 0 : expected == 0);
        assert_true(fabs(found - expected) <= 1e-12 * expected);
        physics_close(&stage);
    }
    dent_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_attachment_stores_half_of_stiffness_times_stretch_squared),
        cmocka_unit_test(compliant_contacts_store_their_force_squared_times_half_their_compliance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
