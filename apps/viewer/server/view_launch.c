/* view_launch.c — starts the user's own browser on a display, and words the way through SSH to it where there is none. */
#include "view_launch.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

void view_silence(void)
{
    for (int descriptor = STDERR_FILENO + 1; descriptor < 1024; descriptor++) {
        close(descriptor);
    }
    int nowhere = open("/dev/null", O_RDWR);
    if (nowhere >= 0) {
        dup2(nowhere, STDIN_FILENO);
        dup2(nowhere, STDOUT_FILENO);
        dup2(nowhere, STDERR_FILENO);
    }
}

bool view_is_program(const char *name)
{
    const char *path = getenv("PATH");
    char file[512];
    if (strchr(name, '/') != NULL) {
        return access(name, X_OK) == 0;
    }
    while (path != NULL && *path != '\0') {
        int length = (int)strcspn(path, ":");
        snprintf(file, sizeof file, "%.*s/%s", length, path, name);
        if (access(file, X_OK) == 0) {
            return true;
        }
        path += length + (path[length] == ':');
    }
    return false;
}

bool view_has_display(void)
{
    const char *screen = getenv("DISPLAY"), *wayland = getenv("WAYLAND_DISPLAY");
    return (screen != NULL && screen[0] != '\0') || (wayland != NULL && wayland[0] != '\0');
}

void view_open_browser(const char *path)
{
    pid_t process = fork();
    if (process == 0) {
        if (fork() == 0) { /* twice, so that nobody has to wait for it */
            view_silence();
            setsid();
            execlp("xdg-open", "xdg-open", path, (char *)NULL);
        }
        _exit(0);
    }
    if (process > 0) {
        waitpid(process, NULL, 0);
    }
}

/* A word that means itself in any shell: the line is there to be copied. */
static bool is_plain(const char *word)
{
    size_t length = strlen(word);
    return length > 0 && word[0] != '-' &&
           strspn(word, "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ._-:%") == length;
}

/* SSH_CONNECTION: the client's address and port, then ours. */
bool view_write_tunnel(uint16_t port, char *line, size_t size)
{
    char host[64], own_port[8];
    const char *connection = getenv("SSH_CONNECTION");
    if (connection == NULL || sscanf(connection, "%*63s %*7s %63s %7s", host, own_port) != 2) {
        return false;
    }
    const char *user = getenv("USER");
    bool named = user != NULL && is_plain(user), usual = strcmp(own_port, "22") == 0;
    if (!is_plain(host) || !is_plain(own_port)) {
        return false;
    }
    int length = snprintf(line, size, "ssh -N -L %u:127.0.0.1:%u%s%s %s%s%s", (unsigned)port, (unsigned)port,
                          usual ? "" : " -p ", usual ? "" : own_port, named ? user : "", named ? "@" : "", host);
    return length > 0 && (size_t)length < size;
}
