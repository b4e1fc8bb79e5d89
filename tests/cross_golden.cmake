# A cross build has the golden tests and no others: linked with the static libraries and a stand-in for cmocka, run by
# CMAKE_CROSSCOMPILING_EMULATOR. tools/cross_golden.sh does the whole of it.
include(golden_list.cmake)
add_custom_target(tests_golden)
foreach(golden IN LISTS golden_tests)
  get_filename_component(folder ${golden} DIRECTORY)
  get_filename_component(stem ${golden} NAME)
  file(GLOB helpers CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/support_*.c)
  add_executable(${stem} ${golden}.c ${helpers})
  target_include_directories(${stem} PRIVATE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src
    ${CMAKE_CURRENT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR}/support/without_cmocka)
  target_link_libraries(${stem} PRIVATE dent_flags dent_sim_static dent_io_static dent_static Threads::Threads m)
  add_dependencies(tests_golden ${stem})
  add_test(NAME ${golden} COMMAND ${stem})
  set_tests_properties(${golden} PROPERTIES TIMEOUT 7200 LABELS golden)
  if(stem STREQUAL "test_response_table") # the others of this file take long under qemu and are not about bits
    set_tests_properties(${golden} PROPERTIES ENVIRONMENT "DENT_TEST_FILTER=the_bits_are_the_same")
  endif()
endforeach()
