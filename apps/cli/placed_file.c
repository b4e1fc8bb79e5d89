/* placed_file.c — scratch files without names, and their way to the place where they are wanted. */
#include "placed_file.h"

#include "file_names.h"
#include "tool.h"

#include <dent/file_output.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int check_target(tool_session *session, const char *what, const char *path)
{
    dent_status status = dent_file_check_target(session->context, path);
    return status == DENT_OK ? STATUS_GOOD : complain("%s %s", what, session_message(session, status));
}

int scratch_file_open(const char *path)
{
    static const char name[] = ".dent-XXXXXX";
    char scratch[FILE_NAME_LIMIT];
    const char *slash = strrchr(path, '/');
    size_t length = slash != NULL ? (size_t)(slash - path) + 1 : 0;
    if (length + sizeof name > sizeof scratch) {
        errno = ENAMETOOLONG;
        return -1;
    }
    memcpy(scratch, path, length);
    memcpy(scratch + length, name, sizeof name);
    int descriptor = mkstemp(scratch);
    if (descriptor >= 0) {
        (void)unlink(scratch);
    }
    return descriptor;
}

static int copy_bytes(int from, dent_file_writer *to)
{
    char bytes[65536];
    ssize_t count = lseek(from, 0, SEEK_SET) == 0 ? 1 : -1;
    while (count > 0 || (count < 0 && errno == EINTR)) {
        count = read(from, bytes, sizeof bytes);
        if (count > 0) {
            dent_file_writer_put(to, bytes, (size_t)count);
        }
    }
    return count == 0 ? 0 : errno;
}

int place_file(tool_session *session, const char *what, int descriptor, const char *path)
{
    dent_file_writer *writer;
    dent_status status = dent_file_writer_open(session->context, path, &writer);
    if (status == DENT_OK) {
        int error = copy_bytes(descriptor, writer);
        if (error != 0) {
            dent_file_writer_discard(writer);
            return complain("%s %s: %s", what, path, strerror(error));
        }
        status = dent_file_writer_commit(writer);
    }
    return status == DENT_OK ? STATUS_GOOD : complain("%s %s", what, session_message(session, status));
}
