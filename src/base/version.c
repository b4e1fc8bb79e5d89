/* The library's version, as linked. */
#include <dent/base.h>

#include <float.h>

/* Every operation must be rounded to its own type: x87 registers or floats computed as doubles give other answers. */
#if FLT_EVAL_METHOD != 0
#error "dent needs FLT_EVAL_METHOD 0: -msse2 -mfpmath=sse on 32-bit x86, -fexcess-precision=fast on s390x"
#endif

const char *dent_version(void)
{
    return DENT_VERSION_STRING;
}
