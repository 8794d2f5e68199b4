# livery_extension(<noun> [INCLUDE <folder>] [HEADERS <noun>...] [LIBRARIES <library>...])
#
# Makes liblivery-<noun>.so of the target Livery<Noun> of Package.swift, which has to be among the extensions that are built.
# It exports livery_<noun>_*, or that of the nouns of its headers where it has several, and needs liblivery.so, libc and the
# libraries that are given. Clients link Livery::<noun>, whose headers lie in the folder.
function(livery_extension noun)
  cmake_parse_arguments(PARSE_ARGV 1 extension "" "INCLUDE" "HEADERS;LIBRARIES")
  if(NOT extension_HEADERS)
    set(extension_HEADERS ${noun})
  endif()
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
    list(JOIN extension_HEADERS "," headers)
    add_custom_target(livery-${noun}-library ALL
      COMMAND ${CMAKE_COMMAND}
        -DNOUN=${noun} -DHEADERS=${headers} -DLIBRARIES=${libraries} -DCLANG=${SWIFT_CLANG} -DOBJCOPY=${CMAKE_OBJCOPY}
        -DSOURCE=${PROJECT_SOURCE_DIR} -DBINARIES=${LIVERY_BINARIES} -DVERSION=${PROJECT_VERSION_MAJOR}
        -DPRODUCTS=${swift_products} -DTARGET_FLAGS=${swift_target_flags}
        -DEMBEDDED=${swift_embedded} -DCONFIGURATION=${swift_configuration}
        -P ${PROJECT_SOURCE_DIR}/cmake/LinkExtension.cmake
      BYPRODUCTS ${library}
      COMMENT "Linking liblivery-${noun}.so"
      VERBATIM)
    add_dependencies(livery-${noun}-library livery-swift)
    add_dependencies(Livery::${noun} livery-${noun}-library)
  endif()
endfunction()

# livery_install_extension(<noun> <description> [HEADERS <noun>...])
#
# Installs liblivery-<noun>.so, livery/<noun>.h or the headers that are named, a file for pkg-config and the program
# livery-<noun>, if livery_extension_program made one. CMake packages find the library by
# `find_package(Livery COMPONENTS <noun>)`.
function(livery_install_extension noun description)
  cmake_parse_arguments(PARSE_ARGV 2 extension "" "" "HEADERS")
  if(NOT extension_HEADERS)
    set(extension_HEADERS ${noun})
  endif()
  livery_install_library(livery-${noun} ${noun} ${noun})
  set_property(GLOBAL APPEND PROPERTY LIVERY_INSTALLED_EXTENSIONS ${noun})
  set_property(GLOBAL PROPERTY LIVERY_DESCRIPTION_${noun} "${description}")
  foreach(header IN LISTS extension_HEADERS)
    install(FILES ${PROJECT_SOURCE_DIR}/include/livery/${header}.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/livery COMPONENT ${noun})
  endforeach()
  set(pc_noun ${noun})
  set(pc_description ${description})
  configure_file(${PROJECT_SOURCE_DIR}/cmake/extension.pc.in ${generated}/livery-${noun}.pc @ONLY)
  install(FILES ${generated}/livery-${noun}.pc DESTINATION ${pc_directory} COMPONENT ${noun})
endfunction()

# livery_extension_program(<noun> [EXTENSION <noun>] [COMPONENT <component>] SOURCES <source>... [INCLUDE <folder>...]
#   [LIBRARIES <library>...])
#
# Builds and installs the program livery-<noun>, which `livery <noun>` runs, in C on Sources/CCommand and the library of the
# extension, which has the same noun if no other is given. It is installed with the extension, or the component that is named.
function(livery_extension_program noun)
  cmake_parse_arguments(PARSE_ARGV 1 program "" "EXTENSION;COMPONENT" "SOURCES;INCLUDE;LIBRARIES")
  if(NOT program_EXTENSION)
    set(program_EXTENSION ${noun})
  endif()
  if(NOT program_COMPONENT)
    set(program_COMPONENT ${program_EXTENSION})
  endif()
  if(TARGET livery-swift)
    set(shared ${PROJECT_SOURCE_DIR}/Sources/CCommand)
    add_executable(livery-${noun} ${program_SOURCES} ${shared}/command.c ${shared}/file.c ${shared}/key.c ${shared}/line.c)
    target_compile_options(livery-${noun} PRIVATE -std=gnu11 -Wall -Wextra -Wpedantic -Werror -O2)
    target_include_directories(livery-${noun} PRIVATE ${shared} ${program_INCLUDE})
    target_link_libraries(livery-${noun} PRIVATE Livery::${program_EXTENSION} Livery::livery ${program_LIBRARIES} m)
    # The libraries lie beside it as it is built, and where it is installed beneath the same prefix, or in a folder that is named.
    if(IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}" OR IS_ABSOLUTE "${CMAKE_INSTALL_BINDIR}")
      set(libraries "${CMAKE_INSTALL_FULL_LIBDIR}")
    else()
      file(RELATIVE_PATH to_libraries /prefix/${CMAKE_INSTALL_BINDIR} /prefix/${CMAKE_INSTALL_LIBDIR})
      set(libraries "$ORIGIN/${to_libraries}")
    endif()
    set_target_properties(livery-${noun} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${LIVERY_BINARIES}
      BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH "$ORIGIN;${libraries}")
  endif()
  install(PROGRAMS ${LIVERY_BINARIES}/livery-${noun} DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT ${program_COMPONENT})
  livery_install_manual(livery-${noun} ${program_COMPONENT})
endfunction()
