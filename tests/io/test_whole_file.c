/* Files appear whole or not at all: nothing that lies at a temporary name is followed, nothing but a regular file is
 * replaced, a killed program leaves nothing behind, and of two writers to one path each replaces the other's file as a
 * whole. DENT_LONG_TESTS reads 10,000 times beside two writers. */
#define _GNU_SOURCE
#include "mesh_file_checks.h"
#include "support/scratch_folder.h"

#include "io/write/whole_file.h"

#include <dent/file_output.h>

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

static int folder_setup(void **state)
{
    return folder_open("whole-file") == 0 ? checks_setup(state) : -1;
}

static int folder_teardown(void **state)
{
    int result = checks_teardown(state);
    return folder_close() == 0 ? result : -1;
}

static void put_text(const char *name, const char *text)
{
    FILE *file = fopen(in_folder(name), "wb");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void assert_text(const char *name, const char *text)
{
    char found[64] = "";
    FILE *file = fopen(in_folder(name), "rb");
    assert_non_null(file);
    found[fread(found, 1, sizeof found - 1, file)] = '\0';
    fclose(file);
    assert_string_equal(found, text);
}

static dent_status write_text(struct checks *checks, const char *name, const char *text)
{
    dent_file_writer *writer;
    dent_status status = dent_file_writer_open(checks->context, in_folder(name), &writer);
    if (status == DENT_OK) {
        dent_file_writer_put(writer, text, strlen(text));
        status = dent_file_writer_commit(writer);
    }
    return status;
}

static void assert_target_refused(struct checks *checks, const char *name, const char *says)
{
    assert_int_equal(write_text(checks, name, "new"), DENT_ERROR_FILE);
    print_message("           %s\n", checks_message(checks));
    if (!strstr(checks_message(checks), path) || !strstr(checks_message(checks), says)) {
        fail_msg("'%s' lacks the path or '%s'", checks_message(checks), says);
    }
    assert_int_equal(dent_file_check_target(checks->context, path), DENT_ERROR_FILE);
}

/* ---- temporary names --------------------------------------------------------------------------------------------- */

enum { NUMBER = 0xabc };

static void plant_links(int count)
{
    for (int i = 0; i < count; i++) {
        char name[64];
        snprintf(name, sizeof name, ".dent-%ld-%x.part", (long)getpid(), NUMBER + i);
        assert_int_equal(symlink("victim", in_folder(name)), 0);
    }
}

static void remove_links(int count)
{
    for (int i = 0; i < count; i++) {
        char name[64];
        struct stat found;
        snprintf(name, sizeof name, ".dent-%ld-%x.part", (long)getpid(), NUMBER + i);
        assert_int_equal(lstat(in_folder(name), &found), 0);
        assert_true(S_ISLNK(found.st_mode)); /* what was planted is not ours to remove */
        unlink(path);
    }
}

static dent_status write_numbered(struct checks *checks, bool named)
{
    struct whole_file file;
    struct whole_file_temporary temporary = {.number = NUMBER, .named = named};
    dent_status status = whole_file_open(&file, checks->context, in_folder("target"), &temporary);
    if (status == DENT_OK) {
        whole_file_put(&file, "new", 3);
        status = whole_file_close(&file);
    }
    return status;
}

static void a_link_planted_at_a_temporary_name_is_not_followed(void **state)
{
    struct checks *checks = *state;
    for (int named = 0; named < 2; named++) {
        put_text("victim", "precious");
        plant_links(3);
        assert_int_equal(write_numbered(checks, named), DENT_OK);
        assert_text("victim", "precious");
        assert_text("target", "new");
        remove_links(3);
        assert_int_equal(files_in_folder(), 2);
        unlink(in_folder("target"));
        unlink(in_folder("victim"));
    }
}

static void when_all_temporary_names_are_taken_the_old_file_stays(void **state)
{
    struct checks *checks = *state;
    for (int named = 0; named < 2; named++) {
        put_text("victim", "precious");
        put_text("target", "old");
        plant_links(WHOLE_FILE_NAME_TRIES);
        assert_int_equal(write_numbered(checks, named), DENT_ERROR_FILE);
        assert_non_null(strstr(checks_message(checks), "File exists"));
        assert_text("victim", "precious");
        assert_text("target", "old");
        remove_links(WHOLE_FILE_NAME_TRIES);
        assert_int_equal(files_in_folder(), 2);
        unlink(in_folder("target"));
        unlink(in_folder("victim"));
    }
}

/* ---- targets ----------------------------------------------------------------------------------------------------- */

static void pipes_sockets_devices_and_links_to_nowhere_are_refused_and_stay(void **state)
{
    struct checks *checks = *state;
    struct stat found;
    assert_int_equal(mkfifo(in_folder("pipe"), 0666), 0);
    assert_target_refused(checks, "pipe", "it is a pipe");
    assert_int_equal(lstat(in_folder("pipe"), &found), 0);
    assert_true(S_ISFIFO(found.st_mode));
    unlink(path);

    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "%.60s/socket", folder);
    int bound = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_int_equal(bind(bound, (struct sockaddr *)&address, sizeof address), 0);
    assert_target_refused(checks, "socket", "it is a socket");
    close(bound);
    assert_int_equal(lstat(in_folder("socket"), &found), 0);
    assert_true(S_ISSOCK(found.st_mode));
    unlink(path);

    assert_int_equal(symlink("/dev/null", in_folder("null")), 0); /* not the device itself: a fault would replace it */
    assert_target_refused(checks, "null", "it is a device");
    unlink(in_folder("null"));

    assert_int_equal(symlink("nowhere", in_folder("link")), 0);
    assert_target_refused(checks, "link", "leads nowhere");
    assert_int_equal(lstat(in_folder("link"), &found), 0);
    assert_true(S_ISLNK(found.st_mode));
    unlink(path);
    assert_int_equal(files_in_folder(), 0);
}

