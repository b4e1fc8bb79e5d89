/* joint_values.c — reads joint values of the command line: 0,0.5,-1 or elbow=0.5,wrist=-1. */
#include "joint_values.h"

#include "tool.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int complain_value(const char *command, const char *option, const char *text, size_t length)
{
    return complain("%s: %s: '%.*s' is not a finite number", command, option, (int)(length < 60 ? length : 60), text);
}

static bool parse_value(const char *text, size_t length, double *value)
{
    char copy[64];
    if (length == 0 || length >= sizeof copy) {
        return false;
    }
    memcpy(copy, text, length);
    copy[length] = '\0';
    char *end;
    *value = strtod(copy, &end);
    return *end == '\0' && isfinite(*value);
}

enum { NAME_LIMIT = 281, NO_JOINT = -1, NO_VALUE = -2 };

/* Index of the value that NAME means, or NAME.K: the K-th value of a joint that has several. Cuts off the K. */
static int64_t find_value(const dent_linkage *linkage, char *name)
{
    uint32_t part = 0;
    uint32_t joint = dent_linkage_find_joint(linkage, name);
    char *dot = strrchr(name, '.');
    if (joint == UINT32_MAX && dot != NULL && dot[1] >= '0' && dot[1] <= '9' && dot[2] == '\0') {
        part = (uint32_t)(dot[1] - '0');
        *dot = '\0';
        joint = dent_linkage_find_joint(linkage, name);
    }
    if (joint == UINT32_MAX) {
        return NO_JOINT;
    }
    uint32_t first = dent_linkage_first_value(linkage, joint);
    uint32_t count = dent_joint_kind_value_count(dent_linkage_joint(linkage, joint)->kind);
    return first == UINT32_MAX || part >= count ? NO_VALUE : (int64_t)first + part;
}

static void copy_name(char name[NAME_LIMIT], const char *item, const char *equals)
{
    size_t length = (size_t)(equals - item);
    snprintf(name, NAME_LIMIT, "%.*s", (int)(length < NAME_LIMIT ? length : NAME_LIMIT), item);
}

/* Does an item before this one set the same value? There are few, so each is looked up again. */
static bool was_set(const dent_linkage *linkage, const char *text, const char *item, int64_t value)
{
    while (text < item) {
        char name[NAME_LIMIT];
        const char *comma = strchr(text, ','), *equals = memchr(text, '=', (size_t)(comma - text));
        copy_name(name, text, equals != NULL ? equals : text);
        if (find_value(linkage, name) == value) {
            return true;
        }
        text = comma + 1;
    }
    return false;
}

static int set_named_value(const char *command, const dent_linkage *linkage, const char *option, const char *text,
                           const char *item, size_t length, const char *equals, double *values)
{
    char name[NAME_LIMIT];
    copy_name(name, item, equals);
    int64_t value = find_value(linkage, name);
    if (value == NO_JOINT) {
        return complain("%s: %s: there is no joint '%s'; dent info lists them", command, option, name);
    }
    if (value == NO_VALUE) {
        return complain("%s: %s: joint '%s' has no value of that name", command, option, name);
    }
    if (was_set(linkage, text, item, value)) {
        return complain("%s: %s: joint '%s' is given twice", command, option, name);
    }
    size_t rest = length - (size_t)(equals + 1 - item);
    return parse_value(equals + 1, rest, &values[value]) ? STATUS_GOOD
                                                         : complain_value(command, option, equals + 1, rest);
}

int read_joint_values(const char *command, const dent_linkage *linkage, const char *option, const char *text,
                      double *values)
{
    uint32_t count = dent_linkage_value_count(linkage), found = 0;
    bool named = false;
    dent_linkage_zero_values(linkage, values);
    for (const char *item = text; item != NULL && (*item != '\0' || item > text);) { /* behind a comma is an item */
        const char *comma = strchr(item, ',');
        size_t length = comma != NULL ? (size_t)(comma - item) : strlen(item);
        const char *equals = memchr(item, '=', length);
        named = named || equals != NULL;
        if (equals != NULL) {
            int failed = set_named_value(command, linkage, option, text, item, length, equals, values);
            if (failed) {
                return failed;
            }
        } else if (named || found == count) {
            return complain("%s: %s %s: give %u numbers, or NAME=VALUE for some joints", command, option, text, count);
        } else if (!parse_value(item, length, &values[found++])) {
            return complain_value(command, option, item, length);
        }
        item = comma != NULL ? comma + 1 : NULL;
    }
    if (text != NULL && !named && found != count) {
        return complain("%s: %s %s: got %u values; the robot has %u", command, option, text, found, count);
    }
    return STATUS_GOOD;
}
