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

/** The ending of a name that is one of another known format than `ours`, or null: `F.vtk` where `F.pvd` is written is a
 * mistake, `F.v2` a name. */
const char *ending_of_another_format(const char *path, const char *ours);

#endif
