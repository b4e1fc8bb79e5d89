/* view_secret.c — the file of --token: only this user may be able to read it. */
#include "tool.h"
#include "view_loop.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <view_server.h>

/* ---- the token file -------------------------------------------------------------------------------------------- */

static bool is_token(const char *text)
{
    return strspn(text, "0123456789abcdef") == VIEW_TOKEN_LENGTH &&
           (text[VIEW_TOKEN_LENGTH] == '\0' || strcmp(text + VIEW_TOKEN_LENGTH, "\n") == 0);
}

static bool write_whole(int file, const char *text)
{
    size_t size = strlen(text);
    bool good = write(file, text, size) == (ssize_t)size;
    return close(file) == 0 && good;
}

static int create_token(const char *path, int file, char *token)
{
    char line[VIEW_TOKEN_LENGTH + 2];
    bool made = view_make_token(token);
    snprintf(line, sizeof line, "%s\n", made ? token : "");
    if (!write_whole(file, line) || !made) {
        unlink(path);
        return complain("view: %s: the token cannot be written", path);
    }
    return STATUS_GOOD;
}

/* Only a file of our own that nobody else can read: another one's content is no secret. */
static int read_token(const char *path, int file, char *token)
{
    char text[VIEW_TOKEN_LENGTH + 3] = "";
    struct stat facts;
    bool known = fstat(file, &facts) == 0 && S_ISREG(facts.st_mode);
    ssize_t size = known ? read(file, text, sizeof text - 1) : 0;
    close(file);
    if (!known) {
        return complain("view: %s: expected a file with a token", path);
    }
    if (facts.st_uid != geteuid() || (facts.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
        return complain("view: %s: other users can use this token; make the file yours alone (chmod 600)", path);
    }
    if (size < 0 || !is_token(text)) {
        return complain("view: %s: expected 32 hexadecimal digits (0-9, a-f)", path);
    }
    memcpy(token, text, VIEW_TOKEN_LENGTH);
    token[VIEW_TOKEN_LENGTH] = '\0';
    return STATUS_GOOD;
}

int view_find_token(const char *path, char *token)
{
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0 && errno == ENOENT && is_token(path)) {
        return complain("view: --token expects the name of a file with the token; on a command line every user can "
                        "read it");
    }
    if (file < 0 && errno == ENOENT) {
        file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR);
        if (file >= 0) {
            return create_token(path, file, token);
        }
    }
    return file >= 0 ? read_token(path, file, token) : complain("view: %s: %s", path, strerror(errno));
}
