/* Checkpoints: the whole state in one file.
 *
 *   8 bytes   "DENTSIM" and a zero byte
 *   4         version of this layout, 4
 *   4         0x01020304
 *   8         fingerprint of the def
 *   8 8 8     sizes in bytes of the note, of the fixed parts, and of the records of contacts together
 *   8 8 8     numbers of contact forces, of springs and of memory records
 *   ...       the note, the parts of sim_state.c, the forces, the springs, the memory
 *   8         FNV-1a 64 over all bytes before
 *
 * All numbers are little endian on every machine. Files that an older dent wrote on a big-endian one are not read.
 *
 * Written by dent_file_writer: whatever happens, and whoever else writes, at every moment there is a complete file
 * under the name. Read whole and checked whole before anything is changed. */
#define _POSIX_C_SOURCE 200809L

#include "sim/model/byte_order.h"
#include "sim_step.h"

#include <dent/file_output.h>

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CHECKPOINT_VERSION = 4, BYTE_ORDER = 0x01020304 };

struct checkpoint_header {
    char magic[8];
    uint32_t version, byte_order;
    uint64_t fingerprint, note_size, parts_size, contact_size, force_count, spring_count, memory_count;
};

#define HEADER_LAYOUT "11111111448888888"
_Static_assert(sizeof(struct checkpoint_header) == 72, "HEADER_LAYOUT names every byte");

static const char magic_text[8] = "DENTSIM";
#define HASH_START UINT64_C(0xcbf29ce484222325)

/* ---- writing ----------------------------------------------------------------------------------------------------- */

struct checkpoint_writer {
    dent_file_writer *file;
    uint64_t hash;
};

static void put(void *pointer, const void *bytes, size_t size)
{
    struct checkpoint_writer *writer = pointer;
    if (size > 0) {
        dent_file_writer_put(writer->file, bytes, size);
        writer->hash = sim_hash_bytes(writer->hash, bytes, size);
    }
}

static void put_state(struct checkpoint_writer *writer, const struct sim_model *model, struct sim_state *state,
                      const void *note, size_t note_size)
{
    struct state_part parts[STATE_PART_COUNT];
    struct checkpoint_header header = {.version = CHECKPOINT_VERSION,
                                       .byte_order = BYTE_ORDER,
                                       .fingerprint = model->fingerprint,
                                       .note_size = note_size,
                                       .force_count = state->force_count,
                                       .spring_count = state->spring_count,
                                       .memory_count = state->memory_count};
    memcpy(header.magic, magic_text, sizeof header.magic);
    header.parts_size = state_parts(model, state, parts);
    size_t forces = (size_t)state->force_count * sizeof *state->forces;
    size_t memory = (size_t)state->memory_count * sizeof *state->memory;
    size_t springs = (size_t)state->spring_count * sizeof *state->springs;
    header.contact_size = forces + springs + memory;
    byte_order_pass(&header, sizeof header, HEADER_LAYOUT, put, writer);
    put(writer, note, note_size);
    for (uint32_t n = 0; n < STATE_PART_COUNT; n++) {
        byte_order_pass(parts[n].bytes, parts[n].size, parts[n].layout, put, writer);
    }
    byte_order_pass(state->forces, forces, STATE_FORCE_LAYOUT, put, writer);
    byte_order_pass(state->springs, springs, STATE_SPRING_LAYOUT, put, writer);
    byte_order_pass(state->memory, memory, STATE_MEMORY_LAYOUT, put, writer);
    uint64_t hash = writer->hash;
    byte_order_pass(&hash, sizeof hash, "8", put, writer);
}

