# Flags every target of the tree shares. -ffp-contract=off is not an optimisation choice: the answers depend on it.
add_library(dent_flags INTERFACE)
target_compile_features(dent_flags INTERFACE c_std_17)
target_compile_definitions(dent_flags INTERFACE _POSIX_C_SOURCE=200809L _FILE_OFFSET_BITS=64)
target_compile_options(dent_flags INTERFACE
  -ffp-contract=off -fno-strict-aliasing
  -Wall -Wextra -Wshadow -Wpointer-arith -Wundef -Wwrite-strings -Wvla
  $<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes -Wmissing-prototypes -Wold-style-definition>)
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
