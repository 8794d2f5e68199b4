# Adds the target `livery-swift`, which runs SwiftPM and leaves liblivery.so, liblivery.a and livery in the build folder.
find_program(SWIFT swift REQUIRED)
find_program(SWIFTC swiftc REQUIRED)
get_filename_component(swift_programs "${SWIFTC}" REALPATH)
get_filename_component(swift_programs "${swift_programs}" DIRECTORY)
find_program(SWIFT_CLANG clang HINTS ${swift_programs} NO_DEFAULT_PATH REQUIRED)
find_program(LD_BFD NAMES ld.bfd ld REQUIRED)

execute_process(COMMAND ${SWIFTC} -print-target-info OUTPUT_VARIABLE target_info COMMAND_ERROR_IS_FATAL ANY)
string(JSON swift_resources GET "${target_info}" paths runtimeResourcePath)
string(JSON swift_triple GET "${target_info}" target unversionedTriple)
set(swift_embedded "${swift_resources}/embedded/${swift_triple}")
if(NOT EXISTS "${swift_embedded}")
  message(FATAL_ERROR "This Swift toolchain has no Embedded Swift for ${swift_triple}: ${swift_embedded} is missing")
endif()

if(LIVERY_DEBUG)
  set(swift_configuration debug)
else()
  set(swift_configuration release)
endif()

list(JOIN extensions "," swift_extensions)

# SwiftPM tracks the sources, so it is always asked; without a change that takes a second and touches no file.
add_custom_target(livery-swift ALL
  COMMAND ${CMAKE_COMMAND}
    -DSWIFT=${SWIFT} -DLD=${LD_BFD} -DOBJCOPY=${CMAKE_OBJCOPY} -DAR=${CMAKE_AR}
    -DSOURCE=${CMAKE_CURRENT_SOURCE_DIR} -DBINARIES=${LIVERY_BINARIES}
    -DEMBEDDED=${swift_embedded} -DCONFIGURATION=${swift_configuration} -DEXTENSIONS=${swift_extensions}
    -P ${CMAKE_CURRENT_LIST_DIR}/RunSwift.cmake
  BYPRODUCTS ${LIVERY_BINARIES}/liblivery.so ${LIVERY_BINARIES}/liblivery.a ${LIVERY_BINARIES}/livery
  COMMENT "Building the Swift sources (${swift_configuration})"
  USES_TERMINAL VERBATIM)
