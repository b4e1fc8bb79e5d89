/* Linkages: checking a def, finding the order of the links, copying.
 *
 * A linkage is a tree when every link but one is the child of exactly one joint and walking from child to parent always
 * ends at that one. Both are checked in O(links + joints): duplicates of children as the joints are read, cycles by
 * walking up from every link and stopping at links that have been walked before. The order of the frames is breadth
 * first from the root, children in the order of the joints. */
#include "kinematics/linkage_data.h"

#include "base/floating_point_guard.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    uint32_t value_count;
} joint_kinds[DENT_JOINT_KIND_COUNT] = {
    {"fixed", 0}, {"revolute", 1}, {"prismatic", 1}, {"screw", 1}, {"ball", 4}, {"free", 7}, {"planar", 3},
};

const char *dent_joint_kind_name(dent_joint_kind kind)
{
    return (unsigned)kind < DENT_JOINT_KIND_COUNT ? joint_kinds[kind].name : NULL;
}

uint32_t dent_joint_kind_value_count(dent_joint_kind kind)
{
    return (unsigned)kind < DENT_JOINT_KIND_COUNT ? joint_kinds[kind].value_count : 0;
}

dent_joint_def dent_joint_def_default(void)
{
    dent_joint_def def = {.axis = {1, 0, 0}, .mimics = DENT_JOINT_NONE, .multiplier = 1};
    def.origin.rotation[0] = 1;
    return def;
}

