# Sessions and prompts, each with a header of its own.
livery_extension(workflow INCLUDE ${PROJECT_SOURCE_DIR}/include HEADERS prompt)
livery_install_extension(workflow "Sessions and prompts, for Livery" HEADERS prompt)
livery_extension_program(prompt EXTENSION workflow SOURCES ${PROJECT_SOURCE_DIR}/Sources/LiveryPromptCommand/main.c)
