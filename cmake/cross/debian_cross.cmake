# The rest of a toolchain file for Debian's cross compilers, after DENT_CROSS_TRIPLE and DENT_CROSS_QEMU. Programs are
# linked statically, so that qemu needs no foreign loader or libraries beside them.
set(CMAKE_C_COMPILER ${DENT_CROSS_TRIPLE}-gcc)
set(CMAKE_EXE_LINKER_FLAGS_INIT -static)
set(CMAKE_CROSSCOMPILING_EMULATOR ${DENT_CROSS_QEMU})
# Nothing of the building machine is linked: optional libraries (zlib, expat, …) are simply not there.
set(CMAKE_FIND_ROOT_PATH /usr/${DENT_CROSS_TRIPLE})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
