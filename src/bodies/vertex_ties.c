/* Same vertex: vertices of different bodies that the caller says are one.
 *
 * A vertex has an identity, a number no other vertex of the world ever had (serial of its body, index). Ties join
 * identities into classes; every vertex carries the smallest identity of its class, so "the same vertex" is one
 * comparison and a tie outlives the body through which it was made. A new body may join classes that were apart so far:
 * then the vertices of all bodies that carry a changed identity are relabelled.
 *
 * In: the ties of one def. Prepare computes the list of changed identities by union-find over the identities named, and
 * takes all memory; commit only copies. Cost: O(t log t) for t ties, whatever the number of bodies; plus one pass over
 * all bodies and vertices when old classes are joined, which the groups of one file never do.
 */
#include "bodies/vertex_ties.h"

#include "base/containers/key_search.h"
#include "base/containers/union_find.h"
#include "base/radix_sort.h"

#include <inttypes.h>
#include <string.h>

/* ---- the classes ------------------------------------------------------------------------------------------------- */

static dent_status check_tie(const struct body_table *table, const struct body *body, dent_body_id replaced,
                             const dent_body_def *def, uint32_t tie, struct message *message)
{
    const dent_same_as *same_as = &def->same_as[tie];
    if (same_as->vertex >= body->vertex_count) {
        return message_fail(message, DENT_ERROR_BAD_MESH,
                            BODY_TITLE ": tie %" PRIu32 " names vertex %" PRIu32 ", but there are only %" PRIu32,
                            BODY_TITLE_OF(body), tie, same_as->vertex, body->vertex_count);
    }
    if (!dent_body_id_is_null(replaced) && dent_body_id_equal(same_as->other, replaced)) {
        return message_fail(message, DENT_ERROR_INVALID_ARGUMENT,
                            BODY_TITLE ": tie %" PRIu32 " ties the body to itself", BODY_TITLE_OF(body), tie);
    }
    const struct body *other = body_table_find(table, same_as->other);
    if (!other) {
        struct message reason = {0};
        dent_status status = body_table_stale(table, same_as->other, &reason);
        return message_fail(message, status, BODY_TITLE ": tie %" PRIu32 ": %s", BODY_TITLE_OF(body), tie, reason.text);
    }
    if (same_as->other_vertex >= other->vertex_count) {
        return message_fail(message, DENT_ERROR_BAD_MESH,
                            BODY_TITLE ": tie %" PRIu32 " names vertex %" PRIu32 " of " BODY_TITLE
                                       ", but that has only %" PRIu32,
                            BODY_TITLE_OF(body), tie, same_as->other_vertex, BODY_TITLE_OF(other), other->vertex_count);
    }
    return DENT_OK;
}

/* The two identities a tie joins. */
static void identities_of_tie(const struct body_table *table, const struct body *body, const dent_same_as *same_as,
                              uint64_t pair[2])
{
    pair[0] = body->identity_base + same_as->vertex;
    pair[1] = body_identity(body_table_find(table, same_as->other), same_as->other_vertex);
}

static size_t find_identity(const struct identity_change *changes, size_t count, uint64_t identity)
{
    return key_search(changes, count, sizeof *changes, identity);
}

/* Sorted identities of all ties, each once, changed to themselves. */
static bool list_identities(struct vertex_ties *ties, const struct body_table *table, const struct body *body,
                            const dent_body_def *def)
{
    size_t named = (size_t)def->same_as_count * 2;
    uint64_t *identities = dent_allocate(ties->context, named, sizeof *identities);
    uint64_t *scratch = dent_allocate(ties->context, named, sizeof *scratch);
    ties->changes = dent_allocate(ties->context, named, sizeof *ties->changes);
    ties->change_capacity = named;
    bool good = identities && scratch && ties->changes;
    if (good) {
        for (uint32_t tie = 0; tie < def->same_as_count; tie++) {
            identities_of_tie(table, body, &def->same_as[tie], &identities[(size_t)tie * 2]);
        }
        radix_sort_u64(identities, NULL, scratch, NULL, named);
        for (size_t i = 0; i < named; i++) {
            if (i == 0 || identities[i] != identities[i - 1]) {
                ties->changes[ties->change_count++] = (struct identity_change){identities[i], identities[i]};
            }
        }
    }
    dent_release(ties->context, identities, named, sizeof *identities);
    dent_release(ties->context, scratch, named, sizeof *scratch);
    return good;
}

/* Union-find over the sorted list; the smallest identity is the root of its class. */
static bool join_identities(struct vertex_ties *ties, const struct body_table *table, const struct body *body,
                            const dent_body_def *def)
{
    const struct identity_change *changes = ties->changes;
    size_t count = ties->change_count;
    uint32_t *parents = count <= UINT32_MAX ? dent_allocate(ties->context, count, sizeof *parents) : NULL;
    if (!parents) {
        return false;
    }
    union_find_init(parents, count);
    for (uint32_t tie = 0; tie < def->same_as_count; tie++) {
        uint64_t pair[2];
        identities_of_tie(table, body, &def->same_as[tie], pair);
        union_find_join(parents, (uint32_t)find_identity(changes, count, pair[0]),
                        (uint32_t)find_identity(changes, count, pair[1]));
    }
    for (size_t i = 0; i < count; i++) {
        ties->changes[i].to = changes[union_find_root(parents, (uint32_t)i)].from;
    }
    dent_release(ties->context, parents, count, sizeof *parents);
    return true;
}

