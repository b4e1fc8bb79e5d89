/* A file appears under its name only when complete: full disk, missing and unwritable folders, directories and devices
 * in the way leave what was there, no temporary file, and a message with path and reason. */
#include "mesh_file_checks.h"
#include "support/scratch_folder.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum { VERTICES = 20000 };
static double positions[3 * VERTICES];
static const uint32_t triangle[3] = {0, 1, 2};
static dent_mesh_view large_surface(void)
{
    return (dent_mesh_view){.kind = DENT_BODY_SURFACE,
                            .vertex_count = VERTICES,
                            .positions = positions,
                            .element_count = 1,
                            .element_corners = triangle};
}

static int folder_setup(void **state)
{
    return folder_open("write-files") == 0 ? checks_setup(state) : -1;
}

static int folder_teardown(void **state)
{
    int result = checks_teardown(state);
    return folder_close() == 0 ? result : -1;
}

static void assert_file_error(struct checks *checks, dent_status status, const char *says)
{
    const char *message = checks_message(checks);
    print_message("           %s\n", message);
    assert_int_equal(status, DENT_ERROR_FILE);
    if (!strstr(message, path) || !strstr(message, says)) {
        fail_msg("'%s' lacks the path or '%s'", message, says);
    }
}

static void write_old_file(const char *text)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void assert_old_file_is_there(const char *text)
{
    char found[64] = "";
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_non_null(fgets(found, sizeof found, file));
    fclose(file);
    assert_string_equal(found, text);
}

/* A limit on the size of files fails writes as a full disk does, on every machine and for every user. */
static void a_write_that_fails_half_way_leaves_the_old_file_and_nothing_else(void **state)
{
    struct checks *checks = *state;
    static const char *const names[] = {"a.obj", "a.mesh", "a.vtu", "a.vtp"};
    dent_mesh_view view = large_surface();
    struct rlimit before, limit;
    getrlimit(RLIMIT_FSIZE, &before);
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        in_folder(names[i]);
        write_old_file("old");
        limit = before;
        limit.rlim_cur = 100000;
        setrlimit(RLIMIT_FSIZE, &limit);
        dent_status status = dent_mesh_write(checks->context, path, &view);
        setrlimit(RLIMIT_FSIZE, &before);
        assert_file_error(checks, status, "cannot be written: ");
        assert_int_equal(files_in_folder(), 1);
        assert_old_file_is_there("old");
        unlink(path);
    }
    signal(SIGXFSZ, handler);
}

/* A real full disk where one can be had: a small file system in memory, for root only. */
static void a_full_disk_is_a_file_error_with_its_reason(void **state)
{
    struct checks *checks = *state;
    char command[256];
    snprintf(command, sizeof command, "mount -t tmpfs -o size=64k none %s 2>/dev/null", folder);
    if (geteuid() != 0 || system(command) != 0) {
        print_message("           SKIPPED: only root can mount a small file system here\n");
        skip();
    }
    dent_mesh_view view = large_surface();
    dent_status status = dent_mesh_write(checks->context, in_folder("a.vtu"), &view);
    int files = files_in_folder();
    snprintf(command, sizeof command, "umount %s", folder);
    int unmounted = system(command);
    assert_int_equal(unmounted, 0);
    assert_file_error(checks, status, "No space left on device");
    assert_int_equal(files, 0);
}

static void a_missing_folder_is_a_file_error(void **state)
{
    struct checks *checks = *state;
    dent_mesh_view view = large_surface();
    assert_file_error(checks, dent_mesh_write(checks->context, in_folder("missing/a.vtu"), &view),
                      "No such file or directory");
}

static void a_folder_without_permission_is_a_file_error(void **state)
{
    struct checks *checks = *state;
    dent_mesh_view view = large_surface();
    chmod(folder, 0555);
    bool is_root = geteuid() == 0;
    if (is_root && seteuid(65534) != 0) {
        chmod(folder, 0755);
        print_message("           SKIPPED: root may write everywhere\n");
        skip();
    }
    dent_status status = dent_mesh_write(checks->context, in_folder("a.vtu"), &view);
    if (is_root) {
        assert_int_equal(seteuid(0), 0);
    }
    chmod(folder, 0755);
    assert_file_error(checks, status, "Permission denied");
    assert_int_equal(files_in_folder(), 0);
}

