# Toolchain file: 64-bit ARM Linux, built on another machine. scripts/cross prepares the folder LIVERY_CROSS: what Debian has for
# that machine, unpacked (`sysroot`), and an SDK by which SwiftPM knows it.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(LIVERY_CROSS "" CACHE PATH "What scripts/cross has prepared for another machine")
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES LIVERY_CROSS)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_SYSROOT ${LIVERY_CROSS}/sysroot)

# The toolchain's own clang and LLVM know all machines.
find_program(cross_swiftc swiftc REQUIRED)
get_filename_component(cross_programs "${cross_swiftc}" REALPATH)
get_filename_component(cross_programs "${cross_programs}" DIRECTORY)
set(CMAKE_C_COMPILER ${cross_programs}/clang)
set(CMAKE_CXX_COMPILER ${cross_programs}/clang++)
foreach(language C CXX)
  set(CMAKE_${language}_COMPILER_TARGET ${CMAKE_LIBRARY_ARCHITECTURE})
endforeach()
foreach(kind EXE SHARED MODULE)
  set(CMAKE_${kind}_LINKER_FLAGS_INIT -fuse-ld=lld)
endforeach()
set(CMAKE_AR ${cross_programs}/llvm-ar CACHE FILEPATH "")
set(CMAKE_RANLIB ${cross_programs}/llvm-ranlib CACHE FILEPATH "")
set(CMAKE_OBJCOPY ${cross_programs}/llvm-objcopy CACHE FILEPATH "")
set(LIVERY_LD ${cross_programs}/ld.lld)

# Programs are this machine's, all else is the other one's.
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(LIVERY_PKG_CONFIG PKG_CONFIG_SYSROOT_DIR=${CMAKE_SYSROOT}
  PKG_CONFIG_LIBDIR=${CMAKE_SYSROOT}/usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/pkgconfig:${CMAKE_SYSROOT}/usr/share/pkgconfig)
foreach(setting IN LISTS LIVERY_PKG_CONFIG)
  string(REGEX MATCH "^([A-Z_]+)=(.*)$" _ "${setting}")
  set(ENV{${CMAKE_MATCH_1}} "${CMAKE_MATCH_2}")
endforeach()

set(LIVERY_SWIFT_SDK debian-arm64)
set(LIVERY_SWIFT_TRIPLE aarch64-unknown-linux-gnu)
set(LIVERY_TARGET_FLAGS --target=${CMAKE_LIBRARY_ARCHITECTURE} --sysroot=${CMAKE_SYSROOT})

find_program(QEMU_AARCH64 NAMES qemu-aarch64 qemu-aarch64-static)
if(QEMU_AARCH64)
  set(CMAKE_CROSSCOMPILING_EMULATOR ${QEMU_AARCH64} -L ${CMAKE_SYSROOT})
endif()