dent_linkage_def dent_linkage_def_default(void)
{
    return (dent_linkage_def){.struct_size = sizeof(dent_linkage_def)};
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

void dent_linkage_destroy(dent_linkage *linkage)
{
    if (linkage) {
        dent_context *context = linkage->context;
        dent_release(context, linkage->links, linkage->link_count, sizeof *linkage->links);
        dent_release(context, linkage->joints, linkage->joint_count, sizeof *linkage->joints);
        dent_release(context, linkage->order, linkage->link_count, sizeof *linkage->order);
        dent_release(context, linkage->text, linkage->text_size, 1);
        dent_release(context, linkage, 1, sizeof *linkage);
    }
}

enum { NUMBER_NAME_SIZE = 24 };

static size_t name_size(const char *name)
{
    return name ? strlen(name) + 1 : NUMBER_NAME_SIZE;
}

/* Copies a name, or makes one of a word and a number; returns where the next may go. */
static char *copy_name(char *room, const char *name, const char *word, uint32_t number, const char **copy)
{
    *copy = room;
    if (name) {
        memcpy(room, name, strlen(name) + 1);
    } else {
        snprintf(room, NUMBER_NAME_SIZE, "%s %u", word, number);
    }
    return room + name_size(name);
}

static bool allocate_parts(dent_linkage *linkage, const dent_linkage_def *def)
{
    dent_context *context = linkage->context;
    linkage->text_size = name_size(def->name);
    for (uint32_t i = 0; i < def->link_count; i++) {
        linkage->text_size += name_size(def->link_names ? def->link_names[i] : NULL);
    }
    for (uint32_t j = 0; j < def->joint_count; j++) {
        linkage->text_size += name_size(def->joints[j].name);
    }
    linkage->link_count = def->link_count;
    linkage->joint_count = def->joint_count;
    linkage->links = dent_allocate(context, def->link_count, sizeof *linkage->links);
    linkage->joints = dent_allocate(context, def->joint_count, sizeof *linkage->joints);
    linkage->order = dent_allocate(context, def->link_count, sizeof *linkage->order);
    linkage->text = dent_allocate(context, linkage->text_size, 1);
    return linkage->links && linkage->joints && linkage->order && linkage->text;
}

static void copy_parts(dent_linkage *linkage, const dent_linkage_def *def)
{
    char *room = copy_name(linkage->text, def->name ? def->name : "linkage", "", 0, &linkage->name);
    for (uint32_t i = 0; i < def->link_count; i++) {
        linkage->links[i] = (struct linkage_link){.joint = DENT_JOINT_NONE, .frame = UINT32_MAX, .leader = i};
        room = copy_name(room, def->link_names ? def->link_names[i] : NULL, "link", i, &linkage->links[i].name);
    }
    for (uint32_t j = 0; j < def->joint_count; j++) {
        linkage->joints[j] = (struct linkage_joint){.def = def->joints[j], .first_value = UINT32_MAX};
        room = copy_name(room, def->joints[j].name, "joint", j, &linkage->joints[j].def.name);
    }
}

/* ---- one joint --------------------------------------------------------------------------------------------------- */

static bool all_finite(const double *numbers, int count)
{
    for (int i = 0; i < count; i++) {
        if (!isfinite(numbers[i])) {
            return false;
        }
    }
    return true;
}

static bool has_axis(dent_joint_kind kind)
{
    return kind == DENT_JOINT_REVOLUTE || kind == DENT_JOINT_PRISMATIC || kind == DENT_JOINT_SCREW ||
           kind == DENT_JOINT_PLANAR;
}

/* Of unit length; false for zero. Divided by its largest component first, so that squares neither vanish nor
 * overflow. */
static bool make_unit(const double axis[3], double unit[3])
{
    double largest = fmax(fabs(axis[0]), fmax(fabs(axis[1]), fabs(axis[2])));
    if (!(largest > 0)) {
        return false;
    }
    double sum = 0;
    for (int i = 0; i < 3; i++) {
        unit[i] = axis[i] / largest;
        sum += unit[i] * unit[i];
    }
    for (int i = 0; i < 3; i++) {
        unit[i] /= sqrt(sum);
    }
    return true;
}

static dent_status check_numbers(dent_linkage *linkage, const struct linkage_joint *joint)
{
    const dent_joint_def *def = &joint->def;
    bool finite = all_finite(def->origin.rotation, 4) && all_finite(def->origin.translation, 3) &&
                  all_finite(&def->multiplier, 1) && all_finite(&def->offset, 1) &&
                  (!has_axis(def->kind) || all_finite(def->axis, 3)) &&
                  (def->kind != DENT_JOINT_SCREW || isfinite(def->pitch)) &&
                  (!def->has_limits || !(isnan(def->lower) || isnan(def->upper)));
    if (!finite) {
        return dent_fail(linkage->context, DENT_ERROR_BAD_NUMBER, "joint '%s' has a number that is not finite",
                         def->name);
    }
    return DENT_OK;
}

static dent_status check_joint(dent_linkage *linkage, struct linkage_joint *joint)
{
    const dent_joint_def *def = &joint->def;
    dent_context *context = linkage->context;
    if ((unsigned)def->kind >= DENT_JOINT_KIND_COUNT) {
        return dent_fail(context, DENT_ERROR_INVALID_ARGUMENT, "joint '%s' has an unknown kind, %d", def->name,
                         (int)def->kind);
    }
    dent_status status = check_numbers(linkage, joint);
    if (status != DENT_OK) {
        return status;
    }
    const double *q = def->origin.rotation;
    if (q[0] == 0 && q[1] == 0 && q[2] == 0 && q[3] == 0) {
        return dent_fail(context, DENT_ERROR_INVALID_ARGUMENT, "joint '%s': the quaternion of its origin is zero",
                         def->name);
    }
    if (has_axis(def->kind) && !make_unit(def->axis, joint->unit_axis)) {
        return dent_fail(context, DENT_ERROR_INVALID_ARGUMENT, "joint '%s': its axis is 0 0 0", def->name);
    }
    if (def->has_limits && def->lower > def->upper) {
        return dent_fail(context, DENT_ERROR_INVALID_ARGUMENT,
                         "joint '%s': its limits are the wrong way round, lower %.9g and upper %.9g", def->name,
                         def->lower, def->upper);
    }
    return DENT_OK;
}

/* ---- the tree ---------------------------------------------------------------------------------------------------- */

static dent_status join_links(dent_linkage *linkage, uint32_t j)
{
    const dent_joint_def *def = &linkage->joints[j].def;
    dent_context *context = linkage->context;
    if (def->parent >= linkage->link_count || def->child >= linkage->link_count) {
        return dent_fail(context, DENT_ERROR_INVALID_ARGUMENT, "joint '%s' names link %u, and there are %u", def->name,
                         def->parent >= linkage->link_count ? def->parent : def->child, linkage->link_count);
    }
    struct linkage_link *child = &linkage->links[def->child];
    if (def->parent == def->child) {
        return dent_fail(context, DENT_ERROR_INVALID_ARGUMENT, "joint '%s' joins link '%s' with itself: a cycle",
                         def->name, child->name);
    }
    if (child->joint != DENT_JOINT_NONE) {
        return dent_fail(context, DENT_ERROR_INVALID_ARGUMENT,
                         "link '%s' is the child of two joints, '%s' and '%s': links form a tree, without cycles",
                         child->name, linkage_joint_name(linkage, child->joint), def->name);
    }
    child->joint = j;
    return DENT_OK;
}

static uint32_t parent_of(const dent_linkage *linkage, uint32_t link)
{
    uint32_t joint = linkage->links[link].joint;
    return joint == DENT_JOINT_NONE ? UINT32_MAX : linkage->joints[joint].def.parent;
}

/* The joints of a cycle through `link`, as many as a line holds. */
static dent_status fail_cycle(dent_linkage *linkage, uint32_t link)
{
    char names[600] = "";
    size_t used = 0;
    uint32_t at = link;
    do {
        size_t room = sizeof names - used;
        int length = snprintf(names + used, room, "%s'%.60s'", at == link ? "" : ", ",
                              linkage_joint_name(linkage, linkage->links[at].joint));
        if (length < 0 || (size_t)length + 8 > room) {
            snprintf(names + used, room, "%s", " ...");
            break;
        }
        used += (size_t)length;
        at = parent_of(linkage, at);
    } while (at != link);
    return dent_fail(linkage->context, DENT_ERROR_INVALID_ARGUMENT, "joints form a cycle: %s", names);
}

/* Walks up from every link; `frame` notes on which walk a link was met. */
static dent_status check_cycles(dent_linkage *linkage)
{
    for (uint32_t i = 0; i < linkage->link_count; i++) {
        uint32_t at = i;
        while (at != UINT32_MAX && linkage->links[at].frame == UINT32_MAX) {
            linkage->links[at].frame = i;
            at = parent_of(linkage, at);
        }
        if (at != UINT32_MAX && linkage->links[at].frame == i) {
            return fail_cycle(linkage, at);
        }
    }
    return DENT_OK;
}

static dent_status find_root(dent_linkage *linkage, uint32_t *root)
{
    *root = UINT32_MAX;
    for (uint32_t i = 0; i < linkage->link_count; i++) {
        if (linkage->links[i].joint != DENT_JOINT_NONE) {
            continue;
        }
        if (*root != UINT32_MAX) {
            return dent_fail(linkage->context, DENT_ERROR_INVALID_ARGUMENT,
                             "links '%s' and '%s' both are the child of no joint: a linkage has one root",
                             linkage->links[*root].name, linkage->links[i].name);
        }
        *root = i;
    }
    return DENT_OK;
}

/* Breadth first: `first` and `next` are lists of the joints that have a link as parent, in the order of the joints. */
static dent_status order_links(dent_linkage *linkage, uint32_t root)
{
    uint32_t links = linkage->link_count, joints = linkage->joint_count;
    uint32_t *first = dent_allocate(linkage->context, (size_t)links + joints, sizeof *first);
    if (!first) {
        return dent_fail(linkage->context, DENT_ERROR_OUT_OF_MEMORY, "no memory for a linkage of %u links", links);
    }
    uint32_t *next = first + links;
    memset(first, 0xff, links * sizeof *first);
    for (uint32_t j = joints; j-- > 0;) {
        next[j] = first[linkage->joints[j].def.parent];
        first[linkage->joints[j].def.parent] = j;
    }
    linkage->order[0] = root;
    uint32_t count = 1;
    for (uint32_t frame = 0; frame < count; frame++) {
        uint32_t link = linkage->order[frame];
        linkage->links[link].frame = frame;
        for (uint32_t j = first[link]; j != UINT32_MAX; j = next[j]) {
            uint32_t child = linkage->joints[j].def.child;
            linkage->order[count++] = child;
            linkage->links[child].leader =
                linkage->joints[j].def.kind == DENT_JOINT_FIXED ? linkage->links[link].leader : child;
        }
    }
    dent_release(linkage->context, first, (size_t)links + joints, sizeof *first);
    return DENT_OK;
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

/* Follows joints that mimic joints that mimic … to one that has a value, and puts the lines together. */
static dent_status resolve_mimic(dent_linkage *linkage, uint32_t j)
{
    dent_joint_def *def = &linkage->joints[j].def;
    uint32_t steps = 0;
    while (true) {
        if (def->mimics >= linkage->joint_count) {
            return dent_fail(linkage->context, DENT_ERROR_INVALID_ARGUMENT,
                             "joint '%s' mimics joint %u, and there are %u", def->name, def->mimics,
                             linkage->joint_count);
        }
        const dent_joint_def *other = &linkage->joints[def->mimics].def;
        if (dent_joint_kind_value_count(other->kind) != 1 || dent_joint_kind_value_count(def->kind) != 1) {
            return dent_fail(linkage->context, DENT_ERROR_INVALID_ARGUMENT,
                             "joint '%s' (%s) cannot mimic joint '%s' (%s): both must have one value", def->name,
                             dent_joint_kind_name(def->kind), other->name, dent_joint_kind_name(other->kind));
        }
        if (def->mimics == j || steps++ > linkage->joint_count) {
            return dent_fail(linkage->context, DENT_ERROR_INVALID_ARGUMENT, "joint '%s' mimics itself", def->name);
        }
        if (other->mimics == DENT_JOINT_NONE) {
            return DENT_OK;
        }
        def->offset += def->multiplier * other->offset;
        def->multiplier *= other->multiplier;
        def->mimics = other->mimics;
    }
}

static dent_status number_values(dent_linkage *linkage)
{
    uint64_t count = 0;
    for (uint32_t j = 0; j < linkage->joint_count; j++) {
        const dent_joint_def *def = &linkage->joints[j].def;
        uint32_t values = def->mimics == DENT_JOINT_NONE ? dent_joint_kind_value_count(def->kind) : 0;
        linkage->joints[j].first_value = values > 0 ? (uint32_t)count : UINT32_MAX;
        count += values;
    }
    if (count > UINT32_MAX - 1) {
        return dent_fail(linkage->context, DENT_ERROR_TOO_LARGE, "more joint values than 32 bits can number");
    }
    linkage->value_count = (uint32_t)count;
    for (uint32_t j = 0; j < linkage->joint_count; j++) {
        dent_status status = linkage->joints[j].def.mimics == DENT_JOINT_NONE ? DENT_OK : resolve_mimic(linkage, j);
        if (status != DENT_OK) {
            return status;
        }
    }
    return DENT_OK;
}

/* ---- creation ---------------------------------------------------------------------------------------------------- */

static DENT_NOINLINE dent_status check_and_order(dent_linkage *linkage)
{
    dent_status status = DENT_OK;
    for (uint32_t j = 0; j < linkage->joint_count && status == DENT_OK; j++) {
        status = check_joint(linkage, &linkage->joints[j]);
        status = status == DENT_OK ? join_links(linkage, j) : status;
    }
    uint32_t root = 0;
    status = status == DENT_OK ? check_cycles(linkage) : status;
    status = status == DENT_OK ? find_root(linkage, &root) : status;
    status = status == DENT_OK ? order_links(linkage, root) : status;
    return status == DENT_OK ? number_values(linkage) : status;
}

static dent_status check_def(dent_context *context, const dent_linkage_def *def)
{
    if (!def || def->struct_size != sizeof *def) {
        return dent_fail(context, DENT_ERROR_INVALID_ARGUMENT,
                         "the linkage def was not made by dent_linkage_def_default()");
    }
    if (def->link_count == 0) {
        return dent_fail(context, DENT_ERROR_INVALID_ARGUMENT, "a linkage without links");
    }
    if (def->link_count == UINT32_MAX || def->joint_count == UINT32_MAX) {
        return dent_fail(context, DENT_ERROR_TOO_LARGE, "more links or joints than 32 bits can number");
    }
    if (def->joint_count > 0 && !def->joints) {
        return dent_fail(context, DENT_ERROR_INVALID_ARGUMENT, "%u joints announced, none given", def->joint_count);
    }
    return DENT_OK;
}

dent_status dent_linkage_create(dent_context *context, const dent_linkage_def *def, dent_linkage **linkage)
{
    DENT_REQUIRE(context, context);
    DENT_REQUIRE(context, def);
    DENT_REQUIRE(context, linkage);
    dent_status status = check_def(context, def);
    if (status != DENT_OK) {
        return status;
    }
    dent_linkage *made = dent_allocate(context, 1, sizeof *made);
    if (made) {
        *made = (dent_linkage){.context = context};
    }
    if (!made || !allocate_parts(made, def)) {
        dent_linkage_destroy(made);
        return dent_fail(context, DENT_ERROR_OUT_OF_MEMORY, "no memory for a made of %u links", def->link_count);
    }
    copy_parts(made, def);
    struct floating_point_guard guard;
    floating_point_guard_enter(&guard);
    status = check_and_order(made);
    floating_point_guard_leave(&guard);
    if (status != DENT_OK) {
        dent_linkage_destroy(made);
        return status;
    }
    *linkage = made;
    return DENT_OK;
}
