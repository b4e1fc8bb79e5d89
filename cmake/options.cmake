# Flags every target of the tree shares. -ffp-contract=off is not an optimisation choice: the answers depend on it.
add_library(dent_flags INTERFACE)
target_compile_features(dent_flags INTERFACE c_std_17)
target_compile_definitions(dent_flags INTERFACE _POSIX_C_SOURCE=200809L _FILE_OFFSET_BITS=64)
target_compile_options(dent_flags INTERFACE
  -ffp-contract=off -fno-strict-aliasing
  -Wall -Wextra -Wshadow -Wpointer-arith -Wundef -Wwrite-strings -Wvla
  $<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes -Wmissing-prototypes -Wold-style-definition>)
# Each operation is rounded to its own type, or the answers change: gcc for s390x computes floats in double precision
# unless told otherwise, gcc for 32-bit x86 uses the x87 unit. (src/base/version.c refuses to compile otherwise.)
if(CMAKE_C_COMPILER_ID STREQUAL "GNU" AND CMAKE_SYSTEM_PROCESSOR MATCHES "^s390")
  target_compile_options(dent_flags INTERFACE $<$<COMPILE_LANGUAGE:C>:-fexcess-precision=fast>)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "^i[3-6]86$" OR (CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64" AND
    CMAKE_SIZEOF_VOID_P EQUAL 4))
  target_compile_options(dent_flags INTERFACE -msse2 -mfpmath=sse)
endif()
if(DENT_WARNINGS_AS_ERRORS)
  target_compile_options(dent_flags INTERFACE -Werror)
endif()
if(DENT_SANITIZE)
  target_compile_options(dent_flags INTERFACE
    -fsanitize=${DENT_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(dent_flags INTERFACE -fsanitize=${DENT_SANITIZE})
endif()
if(DENT_COVERAGE)
  target_compile_options(dent_flags INTERFACE --coverage -fprofile-update=atomic)
  target_link_options(dent_flags INTERFACE --coverage)
endif()
