# Secrets sealed with a key.
livery_extension(secrets INCLUDE ${PROJECT_SOURCE_DIR}/include LIBRARIES sodium)
livery_install_extension(secrets "Secrets sealed with a key, for Livery")
livery_extension_program(secrets SOURCES ${PROJECT_SOURCE_DIR}/Sources/LiverySecretsCommand/main.c)
