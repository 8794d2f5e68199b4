// For a program or library that brings an allocator of its own: the C library's, which is beneath it, and which of those who
// ask for memory look whether they were given any.
#ifndef ALLOCATOR_H
#define ALLOCATOR_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *memory);

static struct { uintptr_t begin, end; } looked_after[8];
static int looked_after_count;

__attribute__((unused)) static int note_library(struct dl_phdr_info *info, size_t size, void *context) {
  (void)size, (void)context;
  if (!strstr(info->dlpi_name, "liblivery") && !strstr(info->dlpi_name, "liblmdb") && !strstr(info->dlpi_name, "libjansson"))
    return 0;
  for (int index = 0; index < info->dlpi_phnum && looked_after_count < 8; index++) {
    if (info->dlpi_phdr[index].p_type != PT_LOAD || !(info->dlpi_phdr[index].p_flags & PF_X)) continue;
    looked_after[looked_after_count].begin = info->dlpi_addr + info->dlpi_phdr[index].p_vaddr;
    looked_after[looked_after_count++].end = info->dlpi_addr + info->dlpi_phdr[index].p_vaddr + info->dlpi_phdr[index].p_memsz;
  }
  return 0;
}

/** Finds the code of the library, its extensions, LMDB and jansson. libplist does not look whether it was given memory: there is no status to
    be had from it. */
__attribute__((unused)) static void look_after_libraries(void) {
  if (looked_after_count == 0) dl_iterate_phdr(note_library, NULL);
}

/** Whether a call comes from there. */
__attribute__((unused)) static bool is_looked_after(const void *caller) {
  for (int index = 0; index < looked_after_count; index++)
    if ((uintptr_t)caller >= looked_after[index].begin && (uintptr_t)caller < looked_after[index].end) return true;
  return false;
}

#endif
