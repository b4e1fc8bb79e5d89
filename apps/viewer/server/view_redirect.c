/* view_redirect.c — keeps the token of a view from other users: it stands in files that only this user can read, never on
 * a command line, which everybody can (ps, /proc/PID/cmdline). */
#include "view_launch.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool write_whole(int file, const char *text)
{
    size_t size = strlen(text);
    bool good = write(file, text, size) == (ssize_t)size;
    return close(file) == 0 && good;
}

static bool make_folder_in(const char *parent, char folder[VIEW_FOLDER_LIMIT])
{
    if (parent == NULL || parent[0] != '/' || strlen(parent) >= VIEW_FOLDER_LIMIT - 32) {
        return false;
    }
    snprintf(folder, VIEW_FOLDER_LIMIT, "%s/dent-view-XXXXXX", parent);
    return mkdtemp(folder) != NULL; /* mode 0700 */
}

bool view_make_folder(char folder[VIEW_FOLDER_LIMIT])
{
    return make_folder_in(getenv("TMPDIR"), folder) || make_folder_in("/tmp", folder);
}

bool view_make_runtime_folder(char folder[VIEW_FOLDER_LIMIT])
{
    return make_folder_in(getenv("XDG_RUNTIME_DIR"), folder) || view_make_folder(folder);
}

/* An address has no character that means something in a script, and of those that do in HTML only `&`. */
static void escape_ampersands(const char *text, char *escaped, size_t size)
{
    size_t used = 0;
    for (; *text != '\0' && used + 6 < size; text++) {
        const char one[2] = {*text, '\0'}, *written = *text == '&' ? "&amp;" : one;
        memcpy(escaped + used, written, strlen(written));
        used += strlen(written);
    }
    escaped[used] = '\0';
}

/* The picture, which comes when the real page is drawn, keeps this one from counting as loaded: a snapshot would be of
 * nothing. */
bool view_write_redirect(const char *folder, const char *url, bool snapshot, char *path, size_t size)
{
    char text[6 * VIEW_URL_LIMIT], link[3 * VIEW_URL_LIMIT], picture[VIEW_URL_LIMIT + 64] = "";
    escape_ampersands(url, link, sizeof link);
    if (snapshot) {
        snprintf(picture, sizeof picture, "<img src=\"%.*ssettled.svg\" alt=\"\">", (int)strcspn(url, "#"), url);
    }
    snprintf(text, sizeof text,
             "<!doctype html>\n<meta charset=\"utf-8\"><title>dent view</title>\n"
             "<script>location.replace(\"%s\")</script>\n%s<p><a href=\"%s\">dent view</a></p>\n",
             url, picture, link);
    snprintf(path, size, "%s/open.html", folder);
    int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR);
    return file >= 0 && write_whole(file, text);
}

void view_remove_redirect(const char *folder)
{
    char path[VIEW_FOLDER_LIMIT + 16];
    snprintf(path, sizeof path, "%s/open.html", folder);
    unlink(path);
    rmdir(folder);
}
