/* Checkpoints as files: two programs that write one path, what is planted in the way, targets that are no files, full
 * disks; and files with a right checksum whose sizes, counts or grabs are wrong. DENT_LONG_TESTS reads 10,000 times
 * beside two writers. */
#define _GNU_SOURCE
#include "support/cmocka_includes.h"

#include "sim/model/byte_order.h"
#include "sim/step/sim_step.h"
#include "support/scratch_folder.h"
#include "support_meshes.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static int folder_setup(void **state)
{
    (void)state;
    return folder_open("checkpoint-files");
}

static int folder_teardown(void **state)
{
    (void)state;
    return folder_close();
}

/* A soft block that falls on a plate from a given height. */
struct stage {
    struct test_mesh block, plate;
    dent_context *context;
    dent_sim_body_def bodies[2];
    dent_sim_def def;
    dent_sim *sim;
};

static void stage_open(struct stage *stage, double height)
{
    memset(stage, 0, sizeof *stage);
    stage->block = test_block(3, 3, 3, 0.05, 0, 0, height);
    stage->plate = test_sheet(2, 2, 0.3, -0.2, -0.2, 0);
    stage->context = test_context(1, DENT_ISA_AUTO);
    stage->bodies[0] = test_body(DENT_SIM_SOLID, &stage->block);
    stage->bodies[1] = test_body(DENT_SIM_PRESCRIBED, &stage->plate);
    stage->def = dent_sim_def_default();
    stage->def.body_count = 2;
    stage->def.bodies = stage->bodies;
    stage->sim = test_sim(stage->context, &stage->def);
}

static void stage_close(struct stage *stage)
{
    dent_sim_destroy(stage->sim);
    dent_context_destroy(stage->context);
    test_mesh_free(&stage->block);
    test_mesh_free(&stage->plate);
}

static const char *message_of(struct stage *stage)
{
    static char message[1024];
    dent_context_message(stage->context, message, sizeof message);
    return message;
}

/* ---- two writers ------------------------------------------------------------------------------------------------- */

static pid_t start_writer(dent_sim *sim, const char *note)
{
    pid_t child = fork();
    if (child == 0) {
        while (dent_sim_save(sim, in_folder("shared"), note, strlen(note)) == DENT_OK) {
        }
        _exit(1);
    }
    assert_true(child > 0);
    return child;
}

static void a_read_beside_two_writers_is_always_one_of_theirs_and_whole(void **state)
{
    (void)state;
    int reads = getenv("DENT_LONG_TESTS") ? 10000 : getenv("DENT_QUICK_TESTS") ? 200 : 1500;
    struct stage one, other, reader;
    stage_open(&one, 0.02);
    stage_open(&other, 0.02);
    stage_open(&reader, 0.02);
    test_steps(one.sim, 3);
    test_steps(other.sim, 9);
    assert_int_equal(dent_sim_save(one.sim, in_folder("shared"), "one", 3), DENT_OK);
    pid_t writers[2] = {start_writer(one.sim, "one"), start_writer(other.sim, "the other one")};
    int damaged = 0, of_one = 0;
    for (int i = 0; i < reads; i++) {
        dent_status status = dent_sim_load(reader.sim, in_folder("shared"));
        uint64_t hash = status == DENT_OK ? dent_sim_hash(reader.sim) : 0;
        bool is_one = hash == dent_sim_hash(one.sim);
        damaged += status != DENT_OK || !(is_one || hash == dent_sim_hash(other.sim));
        of_one += is_one;
    }
    bool at_work = true; /* to the end: none of them failed */
    for (int i = 0; i < 2; i++) {
        at_work = waitpid(writers[i], NULL, WNOHANG) == 0 && at_work;
        kill(writers[i], SIGKILL);
        waitpid(writers[i], NULL, 0);
    }
    print_message("           %d reads beside two writers: %d damaged, %d of one and %d of the other\n", reads, damaged,
                  of_one, reads - of_one);
    assert_int_equal(damaged, 0);
    assert_true(at_work);
    char command[160]; /* killed between naming and renaming: the only moment when something can be left */
    snprintf(command, sizeof command, "rm -f %s/shared %s/.dent-*.part", folder, folder);
    assert_int_equal(system(command), 0);
    stage_close(&one);
    stage_close(&other);
    stage_close(&reader);
}

/* ---- targets ----------------------------------------------------------------------------------------------------- */

