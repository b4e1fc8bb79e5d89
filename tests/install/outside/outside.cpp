// The same program as C++.
#include "outside.c"
