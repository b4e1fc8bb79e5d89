# Cross-compiles for 32-bit x86, which has no __int128 and aligns 8-byte numbers to 4, and runs what it
# builds under qemu-user. Debian: gcc-i686-linux-gnu, qemu-user.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR i686)
set(DENT_CROSS_TRIPLE i686-linux-gnu)
set(DENT_CROSS_QEMU qemu-i386)
include(${CMAKE_CURRENT_LIST_DIR}/debian_cross.cmake)