static void a_link_planted_beside_a_checkpoint_is_not_followed(void **state)
{
    (void)state;
    static const char *const names[] = {"run.partial", "run.part", "run.tmp", "run~"};
    struct stage stage;
    char found[16] = "";
    stage_open(&stage, 0.02);
    FILE *file = fopen(in_folder("victim"), "wb");
    fputs("precious", file);
    fclose(file);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        assert_int_equal(symlink("victim", in_folder(names[i])), 0);
    }
    assert_int_equal(dent_sim_save(stage.sim, in_folder("run"), NULL, 0), DENT_OK);
    assert_int_equal(dent_sim_load(stage.sim, path), DENT_OK);
    file = fopen(in_folder("victim"), "rb");
    assert_non_null(fgets(found, sizeof found, file));
    fclose(file);
    assert_string_equal(found, "precious");
    assert_int_equal(files_in_folder(), 6);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        assert_int_equal(unlink(in_folder(names[i])), 0);
    }
    unlink(in_folder("victim"));
    unlink(in_folder("run"));
    stage_close(&stage);
}

static void a_link_to_a_checkpoint_stays_a_link(void **state)
{
    (void)state;
    struct stage stage;
    struct stat found;
    stage_open(&stage, 0.02);
    assert_int_equal(dent_sim_save(stage.sim, in_folder("real"), NULL, 0), DENT_OK);
    assert_int_equal(symlink("real", in_folder("link")), 0);
    test_steps(stage.sim, 2);
    assert_int_equal(dent_sim_save(stage.sim, path, NULL, 0), DENT_OK);
    assert_int_equal(lstat(path, &found), 0);
    assert_true(S_ISLNK(found.st_mode));
    uint64_t hash = dent_sim_hash(stage.sim);
    test_steps(stage.sim, 1);
    assert_int_equal(dent_sim_load(stage.sim, in_folder("real")), DENT_OK);
    assert_true(dent_sim_hash(stage.sim) == hash);
    unlink(path);
    unlink(in_folder("link"));
    stage_close(&stage);
}

static void pipes_and_devices_are_neither_replaced_nor_waited_for(void **state)
{
    (void)state;
    struct stage stage;
    struct stat found;
    char note[8];
    size_t size;
    stage_open(&stage, 0.02);
    assert_int_equal(mkfifo(in_folder("pipe"), 0666), 0);
    alarm(60); /* ends the program, should it wait */
    assert_int_equal(dent_sim_save(stage.sim, path, NULL, 0), DENT_ERROR_FILE);
    assert_non_null(strstr(message_of(&stage), "it is a pipe"));
    assert_int_equal(dent_sim_load(stage.sim, path), DENT_ERROR_FILE);
    assert_non_null(strstr(message_of(&stage), "pipe"));
    assert_int_equal(dent_sim_read_note(stage.context, path, note, sizeof note, &size), DENT_ERROR_FILE);
    alarm(0);
    assert_int_equal(lstat(path, &found), 0);
    assert_true(S_ISFIFO(found.st_mode));
    unlink(path);
    assert_int_equal(symlink("/dev/null", in_folder("null")), 0); /* not the device itself: a fault would replace it */
    assert_int_equal(dent_sim_save(stage.sim, path, NULL, 0), DENT_ERROR_FILE);
    assert_non_null(strstr(message_of(&stage), "it is a device"));
    assert_int_equal(lstat(path, &found), 0);
    assert_true(S_ISLNK(found.st_mode));
    unlink(path);
    assert_int_equal(files_in_folder(), 0);
    stage_close(&stage);
}

static void a_full_disk_leaves_the_old_checkpoint_and_nothing_else(void **state)
{
    (void)state;
    struct stage stage;
    struct rlimit before, limit;
    stage_open(&stage, 0.02);
    assert_int_equal(dent_sim_save(stage.sim, in_folder("run"), NULL, 0), DENT_OK);
    uint64_t hash = dent_sim_hash(stage.sim);
    test_steps(stage.sim, 2);
    getrlimit(RLIMIT_FSIZE, &before);
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    limit = before;
    limit.rlim_cur = 1000;
    setrlimit(RLIMIT_FSIZE, &limit);
    dent_status status = dent_sim_save(stage.sim, path, NULL, 0);
    setrlimit(RLIMIT_FSIZE, &before);
    signal(SIGXFSZ, handler);
    assert_int_equal(status, DENT_ERROR_FILE);
    assert_non_null(strstr(message_of(&stage), "cannot be written"));
    assert_int_equal(files_in_folder(), 1);
    assert_int_equal(dent_sim_load(stage.sim, path), DENT_OK);
    assert_true(dent_sim_hash(stage.sim) == hash);
    unlink(path);
    stage_close(&stage);
}

