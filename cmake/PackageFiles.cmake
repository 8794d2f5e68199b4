# Run by CPack before it packs what is installed.

# Programs of packages find their libraries where the system has them.
file(GLOB programs ${CPACK_TEMPORARY_DIRECTORY}/*/usr/bin/*)
foreach(program IN LISTS programs)
  file(READ ${program} magic LIMIT 4 HEX)
  if(NOT magic STREQUAL "7f454c46")
    continue()
  endif()
  file(RPATH_REMOVE FILE ${program})
  execute_process(COMMAND ${CPACK_LIVERY_STRIP} --strip-all --remove-section=.comment ${program} COMMAND_ERROR_IS_FATAL ANY)
endforeach()

file(GLOB pages ${CPACK_TEMPORARY_DIRECTORY}/*/usr/share/man/man1/*.1)
if(pages)
  execute_process(COMMAND gzip -9nf ${pages} COMMAND_ERROR_IS_FATAL ANY)
endif()
