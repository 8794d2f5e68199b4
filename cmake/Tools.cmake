# `livery generate` and `livery convert`: programs in Python with the package that they need, and what find_package gives CMake.
set(tools_package ${CMAKE_INSTALL_DATADIR}/livery/python)
foreach(directory DATADIR LIBDIR)
  if(IS_ABSOLUTE "${CMAKE_INSTALL_${directory}}" OR IS_ABSOLUTE "${CMAKE_INSTALL_BINDIR}")
    set(tools_${directory} ${CMAKE_INSTALL_FULL_${directory}})
  else()
    file(RELATIVE_PATH tools_${directory} /prefix/${CMAKE_INSTALL_BINDIR} /prefix/${CMAKE_INSTALL_${directory}})
  endif()
endforeach()

foreach(LIVERY_TOOL generate convert)
  # What needs no package of the system's begins a tenth sooner without looking for them.
  set(LIVERY_PYTHON_OPTION "")
  if(LIVERY_TOOL STREQUAL generate)
    set(LIVERY_PYTHON_OPTION " -S")
  endif()
  set(LIVERY_PYTHON_BYTECODE "sys.pycache_prefix, sys.dont_write_bytecode = \"${LIVERY_BINARIES}/python\", False")
  set(LIVERY_PYTHON_FOLDER ${PROJECT_SOURCE_DIR}/bindings/python)
  set(LIVERY_LIBRARY_FOLDER ${LIVERY_BINARIES})
  configure_file(bindings/python/livery-tool.in ${LIVERY_BINARIES}/livery-${LIVERY_TOOL} @ONLY
    FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
  # What is installed for the system stays as it is; packages compile it when they are installed.
  set(LIVERY_PYTHON_BYTECODE "sys.dont_write_bytecode = True")
  set(LIVERY_PYTHON_FOLDER ${tools_DATADIR}/livery/python)
  set(LIVERY_LIBRARY_FOLDER ${tools_LIBDIR})
  configure_file(bindings/python/livery-tool.in ${generated}/livery-${LIVERY_TOOL} @ONLY)
  install(PROGRAMS ${generated}/livery-${LIVERY_TOOL} DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT tools)
  livery_install_manual(livery-${LIVERY_TOOL} tools)
endforeach()
install(DIRECTORY bindings/python/livery DESTINATION ${tools_package} COMPONENT tools FILES_MATCHING PATTERN "*.py"
  PATTERN "__pycache__" EXCLUDE)
install(FILES cmake/LiveryGenerate.cmake DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/Livery COMPONENT development)