/* ---- what they change -------------------------------------------------------------------------------------------- */

static uint64_t changed_identity(const struct vertex_ties *ties, uint64_t identity)
{
    size_t i = find_identity(ties->changes, ties->change_count, identity);
    return i < ties->change_count && ties->changes[i].from == identity ? ties->changes[i].to : identity;
}

/* Does a change concern one of the identities [first, first + count)? */
static bool changes_in_range(const struct vertex_ties *ties, uint64_t first, uint64_t count)
{
    for (size_t i = find_identity(ties->changes, ties->change_count, first);
         i < ties->change_count && ties->changes[i].from - first < count; i++) {
        if (ties->changes[i].from != ties->changes[i].to) {
            return true;
        }
    }
    return false;
}

static uint64_t *list_changed_identities(const struct vertex_ties *ties, const struct body *body)
{
    uint64_t *identities = dent_allocate(ties->context, body->vertex_count, sizeof *identities);
    for (uint32_t vertex = 0; identities && vertex < body->vertex_count; vertex++) {
        identities[vertex] = changed_identity(ties, body->identity_base + vertex);
    }
    return identities;
}

/* Does a vertex of a body of the table change its identity? New identities are larger than all old ones. */
static bool joins_old_classes(const struct vertex_ties *ties, uint64_t first_new_identity)
{
    for (size_t i = 0; i < ties->change_count && ties->changes[i].from < first_new_identity; i++) {
        if (ties->changes[i].from != ties->changes[i].to) {
            return true;
        }
    }
    return false;
}

/* Memory for the bodies of the table that get their first tie by joined classes. */
static bool prepare_old_bodies(struct vertex_ties *ties, const struct body_table *table)
{
    ties->fresh = dent_allocate(ties->context, table->body_count, sizeof *ties->fresh);
    if (!ties->fresh) {
        return false;
    }
    ties->fresh_count = table->body_count;
    for (uint32_t body_index = 0; body_index < table->body_count; body_index++) {
        ties->fresh[body_index] = NULL;
    }
    for (uint32_t body_index = 0; body_index < table->body_count; body_index++) {
        const struct body *old = body_table_at(table, body_index);
        if (!old->identities && changes_in_range(ties, old->identity_base, old->vertex_count)) {
            ties->fresh[body_index] = list_changed_identities(ties, old);
            if (!ties->fresh[body_index]) {
                return false;
            }
        }
    }
    return true;
}

static bool prepare_arrays(struct vertex_ties *ties, const struct body_table *table, const struct body *body)
{
    if (joins_old_classes(ties, body->identity_base) && !prepare_old_bodies(ties, table)) {
        return false;
    }
    ties->own_count = body->vertex_count;
    ties->own = list_changed_identities(ties, body);
    return ties->own != NULL;
}

dent_status vertex_ties_prepare(struct vertex_ties *ties, const struct body_table *table, const struct body *body,
                                dent_body_id replaced, const dent_body_def *def, struct message *message)
{
    *ties = (struct vertex_ties){.context = table->context, .table = table};
    for (uint32_t tie = 0; tie < def->same_as_count; tie++) {
        dent_status status = check_tie(table, body, replaced, def, tie, message);
        if (status != DENT_OK) {
            return status;
        }
    }
    if (def->same_as_count == 0) {
        return DENT_OK;
    }
    if (!list_identities(ties, table, body, def) || !join_identities(ties, table, body, def) ||
        !prepare_arrays(ties, table, body)) {
        vertex_ties_discard(ties);
        return message_fail(message, DENT_ERROR_OUT_OF_MEMORY,
                            BODY_TITLE ": not enough memory for its %" PRIu32 " ties", BODY_TITLE_OF(body),
                            def->same_as_count);
    }
    return DENT_OK;
}

/* Bodies that have identities of their own. */
static void relabel_bodies(struct vertex_ties *ties)
{
    for (uint32_t body_index = 0; body_index < ties->fresh_count; body_index++) {
        struct body *old = body_table_at(ties->table, body_index);
        for (uint32_t vertex = 0; old->identities && vertex < old->vertex_count; vertex++) {
            old->identities[vertex] = changed_identity(ties, old->identities[vertex]);
        }
    }
}

void vertex_ties_commit(struct vertex_ties *ties, struct body *body)
{
    relabel_bodies(ties);
    for (uint32_t body_index = 0; body_index < ties->fresh_count; body_index++) {
        if (ties->fresh[body_index]) {
            body_table_at(ties->table, body_index)->identities = ties->fresh[body_index];
            ties->fresh[body_index] = NULL;
        }
    }
    if (ties->own) {
        body->identities = ties->own;
        ties->own = NULL;
    }
    vertex_ties_discard(ties);
}

void vertex_ties_discard(struct vertex_ties *ties)
{
    for (uint32_t body_index = 0; body_index < ties->fresh_count; body_index++) {
        dent_release(ties->context, ties->fresh[body_index], body_table_at(ties->table, body_index)->vertex_count,
                     sizeof **ties->fresh);
    }
    dent_release(ties->context, ties->fresh, ties->fresh_count, sizeof *ties->fresh);
    dent_release(ties->context, ties->own, ties->own_count, sizeof *ties->own);
    dent_release(ties->context, ties->changes, ties->change_capacity, sizeof *ties->changes);
    *ties = (struct vertex_ties){.context = ties->context};
}