dent_status dent_sim_save(dent_sim *sim, const char *path, const void *note, size_t note_size)
{
    DENT_REQUIRE(NULL, sim);
    DENT_REQUIRE(sim->model.context, path);
    DENT_REQUIRE_ARRAY(sim->model.context, note_size, note);
    if (!path || !path[0] || (note_size > 0 && !note)) {
        return dent_fail(sim->model.context, DENT_ERROR_INVALID_ARGUMENT,
                         "a checkpoint needs a path, and a note its bytes");
    }
    struct checkpoint_writer writer = {.hash = HASH_START};
    dent_status status = dent_file_writer_open(sim->model.context, path, &writer.file);
    if (status != DENT_OK) {
        return status;
    }
    put_state(&writer, &sim->model, &sim->state, note, note_size);
    return dent_file_writer_commit(writer.file);
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

struct checkpoint_content {
    unsigned char *bytes;
    size_t size;
    struct checkpoint_header header;
};

static void release_content(dent_context *context, struct checkpoint_content *content)
{
    dent_release(context, content->bytes, content->size, 1);
}

static dent_status cannot_read(dent_context *context, const char *path)
{
    return dent_fail(context, DENT_ERROR_FILE, "%s: cannot be read: %s", path, strerror(errno));
}

static dent_status read_open_file(dent_context *context, const char *path, int descriptor,
                                  struct checkpoint_content *content)
{
    struct stat facts;
    if (fstat(descriptor, &facts) != 0) {
        return cannot_read(context, path);
    }
    if (!S_ISREG(facts.st_mode)) {
        return dent_fail(context, DENT_ERROR_FILE, "%s: is a %s, not a checkpoint", path,
                         S_ISDIR(facts.st_mode) ? "directory" : "device or a pipe");
    }
    if ((uint64_t)facts.st_size < sizeof content->header + sizeof(uint64_t) || (uint64_t)facts.st_size > SIZE_MAX / 4) {
        return dent_fail(context, DENT_ERROR_FORMAT, "%s: not a checkpoint of dent, it has %lld bytes", path,
                         (long long)facts.st_size);
    }
    content->bytes = dent_allocate(context, (size_t)facts.st_size, 1);
    if (!content->bytes) {
        return dent_fail(context, DENT_ERROR_OUT_OF_MEMORY, "%s: no memory to read it", path);
    }
    content->size = (size_t)facts.st_size;
    for (size_t done = 0; done < content->size;) {
        ssize_t got = read(descriptor, content->bytes + done, content->size - done);
        if (got == 0 || (got < 0 && errno != EINTR)) {
            errno = got == 0 ? EIO : errno; /* it has become shorter */
            return cannot_read(context, path);
        }
        done += got > 0 ? (size_t)got : 0;
    }
    return DENT_OK;
}

/* Without waiting: a pipe is refused, not waited for. */
static dent_status read_bytes(dent_context *context, const char *path, struct checkpoint_content *content)
{
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0) {
        return dent_fail(context, DENT_ERROR_FILE, "%s: %s", path, strerror(errno));
    }
    dent_status status = read_open_file(context, path, descriptor, content);
    close(descriptor);
    return status;
}

static dent_status check_content(dent_context *context, const char *path, struct checkpoint_content *content)
{
    struct checkpoint_header *header = &content->header;
    memcpy(header, content->bytes, sizeof *header);
    byte_order_exchange(header, sizeof *header, HEADER_LAYOUT);
    if (memcmp(header->magic, magic_text, sizeof header->magic) != 0) {
        return dent_fail(context, DENT_ERROR_FORMAT, "%s: not a checkpoint of dent", path);
    }
    if (header->byte_order != BYTE_ORDER) {
        return dent_fail(context, DENT_ERROR_FORMAT, "%s: written on a machine of another byte order", path);
    }
    if (header->version != CHECKPOINT_VERSION) {
        return dent_fail(context, DENT_ERROR_FORMAT, "%s: checkpoint of version %u, this dent reads version %d", path,
                         header->version, CHECKPOINT_VERSION);
    }
    uint64_t room = content->size - sizeof *header - sizeof(uint64_t);
    if (header->note_size > room || header->parts_size > room - header->note_size ||
        header->contact_size != room - header->note_size - header->parts_size) {
        return dent_fail(context, DENT_ERROR_FORMAT, "%s: truncated, or longer than it says (%zu bytes)", path,
                         content->size);
    }
    uint64_t stored, hash = sim_hash_bytes(HASH_START, content->bytes, content->size - sizeof stored);
    memcpy(&stored, content->bytes + content->size - sizeof stored, sizeof stored);
    byte_order_exchange(&stored, sizeof stored, "8");
    if (stored != hash) {
        return dent_fail(context, DENT_ERROR_FORMAT, "%s: damaged, its checksum is %016llx instead of %016llx", path,
                         (unsigned long long)stored, (unsigned long long)hash);
    }
    return DENT_OK;
}

static dent_status read_checkpoint(dent_context *context, const char *path, struct checkpoint_content *content)
{
    *content = (struct checkpoint_content){0};
    if (!path || !path[0]) {
        return dent_fail(context, DENT_ERROR_INVALID_ARGUMENT, "a checkpoint needs a path");
    }
    dent_status status = read_bytes(context, path, content);
    return status == DENT_OK ? check_content(context, path, content) : status;
}

