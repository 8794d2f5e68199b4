// What is sent to browsers as it is.
#include "cpage.h"

// Of C23, and known to the compiler that comes with Swift before.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const uint8_t style[] = {
#embed "style.css"
};
static const uint8_t script[] = {
#embed "script.js"
};
static const uint8_t worker[] = {
#embed "worker.js"
};

const uint8_t *lvp_style(size_t *count) {
  *count = sizeof style;
  return style;
}

const uint8_t *lvp_script(size_t *count) {
  *count = sizeof script;
  return script;
}

const uint8_t *lvp_worker(size_t *count) {
  *count = sizeof worker;
  return worker;
}
