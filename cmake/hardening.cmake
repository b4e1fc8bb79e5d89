# Flags that make a fault in a reader end the program instead of being used against it: canaries behind arrays on the
# stack, string functions that know the size of what they write to, relocations that are resolved at the start and then
# read-only, no code on the stack, programs at random addresses. tools/check_hardening.py checks what came out.
#
# For optimised builds without instruments: sanitizers bring checks of their own, and _FORTIFY_SOURCE needs -O.
include(CheckPIESupported)
check_pie_supported(LANGUAGES C) # -pie; the code is position independent anyway

if(NOT DENT_HARDENING OR DENT_SANITIZE OR DENT_COVERAGE)
  return()
endif()

include(CheckCCompilerFlag)
include(CheckCSourceCompiles)
include(CheckLinkerFlag)
set(optimised "$<CONFIG:Release,RelWithDebInfo,MinSizeRel>")

check_c_compiler_flag(-fstack-protector-strong DENT_HAS_STACK_PROTECTOR)
if(DENT_HAS_STACK_PROTECTOR)
  target_compile_options(dent_flags INTERFACE $<${optimised}:-fstack-protector-strong>)
endif()

# Level 3 where compiler and C library have it (others warn), else 2. Undefined first: some compilers set it themselves.
set(CMAKE_REQUIRED_FLAGS "-O2 -Werror -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3")
check_c_source_compiles("#include <string.h>\nint main(void) { return (int)strlen(\"\"); }" DENT_HAS_FORTIFY_3)
unset(CMAKE_REQUIRED_FLAGS)
target_compile_options(dent_flags INTERFACE
  "$<${optimised}:-U_FORTIFY_SOURCE;-D_FORTIFY_SOURCE=$<IF:$<BOOL:${DENT_HAS_FORTIFY_3}>,3,2>>")

check_linker_flag(C "LINKER:-z,relro,-z,now,-z,noexecstack" DENT_HAS_RELRO)
if(DENT_HAS_RELRO)
  target_link_options(dent_flags INTERFACE "$<${optimised}:LINKER:-z,relro,-z,now,-z,noexecstack>")
endif()
