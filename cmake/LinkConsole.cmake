# Run by the target `livery-console-program`: links what SwiftPM has compiled with the program's main() and liblivery.so.
include(${CMAKE_CURRENT_LIST_DIR}/Run.cmake)

set(products ${PRODUCTS})
set(program ${BINARIES}/livery-console)
set(main ${SOURCE}/Sources/LiveryConsoleCommand/main.c)
set(strip)
set(whole)
if(NOT CONFIGURATION STREQUAL "debug")
  set(strip --strip-unneeded)
  set(whole ${WHOLE})
endif()

set(todo FALSE)
foreach(made ${products}/liblivery-console.a ${main} ${CMAKE_CURRENT_LIST_FILE} ${CMAKE_CURRENT_LIST_DIR}/Run.cmake
    ${products}/CSystem.build/runtime.c.o ${products}/CSystem.build/memory.c.o ${SOURCE}/tools/link/layout.ld)
  outdated(newer ${made} ${program})
  if(newer)
    set(todo TRUE)
  endif()
endforeach()

if(todo)
  string(REPLACE "," ";" target_flags "${TARGET_FLAGS}")
  # What runtime.c and memory.c of the device build are for holds here, too: see LinkExtension.cmake.
  list(TRANSFORM WRAPPED PREPEND -Wl,--wrap= OUTPUT_VARIABLE wrap)
  run(${CLANG} ${target_flags} -fuse-ld=lld ${whole} -O2 -std=gnu11 -Wall -Wextra -Werror -I${SOURCE}/Sources/CConsole/include
    -o ${products}/livery-console.linked ${main} @${products}/livery-console.product/Objects.LinkFileList
    ${products}/CSystem.build/runtime.c.o ${products}/CSystem.build/memory.c.o ${wrap}
    -L${EMBEDDED} -lswiftUnicodeDataTables -L${BINARIES} -llivery -lsqlite3 -lmicrohttpd -lsodium -lz -lm -ldl
    -Wl,--as-needed,--gc-sections,--icf=all,--no-eh-frame-hdr,-z,defs,-rpath,$ORIGIN,-rpath,$ORIGIN/../lib
    -Wl,-T,${SOURCE}/tools/link/layout.ld)
  run(${OBJCOPY} ${strip} ${products}/livery-console.linked ${program})
endif()
