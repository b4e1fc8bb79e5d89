# dent and VTK read each other's files. The Python of the system has VTK when Debian's python3-vtk9 is installed;
# another Python that comes first in the path usually has not. Without it the test is skipped and says so.
find_program(DENT_VTK_PYTHON NAMES python3 PATHS /usr/bin NO_DEFAULT_PATH)
if(NOT DENT_VTK_PYTHON)
  find_program(DENT_VTK_PYTHON NAMES python3 REQUIRED)
endif()
add_executable(mesh_file_probe ${CMAKE_CURRENT_LIST_DIR}/mesh_file_probe.c)
target_include_directories(mesh_file_probe PRIVATE ${PROJECT_SOURCE_DIR}/include)
target_link_libraries(mesh_file_probe PRIVATE dent_flags dent_io_static dent_static)
add_test(NAME io/check_with_vtk
  COMMAND ${DENT_VTK_PYTHON} ${CMAKE_CURRENT_LIST_DIR}/check_with_vtk.py $<TARGET_FILE:mesh_file_probe>)
set_tests_properties(io/check_with_vtk PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 3600 LABELS io)
