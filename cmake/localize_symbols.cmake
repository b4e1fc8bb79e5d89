# Run with cmake -P at install time: makes the internal functions of a static library local, so that it exports exactly
# what the shared library does and a program that links it may have an arena_init() of its own.
#
#   -DLIBRARY=<installed .a> -DCOMPILER=… -DOBJCOPY=… -DAR=…
#
# All objects become one by partial linking, in which the hidden symbols can be turned into local ones.
set(folder "${LIBRARY}.work")
file(REMOVE_RECURSE "${folder}")
file(MAKE_DIRECTORY "${folder}")

function(run)
  execute_process(COMMAND ${ARGN} WORKING_DIRECTORY "${folder}" RESULT_VARIABLE result OUTPUT_VARIABLE output
                  ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    file(REMOVE_RECURSE "${folder}")
    message(FATAL_ERROR "cannot hide the internal symbols of ${LIBRARY}: ${output}")
  endif()
endfunction()

get_filename_component(stem "${LIBRARY}" NAME_WE)
run("${COMPILER}" -r -nostdlib -o "${stem}.o" -Wl,--whole-archive "${LIBRARY}" -Wl,--no-whole-archive)
run("${OBJCOPY}" --localize-hidden "${stem}.o")
run("${AR}" rcsD "${stem}.a" "${stem}.o")
file(RENAME "${folder}/${stem}.a" "${LIBRARY}")
file(REMOVE_RECURSE "${folder}")
