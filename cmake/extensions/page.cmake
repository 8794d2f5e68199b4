# Settings in a browser.
livery_extension(page INCLUDE ${PROJECT_SOURCE_DIR}/include LIBRARIES microhttpd sodium z)
livery_install_extension(page "Settings in a browser, for Livery")
livery_extension_program(page SOURCES ${PROJECT_SOURCE_DIR}/Sources/LiveryPageCommand/main.c)
