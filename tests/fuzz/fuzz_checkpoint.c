/* Fuzzer of checkpoints: a true one is written, then changed as the input says (bytes written over, cut off, put in),
 * its sum put right or not, and loaded. It is refused with a message that names the file, and the simulation is as it
 * was; or it is taken, and the next step works or says what is wrong. No seeds of whole files: they would be of one
 * version. Input: first byte flags, then edits of 6 bytes.
 */
#define _GNU_SOURCE
#include "fuzz_recording.h"

#include <dent/sim.h>

#include <stdlib.h>
#include <string.h>

enum { MOST_BYTES = 1 << 16, EDIT = 6 };

static void require(bool condition)
{
    if (!condition) {
        abort();
    }
}

/* A cube falls on a plate. */
static dent_sim *make_simulation(dent_context *context)
{
    static const uint32_t cells[6][4] = {{0, 1, 3, 7}, {0, 3, 2, 7}, {0, 2, 6, 7},
                                         {0, 6, 4, 7}, {0, 4, 5, 7}, {0, 5, 1, 7}};
    static const uint32_t faces[2][3] = {{0, 1, 2}, {0, 2, 3}};
    static const double plate[4][3] = {{-2, -2, -0.02}, {2, -2, -0.02}, {2, 2, -0.02}, {-2, 2, -0.02}};
    static double cube[8][3];
    for (int i = 0; i < 8; i++) {
        for (int axis = 0; axis < 3; axis++) {
            cube[i][axis] = i >> axis & 1;
        }
    }
    dent_sim_body_def bodies[2] = {dent_sim_body_def_default(DENT_SIM_SOLID),
                                   dent_sim_body_def_default(DENT_SIM_PRESCRIBED)};
    bodies[0].vertex_count = 8;
    bodies[0].element_count = 6;
    bodies[0].element_corners = cells[0];
    bodies[0].positions = cube[0];
    bodies[1].mesh = DENT_BODY_SURFACE;
    bodies[1].vertex_count = 4;
    bodies[1].element_count = 2;
    bodies[1].element_corners = faces[0];
    bodies[1].positions = plate[0];
    dent_sim_def def = dent_sim_def_default();
    def.body_count = 2;
    def.bodies = bodies;
    def.substeps = 2;
    dent_sim *sim = NULL;
    require(dent_sim_create(context, &def, &sim) == DENT_OK);
    return sim;
}

/* The bytes of a checkpoint after some steps. */
static size_t write_checkpoint(dent_sim *sim, uint8_t *bytes)
{
    char path[64];
    snprintf(path, sizeof path, "/tmp/dent-fuzz-checkpoint-%ld", (long)getpid());
    for (int i = 0; i < 12; i++) {
        require(dent_sim_step(sim) == DENT_OK);
    }
    require(dent_sim_save(sim, path, "note", 4) == DENT_OK);
    FILE *file = fopen(path, "rb");
    require(file != NULL);
    size_t size = fread(bytes, 1, MOST_BYTES, file);
    fclose(file);
    unlink(path);
    require(size > 8 && size < MOST_BYTES);
    return size;
}

static size_t edit(uint8_t *bytes, size_t size, const uint8_t *edits, size_t count)
{
    for (size_t i = 0; i + EDIT <= count; i += EDIT) {
        size_t at = ((size_t)edits[i + 1] << 8 | edits[i + 2]) % size;
        switch (edits[i] % 6) {
        case 0:
            size = at > 8 ? at : size; /* cut off */
            break;
        case 1:
            if (size + 8 < MOST_BYTES) {
                memmove(bytes + at + 8, bytes + at, size - at);
                size += 8;
            }
            break;
        case 2:
            at %= 80; /* the header */
            at = at < size ? at : 0;
            /* fall through */
        default:
            for (size_t k = 0; k < 3 && at + k < size; k++) {
                bytes[at + k] = edits[i + 3 + k];
            }
            break;
        }
    }
    return size;
}

/* FNV-1a 64 over all but the last eight bytes, which hold it. */
static void put_sum_right(uint8_t *bytes, size_t size)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i + 8 < size; i++) {
        hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
    }
    memcpy(bytes + size - 8, &hash, sizeof hash);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static dent_context *context;
    static dent_sim *sim;
    static uint8_t original[MOST_BYTES], bytes[MOST_BYTES];
    static size_t original_size;
    char path[MEMORY_PATH_SIZE], message[1024], note[64];
    if (context == NULL) {
        dent_context_def def = fuzz_context_def();
        context = dent_context_create(&def, NULL);
        sim = make_simulation(context);
        original_size = write_checkpoint(sim, original);
    }
    if (size == 0) {
        return 0;
    }
    memcpy(bytes, original, original_size);
    size_t count = edit(bytes, original_size, data + 1, size - 1);
    if (data[0] & 1 && count >= 8) {
        put_sum_right(bytes, count);
    }
    int file = file_in_memory(bytes, count, path);
    uint64_t before = dent_sim_hash(sim);
    size_t note_size;
    dent_sim_read_note(context, path, note, sizeof note, &note_size);
    if (dent_sim_load(sim, path) == DENT_OK) {
        if (data[0] & 2) {
            dent_sim_step(sim);
        }
    } else {
        require(dent_sim_hash(sim) == before && dent_context_message(context, message, sizeof message) > 0);
        require(strncmp(message, path, strlen(path)) == 0);
    }
    close(file);
    return 0;
}
