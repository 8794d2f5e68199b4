# For the scripts that build targets run.
function(run)
  execute_process(COMMAND ${ARGV} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

# Runs the block's command only if the product is newer than what was made of it.
function(outdated result product made)
  if(NOT EXISTS "${made}" OR "${product}" IS_NEWER_THAN "${made}")
    set(${result} TRUE PARENT_SCOPE)
  else()
    set(${result} FALSE PARENT_SCOPE)
  endif()
endfunction()

# What allocates goes through Sources/CSystem/memory.c, as Package.swift has it.
set(WRAPPED malloc calloc realloc posix_memalign free)