/* As /dev/stdout is when it was redirected to a file. */
static void the_name_of_an_open_file_is_refused(void **state)
{
    struct checks *checks = *state;
    put_text("open", "old");
    int descriptor = open(in_folder("open"), O_WRONLY | O_APPEND);
    char name[64];
    snprintf(name, sizeof name, "/proc/self/fd/%d", descriptor);
    if (access(name, F_OK) != 0) {
        print_message("           SKIPPED: this system has no /proc\n");
    } else {
        dent_file_writer *writer;
        assert_int_equal(dent_file_writer_open(checks->context, name, &writer), DENT_ERROR_FILE);
        print_message("           %s\n", checks_message(checks));
        assert_non_null(strstr(checks_message(checks), "it is the name of an open file"));
        assert_text("open", "old");
    }
    close(descriptor);
    unlink(in_folder("open"));
}

static void a_target_that_becomes_a_pipe_meanwhile_is_not_replaced(void **state)
{
    struct checks *checks = *state;
    dent_file_writer *writer;
    struct stat found;
    assert_int_equal(dent_file_writer_open(checks->context, in_folder("late"), &writer), DENT_OK);
    dent_file_writer_put(writer, "new", 3);
    assert_int_equal(mkfifo(path, 0666), 0);
    assert_int_equal(dent_file_writer_commit(writer), DENT_ERROR_FILE);
    assert_non_null(strstr(checks_message(checks), "it is a pipe"));
    assert_int_equal(lstat(path, &found), 0);
    assert_true(S_ISFIFO(found.st_mode));
    unlink(path);
    assert_int_equal(files_in_folder(), 0);
}

static void a_write_protected_file_is_not_replaced(void **state)
{
    struct checks *checks = *state;
    put_text("kept", "old");
    chmod(path, 0444);
    bool is_root = geteuid() == 0;
    if (is_root && seteuid(65534) != 0) {
        print_message("           SKIPPED: root may write everything\n");
    } else {
        dent_status status = write_text(checks, "kept", "new");
        if (is_root) {
            assert_int_equal(seteuid(0), 0);
        }
        assert_int_equal(status, DENT_ERROR_FILE);
        assert_non_null(strstr(checks_message(checks), "Permission denied"));
        assert_text("kept", "old");
    }
    unlink(in_folder("kept"));
}

