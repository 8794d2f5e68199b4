# The console of a fleet: a program alone, in Swift on the public C functions of liblivery.so. Libpq and libmosquitto are not
# linked: the first connection loads them.
if(TARGET livery-swift)
  add_custom_target(livery-console-program ALL
    COMMAND ${CMAKE_COMMAND}
      -DCLANG=${SWIFT_CLANG} -DOBJCOPY=${CMAKE_OBJCOPY} -DSOURCE=${PROJECT_SOURCE_DIR} -DBINARIES=${LIVERY_BINARIES}
      -DPRODUCTS=${swift_products} -DTARGET_FLAGS=${swift_target_flags} -DEMBEDDED=${swift_embedded}
      -DCONFIGURATION=${swift_configuration} -P ${PROJECT_SOURCE_DIR}/cmake/LinkConsole.cmake
    BYPRODUCTS ${LIVERY_BINARIES}/livery-console
    COMMENT "Linking livery-console"
    VERBATIM)
  add_dependencies(livery-console-program livery-swift)
endif()
install(PROGRAMS ${LIVERY_BINARIES}/livery-console DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT console)
livery_install_unit(livery-console ${PROJECT_SOURCE_DIR}/Sources/LiveryConsoleCommand/livery-console.service.in console)
livery_install_manual(livery-console console)
