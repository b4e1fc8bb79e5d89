# Tests of `dent view` in node and a real browser. Included from tests/CMakeLists.txt; present when the viewer is built.
if(TARGET dent_viewer)
  set(modules ${CMAKE_CURRENT_BINARY_DIR}/viewer)
  add_custom_command(OUTPUT ${modules}/node_modules/.installed
    COMMAND ${CMAKE_COMMAND} -E make_directory ${modules}
    COMMAND ${CMAKE_COMMAND} -E copy ${CMAKE_CURRENT_LIST_DIR}/package.json ${CMAKE_CURRENT_LIST_DIR}/package-lock.json ${modules}
    COMMAND ${DENT_NPM} ci --prefix ${modules} --no-audit --no-fund --ignore-scripts --prefer-offline --fetch-retries=5 --loglevel=error
    COMMAND ${CMAKE_COMMAND} -E touch ${modules}/node_modules/.installed
    DEPENDS ${CMAKE_CURRENT_LIST_DIR}/package.json ${CMAKE_CURRENT_LIST_DIR}/package-lock.json
    COMMENT "Installing the packages of the viewer's tests" VERBATIM)
  add_custom_target(tests_viewer ALL DEPENDS ${modules}/node_modules/.installed dent_tool)
  file(GLOB viewer_programs CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/test_*.mjs)
  add_executable(test_view_frames ${CMAKE_CURRENT_LIST_DIR}/test_view_frames.c)
  target_include_directories(test_view_frames PRIVATE ${CMAKE_CURRENT_LIST_DIR}/..)
  target_link_libraries(test_view_frames PRIVATE dent_flags dent_viewer PkgConfig::CMOCKA Threads::Threads m)
  add_dependencies(tests_viewer test_view_frames)
  add_test(NAME viewer/test_view_frames COMMAND test_view_frames)
  set_tests_properties(viewer/test_view_frames PROPERTIES TIMEOUT 3600 LABELS "viewer")
  add_executable(test_view_polytope ${CMAKE_CURRENT_LIST_DIR}/test_view_polytope.c)
  target_include_directories(test_view_polytope PRIVATE ${CMAKE_CURRENT_LIST_DIR}/..)
  target_link_libraries(test_view_polytope PRIVATE dent_flags dent_viewer PkgConfig::CMOCKA m)
  add_dependencies(tests_viewer test_view_polytope)
  add_test(NAME viewer/test_view_polytope COMMAND test_view_polytope)
  set_tests_properties(viewer/test_view_polytope PROPERTIES TIMEOUT 3600 LABELS "viewer")
  add_executable(test_view_library ${CMAKE_CURRENT_LIST_DIR}/test_view_library.c)
  target_include_directories(test_view_library PRIVATE ${CMAKE_CURRENT_LIST_DIR}/..)
  target_link_libraries(test_view_library PRIVATE dent_flags dent_view_static PkgConfig::CMOCKA Threads::Threads m)
  add_test(NAME viewer/test_view_library COMMAND test_view_library)
  set_tests_properties(viewer/test_view_library PROPERTIES TIMEOUT 3600 LABELS "viewer")
  add_executable(test_view_upload ${CMAKE_CURRENT_LIST_DIR}/test_view_upload.c)
  target_include_directories(test_view_upload PRIVATE ${CMAKE_CURRENT_LIST_DIR}/..)
  target_link_libraries(test_view_upload PRIVATE dent_flags dent_viewer PkgConfig::CMOCKA m)
  add_test(NAME viewer/test_view_upload COMMAND test_view_upload)
  set_tests_properties(viewer/test_view_upload PROPERTIES TIMEOUT 3600 LABELS "viewer")
  add_executable(view_driver ${CMAKE_CURRENT_LIST_DIR}/view_driver.c)
  target_link_libraries(view_driver PRIVATE dent_flags dent_view_static Threads::Threads m)
  add_dependencies(tests_viewer test_view_library test_view_upload view_driver)
  foreach(program IN LISTS viewer_programs)
    get_filename_component(stem ${program} NAME_WE)
    add_test(NAME viewer/${stem} COMMAND ${DENT_NODE} --test ${program})
    set_tests_properties(viewer/${stem} PROPERTIES TIMEOUT 3600 LABELS "viewer"
      ENVIRONMENT "DENT_TOOL=$<TARGET_FILE:dent_tool>;DENT_VIEWER_MODULES=${modules};DENT_VIEW_DRIVER=$<TARGET_FILE:view_driver>")
    # Browsers draw on the processor here, with as many threads as it has: one at a time, and the chain of them begins early.
    file(STRINGS ${program} starts_browser REGEX "startBrowser\\(\\)" LIMIT_COUNT 1)
    if(starts_browser)
      set_tests_properties(viewer/${stem} PROPERTIES RESOURCE_LOCK browser COST 60)
    endif()
  endforeach()
endif()