static void a_file_where_a_folder_should_be_is_a_file_error(void **state)
{
    struct checks *checks = *state;
    dent_mesh_view view = large_surface();
    in_folder("a");
    write_old_file("old");
    assert_file_error(checks, dent_mesh_write(checks->context, in_folder("a/b.vtu"), &view), "Not a directory");
    unlink(in_folder("a"));
}

/* A pipe stands for devices: a test that could replace /dev/null would be a bad test. */
static void directories_and_pipes_are_not_replaced(void **state)
{
    struct checks *checks = *state;
    dent_mesh_view view = large_surface();
    in_folder("a.vtu");
    assert_int_equal(mkdir(path, 0777), 0);
    assert_file_error(checks, dent_mesh_write(checks->context, path, &view), "it is a directory");
    rmdir(path);
    in_folder("pipe");
    assert_int_equal(mkfifo(path, 0666), 0);
    in_folder("a.vtu");
    assert_int_equal(symlink("pipe", path), 0);
    assert_file_error(checks, dent_mesh_write(checks->context, path, &view), "not a regular file");
    unlink(path);
    struct stat found;
    assert_int_equal(lstat(in_folder("pipe"), &found), 0);
    assert_true(S_ISFIFO(found.st_mode));
    unlink(path);
}

static void a_link_stays_a_link_and_permissions_stay(void **state)
{
    struct checks *checks = *state;
    dent_mesh_view view = large_surface();
    in_folder("real.obj");
    write_old_file("old");
    assert_int_equal(chmod(path, 0640), 0);
    in_folder("link.obj");
    assert_int_equal(symlink("real.obj", path), 0);
    assert_int_equal(dent_mesh_write(checks->context, path, &view), DENT_OK);
    struct stat found;
    assert_int_equal(lstat(path, &found), 0);
    assert_true(S_ISLNK(found.st_mode));
    assert_int_equal(lstat(in_folder("real.obj"), &found), 0);
    assert_true(S_ISREG(found.st_mode));
    assert_int_equal(found.st_mode & 0777, 0640);
    assert_true(found.st_size > 100000);
    assert_int_equal(files_in_folder(), 2);
    unlink(path);
    unlink(in_folder("link.obj"));
}

static void names_as_long_as_the_system_allows_are_written(void **state)
{
    struct checks *checks = *state;
    dent_mesh_view view = large_surface();
    char name[256];
    memset(name, 'n', sizeof name);
    memcpy(name + 251, ".obj", 5);
    char full[400];
    snprintf(full, sizeof full, "%s/%s", folder, name);
    assert_int_equal(dent_mesh_write(checks->context, full, &view), DENT_OK);
    assert_int_equal(unlink(full), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_write_that_fails_half_way_leaves_the_old_file_and_nothing_else, folder_setup,
                                        folder_teardown),
        cmocka_unit_test_setup_teardown(a_full_disk_is_a_file_error_with_its_reason, folder_setup, folder_teardown),
        cmocka_unit_test_setup_teardown(a_missing_folder_is_a_file_error, folder_setup, folder_teardown),
        cmocka_unit_test_setup_teardown(a_folder_without_permission_is_a_file_error, folder_setup, folder_teardown),
        cmocka_unit_test_setup_teardown(a_file_where_a_folder_should_be_is_a_file_error, folder_setup, folder_teardown),
        cmocka_unit_test_setup_teardown(directories_and_pipes_are_not_replaced, folder_setup, folder_teardown),
        cmocka_unit_test_setup_teardown(a_link_stays_a_link_and_permissions_stay, folder_setup, folder_teardown),
        cmocka_unit_test_setup_teardown(names_as_long_as_the_system_allows_are_written, folder_setup, folder_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
