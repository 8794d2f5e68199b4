# Sessions, prompts and picking images, each with a header of its own.
livery_extension(workflow INCLUDE ${PROJECT_SOURCE_DIR}/include HEADERS picker prompt session)
livery_install_extension(workflow "Sessions, prompts and picking images, for Livery" HEADERS picker prompt session)
livery_extension_program(session EXTENSION workflow SOURCES ${PROJECT_SOURCE_DIR}/Sources/LiverySessionCommand/main.c)
livery_extension_program(prompt EXTENSION workflow SOURCES ${PROJECT_SOURCE_DIR}/Sources/LiveryPromptCommand/main.c)
livery_extension_program(picker EXTENSION workflow SOURCES ${PROJECT_SOURCE_DIR}/Sources/LiveryPickerCommand/main.c)