/* ---- ends -------------------------------------------------------------------------------------------------------- */

static void a_discarded_and_a_checked_file_leave_no_trace(void **state)
{
    struct checks *checks = *state;
    dent_file_writer *writer;
    put_text("file", "old");
    assert_int_equal(dent_file_writer_open(checks->context, in_folder("file"), &writer), DENT_OK);
    dent_file_writer_put(writer, "new", 3);
    dent_file_writer_discard(writer);
    dent_file_writer_discard(NULL);
    assert_int_equal(dent_file_check_target(checks->context, path), DENT_OK);
    assert_text("file", "old");
    struct whole_file file;
    assert_int_equal(whole_file_open(&file, checks->context, path, &(struct whole_file_temporary){.named = true}),
                     DENT_OK);
    assert_int_equal(files_in_folder(), 2);
    whole_file_discard(&file);
    assert_int_equal(files_in_folder(), 1);
    unlink(in_folder("file"));
}

static void a_full_disk_at_any_byte_leaves_the_old_file_and_no_trace(void **state)
{
    struct checks *checks = *state;
    enum { SIZE = 200000 };
    static char bytes[SIZE];
    struct rlimit before, limit;
    put_text("file", "old");
    getrlimit(RLIMIT_FSIZE, &before);
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    for (size_t most = 0; most < SIZE; most += 9999) {
        for (int named = 0; named < 2; named++) {
            struct whole_file file;
            struct whole_file_temporary temporary = {.number = NUMBER, .named = named};
            assert_int_equal(whole_file_open(&file, checks->context, in_folder("file"), &temporary), DENT_OK);
            limit = before;
            limit.rlim_cur = most;
            setrlimit(RLIMIT_FSIZE, &limit);
            whole_file_put(&file, bytes, SIZE);
            dent_status status = whole_file_close(&file);
            setrlimit(RLIMIT_FSIZE, &before);
            assert_int_equal(status, DENT_ERROR_FILE);
            assert_non_null(strstr(checks_message(checks), "cannot be written: File too large"));
            assert_int_equal(files_in_folder(), 1);
            assert_text("file", "old");
        }
    }
    signal(SIGXFSZ, handler);
    unlink(in_folder("file"));
}

static void a_killed_program_leaves_nothing_behind(void **state)
{
    struct checks *checks = *state;
    int ready[2];
    struct whole_file probe;
    assert_int_equal(whole_file_open(&probe, checks->context, in_folder("probe"), NULL), DENT_OK);
    bool nameless = files_in_folder() == 0;
    whole_file_discard(&probe);
    if (!nameless) {
        print_message("           SKIPPED: files of this system have names from the beginning\n");
        skip();
    }
    put_text("file", "old");
    assert_int_equal(pipe(ready), 0);
    pid_t child = fork();
    if (child == 0) {
        static char bytes[300000];
        dent_file_writer *writer;
        bool opened = dent_file_writer_open(checks->context, in_folder("file"), &writer) == DENT_OK;
        if (opened) {
            dent_file_writer_put(writer, bytes, sizeof bytes);
        }
        (void)!write(ready[1], opened ? "y" : "n", 1);
        for (;;) {
            pause();
        }
    }
    char answer = 0;
    assert_int_equal(read(ready[0], &answer, 1), 1);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    close(ready[0]);
    close(ready[1]);
    assert_int_equal(answer, 'y');
    assert_int_equal(files_in_folder(), 1);
    assert_text("file", "old");
    unlink(in_folder("file"));
}

static void every_allocation_may_fail(void **state)
{
    struct checks *checks = *state;
    for (uint64_t n = 1;; n++) {
        checks->memory.requests = 0;
        checks->memory.fail_at = n;
        dent_status status = write_text(checks, "file", "new");
        checks->memory.fail_at = 0;
        if (status == DENT_OK) {
            assert_true(n > 2);
            break;
        }
        assert_int_equal(status, DENT_ERROR_OUT_OF_MEMORY);
        assert_int_equal(files_in_folder(), 0);
    }
    unlink(in_folder("file"));
}

