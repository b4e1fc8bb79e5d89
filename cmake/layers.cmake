# dent_layer(name): the objects of src/<name>. A folder that has no sources yet is an empty interface, so the
# list of layers can be complete from the first day.
function(dent_layer name)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${name}/*.c)
  if(sources)
    add_library(dent_layer_${name} OBJECT ${sources})
    target_link_libraries(dent_layer_${name} PRIVATE dent_flags Threads::Threads)
    target_include_directories(dent_layer_${name} PRIVATE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
  endif()
endfunction()

# dent_kernel_flags(folder): kernels (*_scalar.c, *_avx2.c, *_avx512.c) are built for their instruction set; the rest of the
# tree is plain x86-64 (or whatever the machine is). Source properties are those of the calling CMakeLists.txt only.
function(dent_kernel_flags folder)
  # Short loops over corners and axes: up to half the time in the scalar rows, 5 to 10 % in the packet kernels of AVX2.
  set(unrolled "$<$<CONFIG:Release>:-O3>")
  file(GLOB_RECURSE scalar CONFIGURE_DEPENDS ${folder}/*_scalar.c)
  set_source_files_properties(${scalar} PROPERTIES COMPILE_OPTIONS "${unrolled}")
  # Sixteen pairs in vectors of the plain machine: gcc needs to be told that nobody reads the exception flags. Half the
  # time of the filter; elsewhere early ends of loops would be lost.
  file(GLOB_RECURSE near CONFIGURE_DEPENDS ${folder}/near_kernels_scalar.c)
  set_source_files_properties(${near} PROPERTIES COMPILE_OPTIONS "${unrolled};-fno-trapping-math")
  if(NOT CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64" OR CMAKE_SIZEOF_VOID_P EQUAL 4)
    return()
  endif()
  file(GLOB_RECURSE avx2 CONFIGURE_DEPENDS ${folder}/*_avx2.c)
  file(GLOB_RECURSE avx512 CONFIGURE_DEPENDS ${folder}/*_avx512.c)
  set_source_files_properties(${avx2} PROPERTIES COMPILE_OPTIONS "-mavx2;${unrolled}")
  set_source_files_properties(${avx512} PROPERTIES
    COMPILE_OPTIONS "-mavx512f;-mavx512dq;-mavx512bw;-mavx512vl;${unrolled}")
endfunction()

# dent_layer_objects(variable layer...): what a library of these layers, or a test of the last of them, links.
function(dent_layer_objects variable)
  set(objects)
  foreach(layer IN LISTS ARGN)
    if(TARGET dent_layer_${layer})
      list(APPEND objects $<TARGET_OBJECTS:dent_layer_${layer}>)
    endif()
  endforeach()
  set(${variable} ${objects} PARENT_SCOPE)
endfunction()

# dent_library(name layer...): static and shared library of the same objects, hence with the same symbols.
function(dent_library name)
  dent_layer_objects(objects ${ARGN})
  foreach(kind STATIC SHARED)
    string(TOLOWER ${kind} suffix)
    add_library(${name}_${suffix} ${kind} ${objects})
    set_target_properties(${name}_${suffix} PROPERTIES OUTPUT_NAME ${name} EXPORT_NAME ${name}_${suffix})
    target_include_directories(${name}_${suffix} PUBLIC
      $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
    target_link_libraries(${name}_${suffix} PUBLIC Threads::Threads m)
    target_link_libraries(${name}_${suffix} PRIVATE $<BUILD_INTERFACE:dent_flags>)
    add_library(dent::${name}_${suffix} ALIAS ${name}_${suffix})
  endforeach()
  set_target_properties(${name}_shared PROPERTIES
    VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
endfunction()
