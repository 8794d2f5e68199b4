#include "cworkflow.h"
int lvw_camera_find(char *path, size_t room) { (void)path; (void)room; return -ENODEV; }
int lvw_camera_capture(const char *path, uint32_t width, uint32_t height, int timeout_ms, size_t most, bool (*is_cancelled)(void *context), void *context, void **bytes, size_t *length) {
  (void)path; (void)width; (void)height; (void)timeout_ms; (void)most; (void)is_cancelled; (void)context; (void)bytes; (void)length; return -ENODEV; }
