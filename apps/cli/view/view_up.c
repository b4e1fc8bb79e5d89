/* view_up.c — which axis points up: what the user chose for this file before, else a guess by its format.
 *
 * A page cannot keep the choice itself: its address has another port each time. So the tool does, in a small text file
 * (XDG_STATE_HOME/dent/view-up, else ~/.local/state/dent/view-up), a line for each file: the axis, a blank, the absolute
 * path; the one chosen last stands last. Nothing here is an error: without a home, or with a file that cannot be read or
 * written, the choice lasts as long as the program. */
#define _XOPEN_SOURCE 700 /* realpath */

#include "tool.h"
#include "view_loop.h"
#include "view_tool.h"

#include <dent/file_output.h>
#include <dent/frames.h>

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LINES_KEPT = 500, FILE_LIMIT = 1 << 20, KEY_LIMIT = PATH_MAX + 2 };

/* ---- the guess ------------------------------------------------------------------------------------------------- */

static bool ends_with(const char *name, size_t length, const char *ending)
{
    size_t size = strlen(ending);
    return length > size && strncmp(name + length - size, ending, size) == 0;
}

bool view_file_is_y_up(const char *name)
{
    size_t length = strlen(name);
    length -= ends_with(name, length, ".gz") || ends_with(name, length, ".xz") ? 3 : 0;
    return ends_with(name, length, ".obj") || ends_with(name, length, ".gltf") || ends_with(name, length, ".glb");
}

/* ---- the file --------------------------------------------------------------------------------------------------- */

static bool is_folder_path(const char *text)
{
    return text != NULL && text[0] == '/'; /* others are to be ignored, by the specification of these variables */
}

/* PATH_MAX characters hold it, else there is none. */
static bool find_state(char *path, bool make_folders)
{
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    const char *const below_home[] = {"/.local", "/state", "/dent"}, *const below_state[] = {"/dent"};
    bool given = is_folder_path(state);
    if (!given && !is_folder_path(home)) {
        return false;
    }
    int length = snprintf(path, PATH_MAX, "%s", given ? state : home), count = given ? 1 : 3;
    for (int i = 0; i < count && length > 0 && length < PATH_MAX; i++) {
        if (make_folders && (given || i > 0)) { /* a home that is not there is not made */
            mkdir(path, S_IRWXU); /* where it fails, so does writing the file */
        }
        length += snprintf(path + length, (size_t)(PATH_MAX - length), "%s", given ? below_state[i] : below_home[i]);
    }
    if (length > 0 && length < PATH_MAX && make_folders) {
        mkdir(path, S_IRWXU);
    }
    if (length > 0 && length < PATH_MAX) {
        length += snprintf(path + length, (size_t)(PATH_MAX - length), "/view-up");
    }
    return length > 0 && length < PATH_MAX;
}

/* The whole text of a regular file, ended by a zero; null: there is none that is fit. */
static char *read_state(const char *path)
{
    struct stat facts;
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    bool fit = file >= 0 && fstat(file, &facts) == 0 && S_ISREG(facts.st_mode) && facts.st_size <= FILE_LIMIT;
    char *text = fit ? malloc((size_t)facts.st_size + 1) : NULL;
    ssize_t size = text != NULL ? read(file, text, (size_t)facts.st_size) : 0;
    if (file >= 0) {
        close(file);
    }
    if (text != NULL) {
        text[size > 0 ? size : 0] = '\0';
    }
    return text;
}

/* A model is known by its first file: "/home/me/shirt.obj". Scenes have their names. */
static bool make_key(const tool_options *options, char key[KEY_LIMIT])
{
    const char *word = options->arguments[0];
    char folder[PATH_MAX];
    if (realpath(word, key) == NULL) { /* a scene, or the pattern of a series */
        bool pattern = word[0] != '/' && dent_path_is_series(word) && getcwd(folder, sizeof folder) != NULL;
        int length = snprintf(key, KEY_LIMIT, "%s%s%s", pattern ? folder : "", pattern ? "/" : "", word);
        if (length < 0 || length >= KEY_LIMIT) {
            return false;
        }
    }
    return strpbrk(key, "\r\n") == NULL;
}

/* The line of this key, or null. */
static const char *find_line(const char *text, const char *key)
{
    size_t size = strlen(key);
    for (const char *at = text; *at != '\0';) {
        size_t length = strcspn(at, "\n");
        if (length == size + 2 && at[1] == ' ' && memcmp(at + 2, key, size) == 0 && at[0] >= 'x' && at[0] <= 'z') {
            return at;
        }
        at += length + (at[length] == '\n');
    }
    return NULL;
}

char view_recall_up(const tool_options *options)
{
    char path[PATH_MAX], key[KEY_LIMIT];
    char *text = find_state(path, false) && make_key(options, key) ? read_state(path) : NULL;
    const char *line = text != NULL ? find_line(text, key) : NULL;
    char axis = line != NULL ? line[0] : 0;
    free(text);
    return axis;
}

/* The lines of other files, the last LINES_KEPT of them; what is no line of ours is left out. */
static void copy_others(dent_file_writer *writer, const char *text, const char *key)
{
    size_t lines = 0, seen = 0;
    for (const char *at = text; *at != '\0'; at++) {
        lines += *at == '\n';
    }
    for (const char *at = text; *at != '\0';) {
        size_t length = strcspn(at, "\n");
        bool whole = at[length] == '\n', ours = length > 2 && at[1] == ' ' && at[0] >= 'x' && at[0] <= 'z';
        bool same = length == strlen(key) + 2 && memcmp(at + 2, key, length - 2) == 0;
        if (whole && ours && !same && lines - seen < LINES_KEPT) {
            dent_file_writer_put(writer, at, length + 1);
        }
        seen += whole;
        at += length + whole;
    }
}

void view_remember_up(dent_context *context, const tool_options *options, char axis)
{
    char path[PATH_MAX], key[KEY_LIMIT];
    const char start[2] = {axis, ' '};
    dent_file_writer *writer;
    if (!find_state(path, true) || !make_key(options, key) ||
        dent_file_writer_open(context, path, &writer) != DENT_OK) {
        return;
    }
    char *text = read_state(path);
    if (text != NULL) {
        copy_others(writer, text, key);
        free(text);
    }
    dent_file_writer_put(writer, start, sizeof start);
    dent_file_writer_put(writer, key, strlen(key));
    dent_file_writer_put(writer, "\n", 1);
    dent_file_writer_commit(writer);
}
