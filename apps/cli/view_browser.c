/* view_browser.c — starts browsers: the user's own on a display, a headless Chromium for snapshots. */
#include "tool.h"
#include "view_loop.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Standard streams to nowhere: browsers chat. */
static void silence(void)
{
    int nowhere = open("/dev/null", O_RDWR);
    if (nowhere >= 0) {
        dup2(nowhere, STDIN_FILENO);
        dup2(nowhere, STDOUT_FILENO);
        dup2(nowhere, STDERR_FILENO);
    }
}

void view_open_browser(const char *url)
{
    if (getenv("DISPLAY") == NULL && getenv("WAYLAND_DISPLAY") == NULL) {
        return;
    }
    pid_t process = fork();
    if (process == 0) {
        if (fork() == 0) { /* twice, so that nobody has to wait for it */
            silence();
            setsid();
            execlp("xdg-open", "xdg-open", url, (char *)NULL);
        }
        _exit(0);
    }
    if (process > 0) {
        waitpid(process, NULL, 0);
    }
}

static bool is_program(const char *name)
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

static const char *find_chromium(void)
{
    static const char *const names[] = {"chromium", "chromium-browser", "google-chrome", "google-chrome-stable"};
    const char *chosen = getenv("DENT_CHROMIUM");
    if (chosen != NULL) {
        return is_program(chosen) ? chosen : NULL;
    }
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (is_program(names[i])) {
            return names[i];
        }
    }
    return NULL;
}

int view_start_snapshot(const char *url, const char *path, const char *profile)
{
    const char *chromium = find_chromium();
    if (chromium == NULL) {
        return complain("view: --snapshot needs Chromium, and none was found (Debian: chromium; or set DENT_CHROMIUM)"), -1;
    }
    char screenshot[160], folder[160];
    snprintf(screenshot, sizeof screenshot, "--screenshot=%s", path);
    snprintf(folder, sizeof folder, "--user-data-dir=%s", profile);
    pid_t process = fork();
    if (process == 0) {
        silence();
        execlp(chromium, chromium, "--headless", geteuid() == 0 ? "--no-sandbox" : "--no-first-run", "--no-first-run", "--disable-quic",
               "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-extensions", "--mute-audio",
               "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--hide-scrollbars", "--window-size=1200,800", folder, screenshot, url,
               (char *)NULL);
        _exit(127);
    }
    if (process < 0) {
        complain("view: cannot start %s: %s", chromium, strerror(errno));
    }
    return process;
}

int view_snapshot_state(int process, const char *path)
{
    int status;
    struct stat facts;
    pid_t ended = waitpid(process, &status, WNOHANG);
    if (ended == 0) {
        return 0;
    }
    if (ended == process && WIFEXITED(status) && WEXITSTATUS(status) == 0 && stat(path, &facts) == 0 && facts.st_size > 0) {
        return 1;
    }
    complain("view: Chromium could not make the picture");
    return -1;
}
