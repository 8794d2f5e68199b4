# Images and documents by URL. Libcurl is not linked: the first request loads it.
livery_extension(fetch INCLUDE ${PROJECT_SOURCE_DIR}/include)
livery_install_extension(fetch "Images and documents by URL, for Livery")
livery_extension_program(fetch SOURCES ${PROJECT_SOURCE_DIR}/Sources/LiveryFetchCommand/main.c)
