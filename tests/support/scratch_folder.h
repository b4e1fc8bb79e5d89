/* A folder of a test's own, below the present one, for what is written to files. The test cleans up itself: what is
 * left at the end is a leftover of the library. */
#ifndef DENT_TESTS_SCRATCH_FOLDER_H
#define DENT_TESTS_SCRATCH_FOLDER_H

#include "support/cmocka_includes.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[64];
static char path[400]; /* the last name in it that was asked for */

static inline const char *in_folder(const char *name)
{
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static inline int files_in_folder(void)
{
    DIR *directory = opendir(folder);
    assert_non_null(directory);
    int count = 0;
    for (struct dirent *entry = readdir(directory); entry; entry = readdir(directory)) {
        count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    }
    closedir(directory);
    return count;
}

/* 0, or -1 as cmocka wants it. Everybody may write there, so that tests may change the user. */
static inline int folder_open(const char *name)
{
    snprintf(folder, sizeof folder, "%s-XXXXXX", name);
    return mkdtemp(folder) && chmod(folder, 0777) == 0 ? 0 : -1;
}

static inline int folder_close(void)
{
    return rmdir(folder);
}

#endif
