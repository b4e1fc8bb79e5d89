/* view_browser.c — a headless Chromium for snapshots and recordings. */
#include "interrupt.h"
#include "placed_file.h"
#include "tool.h"
#include "view_loop.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

static const char *find_chromium(void)
{
    static const char *const names[] = {"chromium", "chromium-browser", "google-chrome", "google-chrome-stable"};
    const char *chosen = getenv("DENT_CHROMIUM");
    if (chosen != NULL) {
        return view_is_program(chosen) ? chosen : NULL;
    }
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (view_is_program(names[i])) {
            return names[i];
        }
    }
    return NULL;
}

int view_start_snapshot(const char *page, const char *path, const char *profile)
{
    const char *chromium = find_chromium();
    if (chromium == NULL) {
        return complain("view: --snapshot and --record need Chromium, and none was found (Debian: chromium; or set DENT_CHROMIUM)"),
               -1;
    }
    char screenshot[2048], folder[2048];
    snprintf(screenshot, sizeof screenshot, "--screenshot=%s", path);
    snprintf(folder, sizeof folder, "--user-data-dir=%s", profile);
    pid_t process = fork();
    if (process == 0) {
        setpgid(0, 0);
#ifdef __linux__
        prctl(PR_SET_PDEATHSIG, SIGTERM); /* should we be killed */
#endif
        view_silence();
        if (strlen(profile) <
            60) { /* its sockets have names of at most 107 bytes; so that what it leaves behind goes with the profile */
            setenv("TMPDIR", profile, 1);
        }
        execlp(chromium, chromium, "--headless", geteuid() == 0 ? "--no-sandbox" : "--no-first-run", "--no-first-run",
               "--disable-quic", "--disable-background-networking", "--disable-component-update", "--disable-sync",
               "--disable-extensions", "--mute-audio", "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
               "--hide-scrollbars", "--window-size=1200,800", folder, screenshot, page, (char *)NULL);
        _exit(127);
    }
    if (process > 0) {
        setpgid(process, process); /* here too: whoever comes first */
    } else {
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
    if (ended == process && WIFEXITED(status) && WEXITSTATUS(status) == 0 && stat(path, &facts) == 0 &&
        facts.st_size > 0) {
        return 1;
    }
    if (interrupt_seen()) {
        interrupt_report();
    } else {
        complain("view: Chromium could not make the picture");
    }
    return -1;
}

void view_end_snapshot(int process)
{
    const struct timespec moment = {0, 20000000};
    kill(-process, SIGTERM);
    for (int i = 0; i < 100; i++) { /* two seconds */
        if (waitpid(process, NULL, WNOHANG) != 0) {
            kill(-process, SIGKILL); /* what it left behind */
            return;
        }
        nanosleep(&moment, NULL);
    }
    kill(-process, SIGKILL);
    waitpid(process, NULL, 0);
}

/* By rm, so that a profile as large as browsers make them needs no code here; no shell, so that any name will do. */
static bool remove_once(const char *path)
{
    int status = -1;
    pid_t process = fork();
    if (process == 0) {
        view_silence();
        execlp("rm", "rm", "-rf", "--", path, (char *)NULL);
        _exit(127);
    }
    return process > 0 && waitpid(process, &status, 0) == process && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* More than once: helpers of a browser that was just ended may write until the last moment. */
bool view_remove_folder(const char *path)
{
    const struct timespec moment = {0, 50000000};
    bool removed = remove_once(path);
    for (int i = 0; i < 40 && !removed; i++) {
        nanosleep(&moment, NULL);
        removed = remove_once(path);
    }
    return removed;
}

/* ---- the picture ---------------------------------------------------------------------------------------- */

/* The browser writes to a folder of its own. */
int view_place_picture(tool_session *session, const char *from, const char *to)
{
    int descriptor = open(from, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) {
        return complain("view: %s: cannot be written: %s", to, strerror(errno));
    }
    int status = place_file(session, "view:", descriptor, to);
    close(descriptor);
    return status;
}
