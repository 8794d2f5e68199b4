# A device of a fleet. Libcurl and libmosquitto are not linked: the first request and the first connection load them.
livery_extension(sync INCLUDE ${PROJECT_SOURCE_DIR}/include LIBRARIES sodium)
livery_install_extension(sync "A device of a fleet, for Livery")
livery_extension_program(sync SOURCES ${PROJECT_SOURCE_DIR}/Sources/LiverySyncCommand/main.c)