/* ---- two writers ------------------------------------------------------------------------------------------------- */

enum { CONTENT = 150000 };

/* Writes files of one letter until it is ended. */
static pid_t start_writer(struct checks *checks, char letter)
{
    pid_t child = fork();
    if (child == 0) {
        static char bytes[CONTENT];
        memset(bytes, letter, sizeof bytes);
        dent_file_writer *writer;
        while (dent_file_writer_open(checks->context, in_folder("shared"), &writer) == DENT_OK) {
            for (size_t at = 0; at < CONTENT; at += 1000) {
                dent_file_writer_put(writer, bytes + at, 1000);
            }
            if (dent_file_writer_commit(writer) != DENT_OK) {
                break;
            }
        }
        _exit(1);
    }
    assert_true(child > 0);
    return child;
}

static bool is_whole(const char *bytes, size_t size)
{
    for (size_t i = 1; i < size; i++) {
        if (bytes[i] != bytes[0]) {
            return false;
        }
    }
    return size == CONTENT;
}

static void of_two_writers_one_wins_whole_at_every_moment(void **state)
{
    struct checks *checks = *state;
    int reads = getenv("DENT_LONG_TESTS") ? 10000 : getenv("DENT_QUICK_TESTS") ? 200 : 1500;
    static char bytes[CONTENT + 1];
    int damaged = 0, changes = 0;
    char last = 0;
    put_text("shared", "");
    pid_t writers[2] = {start_writer(checks, 'a'), start_writer(checks, 'b')};
    for (struct stat found; stat(in_folder("shared"), &found) == 0 && found.st_size == 0;) {
        usleep(1000);
    }
    for (int i = 0; i < reads; i++) {
        FILE *file = fopen(in_folder("shared"), "rb");
        assert_non_null(file);
        size_t size = fread(bytes, 1, sizeof bytes, file);
        fclose(file);
        damaged += !is_whole(bytes, size);
        changes += bytes[0] != last;
        last = bytes[0];
    }
    bool at_work = true; /* to the end: none of them failed */
    for (int i = 0; i < 2; i++) {
        at_work = waitpid(writers[i], NULL, WNOHANG) == 0 && at_work;
        kill(writers[i], SIGKILL);
        waitpid(writers[i], NULL, 0);
    }
    print_message("           %d reads beside two writers: %d damaged, the other's file %d times\n", reads, damaged,
                  changes);
    assert_int_equal(damaged, 0);
    assert_true(at_work);
    unlink(in_folder("shared"));
    /* Killed between naming and renaming: the only moment when something can be left. */
    DIR *directory = opendir(folder);
    int left = 0;
    for (struct dirent *entry = readdir(directory); entry; entry = readdir(directory)) {
        if (strncmp(entry->d_name, ".dent-", 6) == 0) {
            left++;
            unlink(in_folder(entry->d_name));
        }
    }
    closedir(directory);
    assert_true(left <= 2);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, folder_setup, folder_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(a_link_planted_at_a_temporary_name_is_not_followed),
        IN_FOLDER(when_all_temporary_names_are_taken_the_old_file_stays),
        IN_FOLDER(pipes_sockets_devices_and_links_to_nowhere_are_refused_and_stay),
        IN_FOLDER(the_name_of_an_open_file_is_refused),
        IN_FOLDER(a_target_that_becomes_a_pipe_meanwhile_is_not_replaced),
        IN_FOLDER(a_write_protected_file_is_not_replaced),
        IN_FOLDER(a_discarded_and_a_checked_file_leave_no_trace),
        IN_FOLDER(a_full_disk_at_any_byte_leaves_the_old_file_and_no_trace),
        IN_FOLDER(a_killed_program_leaves_nothing_behind),
        IN_FOLDER(every_allocation_may_fail),
        IN_FOLDER(of_two_writers_one_wins_whole_at_every_moment),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
