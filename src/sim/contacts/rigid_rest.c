/* Sleep. An island whose bodies have all been slower than SLEEP_EDGES of their mean edges a second for SLEEP_SECONDS,
 * and that a prescribed body carries, falls asleep: its velocities become 0, its poses and forces stay to the bit, and
 * substeps pass it over. It wakes as a whole when a body that is awake comes within reach of contact, when a prescribed
 * body within reach moves, when one of its bodies is grabbed or is given a velocity, when a load on it or gravity changes.
 *
 * Bodies that nothing carries never sleep: without gravity they may drift, as slowly as they like, for ever. Nor do
 * bodies with attachments, or in contact with something elastic. */
#include "rigid_islands.h"

#include <math.h>
#include <string.h>

#define SLEEP_EDGES 1e-4
#define SLEEP_SECONDS 0.5

void rigid_wake(const struct sim_model *model, struct sim_state *state, uint32_t rigid)
{
    uint32_t begin = rigid == SIM_NONE ? 0 : rigid, end = rigid == SIM_NONE ? model->rigid_count : rigid + 1;
    for (uint32_t r = begin; r < end; r++) {
        state->rest[r] = (struct rigid_rest){0};
    }
}

static bool is_supported_and_still(const struct rigid_islands *islands, const struct island *island)
{
    bool supported = false;
    for (uint32_t r = 0; r < island->row_count; r++) {
        const struct island_row *row = &islands->rows[island->first_row + r];
        supported = supported || row->side[0] == SIM_NONE || row->side[1] == SIM_NONE;
        if (row->moving) {
            return false;
        }
    }
    return supported;
}

void rest_wake_islands(const struct sim_model *model, struct sim_state *state, struct rigid_islands *islands)
{
    for (uint32_t n = 0; n < state->grab_count; n++) {
        uint32_t rigid = model->bodies[state->grabs[n].body].rigid;
        if (rigid != SIM_NONE) {
            rigid_wake(model, state, rigid);
        }
    }
    for (uint32_t r = 0; r < model->rigid_count; r++) {
        if (islands->slots[r] == SIM_NONE && state->rest[r].asleep) {
            rigid_wake(model, state, r);
        }
    }
    for (uint32_t n = 0; n < islands->island_count; n++) {
        struct island *island = &islands->islands[n];
        island->active = !is_supported_and_still(islands, island);
        for (uint32_t i = 0; i < island->body_count; i++) {
            island->active = island->active || !state->rest[islands->bodies[island->first_body + i].rigid].asleep;
        }
        for (uint32_t i = 0; i < island->body_count && island->active; i++) {
            struct rigid_rest *rest = &state->rest[islands->bodies[island->first_body + i].rigid];
            if (rest->asleep) {
                *rest = (struct rigid_rest){0};
            }
        }
    }
}

/* Adds to the time a body has been still; returns that time. */
static double still_time(const struct sim_model *model, struct sim_state *state, const struct rigid_islands *islands,
                         uint32_t rigid)
{
    const dent_rigid_state *pose = &state->rigids[rigid];
    double speed = sqrt(sim_dot(pose->linear_velocity, pose->linear_velocity)) +
                   islands->radii[rigid] * sqrt(sim_dot(pose->angular_velocity, pose->angular_velocity));
    bool still = speed < SLEEP_EDGES * model->bodies[model->rigids[rigid].body].mean_edge && !islands->tied[rigid];
    return state->rest[rigid].still = still ? state->rest[rigid].still + model->substep : 0;
}

void rest_put_to_sleep(const struct sim_model *model, struct sim_state *state, const struct rigid_islands *islands)
{
    for (uint32_t n = 0; n < islands->island_count && model->sleep; n++) {
        const struct island *island = &islands->islands[n];
        bool sleepy = island->active && is_supported_and_still(islands, island);
        for (uint32_t i = 0; i < island->body_count && island->active; i++) {
            double still = still_time(model, state, islands, islands->bodies[island->first_body + i].rigid);
            sleepy = sleepy && still >= SLEEP_SECONDS;
        }
        for (uint32_t i = 0; i < island->body_count && sleepy; i++) {
            uint32_t rigid = islands->bodies[island->first_body + i].rigid;
            dent_rigid_state *pose = &state->rigids[rigid];
            state->rest[rigid].asleep = 1;
            memset(pose->linear_velocity, 0, sizeof pose->linear_velocity);
            memset(pose->angular_velocity, 0, sizeof pose->angular_velocity);
        }
    }
}
