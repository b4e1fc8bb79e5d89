/* tool_vectors.h — vectors of three doubles for pictures and tables: the tool sees include/dent alone, so it has its own copy. */
#ifndef TOOL_VECTORS_H
#define TOOL_VECTORS_H

static inline double tool_dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

#endif
