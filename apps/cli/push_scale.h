/* push_scale.h — the largest push (-gap) of many contacts, with its uncertainty, as dent_contacts.scale_depth has it: a
 * push whose error is above half of it counts only where no other does. So one contact that is hardly known, of a
 * body that was swallowed whole for instance, neither sets a scale of colours nor stands for a run. */
#ifndef DENT_PUSH_SCALE_H
#define DENT_PUSH_SCALE_H

#include <stdbool.h>

typedef struct push_scale {
    double push, error; /* 0: nothing overlaps */
    double uncertain;   /* the largest push that is not certain */
} push_scale;

static inline bool push_is_certain(double push, double error)
{
    return push > 0 && error <= 0.5 * push;
}

/** True: it is the largest now. */
static inline bool push_scale_add(push_scale *scale, double push, double error)
{
    bool certain = push_is_certain(push, error), known = push_is_certain(scale->push, scale->error);
    bool largest = scale->push == 0 || certain == known ? push > scale->push : certain;
    if (!certain && push > scale->uncertain) {
        scale->uncertain = push;
    }
    if (largest) {
        scale->push = push;
        scale->error = error;
    }
    return largest;
}

#endif
