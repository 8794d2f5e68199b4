# Page, fetch and sync in one process, with what systemd needs to run it.
set(agent ${PROJECT_SOURCE_DIR}/Sources/LiveryAgentCommand)
livery_extension_program(agent EXTENSION sync COMPONENT agent
  SOURCES ${agent}/main.c ${agent}/fetch.c ${agent}/notify.c ${agent}/page.c ${agent}/parts.c ${agent}/schema.c ${agent}/secrets.c ${agent}/settings.c
    ${agent}/socket.c ${agent}/sync.c ${PROJECT_SOURCE_DIR}/Sources/CHTTP/address.c ${PROJECT_SOURCE_DIR}/Sources/CMosquitto/address.c
  INCLUDE ${PROJECT_SOURCE_DIR}/Sources/CHTTP/include
  LIBRARIES Livery::page Livery::fetch ${CMAKE_DL_LIBS})

# Where systemd looks for it: beneath the prefix, as in packages.
livery_install_unit(livery-agent ${agent}/livery-agent.service.in agent)
set(has_agent ON)
install(FILES ${agent}/livery-agent.conf DESTINATION lib/sysusers.d COMPONENT agent)
