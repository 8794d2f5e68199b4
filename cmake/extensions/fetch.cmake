# Images and documents by URL.
livery_extension(fetch INCLUDE ${PROJECT_SOURCE_DIR}/include LIBRARIES curl)
livery_install_extension(fetch "Images and documents by URL, for Livery")
