/* Bending of sheets that are flat at rest: their energy is quadratic, stiffness/2 |sum weights x|^2 per hinge, the same for
 * all three axes. So its matrix is one number for two vertices and never changes. It is made once: a product then takes a
 * row of some twenty numbers per vertex, where the hinges would be five times as much work. */
#include "float_solve.h"

#include <math.h>
#include <string.h>

struct bend_entry {
    uint32_t slot;
    double value;
};

struct bending {
    const struct elastic_mesh *mesh;
    const struct float_system *system;
    uint32_t *starts; /* by slot + 1: entries of all its hinges, four each */
    struct bend_entry *entries;
};

/* Counts the entries of the slots, or writes them where there is room. */
static void list_entries(struct bending *bending)
{
    const struct float_system *system = bending->system;
    for (uint32_t n = 0; n < bending->mesh->hinge_count; n++) {
        const struct cloth_hinge *hinge = &bending->mesh->hinges[n];
        for (int i = 0; i < 4 && hinge->rest == 0; i++) {
            uint32_t slot = system->vertex_slots[hinge->corners[i]];
            if (slot >= system->slot_count) {
                continue;
            }
            for (int j = 0; j < 4; j++) {
                uint32_t other = system->vertex_slots[hinge->corners[j]];
                if (other < system->slot_count && bending->entries) {
                    bending->entries[bending->starts[slot]++] =
                        (struct bend_entry){other, hinge->stiffness * hinge->weights[i] * hinge->weights[j]};
                } else if (other < system->slot_count) {
                    bending->starts[slot + 1]++;
                }
            }
        }
    }
}

/* Adds up entries of the same slot, in place and in the order of the hinges; returns how many are left. */
static uint32_t merge(struct bend_entry *entries, uint32_t count)
{
    uint32_t kept = 0;
    for (uint32_t n = 0; n < count; n++) {
        struct bend_entry entry = entries[n];
        uint32_t k = 0;
        while (k < kept && entries[k].slot != entry.slot) {
            k++;
        }
        if (k < kept) {
            entries[k].value += entry.value;
        } else {
            entries[kept++] = entry;
        }
    }
    return kept;
}

/* A row adds up to nothing but for what hinges with vertices that stand: that goes to the front, in the place of the slot
 * itself; all others multiply differences, so that moving the whole sheet costs no digits. */
static void put_rest_first(uint32_t slot, struct bend_entry *entries, uint32_t count)
{
    double sum = 0, size = 0;
    for (uint32_t n = 0; n < count; n++) {
        sum += entries[n].value;
        size += fabs(entries[n].value);
        if (entries[n].slot == slot) {
            struct bend_entry own = entries[n];
            entries[n] = entries[0];
            entries[0] = own;
        }
    }
    if (count > 0) {
        entries[0].value = fabs(sum) > 1e-12 * size ? sum : 0;
    }
}

static dent_status write_rows(struct sim_model *model, const struct bending *bending, struct float_system *system)
{
    uint32_t count = 0;
    for (uint32_t s = 0; s < system->slot_count; s++) {
        system->bend_starts[s] = count;
        count += merge(bending->entries + bending->starts[s], bending->starts[s + 1] - bending->starts[s]);
        system->bend_starts[s + 1] = count;
    }
    system->bend_slots = sim_allocate(model, count, sizeof *system->bend_slots);
    system->bend_values = sim_allocate(model, count, sizeof *system->bend_values);
    if (!system->bend_slots || !system->bend_values) {
        return sim_no_memory(model->context);
    }
    for (uint32_t s = 0; s < system->slot_count; s++) {
        uint32_t first = system->bend_starts[s], row = system->bend_starts[s + 1] - first;
        put_rest_first(s, bending->entries + bending->starts[s], row);
        for (uint32_t n = 0; n < row; n++) {
            const struct bend_entry *from = bending->entries + bending->starts[s] + n;
            system->bend_slots[first + n] = from->slot;
            system->bend_values[first + n] = (float)(from->value / system->stiffness);
        }
    }
    return DENT_OK;
}

dent_status float_bending_build(struct sim_model *model, struct float_system *system)
{
    size_t slots = system->slot_count;
    struct bending bending = {.mesh = model->elastic, .system = system};
    system->bend_starts = sim_allocate(model, slots + 1, sizeof *system->bend_starts);
    bending.starts = dent_allocate(model->context, slots + 1, sizeof *bending.starts);
    dent_status status = system->bend_starts && bending.starts ? DENT_OK : sim_no_memory(model->context);
    size_t count = 0;
    if (status == DENT_OK) {
        memset(bending.starts, 0, (slots + 1) * sizeof *bending.starts);
        list_entries(&bending);
        for (uint32_t s = 0; s < slots; s++) {
            bending.starts[s + 1] += bending.starts[s];
        }
        count = (size_t)bending.starts[slots] + 1;
        bending.entries = dent_allocate(model->context, count, sizeof *bending.entries);
        status = bending.entries ? DENT_OK : sim_no_memory(model->context);
    }
    if (status == DENT_OK) {
        list_entries(&bending);
        memmove(bending.starts + 1, bending.starts, slots * sizeof *bending.starts);
        bending.starts[0] = 0;
        status = write_rows(model, &bending, system);
    }
    dent_release(model->context, bending.entries, count, sizeof *bending.entries);
    dent_release(model->context, bending.starts, slots + 1, sizeof *bending.starts);
    return status;
}
