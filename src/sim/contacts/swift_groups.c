/* Bodies that joints hold together are placed at the time of contact together: each goes the same share of its way, so
 * that joints keep what they hold up to the bend of that way, which the next substep takes out. */
#include "sim_contacts.h"

#include "base/containers/union_find.h"

void swift_find_groups(const struct sim_model *model, struct swift_motion *swift)
{
    union_find_init(swift->groups, model->rigid_count);
    for (uint32_t n = 0; n < model->joint_count; n++) {
        const struct sim_joint *joint = &model->joints[n];
        if (joint->kind != DENT_SIM_JOINT_SPRING && joint->rigid[1] != SIM_NONE) {
            union_find_join(swift->groups, joint->rigid[0], joint->rigid[1]);
        }
        for (int s = 0; s < 2; s++) {
            if (joint->rigid[s] != SIM_NONE) {
                swift->jointed[joint->rigid[s]] = true;
            }
        }
    }
    for (uint32_t r = 0; r < model->rigid_count; r++) {
        swift->groups[r] = union_find_root(swift->groups, r);
    }
}

void swift_spread_shares(const struct sim_model *model, struct swift_motion *swift)
{
    for (uint32_t r = 0; r < model->rigid_count; r++) { /* a root is the smallest of its group */
        double *least = &swift->shares[swift->groups[r]];
        *least = swift->shares[r] < *least ? swift->shares[r] : *least;
    }
    for (uint32_t r = 0; r < model->rigid_count; r++) {
        swift->shares[r] = swift->shares[swift->groups[r]];
    }
}

void swift_shorten(const struct sim_model *model, struct sim_state *state, struct swift_motion *swift, uint32_t rigid,
                   double share, struct step_report *report)
{
    uint32_t vertices = model->bodies[model->rigids[rigid].body].vertex_count;
    report->statistics.stopped_vertices += swift->fractions[rigid] == 1 ? vertices : 0;
    if (swift->turning[rigid] != SIM_NONE) {
        turning_shorten(model, state, swift, rigid, share);
        return;
    }
    swift->fractions[rigid] *= share;
    swift_place_between(&swift->poses[rigid], &swift->wanted[rigid], swift->fractions[rigid], &state->rigids[rigid]);
    rigid_keep_spin(model, rigid, &swift->wanted[rigid], &state->rigids[rigid]);
}
