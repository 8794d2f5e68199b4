# Library with its links, static library, headers, command with its manual and completions, license, pkg-config file and CMake
# package. The installed tree may be moved: nothing in it names the prefix unless an install directory is absolute, but for the units of systemd.
#
# Components are packages (Packages.cmake): `library`, `development`, `command`, and each extension's noun.
include(CMakePackageConfigHelpers)

set(generated ${CMAKE_CURRENT_BINARY_DIR}/install)

# Installs lib<name>.so with its links, the one that linkers use in a component of its own.
function(livery_install_library name component development)
  set(soname lib${name}.so.${PROJECT_VERSION_MAJOR})
  install(FILES ${LIVERY_BINARIES}/lib${name}.so RENAME lib${name}.so.${PROJECT_VERSION}
    DESTINATION ${CMAKE_INSTALL_LIBDIR} PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ COMPONENT ${component})
  livery_install_link(lib${name}.so.${PROJECT_VERSION} ${soname} ${component})
  livery_install_link(${soname} lib${name}.so ${development})
endfunction()

# A link beside the libraries, made where it belongs and not in the build folder, in which SwiftPM would meet broken links.
function(livery_install_link target link component)
  install(CODE "
    set(directory \"${CMAKE_INSTALL_LIBDIR}\")
    if(NOT IS_ABSOLUTE \"\${directory}\")
      set(directory \"\${CMAKE_INSTALL_PREFIX}/\${directory}\")
    endif()
    message(STATUS \"Installing: \$ENV{DESTDIR}\${directory}/${link}\")
    file(MAKE_DIRECTORY \"\$ENV{DESTDIR}\${directory}\")
    file(CREATE_LINK ${target} \"\$ENV{DESTDIR}\${directory}/${link}\" SYMBOLIC)" COMPONENT ${component})
endfunction()

# The unit by which systemd runs a program, from its template. It names the program by its whole path: where the tree is installed
# beneath another prefix than it was configured for, the one of there.
function(livery_install_unit program template component)
  set(LIVERY_PROGRAM ${CMAKE_INSTALL_FULL_BINDIR}/${program})
  configure_file(${template} ${generated}/${program}.service @ONLY)
  install(FILES ${generated}/${program}.service DESTINATION lib/systemd/system COMPONENT ${component})
  if(NOT IS_ABSOLUTE "${CMAKE_INSTALL_BINDIR}")
    # CPack's prefix is a folder of its own.
    install(CODE "
      if(NOT CMAKE_INSTALL_PREFIX STREQUAL \"${CMAKE_INSTALL_PREFIX}\" AND NOT CMAKE_INSTALL_PREFIX MATCHES \"/_CPack_Packages/\")
        set(unit \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/lib/systemd/system/${program}.service\")
        get_filename_component(prefix \"\${CMAKE_INSTALL_PREFIX}\" ABSOLUTE)
        file(READ \"\${unit}\" text)
        string(REPLACE \"${LIVERY_PROGRAM}\" \"\${prefix}/${CMAKE_INSTALL_BINDIR}/${program}\" text \"\${text}\")
        file(WRITE \"\${unit}\" \"\${text}\")
      endif()" COMPONENT ${component})
  endif()
endfunction()

# The manual page of a program.
function(livery_install_manual program component)
  install(FILES ${PROJECT_SOURCE_DIR}/docs/man/${program}.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT ${component})
endfunction()

livery_install_library(livery library development)
install(FILES ${LIVERY_BINARIES}/liblivery.a DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)
if(LIVERY_COMMAND)
  install(PROGRAMS ${LIVERY_BINARIES}/livery DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT command)
  livery_install_manual(livery command)
  set(completion ${PROJECT_SOURCE_DIR}/docs/completion)
  install(FILES ${completion}/livery.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME livery COMPONENT command)
  # Where zsh looks beneath /usr, and beneath /usr/local.
  set(zsh_functions site-functions)
  if(CMAKE_INSTALL_PREFIX STREQUAL "/usr")
    set(zsh_functions vendor-completions)
  endif()
  install(FILES ${completion}/_livery DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/${zsh_functions} COMPONENT command)
  install(FILES ${completion}/livery.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d COMPONENT command)
endif()
install(FILES include/livery.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)
# Packages have it under the names of their own.
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT license)
# Headers of extensions come with these; they include livery.h.
file(GLOB headers RELATIVE ${PROJECT_SOURCE_DIR}/include/livery ${PROJECT_SOURCE_DIR}/include/livery/*.h)
set(extension_headers)
foreach(header IN LISTS headers)
  file(STRINGS ${PROJECT_SOURCE_DIR}/include/livery/${header} includes REGEX "^#include <livery\\.h>")
  if(includes)
    string(REPLACE "." "\\." header ${header})
    list(APPEND extension_headers ${header})
  endif()
endforeach()
list(JOIN extension_headers "|" extension_headers)
install(DIRECTORY include/livery DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development FILES_MATCHING PATTERN "*.h"
  REGEX "/(${extension_headers})$" EXCLUDE)

# pkg-config: the prefix is where the file lies.
set(pc_directory ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
if(IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}")
  set(pc_prefix ${CMAKE_INSTALL_PREFIX})
else()
  file(RELATIVE_PATH pc_to_prefix /prefix/${pc_directory} /prefix)
  string(REGEX REPLACE "/$" "" pc_to_prefix "${pc_to_prefix}")
  set(pc_prefix "\${pcfiledir}/${pc_to_prefix}")
endif()
foreach(directory LIBDIR INCLUDEDIR)
  if(IS_ABSOLUTE "${CMAKE_INSTALL_${directory}}")
    set(pc_${directory} ${CMAKE_INSTALL_${directory}})
  else()
    set(pc_${directory} "\${prefix}/${CMAKE_INSTALL_${directory}}")
  endif()
endforeach()
list(TRANSFORM LIVERY_STATIC_LIBRARIES PREPEND -l OUTPUT_VARIABLE pc_static_libraries)
list(JOIN pc_static_libraries " " pc_static_libraries)
configure_file(cmake/livery.pc.in ${generated}/livery.pc @ONLY)
install(FILES ${generated}/livery.pc DESTINATION ${pc_directory} COMPONENT development)

# CMake package. Versions before 1.0 may change the ABI between minor versions.
set(package_directory ${CMAKE_INSTALL_LIBDIR}/cmake/Livery)
configure_package_config_file(cmake/LiveryConfig.cmake.in ${generated}/LiveryConfig.cmake
  INSTALL_DESTINATION ${package_directory} PATH_VARS CMAKE_INSTALL_BINDIR CMAKE_INSTALL_LIBDIR CMAKE_INSTALL_INCLUDEDIR)
write_basic_package_version_file(${generated}/LiveryConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${generated}/LiveryConfig.cmake ${generated}/LiveryConfigVersion.cmake DESTINATION ${package_directory}
  COMPONENT development)
