/* Partners of bodies by a lattice of buckets over the world. See bucket_partners.h. */
#include "structures/grid/bucket_partners.h"

void bucket_partners_init(struct bucket_partners *partners, dent_context *context)
{
    array_init(&partners->start, context, sizeof(uint32_t));
    array_init(&partners->list, context, sizeof(uint32_t));
}

void bucket_partners_destroy(struct bucket_partners *partners)
{
    array_destroy(&partners->start);
    array_destroy(&partners->list);
}

/* The partners of one body on their way into the list. */
struct body_finder {
    const struct body_snapshot *bodies;
    struct bucket_partners *partners;
    uint32_t body_index;
    bool enough;
};

static void take_partners(void *data, const uint32_t *list, uint32_t count)
{
    struct body_finder *finder = data;
    for (uint32_t i = 0; i < count; i++) {
        if (bodies_may_meet(finder->bodies[finder->body_index].body, finder->bodies[list[i]].body)) {
            finder->enough = finder->enough && array_push(&finder->partners->list, &list[i]);
        }
    }
}

/* Buckets of about the mean edge of the bodies. */
static void world_lattice(struct bucket_lattice *lattice, const struct body_buckets *trees, uint32_t count)
{
    double edges = 0, used = 0, buckets[3];
    *lattice = (struct bucket_lattice){.lo = {1, 1, 1}, .hi = {-1, -1, -1}};
    for (uint32_t body_index = 0; body_index < count; body_index++) {
        for (int axis = 0; axis < 3 && trees[body_index].used; axis++) {
            lattice->lo[axis] =
                trees[body_index].lo[axis] < lattice->lo[axis] ? trees[body_index].lo[axis] : lattice->lo[axis];
            lattice->hi[axis] =
                trees[body_index].hi[axis] > lattice->hi[axis] ? trees[body_index].hi[axis] : lattice->hi[axis];
            edges += (double)trees[body_index].hi[axis] - (double)trees[body_index].lo[axis];
            used++;
        }
    }
    for (int axis = 0; axis < 3; axis++) {
        lattice->hi[axis] = lattice->hi[axis] < lattice->lo[axis] ? lattice->lo[axis] : lattice->hi[axis];
        buckets[axis] = edges > 0 ? ((double)lattice->hi[axis] - (double)lattice->lo[axis]) * used / edges : 0;
    }
    bucket_lattice_finish(lattice, buckets, (uint64_t)count * 4 + 8);
}

static bool put_bodies(struct bucket_set *set, const struct bucket_lattice *lattice, struct grid_columns *columns,
                       const struct body_buckets *trees, uint32_t count, struct arena *scratch)
{
    bucket_set_layout(set, lattice, false);
    float *column[6];
    uint32_t *keys = arena_allocate(scratch, count, sizeof *keys),
             *number = arena_allocate(scratch, count, sizeof *number);
    set->start = arena_allocate_cleared(scratch, (size_t)set->key_count + 1, sizeof *set->start);
    set->any = arena_allocate(scratch, set->key_count, sizeof *set->any);
    bool enough = keys && number && set->start && set->any;
    for (int i = 0; i < 6; i++) {
        column[i] = arena_allocate(scratch, count, sizeof(float));
        enough = enough && column[i];
    }
    if (!enough) {
        return false;
    }
    for (uint32_t body_index = 0; body_index < count; body_index++) {
        if (trees[body_index].used) {
            struct bucket_range range = bucket_range_of(lattice, trees[body_index].lo, trees[body_index].hi);
            bucket_owner(set, lattice, &range, &keys[body_index]);
            set->start[keys[body_index]]++;
        }
    }
    bucket_set_sum(set, 0);
    for (uint32_t body_index = count; body_index-- > 0;) {
        if (trees[body_index].used) {
            uint32_t slot = --set->start[keys[body_index]];
            for (int axis = 0; axis < 3; axis++) {
                column[axis][slot] = trees[body_index].lo[axis];
                column[axis + 3][slot] = trees[body_index].hi[axis];
            }
            number[slot] = body_index;
        }
    }
    bucket_set_finish(set, lattice);
    *columns = (struct grid_columns){
        .lo = {column[0], column[1], column[2]}, .hi = {column[3], column[4], column[5]}, .number = number};
    columns->row_y = columns->row_z = (const int32_t *)number; /* read, never used */
    set->columns = columns;
    return true;
}

bool bucket_partners_find(struct bucket_partners *partners, const struct snapshot *snapshot,
                          const struct body_buckets *trees, const struct packet_kernels *kernels, struct arena *scratch)
{
    uint32_t count = snapshot->body_count, list[BUCKET_LIST_ROOM];
    struct bucket_lattice lattice;
    struct bucket_set set;
    struct grid_columns columns;
    struct bucket_counters ignored = {0, 0};
    struct body_finder finder = {.bodies = snapshot->bodies, .partners = partners, .enough = true};
    world_lattice(&lattice, trees, count);
    array_clear(&partners->start);
    array_clear(&partners->list);
    if (!put_bodies(&set, &lattice, &columns, trees, count, scratch)) {
        return false;
    }
    for (uint32_t body_index = 0; body_index <= count && finder.enough; body_index++) {
        uint32_t begin = (uint32_t)partners->list.count;
        finder.body_index = body_index;
        finder.enough = array_push(&partners->start, &begin);
        if (body_index < count && trees[body_index].used) {
            bucket_set_look_up(&set, &lattice, kernels, trees[body_index].lo, trees[body_index].hi, list, take_partners,
                               &finder, &ignored);
        }
    }
    return finder.enough;
}
