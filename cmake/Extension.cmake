# livery_extension(<noun> [INCLUDE <folder>] [LIBRARIES <library>...])
#
# Makes liblivery-<noun>.so of the target Livery<Noun> of Package.swift, which has to be among the extensions that are built.
# It exports livery_<noun>_*, and needs liblivery.so, libc and the libraries that are given. Clients link Livery::<noun>,
# whose header lies in the folder.
function(livery_extension noun)
  cmake_parse_arguments(PARSE_ARGV 1 extension "" "INCLUDE" "LIBRARIES")
  set(library ${LIVERY_BINARIES}/liblivery-${noun}.so)

  add_library(Livery::${noun} SHARED IMPORTED GLOBAL)
  set_target_properties(Livery::${noun} PROPERTIES
    IMPORTED_LOCATION ${library}
    IMPORTED_SONAME liblivery-${noun}.so.${PROJECT_VERSION_MAJOR}
    INTERFACE_INCLUDE_DIRECTORIES "${extension_INCLUDE}"
    INTERFACE_LINK_LIBRARIES Livery::livery)

  if(TARGET livery-swift)
    list(TRANSFORM extension_LIBRARIES PREPEND -l)
    list(JOIN extension_LIBRARIES "," libraries)
    add_custom_target(livery-${noun}-library ALL
      COMMAND ${CMAKE_COMMAND}
        -DNOUN=${noun} -DLIBRARIES=${libraries} -DCLANG=${SWIFT_CLANG} -DOBJCOPY=${CMAKE_OBJCOPY}
        -DSOURCE=${PROJECT_SOURCE_DIR} -DBINARIES=${LIVERY_BINARIES} -DVERSION=${PROJECT_VERSION_MAJOR}
        -DEMBEDDED=${swift_embedded} -DCONFIGURATION=${swift_configuration}
        -P ${PROJECT_SOURCE_DIR}/cmake/LinkExtension.cmake
      BYPRODUCTS ${library}
      COMMENT "Linking liblivery-${noun}.so"
      VERBATIM)
    add_dependencies(livery-${noun}-library livery-swift)
    add_dependencies(Livery::${noun} livery-${noun}-library)
  endif()
endfunction()
