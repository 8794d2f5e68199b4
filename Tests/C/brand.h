// A store with two brands and a console's payload, and every function that changes them.
#ifndef BRAND_H
#define BRAND_H

#include "fixture.h"

/** A brand with one color. */
#define SKIN(red)                                                                                                      \
  PLIST("<key>Toolbar</key><dict><key>red</key><integer>" #red "</integer><key>green</key><integer>2</integer>"        \
        "<key>blue</key><integer>3</integer></dict><key>PrimaryiPad</key><string>bg.png</string>")

__attribute__((unused)) static void apply_skin(livery_store *store, const char *brand, const char *plist) {
  livery_branding_options options = LIVERY_BRANDING_OPTIONS_INIT;
  options.brand = brand;
  OK(livery_branding_apply_plist(store, plist, strlen(plist), &options, NULL));
}

/** `two` is active, `one` is kept, and the console has a color. */
__attribute__((unused)) static livery_store *branded_store(const char *path) {
  livery_store *store = new_store(path, KIOSK_SCHEMA);
  livery_value *payload = json("{\"colors\": {\"Toolbar\": \"#445566\"}}");
  apply_skin(store, "one", SKIN(101));
  apply_skin(store, "two", SKIN(102));
  OK(livery_branding_apply_console(store, payload, NULL, NULL));
  OK(livery_value_release(payload));
  return store;
}

// Every function that writes, each with something new to write.
#define EVERY_BRAND_WRITE(before, expected, store)                                                                     \
  do {                                                                                                                 \
    livery_value *payload = json("{\"colors\": {\"Toolbar\": \"#778899\"}}"), *images = json("{\"image\": \"x\"}");        \
    before, EXPECT_STATUS(expected, livery_branding_set_color(store, LIVERY_LAYER_BUNDLE, "Toolbar",                   \
                                                              (livery_color){1, 1, 0, 1}));                            \
    before, EXPECT_STATUS(expected, livery_branding_set_image(store, LIVERY_LAYER_BUNDLE, "logo", images));            \
    before, EXPECT_STATUS(expected, livery_branding_apply_plist(store, TEXT(SKIN(103)), NULL, NULL));                  \
    before, EXPECT_STATUS(expected, livery_branding_apply_directory(store, FIXTURES "/branding", NULL, NULL));         \
    before, EXPECT_STATUS(expected, livery_branding_apply_console(store, payload, NULL, NULL));                        \
    before, EXPECT_STATUS(expected, livery_branding_set_enabled(store, LIVERY_LAYER_BUNDLE, false));                   \
    before, EXPECT_STATUS(expected, livery_branding_wipe(store));                                                      \
    before, EXPECT_STATUS(expected, livery_branding_use(store, "one"));                                                \
    before, EXPECT_STATUS(expected, livery_branding_remove(store, "one"));                                             \
    OK(livery_value_release(payload));                                                                                 \
    OK(livery_value_release(images));                                                                                  \
  } while (0)

#endif