/* ---- forged files ------------------------------------------------------------------------------------------------ */

/* Places in the file, as checkpoint.c describes it; numbers are little endian. */
enum { AT_NOTE_SIZE = 24, AT_PARTS_SIZE = 32, AT_CONTACT_SIZE = 40, AT_FORCE_COUNT = 48, AT_CONTENT = 72 };
enum { NOTE = 8, MOST_BYTES = 1 << 20 };

struct forgery {
    struct stage stage;
    size_t size;
    unsigned char true_bytes[MOST_BYTES], bytes[MOST_BYTES + 64];
};

static uint64_t get(const struct forgery *forgery, size_t at, int count)
{
    uint64_t value = 0;
    for (int i = count; i-- > 0;) {
        value = value << 8 | forgery->true_bytes[at + (size_t)i];
    }
    return value;
}

static void put(struct forgery *forgery, size_t at, int count, uint64_t value)
{
    for (int i = 0; i < count; i++) {
        forgery->bytes[at + (size_t)i] = (unsigned char)(value >> 8 * i);
    }
}

static void forgery_open(struct forgery *forgery, double height, uint32_t steps)
{
    stage_open(&forgery->stage, height);
    test_steps(forgery->stage.sim, steps);
    for (uint32_t v = 0; v < SIM_MOST_GRABS; v++) {
        assert_int_equal(dent_sim_grab(forgery->stage.sim, 0, v, (double[3]){0, 0, 1}), DENT_OK);
    }
    assert_int_equal(dent_sim_save(forgery->stage.sim, in_folder("forged"), "the note", NOTE), DENT_OK);
    FILE *file = fopen(path, "rb");
    forgery->size = fread(forgery->true_bytes, 1, MOST_BYTES, file);
    fclose(file);
    memcpy(forgery->bytes, forgery->true_bytes, forgery->size);
}

/* The file as it was changed, `size` bytes of it, with a right checksum: refused with these words, and nothing moved.
 * Then the bytes are the true ones again. */
static void assert_forged_is_refused(struct forgery *forgery, size_t size, const char *says)
{
    dent_sim *sim = forgery->stage.sim;
    uint64_t before = dent_sim_hash(sim);
    put(forgery, size - 8, 8, sim_hash_bytes(UINT64_C(0xcbf29ce484222325), forgery->bytes, size - 8));
    FILE *file = fopen(in_folder("forged"), "wb");
    assert_int_equal(fwrite(forgery->bytes, 1, size, file), size);
    fclose(file);
    dent_status status = dent_sim_load(sim, path);
    if (status != DENT_ERROR_FORMAT || !strstr(message_of(&forgery->stage), says)) {
        fail_msg("'%s' was expected; got %s, '%s'", says, dent_status_name(status), message_of(&forgery->stage));
    }
    assert_true(dent_sim_hash(sim) == before);
    memcpy(forgery->bytes, forgery->true_bytes, forgery->size);
}

