/* file_names.c — safe names from body names, and folders. */
#include "file_names.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

void plain_file_name(const char *name, char *buffer, size_t size)
{
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
    snprintf(buffer, size, "%s", name[0] != '\0' ? name : "body");
    for (char *at = buffer; *at != '\0'; at++) {
        if (strchr(allowed, *at) == NULL) {
            *at = '_';
        }
    }
    if (buffer[0] == '.') {
        buffer[0] = '_';
    }
}

bool ends_with(const char *text, const char *ending)
{
    size_t length = strlen(text), ending_length = strlen(ending);
    return length >= ending_length && strcmp(text + length - ending_length, ending) == 0;
}

static bool make_folder(const char *path)
{
    struct stat facts;
    if (mkdir(path, 0777) == 0) {
        return true;
    }
    int error = errno;
    if (stat(path, &facts) == 0) { /* there already; mkdir may also have said EROFS or EACCES for it */
        errno = ENOTDIR;
        return S_ISDIR(facts.st_mode);
    }
    errno = error;
    return false;
}

bool make_folders(const char *path)
{
    char part[FILE_NAME_LIMIT];
    size_t length = strlen(path);
    if (length == 0 || length >= sizeof part) {
        errno = length == 0 ? ENOENT : ENAMETOOLONG;
        return false;
    }
    for (size_t i = 1; i <= length; i++) {
        if (path[i] == '/' || path[i] == '\0') {
            memcpy(part, path, i);
            part[i] = '\0';
            if (!make_folder(part)) {
                return false;
            }
        }
    }
    return true;
}

const char *ending_of_another_format(const char *path, const char *ours)
{
    static const char *const endings[] = {".vtk", ".vtu",  ".vtp", ".vtm", ".pvd",  ".msh", ".mesh", ".obj",
                                          ".stl", ".ply",  ".png", ".jpg", ".jpeg", ".gif", ".svg",  ".pdf",
                                          ".csv", ".json", ".txt", ".mp4", ".gz",   ".xz",  ".zip"};
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
        if (strcmp(endings[i], ours) != 0 && ends_with(path, endings[i])) {
            return endings[i];
        }
    }
    return NULL;
}