/* Into a state beside the present one: from there it takes its place in one move that cannot fail. */
static dent_status take_content(const struct sim_model *model, struct sim_state *state, const char *path,
                                const struct checkpoint_content *content)
{
    const struct checkpoint_header *header = &content->header;
    struct state_part parts[STATE_PART_COUNT];
    size_t expected = state_parts(model, state, parts);
    if (header->fingerprint != model->fingerprint || header->parts_size != expected) {
        return dent_fail(model->context, DENT_ERROR_FORMAT,
                         "%s: a checkpoint of another simulation (bodies, materials or settings differ)", path);
    }
    uint64_t records = header->contact_size / sizeof *state->memory;
    if (header->force_count > records || header->spring_count > records || header->memory_count > records ||
        header->contact_size != header->force_count * sizeof *state->forces +
                                    header->spring_count * sizeof *state->springs +
                                    header->memory_count * sizeof *state->memory) {
        return dent_fail(model->context, DENT_ERROR_FORMAT, "%s: its contact records do not add up", path);
    }
    dent_status status = sim_reserve(model->context, (void **)&state->forces, &state->force_capacity,
                                     header->force_count, sizeof *state->forces);
    if (status == DENT_OK) {
        status = sim_reserve(model->context, (void **)&state->springs, &state->spring_capacity, header->spring_count,
                             sizeof *state->springs);
    }
    if (status == DENT_OK) {
        status = sim_reserve(model->context, (void **)&state->memory, &state->memory_capacity, header->memory_count,
                             sizeof *state->memory);
    }
    if (status != DENT_OK) {
        return status;
    }
    const unsigned char *at = content->bytes + sizeof *header + header->note_size;
    for (uint32_t n = 0; n < STATE_PART_COUNT; n++) {
        if (parts[n].size > 0) {
            memcpy(parts[n].bytes, at, parts[n].size);
            byte_order_exchange(parts[n].bytes, parts[n].size, parts[n].layout);
        }
        at += parts[n].size;
    }
    size_t forces = (size_t)header->force_count * sizeof *state->forces;
    size_t springs = (size_t)header->spring_count * sizeof *state->springs;
    size_t memory = (size_t)header->memory_count * sizeof *state->memory;
    if (forces > 0) {
        memcpy(state->forces, at, forces);
        byte_order_exchange(state->forces, forces, STATE_FORCE_LAYOUT);
    }
    if (springs > 0) {
        memcpy(state->springs, at + forces, springs);
        byte_order_exchange(state->springs, springs, STATE_SPRING_LAYOUT);
    }
    if (memory > 0) {
        memcpy(state->memory, at + forces + springs, memory);
        byte_order_exchange(state->memory, memory, STATE_MEMORY_LAYOUT);
    }
    state->force_count = header->force_count;
    state->spring_count = header->spring_count;
    state->memory_count = header->memory_count;
    bool sound = state->grab_count <= SIM_MOST_GRABS;
    for (uint32_t n = 0; sound && n < state->grab_count; n++) {
        sound = state->grabs[n].body < model->body_count &&
                state->grabs[n].vertex < model->bodies[state->grabs[n].body].vertex_count;
    }
    return sound ? DENT_OK : dent_fail(model->context, DENT_ERROR_FORMAT, "%s: holds vertices that do not exist", path);
}

dent_status dent_sim_load(dent_sim *sim, const char *path)
{
    DENT_REQUIRE(NULL, sim);
    DENT_REQUIRE(sim->model.context, path);
    struct checkpoint_content content;
    dent_status status = read_checkpoint(sim->model.context, path, &content);
    if (status == DENT_OK) {
        status = take_content(&sim->model, &sim->work.backup, path, &content);
    }
    if (status == DENT_OK) {
        sim_undo(sim);
        sim->work.report.statistics = sim_no_statistics();
    }
    release_content(sim->model.context, &content);
    return status;
}

dent_status dent_sim_read_note(dent_context *context, const char *path, void *buffer, size_t buffer_size,
                               size_t *note_size)
{
    DENT_REQUIRE(context, context);
    DENT_REQUIRE(context, path);
    DENT_REQUIRE_ARRAY(context, buffer_size, buffer);
    DENT_REQUIRE(context, note_size);
    struct checkpoint_content content;
    dent_status status = read_checkpoint(context, path, &content);
    if (status == DENT_OK) {
        size_t size = (size_t)content.header.note_size;
        size_t copied = size < buffer_size ? size : buffer_size;
        if (copied > 0) {
            memcpy(buffer, content.bytes + sizeof content.header, copied);
        }
        *note_size = size;
    }
    release_content(context, &content);
    return status;
}
