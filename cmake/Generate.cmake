# `livery generate`: a program in Python with the package that it needs, and what find_package gives CMake of it.
set(generate_package ${CMAKE_INSTALL_DATADIR}/livery/python)
foreach(directory DATADIR LIBDIR)
  if(IS_ABSOLUTE "${CMAKE_INSTALL_${directory}}" OR IS_ABSOLUTE "${CMAKE_INSTALL_BINDIR}")
    set(generate_${directory} ${CMAKE_INSTALL_FULL_${directory}})
  else()
    file(RELATIVE_PATH generate_${directory} /prefix/${CMAKE_INSTALL_BINDIR} /prefix/${CMAKE_INSTALL_${directory}})
  endif()
endforeach()

set(LIVERY_PYTHON_FOLDER ${PROJECT_SOURCE_DIR}/bindings/python)
set(LIVERY_LIBRARY_FOLDER ${LIVERY_BINARIES})
configure_file(bindings/python/livery-generate.in ${LIVERY_BINARIES}/livery-generate @ONLY
  FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(LIVERY_PYTHON_FOLDER ${generate_DATADIR}/livery/python)
set(LIVERY_LIBRARY_FOLDER ${generate_LIBDIR})
configure_file(bindings/python/livery-generate.in ${generated}/livery-generate @ONLY)

install(PROGRAMS ${generated}/livery-generate DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT generate)
livery_install_manual(livery-generate generate)
install(DIRECTORY bindings/python/livery DESTINATION ${generate_package} COMPONENT generate FILES_MATCHING PATTERN "*.py"
  PATTERN "__pycache__" EXCLUDE)
install(FILES cmake/LiveryGenerate.cmake DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/Livery COMPONENT development)
