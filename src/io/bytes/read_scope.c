/* A child context whose allocator counts. Blocks come from dent_allocate on the caller's context, which aligns as the
 * child asks, and go back to it; so a block of the child is a block of the caller with the same size. */
#include "read_scope.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define BASE_LIMIT ((uint64_t)256 << 20)
#define TIMES_ON_DISK ((uint64_t)100)

static uint64_t limit_of(const struct read_scope *scope)
{
    if (scope->limit > 0) {
        return scope->limit;
    }
    bool huge = scope->disk_bytes > (UINT64_MAX - BASE_LIMIT) / TIMES_ON_DISK;
    return huge ? UINT64_MAX : BASE_LIMIT + TIMES_ON_DISK * scope->disk_bytes;
}

bool read_scope_room(struct read_scope *scope, uint64_t size)
{
    uint64_t limit = limit_of(scope);
    bool fits = scope->used <= limit && size <= limit - scope->used;
    scope->refused = scope->refused || !fits;
    return fits;
}

/* ---- hooks ------------------------------------------------------------------------------------------------------- */

static void *scope_allocate(void *user, size_t size, size_t alignment)
{
    struct read_scope *scope = user;
    (void)alignment; /* dent_allocate gives the most that is ever asked for */
    void *block = read_scope_room(scope, size) ? dent_allocate(scope->caller, size, 1) : NULL;
    scope->used += block ? size : 0;
    return block;
}

static void scope_release(void *user, void *block, size_t size)
{
    struct read_scope *scope = user;
    scope->used -= size < scope->used ? size : scope->used; /* a block may be older than the scope's account */
    dent_release(scope->caller, block, size, 1);
}

static void scope_log(void *user, dent_log_level level, const char *text)
{
    const struct read_scope *scope = user;
    dent_log_line(scope->caller, level, "%s", text);
}

/* ---- opening and closing ----------------------------------------------------------------------------------------- */

dent_status read_scope_open(struct read_scope *scope, dent_context *caller, const char *name, uint64_t limit)
{
    *scope = (struct read_scope){
        .caller = caller, .name = name, .limit = limit > 0 ? limit : dent_context_reading_limit(caller)};
    dent_context_def def = dent_context_def_default();
    def.allocator = (dent_allocator){.allocate = scope_allocate, .release = scope_release, .user = scope};
    def.log = (dent_log){.write = scope_log, .user = scope};
    def.thread_count = 1;
    def.isa = dent_context_isa(caller);
    scope->context = dent_context_create(&def, NULL);
    if (scope->context) {
        return DENT_OK;
    }
    dent_fail(caller, DENT_ERROR_OUT_OF_MEMORY, "%s: no memory to read it", name);
    return scope->refused ? read_scope_result(scope, DENT_ERROR_OUT_OF_MEMORY) : DENT_ERROR_OUT_OF_MEMORY;
}

/* "512 MiB", "1.5 GiB", "700 bytes". */
static void size_text(uint64_t bytes, char *text, size_t size)
{
    static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
    double number = (double)bytes;
    int unit = 0;
    for (; number >= 1024 && unit < 4; unit++) {
        number /= 1024;
    }
    snprintf(text, size, number >= 100 || unit == 0 ? "%.0f %s" : "%.3g %s", number, units[unit]);
}

static dent_status refuse(const struct read_scope *scope)
{
    char limit[32], disk[32];
    size_text(limit_of(scope), limit, sizeof limit);
    size_text(scope->disk_bytes, disk, sizeof disk);
    return dent_fail(scope->caller, DENT_ERROR_TOO_LARGE,
                     scope->limit > 0 ? "%s: reading it takes more memory than the limit of %s (%s on disk); "
                                        "--memory-limit (memory_limit of the def) raises it"
                                      : "%s: reading it takes more memory than %s, the limit for %s on disk; "
                                        "--memory-limit (memory_limit of the def) raises it",
                     scope->name, limit, disk);
}

dent_status read_scope_result(struct read_scope *scope, dent_status status)
{
    bool refused = scope->refused;
    scope->refused = false;
    if (status == DENT_ERROR_OUT_OF_MEMORY && refused) {
        return refuse(scope);
    }
    if (status != DENT_OK && scope->context) {
        char message[1024];
        dent_context_message(scope->context, message, sizeof message);
        return dent_fail(scope->caller, status, "%s", message);
    }
    return status;
}

void read_scope_close(struct read_scope *scope)
{
    dent_context_destroy(scope->context);
    dent_release(scope->caller, scope->files, scope->file_capacity, sizeof *scope->files);
    scope->context = NULL;
    scope->files = NULL;
    scope->file_capacity = 0;
}

dent_status read_scope_end(struct read_scope *scope, dent_status status)
{
    status = read_scope_result(scope, status);
    read_scope_close(scope);
    return status;
}

/* ---- bytes on disk ----------------------------------------------------------------------------------------------- */

void read_scope_count_bytes(struct read_scope *scope, uint64_t size)
{
    scope->disk_bytes += size < UINT64_MAX - scope->disk_bytes ? size : UINT64_MAX - scope->disk_bytes;
}

static struct counted_file *place_of(const struct read_scope *scope, struct counted_file file)
{
    uint64_t hash = (file.number ^ file.device << 32) * UINT64_C(0x9E3779B97F4A7C15);
    size_t i = (size_t)(hash >> 32) & (scope->file_capacity - 1);
    while (scope->files[i].number != 0 &&
           (scope->files[i].number != file.number || scope->files[i].device != file.device)) {
        i = (i + 1) & (scope->file_capacity - 1);
    }
    return &scope->files[i];
}

/* False: no memory; then the file is not counted, which only lowers the limit. */
static bool make_place(struct read_scope *scope)
{
    if (2 * (scope->file_count + 1) <= scope->file_capacity) {
        return true;
    }
    struct read_scope grown = *scope;
    grown.file_capacity = scope->file_capacity > 0 ? 2 * scope->file_capacity : 16;
    grown.files = dent_allocate(scope->caller, grown.file_capacity, sizeof *grown.files);
    if (!grown.files) {
        return false;
    }
    memset(grown.files, 0, grown.file_capacity * sizeof *grown.files);
    for (size_t i = 0; i < scope->file_capacity; i++) {
        if (scope->files[i].number != 0) {
            *place_of(&grown, scope->files[i]) = scope->files[i];
        }
    }
    dent_release(scope->caller, scope->files, scope->file_capacity, sizeof *scope->files);
    scope->files = grown.files;
    scope->file_capacity = grown.file_capacity;
    return true;
}

void read_scope_count_file(struct read_scope *scope, const char *path)
{
    struct stat facts;
    if (stat(path, &facts) != 0 || !S_ISREG(facts.st_mode) || !make_place(scope)) {
        return;
    }
    struct counted_file file = {.device = (uint64_t)facts.st_dev, .number = (uint64_t)facts.st_ino};
    struct counted_file *place = place_of(scope, file);
    if (place->number == 0) {
        *place = file;
        scope->file_count++;
        read_scope_count_bytes(scope, (uint64_t)facts.st_size);
    }
}
