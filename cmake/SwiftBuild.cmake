# Adds the target `livery-swift`, which runs SwiftPM and leaves liblivery.so, liblivery.a and livery in the build folder.
find_program(SWIFT swift REQUIRED)
find_program(SWIFTC swiftc REQUIRED)
get_filename_component(swift_programs "${SWIFTC}" REALPATH)
get_filename_component(swift_programs "${swift_programs}" DIRECTORY)
find_program(SWIFT_CLANG clang HINTS ${swift_programs} NO_DEFAULT_PATH REQUIRED)

if(LIVERY_SWIFT_SDK)
  # Of a toolchain file: another machine's (cmake/arm64.cmake).
  set(swift_resources ${LIVERY_CROSS}/resources)
  set(swift_triple ${LIVERY_SWIFT_TRIPLE})
  set(swift_sdk --swift-sdks-path ${LIVERY_CROSS}/sdks --swift-sdk ${LIVERY_SWIFT_SDK})
  set(swift_platform ${LIVERY_SWIFT_TRIPLE}/)
else()
  find_program(LD_BFD NAMES ld.bfd ld REQUIRED)
  set(LIVERY_LD ${LD_BFD})
  execute_process(COMMAND ${SWIFTC} -print-target-info OUTPUT_VARIABLE target_info COMMAND_ERROR_IS_FATAL ANY)
  string(JSON swift_resources GET "${target_info}" paths runtimeResourcePath)
  string(JSON swift_triple GET "${target_info}" target unversionedTriple)
endif()
set(swift_embedded "${swift_resources}/embedded/${swift_triple}")
if(NOT EXISTS "${swift_embedded}")
  message(FATAL_ERROR "This Swift toolchain has no Embedded Swift for ${swift_triple}: ${swift_embedded} is missing")
endif()

if(LIVERY_DEBUG)
  set(swift_configuration debug)
else()
  set(swift_configuration release)
endif()

set(swift_products ${LIVERY_BINARIES}/swift/${swift_platform}${swift_configuration})

list(JOIN extensions "," swift_extensions)
list(JOIN swift_sdk "," swift_sdk)
list(JOIN LIVERY_TARGET_FLAGS "," swift_target_flags)

# SwiftPM tracks the sources, so it is always asked; without a change that takes a second and touches no file.
add_custom_target(livery-swift ALL
  COMMAND ${CMAKE_COMMAND} -E env ${LIVERY_PKG_CONFIG} ${CMAKE_COMMAND}
    -DSWIFT=${SWIFT} -DSDK=${swift_sdk} -DPRODUCTS=${swift_products} -DLD=${LIVERY_LD} -DOBJCOPY=${CMAKE_OBJCOPY} -DAR=${CMAKE_AR}
    -DSOURCE=${CMAKE_CURRENT_SOURCE_DIR} -DBINARIES=${LIVERY_BINARIES}
    -DEMBEDDED=${swift_embedded} -DCONFIGURATION=${swift_configuration} -DEXTENSIONS=${swift_extensions} -DCORE_ONLY=$<BOOL:${LIVERY_CORE_ONLY}>
    -DCOMMAND=$<BOOL:${LIVERY_COMMAND}>
    -P ${CMAKE_CURRENT_LIST_DIR}/RunSwift.cmake
  BYPRODUCTS ${LIVERY_BINARIES}/liblivery.so ${LIVERY_BINARIES}/liblivery.a $<$<BOOL:${LIVERY_COMMAND}>:${LIVERY_BINARIES}/livery>
  COMMENT "Building the Swift sources (${swift_configuration})"
  USES_TERMINAL VERBATIM)
