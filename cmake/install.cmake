# What `cmake --install` puts where: headers, static and shared libraries, the tool, a CMake package and pkg-config
# files. Everything is found relative to where it lies, so an installed tree may be moved.
include(CMakePackageConfigHelpers)

set(installed_libraries)
foreach(library dent dent_io dent_plan dent_haptic dent_sim dent_view)
  if(TARGET ${library}_static AND TARGET ${library}_shared)
    list(APPEND installed_libraries ${library})
  endif()
endforeach()

# The short names work in a tree that includes dent with add_subdirectory() as they do after find_package().
foreach(library IN LISTS installed_libraries)
  add_library(dent::${library} ALIAS ${library}_shared)
endforeach()

install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/dent DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING PATTERN "*.h")
foreach(document LICENSE README.md CHANGELOG.md)
  if(EXISTS ${PROJECT_SOURCE_DIR}/${document})
    install(FILES ${PROJECT_SOURCE_DIR}/${document} DESTINATION ${CMAKE_INSTALL_DOCDIR})
  endif()
endforeach()

# ---- libraries and the tool ---------------------------------------------------------------------------------------
foreach(library IN LISTS installed_libraries)
  # dent_io, dent_plan, dent_haptic, dent_sim and dent_view find the dent library that lies beside them, in the build tree as where they are installed (a
  # path that was exchanged by the installation would be padded with empty elements, which mean the current folder).
  if(NOT library STREQUAL "dent")
    set_target_properties(${library}_shared PROPERTIES INSTALL_RPATH "$ORIGIN" BUILD_WITH_INSTALL_RPATH ON)
  endif()
  # dent_view in a set of its own: where libwebsockets is missing the others are found all the same.
  set(targets dent_targets)
  if(library STREQUAL "dent_view")
    set(targets dent_view_targets)
  endif()
  install(TARGETS ${library}_static ${library}_shared EXPORT ${targets}
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
    RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR}
    INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
endforeach()
if(TARGET dent_tool)
  install(TARGETS dent_tool RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/examples/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples
  PATTERN CMakeLists.txt EXCLUDE)

