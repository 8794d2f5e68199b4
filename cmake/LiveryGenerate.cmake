# livery_generate(<target> SCHEMA <file> [NAME <name>] [OUTPUT <header>])
#
# Gives a target in C or C++ the header <name>_settings.h of a schema, made anew when the schema changes. The name is the
# schema's file's if none is given; it begins what the header declares.
find_program(LIVERY_GENERATE livery-generate HINTS ${_livery_programs})

function(livery_generate target)
  cmake_parse_arguments(PARSE_ARGV 1 made "" "SCHEMA;NAME;OUTPUT" "")
  if(NOT made_SCHEMA OR made_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "livery_generate(<target> SCHEMA <file> [NAME <name>] [OUTPUT <header>])")
  endif()
  if(NOT LIVERY_GENERATE)
    message(FATAL_ERROR "livery_generate: there is no program livery-generate; install the package livery-tools, or set LIVERY_GENERATE to its path")
  endif()
  get_filename_component(schema ${made_SCHEMA} ABSOLUTE)
  if(NOT made_NAME)
    get_filename_component(made_NAME ${schema} NAME_WE)
  endif()
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/livery/${target})
  if(NOT made_OUTPUT)
    set(made_OUTPUT ${folder}/${made_NAME}_settings.h)
  endif()
  get_filename_component(folder ${made_OUTPUT} DIRECTORY)
  file(MAKE_DIRECTORY ${folder})
  add_custom_command(OUTPUT ${made_OUTPUT}
    COMMAND ${LIVERY_GENERATE} c ${schema} --name ${made_NAME} --output ${made_OUTPUT}
    COMMAND ${CMAKE_COMMAND} -E touch ${made_OUTPUT}
    DEPENDS ${schema} COMMENT "Making ${made_OUTPUT} of ${made_SCHEMA}" VERBATIM)
  target_sources(${target} PRIVATE ${made_OUTPUT})
  target_include_directories(${target} PRIVATE ${folder})
endfunction()
