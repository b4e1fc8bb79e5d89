# Tests of the tree as a whole: layers and manners, pages, symbols of the libraries, public headers, installation.
find_program(DENT_PYTHON python3 REQUIRED)

add_test(NAME tree/check_layers COMMAND ${PROJECT_SOURCE_DIR}/tools/check_layers.py)
add_test(NAME tree/check_docs COMMAND ${PROJECT_SOURCE_DIR}/tools/check_docs.py)
add_test(NAME tree/check_words COMMAND ${PROJECT_SOURCE_DIR}/tools/check_words.py)
add_test(NAME tree/check_sentences COMMAND ${PROJECT_SOURCE_DIR}/tools/sentences.py --most 10 5)
add_test(NAME tree/check_mutations COMMAND ${PROJECT_SOURCE_DIR}/tools/mutate --check)
add_test(NAME tree/check_headers
  COMMAND ${DENT_PYTHON} ${CMAKE_CURRENT_SOURCE_DIR}/install/check_headers.py ${PROJECT_SOURCE_DIR}/include
    ${CMAKE_C_COMPILER} ${CMAKE_CXX_COMPILER})

# The scripts that check are checked themselves: a violation must be found. Peers of the benchmarks must stay what they are.
foreach(script check_layers check_docs check_words check_symbols check_hardening mutate peers_are_plain gallery)
  add_test(NAME tools/test_${script} COMMAND ${DENT_PYTHON} ${CMAKE_CURRENT_SOURCE_DIR}/tools/test_${script}.py)
  set_tests_properties(tools/test_${script} PROPERTIES LABELS tools TIMEOUT 3600 ENVIRONMENT "CC=${CMAKE_C_COMPILER}")
endforeach()

if(TARGET dent_tool)
  set_tests_properties(tools/test_gallery PROPERTIES ENVIRONMENT "DENT_TOOL=$<TARGET_FILE:dent_tool>")
endif()

set(install_flags)
set(plain_static)
if(DENT_SANITIZE)
  set(install_flags -fsanitize=${DENT_SANITIZE})
elseif(DENT_COVERAGE)
  set(install_flags --coverage)
else()
  add_test(NAME tree/check_symbols COMMAND ${PROJECT_SOURCE_DIR}/tools/check_symbols.py ${PROJECT_BINARY_DIR})
  set_tests_properties(tree/check_symbols PROPERTIES LABELS tree)
  if(DENT_HARDENING AND DENT_HAS_RELRO AND DENT_HAS_STACK_PROTECTOR AND CMAKE_BUILD_TYPE MATCHES "Rel" AND
      CMAKE_EXECUTABLE_FORMAT STREQUAL "ELF")
    add_test(NAME tree/check_hardening COMMAND ${PROJECT_SOURCE_DIR}/tools/check_hardening.py ${PROJECT_BINARY_DIR})
    set_tests_properties(tree/check_hardening PROPERTIES LABELS tree)
  endif()
endif()
if(install_flags)
  set(plain_static --plain-static)
endif()
set_tests_properties(tree/check_layers tree/check_docs tree/check_words tree/check_sentences tree/check_mutations tree/check_headers PROPERTIES LABELS tree)

add_test(NAME install/outside_programs
  COMMAND ${DENT_PYTHON} ${CMAKE_CURRENT_SOURCE_DIR}/install/test_install.py ${PROJECT_BINARY_DIR} ${CMAKE_COMMAND}
    ${CMAKE_C_COMPILER} ${CMAKE_CXX_COMPILER} ${plain_static})
set_tests_properties(install/outside_programs PROPERTIES LABELS install TIMEOUT 3600
  ENVIRONMENT "CFLAGS=${install_flags};CXXFLAGS=${install_flags};CMAKE_GENERATOR=${CMAKE_GENERATOR}")

# The golden bits on other machines, under qemu: the long tier only (tools/cross_golden.sh says what it does).
foreach(machine aarch64 s390x)
  add_test(NAME cross/golden_${machine} COMMAND ${DENT_PYTHON} ${CMAKE_CURRENT_SOURCE_DIR}/tools/long_tier.py
    ${PROJECT_SOURCE_DIR}/tools/cross_golden.sh ${machine})
  set_tests_properties(cross/golden_${machine} PROPERTIES LABELS cross TIMEOUT 14400 SKIP_RETURN_CODE 77
    ENVIRONMENT "DENT_CROSS_BUILD=${PROJECT_BINARY_DIR}")
endforeach()
