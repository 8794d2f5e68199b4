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

# How clang links what SwiftPM compiled for a release: as a whole, for size. What extensions draw is much alike: looking twice
# more for what is the same finds a lot.
set(WHOLE -flto=full
  "-Wl,--lto-newpm-passes=default<Oz>,-mllvm,-enable-machine-outliner=always,-mllvm,-machine-outliner-reruns=2")

# What allocates goes through Sources/CSystem/memory.c, as Package.swift has it.
set(WRAPPED malloc calloc realloc posix_memalign free)
