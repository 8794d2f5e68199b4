# Debian packages by CPack: `cpack -G DEB` in a build folder that is configured for /usr, as scripts/packages does. Each component
# of Install.cmake and Extension.cmake is a package.
set(packages ${CMAKE_CURRENT_BINARY_DIR}/packages)
get_property(extensions GLOBAL PROPERTY LIVERY_INSTALLED_EXTENSIONS)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME livery)
set(CPACK_PACKAGE_VENDOR "The Livery authors")
set(LIVERY_PACKAGE_CONTACT "The Livery authors <livery@livery.example>" CACHE STRING "Who is to be told of faults of the packages")
set(CPACK_PACKAGE_CONTACT ${LIVERY_PACKAGE_CONTACT})
# The short description of each package.
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "settings and branding store for apps on devices")
set(CPACK_LIVERY_STRIP ${CMAKE_STRIP})
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
# Directories that packages share are root's, and for everybody to read.
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_LIST_DIR}/PackageFiles.cmake)

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY ">=")
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${LIVERY_BINARIES})
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

# Instead of scripts that call ldconfig.
file(WRITE ${packages}/triggers "activate-noawait ldconfig\n")
file(WRITE ${packages}/changelog.Debian
  "livery (${PROJECT_VERSION}-1) unstable; urgency=medium\n\n  * CHANGELOG.md of the sources tells what changed.\n\n"
  " -- ${CPACK_PACKAGE_CONTACT}  Thu, 01 Jan 2026 00:00:00 +0000\n")
execute_process(COMMAND gzip -9nf ${packages}/changelog.Debian COMMAND_ERROR_IS_FATAL ANY)

# Python's sources are compiled where they are installed, by Debian's own tools.
file(WRITE ${packages}/python/postinst "#!/bin/sh\nset -e\nif [ \"$1\" = configure ] && command -v py3compile >/dev/null; then\n"
  "  py3compile -p livery-tools /usr/share/livery/python\nfi\n")
file(WRITE ${packages}/python/prerm "#!/bin/sh\nset -e\nif command -v py3clean >/dev/null; then\n  py3clean -p livery-tools\nfi\n")
file(CHMOD ${packages}/python/postinst ${packages}/python/prerm PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)

# livery_package(<component> <package> <section> <text> [LIBRARY] [DEPENDS <packages>] [RECOMMENDS <packages>])
#
# With what every package has: the license and what changed.
macro(livery_package component package section text)
  cmake_parse_arguments(package "LIBRARY" "DEPENDS;RECOMMENDS" "" ${ARGN})
  string(TOUPPER ${component} key)
  list(APPEND CPACK_COMPONENTS_ALL ${component})
  set(CPACK_DEBIAN_${key}_PACKAGE_NAME ${package})
  set(CPACK_DEBIAN_${key}_PACKAGE_SECTION ${section})
  set(CPACK_DEBIAN_${key}_DESCRIPTION "${text}")
  if(package_LIBRARY)
    set(CPACK_DEBIAN_${key}_PACKAGE_CONTROL_EXTRA ${packages}/triggers)
  endif()
  set(CPACK_DEBIAN_${key}_PACKAGE_DEPENDS "${package_DEPENDS}")
  set(CPACK_DEBIAN_${key}_PACKAGE_RECOMMENDS "${package_RECOMMENDS}")
  install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION share/doc/${package} RENAME copyright COMPONENT ${component} EXCLUDE_FROM_ALL)
  install(FILES ${packages}/changelog.Debian.gz DESTINATION share/doc/${package} COMPONENT ${component} EXCLUDE_FROM_ALL)
endmacro()

