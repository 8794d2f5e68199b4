# Run by the targets of livery_extension: links what SwiftPM has compiled. SwiftPM cannot, since it would have to link
# liblivery.so of the same package before.
include(${CMAKE_CURRENT_LIST_DIR}/Run.cmake)

set(products ${PRODUCTS})
set(product ${products}/livery-${NOUN}.product)
set(library ${BINARIES}/liblivery-${NOUN}.so)
set(strip)
set(whole)
if(NOT CONFIGURATION STREQUAL "debug")
  set(strip --strip-unneeded)
  set(whole ${WHOLE})
endif()

set(todo FALSE)
foreach(made ${products}/liblivery-${NOUN}.a ${CMAKE_CURRENT_LIST_FILE} ${CMAKE_CURRENT_LIST_DIR}/Run.cmake
    ${products}/CSystem.build/runtime.c.o ${products}/CSystem.build/memory.c.o ${SOURCE}/tools/link/layout.ld)
  outdated(newer ${made} ${library})
  if(newer)
    set(todo TRUE)
  endif()
endforeach()

if(todo)
  string(REPLACE "," ";" libraries "${LIBRARIES}")
  string(REPLACE "," ";" target_flags "${TARGET_FLAGS}")
  string(REPLACE "," "_*; livery_" exports "livery_${HEADERS}_*;")
  file(WRITE ${product}/exports.map "{ global: ${exports} local: *; };\n")
  # Each copy of the runtime gets wrong what runtime.c mends, and dies of what memory.c prevents. Functions of the library may
  # be called as long as a store is open, also by threads that a program does not know of: it stays in memory.
  list(TRANSFORM WRAPPED PREPEND -Wl,--wrap= OUTPUT_VARIABLE wrap)
  run(${CLANG} ${target_flags} -shared -fuse-ld=lld -o ${product}/library.so
    ${whole} @${product}/Objects.LinkFileList ${products}/CSystem.build/runtime.c.o ${products}/CSystem.build/memory.c.o ${wrap}
    -L${EMBEDDED} -lswiftUnicodeDataTables -L${BINARIES} -llivery ${libraries} -lm
    -Wl,--as-needed,--gc-sections,--icf=all,--no-eh-frame-hdr,-z,defs,-z,nodelete,-z,pack-relative-relocs
    -Wl,-T,${SOURCE}/tools/link/layout.ld,--version-script=${product}/exports.map
    -Wl,-soname,liblivery-${NOUN}.so.${VERSION})
  run(${OBJCOPY} ${strip} ${product}/library.so ${library})
  file(CREATE_LINK liblivery-${NOUN}.so ${library}.${VERSION} SYMBOLIC)
endif()
