# Tests of the built tool: Python (standard library only) runs it as a user would. Included from tests/CMakeLists.txt.
if(TARGET dent_tool)
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
  file(GLOB cli_programs CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/test_*.py)
  foreach(program IN LISTS cli_programs)
    get_filename_component(stem ${program} NAME_WE)
    add_test(NAME cli/${stem} COMMAND ${Python3_EXECUTABLE} -B ${program})
    set_tests_properties(cli/${stem} PROPERTIES TIMEOUT 900 LABELS "cli"
      ENVIRONMENT "DENT_TOOL=$<TARGET_FILE:dent_tool>")
  endforeach()
endif()
