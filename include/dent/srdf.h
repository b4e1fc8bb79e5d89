/* dent/srdf.h — optional library dent_io: pairs of links that an SRDF file allows to touch.
 *
 * SRDF is the file beside a URDF in which MoveIt keeps the data of a planner. Read are <disable_collisions link1="A"
 * link2="B" reason="…"/>, <enable_collisions link1="A" link2="B"/> and <disable_default_collisions link="A"/>, direct
 * children of <robot>. Everything else (groups, states, end effectors) is ignored.
 *
 * A pair is allowed iff it is disabled, or one of its links is disabled by default, and it is not enabled. Names are not
 * compared with those of a robot here: dent_srdf_allows takes any names.
 *
 * Input is treated as hostile: no document types or entities, nesting and names bounded. Threads: any, each call
 * independently. Failure: a status, and one line in the context's message that names the file and the line.
 */
#ifndef DENT_SRDF_H
#define DENT_SRDF_H

#include <dent/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What one element says. */
typedef struct dent_srdf_rule {
    const char *link_a, *link_b; /**< link_b null: link_a and every other link */
    bool enabled;                /**< true: the pair is tested after all */
    const char *reason;          /**< "Adjacent", "Never" …; "" if there is none */
} dent_srdf_rule;

typedef struct dent_srdf {
    const char *robot; /**< its name; "" if there is none */
    uint32_t rule_count;
    const dent_srdf_rule *rules; /**< in the order of the file */
    void *storage;               /**< private */
} dent_srdf;

/** Reads a file (.srdf, also compressed with gzip or xz). Regular files only. *srdf is written on success only; release
 *  it with dent_srdf_destroy. O(bytes). */
DENT_API dent_status dent_srdf_read(dent_context *context, const char *path, dent_srdf **srdf);
DENT_API void dent_srdf_destroy(dent_context *context, dent_srdf *srdf);

/** Returns whether two links may touch by the rules. The order of the links does not matter. O(rules). */
DENT_API bool dent_srdf_allows(const dent_srdf *srdf, const char *link_a, const char *link_b);

#ifdef __cplusplus
}
#endif

#endif
