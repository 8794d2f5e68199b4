# Run by the target `livery-swift`: `swift build`, then what makes its products fit for C programs.
include(${CMAKE_CURRENT_LIST_DIR}/Run.cmake)

set(flags -c ${CONFIGURATION} --disable-build-manifest-caching --package-path ${SOURCE} --scratch-path ${BINARIES}/swift
  --disable-local-rpath -Xlinker -L${EMBEDDED})
# Of another machine, if there is one.
string(REPLACE "," ";" sdk "${SDK}")
list(APPEND flags ${sdk})
if(CONFIGURATION STREQUAL "debug")
  # valgrind and older gdb do not read DWARF 5.
  list(APPEND flags -Xswiftc -dwarf-version=4 -Xcc -gdwarf-4)
  set(strip)
  set(strip_debug)
else()
  # The linker compiles the whole: it sees what no module does alone.
  list(APPEND flags --experimental-lto-mode=full)
  set(whole ${BINARIES}/livery-whole.o)
  set(ENV{LIVERY_WHOLE_OBJECT} ${whole})
  set(strip --strip-unneeded)
  set(strip_debug --strip-debug)
endif()
set(products ${PRODUCTS})

# SwiftPM links anew what is gone; it does not look at what the linker is told.
file(GLOB told ${SOURCE}/tools/link/*)
foreach(file ${told})
  outdated(todo ${file} ${products}/liblivery.so)
  if(todo OR (whole AND NOT EXISTS "${whole}"))
    file(REMOVE ${products}/liblivery.so ${products}/livery-command)
  endif()
endforeach()

set(ENV{LIVERY_EMBEDDED} 1)
set(ENV{LIVERY_CORE_ONLY} ${CORE_ONLY})
set(ENV{LIVERY_COMMAND} ${COMMAND})
set(ENV{LIVERY_EXTENSIONS} "${EXTENSIONS}")
run(${SWIFT} build ${flags})

outdated(todo ${products}/liblivery.so ${BINARIES}/liblivery.so)
if(todo)
  run(${OBJCOPY} ${strip} ${products}/liblivery.so ${BINARIES}/liblivery.so)
  file(CREATE_LINK liblivery.so ${BINARIES}/liblivery.so.0 SYMBOLIC)
endif()

if(COMMAND)
  outdated(todo ${products}/livery-command ${BINARIES}/livery)
  if(todo)
    run(${OBJCOPY} ${strip} ${products}/livery-command ${BINARIES}/livery)
  endif()
endif()

# One object that hides everything but the public functions: the runtime's own symbols are weak and would otherwise
# replace those of a Swift program that links the archive. Made of what the shared library was linked from, since an
# archive of SwiftPM's keeps the objects of sources that are gone.
outdated(todo ${products}/liblivery.so ${BINARIES}/liblivery.a)
if(todo)
  set(object ${BINARIES}/livery-static.o)
  set(objects @${products}/livery.product/Objects.LinkFileList)
  if(NOT CONFIGURATION STREQUAL "debug")
    set(objects ${whole})
  endif()
  # As Package.swift links the shared one.
  list(TRANSFORM WRAPPED PREPEND --wrap=)
  run(${LD} -r ${WRAPPED} -o ${object} ${objects}
    --whole-archive ${EMBEDDED}/libswiftUnicodeDataTables.a --no-whole-archive)
  run(${OBJCOPY} -w --keep-global-symbol=livery_* -R .swift1_autolink_entries -R .swift_ast ${strip_debug} ${object})
  file(REMOVE ${BINARIES}/liblivery.a)
  run(${AR} rcs ${BINARIES}/liblivery.a ${object})
  file(REMOVE ${object})
endif()
