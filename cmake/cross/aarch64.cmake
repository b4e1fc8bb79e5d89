# Cross-compiles for 64-bit ARM and runs what it builds under qemu-user. Debian: gcc-aarch64-linux-gnu, qemu-user.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(DENT_CROSS_TRIPLE aarch64-linux-gnu)
set(DENT_CROSS_QEMU qemu-aarch64)
include(${CMAKE_CURRENT_LIST_DIR}/debian_cross.cmake)
