/* Sorts measured numbers, so that medians and quartiles can be read off. */
#ifndef DENT_BENCH_SORT_TIMES_H
#define DENT_BENCH_SORT_TIMES_H

#include <stdlib.h>

static inline int compare_times(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static inline void sort_times(double *times, size_t count)
{
    qsort(times, count, sizeof *times, compare_times);
}

#endif
