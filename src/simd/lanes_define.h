/* A function of one expression, in one line. The lanes are made of these. */
#ifndef DENT_SIMD_LANES_DEFINE_H
#define DENT_SIMD_LANES_DEFINE_H

#define LANES_FUNCTION(type, name, parameters, ...)                                                                    \
    static inline type name parameters                                                                                 \
    {                                                                                                                  \
        return __VA_ARGS__;                                                                                            \
    }

#endif
