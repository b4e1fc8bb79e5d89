# Tests of the built tool: Python (standard library only) runs it as a user would. Included from tests/CMakeLists.txt.
if(TARGET dent_tool)
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
  file(GLOB cli_programs CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/test_*.py)
  foreach(program IN LISTS cli_programs)
    get_filename_component(stem ${program} NAME_WE)
    add_test(NAME cli/${stem} COMMAND ${Python3_EXECUTABLE} -B ${program})
    set_tests_properties(cli/${stem} PROPERTIES TIMEOUT 3600 LABELS "cli"
      ENVIRONMENT "DENT_TOOL=$<TARGET_FILE:dent_tool>;DENT_EXAMPLES=${PROJECT_BINARY_DIR}/examples")
  endforeach()
  if(DENT_VTK_PYTHON) # found by io/vtk_check.cmake
    add_test(NAME cli/check_run_with_vtk COMMAND
      ${DENT_VTK_PYTHON} -B ${CMAKE_CURRENT_LIST_DIR}/check_run_with_vtk.py $<TARGET_FILE:dent_tool>)
    set_tests_properties(cli/check_run_with_vtk PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 3600 LABELS cli)
  endif()
endif()
