// Follows the volume in the main loop of GLib, as programs on GTK do, until it is 0.
//
//     watch-glib STORE
#include <glib-unix.h>
#include <glib.h>
#include <livery.h>

typedef struct {
  GMainLoop *loop;
  livery_store *store;
} program;

static void on_change(const livery_event *events, size_t count, void *user_data) {
  program *self = user_data;
  for (size_t i = 0; i < count; i++) {
    const livery_event *event = &events[i];
    int64_t before = 0, now = 0;
    if (!event->new_value || livery_value_as_int(event->new_value, &now) != LIVERY_OK) continue;
    if (event->kind == LIVERY_EVENT_INITIAL) {
      g_print("volume is %" G_GINT64_FORMAT "\n", (gint64)now);
    } else if (event->old_value && livery_value_as_int(event->old_value, &before) == LIVERY_OK) {
      g_print("volume: %" G_GINT64_FORMAT " -> %" G_GINT64_FORMAT "\n", (gint64)before, (gint64)now);
    }
    if (now == 0) g_main_loop_quit(self->loop);
  }
}

static gboolean on_readable(gint descriptor, GIOCondition condition, gpointer user_data) {
  (void)descriptor, (void)condition;
  program *self = user_data;
  if (livery_dispatch(self->store, NULL) == LIVERY_OK) return G_SOURCE_CONTINUE;
  g_printerr("watch-glib: %s\n", livery_last_error()->message);
  return G_SOURCE_REMOVE;
}

int main(int argc, char **argv) {
  if (argc != 2) return g_printerr("usage: watch-glib STORE\n"), 2;
  program self = {.loop = g_main_loop_new(NULL, FALSE)};
  livery_watch_options options = LIVERY_WATCH_OPTIONS_INIT;
  options.flags = LIVERY_WATCH_INITIAL | LIVERY_WATCH_DISPATCH;
  livery_watch *watch = NULL;
  int descriptor = -1;
  if (livery_open(argv[1], NULL, &self.store) != LIVERY_OK ||
      livery_watch_start(self.store, "volume", &options, on_change, &self, NULL, &watch) != LIVERY_OK ||
      livery_event_fd(self.store, &descriptor) != LIVERY_OK) {
    return g_printerr("watch-glib: %s\n", livery_last_error()->message), 1;
  }
  guint source = g_unix_fd_add(descriptor, G_IO_IN, on_readable, &self);
  g_main_loop_run(self.loop);
  g_source_remove(source);
  livery_close(self.store);
  g_main_loop_unref(self.loop);
  return 0;
}
