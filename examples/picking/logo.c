// Picks a brand's logo: from a folder, such as that of a USB stick, or else from a person at the settings page.
//
//     logo STORE [FOLDER FILE]
//
// The image and the setting that shows it are one commit. Who watches the brand sees both at once.
#include <livery.h>
#include <livery/picker.h>

#include <poll.h>
#include <stdio.h>

static bool is_over;
static livery_status outcome;

static void done(const livery_picker_result *result, void *user_data) {
  (void)user_data;
  is_over = true;
  outcome = result->status;
  if (result->status == LIVERY_OK)
    printf("the logo is %s\n", result->asset);
  else
    fprintf(stderr, "%s\n", result->message);
}

// Whoever starts this program has said yes.
static void permission(livery_picker_ask *ask, livery_picker_source source, livery_picker_permission known, void *user_data) {
  (void)source, (void)known, (void)user_data;
  livery_picker_permit(ask, LIVERY_PICKER_GRANTED);
}

// Where there is no such medium for us, a person may upload the logo; where that may not be used either, it is the end.
static void denied(livery_picker_ask *ask, livery_picker_source source, livery_picker_permission permission, const char *message,
                   void *user_data) {
  (void)permission, (void)user_data;
  fprintf(stderr, "%s\n", message);
  if (source == LIVERY_PICKER_UPLOAD)
    livery_picker_decide(ask, LIVERY_PICKER_STOP, 0);
  else
    livery_picker_decide(ask, LIVERY_PICKER_OTHER, LIVERY_PICKER_UPLOAD);
}

int main(int count, char **words) {
  if (count != 2 && count != 4) {
    fprintf(stderr, "logo STORE [FOLDER FILE]\n");
    return 2;
  }
  livery_store *store = NULL;
  livery_open_options opening = LIVERY_OPEN_OPTIONS_INIT;
  opening.flags = LIVERY_OPEN_CREATE;
  int events = -1;
  if (livery_open(words[1], &opening, &store) != LIVERY_OK || livery_event_fd(store, &events) != LIVERY_OK) {
    fprintf(stderr, "%s\n", livery_last_error()->message);
    livery_close(store);
    return 1;
  }
  livery_picker_options options = LIVERY_PICKER_OPTIONS_INIT;
  options.flags = LIVERY_PICKER_DISPATCH;
  options.source = count == 4 ? LIVERY_PICKER_FOLDER : LIVERY_PICKER_UPLOAD;
  options.folder = count == 4 ? words[2] : NULL;
  options.file = count == 4 ? words[3] : NULL;
  options.setting = "branding.image.logo";
  options.permission = permission;
  options.denied = denied;
  // What fails to start is told to `done`, too.
  livery_picker_start(store, &options, done, NULL, NULL, NULL);
  while (!is_over) {
    struct pollfd wait = {.fd = events, .events = POLLIN};
    poll(&wait, 1, -1);
    livery_dispatch(store, NULL);
  }
  livery_close(store);
  return outcome == LIVERY_OK ? 0 : 1;
}
