/* The library's version, as linked. */
#include <dent/base.h>

const char *dent_version(void)
{
    return DENT_VERSION_STRING;
}
