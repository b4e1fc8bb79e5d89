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

/* NAME=VALUE, or NAME.K=VALUE for the K-th value of a joint that has several. */
static int set_named_value(const char *command, const dent_linkage *linkage, const char *option, const char *item,
                           size_t length, const char *equals, double *values)
{
    char name[300];
    size_t name_length = (size_t)(equals - item);
    snprintf(name, sizeof name, "%.*s", (int)(name_length < 280 ? name_length : 280), item);
    uint32_t part = 0;
    uint32_t joint = dent_linkage_find_joint(linkage, name);
    char *dot = strrchr(name, '.');
    if (joint == UINT32_MAX && dot != NULL && dot[1] >= '0' && dot[1] <= '9' && dot[2] == '\0') {
        part = (uint32_t)(dot[1] - '0');
        *dot = '\0';
        joint = dent_linkage_find_joint(linkage, name);
    }
    if (joint == UINT32_MAX) {
        return complain("%s: %s: there is no joint '%s'; dent info lists them", command, option, name);
    }
    uint32_t first = dent_linkage_first_value(linkage, joint);
    uint32_t count = dent_joint_kind_value_count(dent_linkage_joint(linkage, joint)->kind);
    if (first == UINT32_MAX || part >= count) {
        return complain("%s: %s: joint '%s' has no value of that name", command, option, name);
    }
    if (!parse_value(equals + 1, length - name_length - 1, &values[first + part])) {
        return complain_value(command, option, equals + 1, length - name_length - 1);
    }
    return STATUS_GOOD;
}

int read_joint_values(const char *command, const dent_linkage *linkage, const char *option, const char *text,
                      double *values)
{
    uint32_t count = dent_linkage_value_count(linkage), found = 0;
    bool named = false;
    dent_linkage_zero_values(linkage, values);
    for (const char *item = text; item != NULL && *item != '\0';) {
        const char *comma = strchr(item, ',');
        size_t length = comma != NULL ? (size_t)(comma - item) : strlen(item);
        const char *equals = memchr(item, '=', length);
        named = named || equals != NULL;
        if (equals != NULL) {
            int failed = set_named_value(command, linkage, option, item, length, equals, values);
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
