# Images that text is shown on: decoders in the library, and what draws SVG in the program alone.
if(TARGET livery-swift)
  find_package(PkgConfig REQUIRED)
  pkg_check_modules(livery_images_decoders REQUIRED libpng libjpeg libwebp libwebpdemux)
  pkg_check_modules(livery_images_svg REQUIRED IMPORTED_TARGET librsvg-2.0 cairo)
endif()

livery_extension(images INCLUDE ${PROJECT_SOURCE_DIR}/include LIBRARIES png jpeg webp webpdemux)
livery_install_extension(images "Images that text is shown on, for Livery")
livery_extension_program(images
  SOURCES ${PROJECT_SOURCE_DIR}/Sources/LiveryImagesCommand/main.c ${PROJECT_SOURCE_DIR}/Sources/LiveryImagesCommand/draw.c
  INCLUDE ${PROJECT_SOURCE_DIR}/Sources/CImages/include
  LIBRARIES PkgConfig::livery_images_svg)
