# Reading takes time linear in the bytes of the file. Counted are operations, not seconds: the sources of the readers
# and of the bodies of a world are compiled once more with a call at every basic block (gcc and clang:
# -fsanitize-coverage=trace-pc), and the program counts these calls. Their objects take the place of those in the
# libraries.
include(CheckCSourceCompiles)
set(CMAKE_REQUIRED_FLAGS -fsanitize-coverage=trace-pc)
check_c_source_compiles("
  void __sanitizer_cov_trace_pc(void);
  void __sanitizer_cov_trace_pc(void) {}
  int main(void) { return 0; }" DENT_CAN_COUNT_BLOCKS)
unset(CMAKE_REQUIRED_FLAGS)
if(NOT DENT_CAN_COUNT_BLOCKS OR DENT_SANITIZE)
  message(STATUS "io/test_reading_is_linear is not built: no blocks can be counted, or the build has a sanitizer")
  return()
endif()
file(GLOB_RECURSE counted_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/io/*.c ${PROJECT_SOURCE_DIR}/src/bodies/*.c
  ${PROJECT_SOURCE_DIR}/src/scene_files/*.c ${PROJECT_SOURCE_DIR}/src/scenes/simulated/sim_plan*.c)
list(REMOVE_ITEM counted_sources ${PROJECT_SOURCE_DIR}/src/scene_files/scene_file_missing.c)
list(FILTER counted_sources EXCLUDE REGEX "/(write_[a-z_]*|output_file|copy_positions_[a-z0-9]*)\\.c$")
add_library(dent_counted_readers OBJECT ${counted_sources})
target_compile_options(dent_counted_readers PRIVATE -O1 -fsanitize-coverage=trace-pc
  -include ${CMAKE_CURRENT_LIST_DIR}/counted_calls.h)
target_compile_definitions(dent_counted_readers PRIVATE $<TARGET_PROPERTY:dent_io_objects,COMPILE_DEFINITIONS>)
target_include_directories(dent_counted_readers PRIVATE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src
  ${JANSSON_INCLUDE_DIR} $<TARGET_PROPERTY:dent_io_objects,INCLUDE_DIRECTORIES>)
target_link_libraries(dent_counted_readers PRIVATE dent_flags Threads::Threads)
file(GLOB programs CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/*.c)
add_executable(test_reading_is_linear ${programs} $<TARGET_OBJECTS:dent_counted_readers>)
target_include_directories(test_reading_is_linear PRIVATE
  ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/tests)
target_link_libraries(test_reading_is_linear PRIVATE
  dent_flags PkgConfig::CMOCKA Threads::Threads m dent_sim_static dent_io_static dent_static)
add_test(NAME io/test_reading_is_linear COMMAND test_reading_is_linear)
set_tests_properties(io/test_reading_is_linear PROPERTIES TIMEOUT 3600 LABELS io)
