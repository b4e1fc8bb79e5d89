# Cross-compiles for IBM Z (big-endian) and runs what it builds under qemu-user. Debian: gcc-s390x-linux-gnu, qemu-user.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR s390x)
set(DENT_CROSS_TRIPLE s390x-linux-gnu)
set(DENT_CROSS_QEMU qemu-s390x)
include(${CMAKE_CURRENT_LIST_DIR}/debian_cross.cmake)
