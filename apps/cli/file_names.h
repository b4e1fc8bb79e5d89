/* file_names.h — names of the files the tool writes. */
#ifndef DENT_FILE_NAMES_H
#define DENT_FILE_NAMES_H

#include <stdbool.h>
#include <stddef.h>

enum { FILE_NAME_LIMIT = 4096 };

/** Copies `name` with everything but letters, digits, '.', '-', '_' replaced by '_'; never empty, never starting with a
 * dot. */
void plain_file_name(const char *name, char *buffer, size_t size);

bool ends_with(const char *text, const char *ending);

/** Makes a folder and those above it. False: `errno` says why not. One that is there already is fine. */
bool make_folders(const char *path);

/** May files be made in the folder of `path`? `folder` (FILE_NAME_LIMIT bytes) gets its name. False: `errno` says why
 * not. */
bool folder_is_writable(const char *path, char *folder);

#endif
