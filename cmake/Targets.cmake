# `Livery::livery` and `Livery::static` of the build tree, under the names that an installed package gives them.
set(LIVERY_STATIC_LIBRARIES lmdb pthread)

add_library(Livery::livery SHARED IMPORTED GLOBAL)
set_target_properties(Livery::livery PROPERTIES
  IMPORTED_LOCATION ${LIVERY_BINARIES}/liblivery.so
  IMPORTED_SONAME liblivery.so.${PROJECT_VERSION_MAJOR}
  INTERFACE_INCLUDE_DIRECTORIES ${CMAKE_CURRENT_SOURCE_DIR}/include)

add_library(Livery::static STATIC IMPORTED GLOBAL)
set_target_properties(Livery::static PROPERTIES
  IMPORTED_LOCATION ${LIVERY_BINARIES}/liblivery.a
  INTERFACE_INCLUDE_DIRECTORIES ${CMAKE_CURRENT_SOURCE_DIR}/include
  INTERFACE_LINK_LIBRARIES "${LIVERY_STATIC_LIBRARIES}")

if(TARGET livery-swift)
  add_dependencies(Livery::livery livery-swift)
  add_dependencies(Livery::static livery-swift)
endif()
