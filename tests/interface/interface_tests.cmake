# Tests of the public interface as a whole, generated from the headers.
if(TARGET dent_sim_static AND TARGET dent_io_static)
  find_program(DENT_PYTHON python3 REQUIRED)
  file(GLOB public_headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/dent/*.h)
  set(headers_without_library)
  if(NOT TARGET dent_view_static)
    set(headers_without_library view.h)
  endif()
  set(null_cases ${CMAKE_CURRENT_BINARY_DIR}/null_cases.c)
  add_custom_command(OUTPUT ${null_cases}
    COMMAND ${DENT_PYTHON} ${CMAKE_CURRENT_SOURCE_DIR}/interface/null_arguments.py ${PROJECT_SOURCE_DIR}/include
      ${null_cases} ${headers_without_library}
    DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/interface/null_arguments.py ${public_headers})
  add_executable(null_arguments interface/null_fixture.c ${null_cases})
  target_include_directories(null_arguments PRIVATE ${PROJECT_SOURCE_DIR}/include ${CMAKE_CURRENT_SOURCE_DIR})
  target_compile_definitions(null_arguments PRIVATE _DEFAULT_SOURCE) # mkstemps
  target_compile_options(null_arguments PRIVATE $<$<C_COMPILER_ID:GNU>:-Wno-nonnull -Wno-format>)
  target_link_libraries(null_arguments PRIVATE dent_flags dent_haptic_static dent_plan_static dent_sim_static dent_io_static
    dent_static Threads::Threads m)
  if(TARGET dent_view_static)
    target_compile_definitions(null_arguments PRIVATE DENT_HAVE_VIEW=1)
    target_link_libraries(null_arguments PRIVATE dent_view_static)
  endif()
  add_test(NAME interface/null_arguments COMMAND null_arguments)
  set_tests_properties(interface/null_arguments PROPERTIES LABELS interface TIMEOUT 3600)

  # Instrumented frames are several times as large: the promise is about plain builds.
  if(DENT_SANITIZE OR DENT_COVERAGE)
    return()
  endif()
  add_executable(small_stack interface/small_stack.c)
  target_include_directories(small_stack PRIVATE ${PROJECT_SOURCE_DIR}/include ${CMAKE_CURRENT_SOURCE_DIR})
  target_compile_definitions(small_stack PRIVATE _DEFAULT_SOURCE) # MAP_ANONYMOUS
  target_link_libraries(small_stack PRIVATE dent_flags dent_haptic_static dent_plan_static dent_sim_static dent_io_static
    dent_static Threads::Threads m)
  add_test(NAME interface/small_stack COMMAND small_stack)
  set_tests_properties(interface/small_stack PROPERTIES LABELS interface TIMEOUT 3600)
endif()