# Manual pages and completion of the shells are printed by the tool itself, so a build for another machine has none
# unless it can run the tool (CMAKE_CROSSCOMPILING_EMULATOR).
if(TARGET dent_tool AND (NOT CMAKE_CROSSCOMPILING OR CMAKE_CROSSCOMPILING_EMULATOR))
  set(manual ${PROJECT_BINARY_DIR}/manual)
  add_custom_command(OUTPUT ${manual}/made
    COMMAND ${CMAKE_COMMAND} -DTOOL=$<TARGET_FILE:dent_tool> "-DEMULATOR=${CMAKE_CROSSCOMPILING_EMULATOR}" -DFOLDER=${manual}
            -P ${PROJECT_SOURCE_DIR}/cmake/manual_pages.cmake
    DEPENDS dent_tool ${PROJECT_SOURCE_DIR}/cmake/manual_pages.cmake
    COMMENT "Printing manual pages and completions" VERBATIM)
  add_custom_target(dent_manual ALL DEPENDS ${manual}/made)
  install(DIRECTORY ${manual}/man1 DESTINATION ${CMAKE_INSTALL_MANDIR})
  install(FILES ${manual}/bash/dent DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
  install(FILES ${manual}/zsh/_dent DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
  install(FILES ${manual}/fish/dent.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
endif()

# Instrumented objects must stay as they are; elsewhere than on ELF systems there is no way to do it.
if(CMAKE_OBJCOPY AND CMAKE_EXECUTABLE_FORMAT STREQUAL "ELF" AND NOT DENT_SANITIZE AND NOT DENT_COVERAGE)
  foreach(library IN LISTS installed_libraries)
    install(CODE "
      set(library \"${CMAKE_INSTALL_LIBDIR}/$<TARGET_FILE_NAME:${library}_static>\")
      if(NOT IS_ABSOLUTE \"\${library}\")
        set(library \"\${CMAKE_INSTALL_PREFIX}/\${library}\")
      endif()
      set(library \"\$ENV{DESTDIR}\${library}\")
      message(STATUS \"Hiding internal symbols: \${library}\")
      execute_process(COMMAND \"${CMAKE_COMMAND}\" \"-DLIBRARY=\${library}\" \"-DCOMPILER=${CMAKE_C_COMPILER}\"
        \"-DOBJCOPY=${CMAKE_OBJCOPY}\" \"-DAR=${CMAKE_AR}\" -P \"${PROJECT_SOURCE_DIR}/cmake/localize_symbols.cmake\"
        RESULT_VARIABLE result)
      if(NOT result EQUAL 0)
        message(FATAL_ERROR \"cannot hide the internal symbols of \${library}\")
      endif()")
  endforeach()
endif()

# ---- CMake package ------------------------------------------------------------------------------------------------
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/dent)
set(DENT_CONFIG_DEPENDENCIES "")
set(io_requirements)
if("dent_io" IN_LIST installed_libraries)
  if(ZLIB_FOUND)
    string(APPEND DENT_CONFIG_DEPENDENCIES "find_dependency(ZLIB)\n")
    list(APPEND io_requirements zlib)
  endif()
  if(LIBLZMA_FOUND)
    string(APPEND DENT_CONFIG_DEPENDENCIES "find_dependency(LibLZMA)\n")
    list(APPEND io_requirements liblzma)
  endif()
  if(EXPAT_FOUND)
    string(APPEND DENT_CONFIG_DEPENDENCIES "find_dependency(EXPAT)\n")
    list(APPEND io_requirements expat)
  endif()
  if(DENT_USES_ASSIMP)
    string(APPEND DENT_CONFIG_DEPENDENCIES "find_dependency(assimp)\n")
    list(APPEND io_requirements assimp)
  endif()
endif()
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/dent_config.cmake.in
  ${PROJECT_BINARY_DIR}/package/dent-config.cmake INSTALL_DESTINATION ${package_folder} NO_SET_AND_CHECK_MACRO)
# Before 1.0 a new minor version may break callers.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/package/dent-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/package/dent-config.cmake ${PROJECT_BINARY_DIR}/package/dent-config-version.cmake
  DESTINATION ${package_folder})
install(EXPORT dent_targets NAMESPACE dent:: DESTINATION ${package_folder})
if("dent_view" IN_LIST installed_libraries)
  install(EXPORT dent_view_targets NAMESPACE dent:: DESTINATION ${package_folder})
endif()

# ---- pkg-config ---------------------------------------------------------------------------------------------------
if(IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}" OR IS_ABSOLUTE "${CMAKE_INSTALL_INCLUDEDIR}")
  set(DENT_PC_PREFIX ${CMAKE_INSTALL_PREFIX})
  set(DENT_PC_LIBDIR ${CMAKE_INSTALL_FULL_LIBDIR})
  set(DENT_PC_INCLUDEDIR ${CMAKE_INSTALL_FULL_INCLUDEDIR})
else()
  file(RELATIVE_PATH up /x/${CMAKE_INSTALL_LIBDIR}/pkgconfig /x)
  string(REGEX REPLACE "/$" "" up "${up}")
  set(DENT_PC_PREFIX "\${pcfiledir}/${up}")
  set(DENT_PC_LIBDIR "\${prefix}/${CMAKE_INSTALL_LIBDIR}")
  set(DENT_PC_INCLUDEDIR "\${prefix}/${CMAKE_INSTALL_INCLUDEDIR}")
endif()

function(dent_pkg_config name description requires requires_private libs_private)
  if(NOT name IN_LIST installed_libraries)
    return()
  endif()
  set(DENT_PC_NAME ${name})
  set(DENT_PC_DESCRIPTION "${description}")
  set(DENT_PC_REQUIRES "${requires}")
  set(DENT_PC_REQUIRES_PRIVATE "${requires_private}")
  set(DENT_PC_LIBS_PRIVATE "${libs_private}")
  configure_file(${PROJECT_SOURCE_DIR}/cmake/pkg_config.pc.in ${PROJECT_BINARY_DIR}/package/${name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/package/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endfunction()

list(JOIN io_requirements ", " io_requirements)
set(exact "dent = ${PROJECT_VERSION}")
dent_pkg_config(dent "exact collision detection and contact response for deformable bodies" "" "" "-pthread -lm")
dent_pkg_config(dent_io "mesh files for dent" "${exact}" "${io_requirements}" "")
dent_pkg_config(dent_view "live view of your own world for dent" "${exact}" "libwebsockets" "")
dent_pkg_config(dent_plan "paths that are proven free for dent" "${exact}" "" "")
dent_pkg_config(dent_haptic "forces that a hand can feel for dent" "${exact}" "" "")
set(jansson_requirement)
if(JANSSON_INCLUDE_DIR AND JANSSON_LIBRARY)
  set(jansson_requirement jansson)
endif()
dent_pkg_config(dent_sim "simulator and scenes for dent" "${exact}, dent_io = ${PROJECT_VERSION}"
  "${jansson_requirement}" "")
