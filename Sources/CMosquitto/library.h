// Libmosquitto, loaded when the first connection is opened; of its package the headers alone are needed to build.
#ifndef CMOSQUITTO_LIBRARY_H
#define CMOSQUITTO_LIBRARY_H

#include "cmosquitto.h"

#include <mosquitto.h>

#define LVB_FUNCTIONS(each)                                                                                              \
  each(lib_init) each(lib_version) each(new) each(destroy) each(username_pw_set) each(tls_set) each(int_option)          \
  each(connect) each(disconnect) each(socket) each(want_write) each(loop_read) each(loop_write) each(loop_misc)          \
  each(connect_callback_set) each(message_callback_set) each(publish_callback_set) each(subscribe_callback_set)          \
  each(subscribe_multiple) each(unsubscribe_multiple) each(publish) each(strerror) each(connack_string)                  \
  each(pub_topic_check) each(sub_topic_check) each(validate_utf8)

typedef struct lvb_functions {
#define LVB_PLACE(name) __typeof__(mosquitto_##name) *name;
  LVB_FUNCTIONS(LVB_PLACE)
#undef LVB_PLACE
} lvb_functions;

// Its functions; NULL, with an error left, where it is not to be had, which may be otherwise another time.
const lvb_functions *lvb_library(void);

#endif