# livery_service(<component> [<text>])
#
# The unit livery-<component>.service ends with its package, and goes on as the new one after an upgrade; the text is what else
# there is to do once the package is there. To enable it is left to people.
function(livery_service component)
  set(running "[ -d /run/systemd/system ]")
  set(unit livery-${component}.service)
  set(begin "#!/bin/sh\nset -e\n")
  file(WRITE ${packages}/${component}/postinst "${begin}${ARGN}"
    "if [ \"$1\" = configure ] && ${running}; then\n  systemctl daemon-reload\n"
    "  if [ -n \"$2\" ]; then systemctl try-restart ${unit}; fi\nfi\n")
  file(WRITE ${packages}/${component}/prerm "${begin}if [ \"$1\" = remove ] && command -v systemctl >/dev/null; then\n"
    "  if ${running}; then systemctl stop ${unit}; fi\n  systemctl disable ${unit} || true\nfi\n")
  file(WRITE ${packages}/${component}/postrm "${begin}if [ \"$1\" = remove ] && ${running}; then systemctl daemon-reload; fi\n")
  set(scripts ${packages}/${component}/postinst ${packages}/${component}/prerm ${packages}/${component}/postrm)
  file(CHMOD ${scripts} PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
  string(TOUPPER ${component} key)
  set(CPACK_DEBIAN_${key}_PACKAGE_CONTROL_EXTRA "${scripts}" PARENT_SCOPE)
endfunction()

set(same "(= ${PROJECT_VERSION}-1)")
set(CPACK_COMPONENTS_ALL)
livery_package(library liblivery0 libs
  "Keeps the settings and the look of an app in one LMDB store: typed values,\nlayered with locks and provenance, a schema with versions and migrations,\ncolors and images of brands, and changes delivered to every process."
  LIBRARY RECOMMENDS "libjansson4, libplist3")
livery_package(development liblivery-dev libdevel
  "Headers, the static library, and files for pkg-config and CMake."
  DEPENDS "liblivery0 ${same}, liblmdb-dev")
if(LIVERY_COMMAND)
  livery_package(command livery utils
    "The command: reads and changes stores from a shell, applies schemas,\nsets and watches settings, tells which layer wins, undoes, and keeps backups."
    RECOMMENDS "libjansson4, libplist3")
endif()
if(NOT LIVERY_CORE_ONLY)
  set(CPACK_DEBIAN_TOOLS_PACKAGE_CONTROL_EXTRA "${packages}/python/postinst;${packages}/python/prerm")
  livery_package(tools livery-tools devel
    "Makes typed accessors of a schema, in C, Swift and Python,\nand pages that describe its settings; converts schemas and values\nof GSettings, Android, Apple, JSON Schema, VS Code and Chromium."
    DEPENDS "liblivery0 ${same}, libjansson4, python3:any" RECOMMENDS "livery, python3-yaml")
endif()
if("console" IN_LIST LIVERY_EXTENSIONS)
  # Each is loaded for one thing: libpq for a database on a server, libmosquitto for hints, libcurl for a bucket, libqrencode for codes.
  livery_package(console livery-console net
    "The console of a fleet: says what is to hold on which devices,\nrolls it out step by step, and tells what has become of it.\nA program that serves devices, administrators and other programs."
    DEPENDS "liblivery0 ${same}, libjansson4" RECOMMENDS "libpq5, libmosquitto1, libcurl4, libqrencode4, livery")
  livery_service(console)
endif()
foreach(noun IN LISTS extensions)
  get_property(description GLOBAL PROPERTY LIVERY_DESCRIPTION_${noun})
  set(recommended "livery")
  set(needed "liblivery0 ${same}")
  if(noun STREQUAL "fetch")
    # It is loaded by the first request.
    string(APPEND needed ", libcurl4")
  elseif(noun STREQUAL "sync")
    # Without libmosquitto there are no hints.
    string(APPEND needed ", libcurl4")
    string(APPEND recommended ", libmosquitto1")
  endif()
  if(noun STREQUAL "page")
    # Forms are made of schemas, which are JSON. Prompts are shown with livery-workflow.
    string(APPEND needed ", libjansson4")
    string(APPEND recommended ", livery-workflow")
  endif()
  livery_package(${noun} livery-${noun} libs
    "${description}:\na library on liblivery0 with its headers, and the programs that\nthe command livery runs for it."
    LIBRARY DEPENDS "${needed}" RECOMMENDS "${recommended}")
endforeach()

if(has_agent)
  # Whom it runs as.
  string(CONCAT livery_user
    "if [ \"$1\" = configure ] && ! getent passwd livery >/dev/null; then\n"
    "  if command -v systemd-sysusers >/dev/null; then systemd-sysusers livery-agent.conf\n"
    "  else useradd --system --user-group --home-dir /var/lib/livery --shell /usr/sbin/nologin livery; fi\nfi\n")
  livery_service(agent "${livery_user}")
  livery_package(agent livery-agent admin
    "Page, images and fleet in one service: the settings in a browser, the\nimages of the brand by URL, and the device's part in a fleet; configured\nby settings of its own."
    DEPENDS "livery-page ${same}, livery-fetch ${same}, livery-sync ${same}, libjansson4, passwd" RECOMMENDS "livery, libmosquitto1, systemd")
endif()

include(CPack)
