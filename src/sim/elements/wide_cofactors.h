/* Cofactors of 3x3 matrices by rows, nine wide numbers each, as lists of initialisers: kernels in floats and in doubles
 * share the text, and so the order of operations that gives the same bits for every instruction set. */
#ifndef DENT_SIM_WIDE_COFACTORS_H
#define DENT_SIM_WIDE_COFACTORS_H

/* a is used many times: a name, no expression. */
#define COFACTORS(a)                                                                                                   \
    {                                                                                                                  \
        a[4] * a[8] - a[5] * a[7], a[5] * a[6] - a[3] * a[8], a[3] * a[7] - a[4] * a[6], a[2] * a[7] - a[1] * a[8],    \
            a[0] * a[8] - a[2] * a[6], a[1] * a[6] - a[0] * a[7], a[1] * a[5] - a[2] * a[4],                           \
            a[2] * a[3] - a[0] * a[5], a[0] * a[4] - a[1] * a[3]                                                       \
    }

/* The derivative of the cofactors at a in the direction b, symmetric in both. */
#define COFACTORS_CHANGE(a, b)                                                                                         \
    {                                                                                                                  \
        (a[4] * b[8] + b[4] * a[8]) - (a[5] * b[7] + b[5] * a[7]),                                                     \
            (a[5] * b[6] + b[5] * a[6]) - (a[3] * b[8] + b[3] * a[8]),                                                 \
            (a[3] * b[7] + b[3] * a[7]) - (a[4] * b[6] + b[4] * a[6]),                                                 \
            (a[2] * b[7] + b[2] * a[7]) - (a[1] * b[8] + b[1] * a[8]),                                                 \
            (a[0] * b[8] + b[0] * a[8]) - (a[2] * b[6] + b[2] * a[6]),                                                 \
            (a[1] * b[6] + b[1] * a[6]) - (a[0] * b[7] + b[0] * a[7]),                                                 \
            (a[1] * b[5] + b[1] * a[5]) - (a[2] * b[4] + b[2] * a[4]),                                                 \
            (a[2] * b[3] + b[2] * a[3]) - (a[0] * b[5] + b[0] * a[5]),                                                 \
            (a[0] * b[4] + b[0] * a[4]) - (a[1] * b[3] + b[1] * a[3])                                                  \
    }

#endif
