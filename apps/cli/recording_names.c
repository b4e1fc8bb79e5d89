/* recording_names.c — reads lines of "number, tab, name". They are a comfort: whatever is wrong with them, the frames
 * are shown. */
#include "recording_names.h"

#include "file_names.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool make_room(dent_context *context, recording_names *names, uint32_t number)
{
    if (number < names->count) {
        return true;
    }
    void *grown = dent_reallocate(context, names->names, names->count, number + 1, sizeof *names->names);
    if (grown == NULL) {
        return false;
    }
    names->names = grown;
    memset(names->names + names->count, 0, (number + 1 - names->count) * sizeof *names->names);
    names->count = number + 1;
    return true;
}

/* Lines longer than this are cut; what is left of them has no number and is passed over. */
static bool take_line(dent_context *context, recording_names *names, char *line)
{
    unsigned number = 0;
    int begin = 0;
    line[strcspn(line, "\r\n")] = '\0';
    if (sscanf(line, "%u\t%n", &number, &begin) != 1 || begin == 0 || line[begin] == '\0' ||
        number >= RECORDED_BODY_LIMIT) {
        return true;
    }
    if (!make_room(context, names, number)) {
        return false;
    }
    snprintf(names->names[number], sizeof names->names[number], "%.*s", RECORDED_NAME_LIMIT - 1, line + begin);
    return true;
}

/* Null for anything else: a pipe of that name would be waited for. */
static FILE *open_regular(const char *path)
{
    struct stat facts;
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    bool regular = descriptor >= 0 && fstat(descriptor, &facts) == 0 && S_ISREG(facts.st_mode);
    FILE *file = regular ? fdopen(descriptor, "r") : NULL;
    if (file == NULL && descriptor >= 0) {
        close(descriptor);
    }
    return file;
}

bool recording_names_read(dent_context *context, const char *folder, recording_names *names)
{
    char path[2 * FILE_NAME_LIMIT + 16], line[RECORDED_NAME_LIMIT + 16];
    memset(names, 0, sizeof *names);
    snprintf(path, sizeof path, "%sbodies.txt", folder);
    FILE *file = open_regular(path);
    bool good = true;
    while (file != NULL && good && fgets(line, sizeof line, file) != NULL) {
        good = take_line(context, names, line);
    }
    if (file != NULL) {
        fclose(file);
    }
    return good;
}

void recording_names_release(dent_context *context, recording_names *names)
{
    dent_release(context, names->names, names->count, sizeof *names->names);
    memset(names, 0, sizeof *names);
}

const char *recording_name(const recording_names *names, int32_t number)
{
    bool listed = number >= 0 && (uint32_t)number < names->count && names->names[number][0] != '\0';
    return listed ? names->names[number] : NULL;
}
