# The viewer: page (apps/viewer/page, bundled by esbuild), server (apps/viewer/server, libwebsockets) and library dent_view. They are optional: without
# node and npm, or without libwebsockets, the tool is built all the same, and `dent view` says what was missing.
option(DENT_WITH_VIEWER "Build dent view where libwebsockets, node and npm are found" ON)
set(DENT_VIEWER_MISSING "" CACHE INTERNAL "why the viewer was not built")

if(NOT DENT_WITH_VIEWER)
  set(DENT_VIEWER_MISSING "DENT_WITH_VIEWER was off" CACHE INTERNAL "")
  return()
endif()
find_package(PkgConfig QUIET)
if(PkgConfig_FOUND)
  pkg_check_modules(WEBSOCKETS QUIET IMPORTED_TARGET libwebsockets)
endif()
find_program(DENT_NODE node)
find_program(DENT_NPM npm)
if(NOT WEBSOCKETS_FOUND)
  set(DENT_VIEWER_MISSING "libwebsockets was not found (Debian: libwebsockets-dev)" CACHE INTERNAL "")
  return()
elseif(NOT DENT_NODE OR NOT DENT_NPM)
  set(DENT_VIEWER_MISSING "node and npm were not found (Debian: nodejs, npm)" CACHE INTERNAL "")
  return()
endif()

# The page is copied to the build folder, its locked packages are installed there, and the bundle becomes a C file.
set(page_source ${PROJECT_SOURCE_DIR}/apps/viewer/page)
set(page_build ${PROJECT_BINARY_DIR}/apps/viewer/page)
file(GLOB_RECURSE page_files CONFIGURE_DEPENDS ${page_source}/source/* ${page_source}/*.json ${page_source}/*.mjs)
list(FILTER page_files EXCLUDE REGEX "/node_modules/")
add_custom_command(OUTPUT ${page_build}/node_modules/.installed
  COMMAND ${CMAKE_COMMAND} -E make_directory ${page_build}
  COMMAND ${CMAKE_COMMAND} -E copy ${page_source}/package.json ${page_source}/package-lock.json ${page_build}
  COMMAND ${DENT_NPM} ci --prefix ${page_build} --no-audit --no-fund --ignore-scripts --prefer-offline --fetch-retries=5 --loglevel=error
  COMMAND ${CMAKE_COMMAND} -E touch ${page_build}/node_modules/.installed
  DEPENDS ${page_source}/package.json ${page_source}/package-lock.json
  COMMENT "Installing the page's packages" VERBATIM)
add_custom_command(OUTPUT ${page_build}/view_bundle.c
  COMMAND ${DENT_NODE} ${page_source}/build.mjs ${page_source} ${page_build}
  DEPENDS ${page_files} ${page_build}/node_modules/.installed
  COMMENT "Bundling the page" VERBATIM)
add_custom_target(dent_viewer_page DEPENDS ${page_build}/view_bundle.c)

# dent_view, the library: server, model (frames of a world) and the calls of include/dent/view.h. The tool is its client and
# sees its inside, too (apps/viewer/model, apps/viewer/server), so it links the static library of the build tree.
file(GLOB viewer_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/apps/viewer/server/*.c
  ${PROJECT_SOURCE_DIR}/apps/viewer/model/*.c ${PROJECT_SOURCE_DIR}/apps/viewer/library/*.c)
add_library(dent_view_objects OBJECT ${viewer_sources} ${page_build}/view_bundle.c)
target_link_libraries(dent_view_objects PRIVATE dent_flags PkgConfig::WEBSOCKETS Threads::Threads)
target_include_directories(dent_view_objects PRIVATE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/apps/viewer/server)
target_compile_definitions(dent_view_objects PRIVATE _DEFAULT_SOURCE)
foreach(kind static shared)
  string(TOUPPER ${kind} upper)
  add_library(dent_view_${kind} ${upper} $<TARGET_OBJECTS:dent_view_objects>)
  set_target_properties(dent_view_${kind} PROPERTIES OUTPUT_NAME dent_view EXPORT_NAME dent_view_${kind})
  target_link_libraries(dent_view_${kind} PUBLIC dent_${kind} PRIVATE $<BUILD_INTERFACE:dent_flags> PkgConfig::WEBSOCKETS)
  add_library(dent::dent_view_${kind} ALIAS dent_view_${kind})
endforeach()
set_target_properties(dent_view_shared PROPERTIES
  VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
# Of the tool and the tests: the headers of the inside.
add_library(dent_viewer INTERFACE)
target_include_directories(dent_viewer INTERFACE ${PROJECT_SOURCE_DIR}/apps/viewer/server ${PROJECT_SOURCE_DIR}/apps/viewer/model)
target_link_libraries(dent_viewer INTERFACE dent_view_static)