static void sizes_that_do_not_fill_the_file_are_refused_though_the_sum_is_right(void **state)
{
    (void)state;
    static struct forgery forgery;
    static const char says[] = "truncated, or longer than it says";
    forgery_open(&forgery, 0.001, 20);
    uint64_t room = forgery.size - AT_CONTENT - 8, forces = get(&forgery, AT_FORCE_COUNT, 8);
    uint64_t parts = get(&forgery, AT_PARTS_SIZE, 8), contacts = get(&forgery, AT_CONTACT_SIZE, 8);
    assert_true(forces > 0 && contacts > 0); /* it lies on the plate */
    const uint64_t absurd[] = {room + 1, UINT64_MAX, UINT64_MAX - parts + 1, UINT64_MAX / 2};
    for (size_t i = 0; i < sizeof absurd / sizeof absurd[0]; i++) {
        put(&forgery, AT_NOTE_SIZE, 8, absurd[i]);
        assert_forged_is_refused(&forgery, forgery.size, says);
        put(&forgery, AT_PARTS_SIZE, 8, absurd[i]);
        assert_forged_is_refused(&forgery, forgery.size, says);
        put(&forgery, AT_CONTACT_SIZE, 8, absurd[i]);
        assert_forged_is_refused(&forgery, forgery.size, says);
    }
    /* One force more, or none at all, and the size right for that; but the file is what it was. */
    put(&forgery, AT_FORCE_COUNT, 8, forces + 1);
    put(&forgery, AT_CONTACT_SIZE, 8, contacts + sizeof(dent_contact_force));
    assert_forged_is_refused(&forgery, forgery.size, says);
    put(&forgery, AT_FORCE_COUNT, 8, 0);
    put(&forgery, AT_CONTACT_SIZE, 8, contacts - forces * sizeof(dent_contact_force));
    assert_forged_is_refused(&forgery, forgery.size, says);
    memset(forgery.bytes + forgery.size - 8, 0, 64);
    assert_forged_is_refused(&forgery, forgery.size + 8, says);
    assert_forged_is_refused(&forgery, forgery.size - 8, says);
    /* Sizes that fill the file, but not with what this simulation is made of. */
    put(&forgery, AT_NOTE_SIZE, 8, NOTE + 8);
    put(&forgery, AT_PARTS_SIZE, 8, parts - 8);
    assert_forged_is_refused(&forgery, forgery.size, "another simulation");
    put(&forgery, AT_FORCE_COUNT, 8, forces - 1);
    assert_forged_is_refused(&forgery, forgery.size, "do not add up");
    put(&forgery, AT_FORCE_COUNT, 8, UINT64_MAX);
    assert_forged_is_refused(&forgery, forgery.size, "do not add up");
    unlink(in_folder("forged"));
    stage_close(&forgery.stage);
}

/* High above the plate, so that there are no contacts: what follows the grabs in memory is zero and looks like one. */
static void grabs_that_hold_nothing_or_are_too_many_are_refused_though_the_sum_is_right(void **state)
{
    (void)state;
    static struct forgery forgery;
    static const char says[] = "holds vertices that do not exist";
    forgery_open(&forgery, 5, 1);
    struct state_part parts[STATE_PART_COUNT];
    dent_sim *sim = forgery.stage.sim;
    size_t at_count = AT_CONTENT + NOTE, at_grabs;
    uint32_t part = 0;
    state_parts(&sim->model, &sim->state, parts);
    for (; parts[part].bytes != &sim->state.grab_count; part++) {
        at_count += parts[part].size;
    }
    assert_ptr_equal(parts[part + 1].bytes, sim->state.grabs);
    at_grabs = at_count + parts[part].size;
    assert_int_equal(get(&forgery, at_count, 4), SIM_MOST_GRABS);
    const uint32_t counts[] = {SIM_MOST_GRABS + 1, SIM_MOST_GRABS + 2, UINT32_MAX};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        put(&forgery, at_count, 4, counts[i]);
        assert_forged_is_refused(&forgery, forgery.size, says);
    }
    for (uint32_t n = 0; n < SIM_MOST_GRABS; n++) {
        size_t at_body = at_grabs + n * sizeof(struct sim_grab) + offsetof(struct sim_grab, body);
        size_t at_vertex = at_grabs + n * sizeof(struct sim_grab) + offsetof(struct sim_grab, vertex);
        put(&forgery, at_body, 4, 2);
        assert_forged_is_refused(&forgery, forgery.size, says);
        put(&forgery, at_vertex, 4, forgery.stage.block.vertex_count);
        assert_forged_is_refused(&forgery, forgery.size, says);
    }
    unlink(in_folder("forged"));
    stage_close(&forgery.stage);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, folder_setup, folder_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(a_read_beside_two_writers_is_always_one_of_theirs_and_whole),
        IN_FOLDER(a_link_planted_beside_a_checkpoint_is_not_followed),
        IN_FOLDER(a_link_to_a_checkpoint_stays_a_link),
        IN_FOLDER(pipes_and_devices_are_neither_replaced_nor_waited_for),
        IN_FOLDER(a_full_disk_leaves_the_old_checkpoint_and_nothing_else),
        IN_FOLDER(sizes_that_do_not_fill_the_file_are_refused_though_the_sum_is_right),
        IN_FOLDER(grabs_that_hold_nothing_or_are_too_many_are_refused_though_the_sum_is_right),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
