/* A series of frames: found in a directory, by a pattern, in an archive or in a list of files; read one at a time.
 *
 * Opening looks at names only (an archive is gone over once for its headers). An archive stays open, at the place
 * where it was last read, so that a packed one read in order is unpacked once more and no oftener. */
#include <dent/frames.h>

#include "io/bytes/byte_stream.h"
#include "io/bytes/file_bytes.h"
#include "frame_list.h"
#include "io/bytes/read_scope.h"
#include "io/model/mesh_storage.h"
#include "io/formats/reader_table.h"
#include "io/bytes/tar_reader.h"
#include "io/bytes/try_status.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <strings.h>

struct dent_frames {
    struct read_scope scope; /* of the names, the archive and the frame being read */
    dent_context *context;   /* of the scope */
    struct frame_list list;
    bool is_archive;
    struct byte_stream stream; /* of an archive */
    char *archive;             /* its path; of the caller's words, what is in front of the members */
    size_t archive_size;       /* of the block */
    uint8_t *unpacked;         /* the archive, where its order asks for it; null: it is read as it lies */
    size_t unpacked_size;
};

/* What there is besides frames. */
struct left_out {
    uint64_t count;
    char first[128];
};

/* ---- what is a frame ------------------------------------------------------------------------------------------- */

/* TetGen's pairs count once, by their .node. */
static bool is_frame_name(const char *name)
{
    const char *slash = strrchr(name, '/');
    const char *base = slash ? slash + 1 : name;
    const struct mesh_format *format = mesh_format_of_name(name);
    return base[0] != '.' && format && strcmp(format->ending, ".ele") != 0;
}

/* Hidden files (and the "._" files of one system's archives) are left out without a word. */
static void leave_out(struct left_out *left_out, const char *name)
{
    const char *slash = strrchr(name, '/');
    if ((slash ? slash[1] : name[0]) != '.') {
        if (left_out->count++ == 0) {
            size_t length = strlen(name) < sizeof left_out->first ? strlen(name) : sizeof left_out->first - 1;
            memcpy(left_out->first, name, length);
            left_out->first[length] = 0;
        }
    }
}

static dent_status finish_list(dent_frames *frames, const struct left_out *left_out)
{
    struct frame_list *list = &frames->list;
    if (list->frames.count == 0) {
        return dent_fail(frames->context, DENT_ERROR_FILE, "%s: %s", list->source,
                         !left_out            ? "no mesh file has such a name"
                         : frames->is_archive ? "no mesh file is in it"
                                              : "is a directory, and no mesh file is in it");
    }
    TRY(frame_list_finish(list));
    if (left_out && left_out->count > 0) {
        dent_log_line(frames->context, DENT_LOG_NOTICE, "%s: %llu other file%s left out, the first is %s", list->source,
                      (unsigned long long)left_out->count, left_out->count == 1 ? "" : "s", left_out->first);
    }
    return DENT_OK;
}

/* A name of the directory or archive: taken, left out, or no match. */
static bool wanted(const char *pattern, const char *name, struct left_out *left_out, struct name_span *within)
{
    *within = name_stem(name);
    if (pattern) {
        const char *slash = strchr(pattern, '/') ? NULL : strrchr(name, '/');
        size_t front = slash ? (size_t)(slash - name) + 1 : 0; /* a pattern without folders is for the last part */
        if (!pattern_matches(pattern, name + front, within)) {
            return false;
        }
        within->begin += front;
        within->end += front;
    }
    if (is_frame_name(name)) {
        return true;
    }
    leave_out(left_out, name);
    return false;
}

static bool is_directory(const char *path)
{
    struct stat facts;
    return stat(path, &facts) == 0 && S_ISDIR(facts.st_mode);
}

/* ---- directories and patterns ---------------------------------------------------------------------------------- */

static dent_status list_directory(dent_frames *frames, const char *folder, const char *pattern)
{
    struct left_out left_out = {0};
    DIR *directory = opendir(folder[0] ? folder : ".");
    if (!directory) {
        return file_error(frames->context, folder[0] ? folder : ".", "cannot be opened");
    }
    dent_status status = DENT_OK;
    struct dirent *entry;
    while (status == DENT_OK && (entry = readdir(directory)) != NULL) {
        struct name_span within;
        if (wanted(pattern, entry->d_name, &left_out, &within)) {
            status = frame_list_add(&frames->list, folder, entry->d_name, within, 0, 0);
        }
    }
    closedir(directory);
    return status == DENT_OK ? finish_list(frames, pattern ? NULL : &left_out) : status;
}

static dent_status list_pattern(dent_frames *frames, const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *pattern = slash ? slash + 1 : path;
    size_t length = slash ? (size_t)(slash - path) + 1 : 0;
    char folder[4096];
    if (length >= sizeof folder) {
        return dent_fail(frames->context, DENT_ERROR_FILE, "%s: the name is too long", path);
    }
    memcpy(folder, path, length);
    folder[length] = 0;
    const char *fault = pattern_fault(pattern);
    if (!fault && pattern_has_wildcard(folder) && !is_directory(folder)) {
        fault = "only the last part of a path may be a pattern";
    }
    if (fault) {
        return dent_fail(frames->context, DENT_ERROR_INVALID_ARGUMENT, "%s: %s", path, fault);
    }
    return list_directory(frames, folder, pattern);
}

static dent_status list_files(dent_frames *frames, uint32_t path_count, const char *const *paths)
{
    for (uint32_t i = 0; i < path_count; i++) {
        TRY(frame_list_add(&frames->list, NULL, paths[i], name_stem(paths[i]), 0, 0));
    }
    return finish_list(frames, NULL);
}

/* ---- archives -------------------------------------------------------------------------------------------------- */

static enum compression compression_of_archive(const char *name)
{
    size_t length = strlen(name);
    return length > 4 && strcasecmp(name + length - 4, ".tgz") == 0   ? COMPRESSION_GZIP
           : length > 4 && strcasecmp(name + length - 4, ".txz") == 0 ? COMPRESSION_XZ
                                                                      : compression_of_name(name);
}

/* Length of the part of a path that names an archive, 0 when none does. */
static size_t archive_part(const char *path)
{
    size_t length = strlen(path);
    for (size_t i = 1; i < length; i++) {
        if (path[i] == '/' && name_is_archive(path, i)) {
            char part[4096];
            if (i >= sizeof part) {
                return 0;
            }
            memcpy(part, path, i);
            part[i] = 0;
            if (file_exists(part)) {
                return i;
            }
        }
    }
    return 0;
}

static dent_status take_member(dent_frames *frames, const struct tar_member *member, const char *pattern,
                               struct left_out *left_out)
{
    struct name_span within;
    if (member->kind == TAR_DIRECTORY || member->kind == TAR_OTHER ||
        !wanted(pattern, member->name, left_out, &within)) {
        return DENT_OK;
    }
    if (member->kind != TAR_FILE) {
        return dent_fail(frames->context, DENT_ERROR_FORMAT, "%s: member '%s' at byte %llu is %s, not a file",
                         frames->archive, member->name, (unsigned long long)member->header_offset,
                         tar_kind_name(member->kind));
    }
    return frame_list_add(&frames->list, frames->archive, member->name, within, member->data_offset, member->size);
}

static dent_status list_members(dent_frames *frames, const char *pattern)
{
    struct tar_reader reader;
    struct tar_member member;
    struct left_out left_out = {0};
    bool found = true;
    tar_reader_init(&reader, &frames->stream);
    dent_status status = DENT_OK;
    while (status == DENT_OK && found) {
        status = tar_reader_next(&reader, &member, &found);
        if (status == DENT_OK && found) {
            status = take_member(frames, &member, pattern, &left_out);
        }
    }
    tar_reader_release(&reader);
    if (status == DENT_OK && frames->stream.compression != COMPRESSION_NONE) {
        uint64_t reached; /* to the end of the packed data, where its check sum is */
        status = byte_stream_seek(&frames->stream, UINT64_MAX, &reached);
    }
    return status == DENT_OK ? finish_list(frames, pattern ? NULL : &left_out) : status;
}

/* How often the next frame lies before the one that was read. */
static uint64_t steps_back(const dent_frames *frames)
{
    const struct frame_list *list = &frames->list;
    uint64_t steps = 0;
    for (size_t i = 1; i < list->frames.count; i++) {
        steps += frame_list_at(list, i)->data_offset < frame_list_at(list, i - 1)->data_offset;
    }
    return steps;
}

/* Frames that lie in another order than they are read in cost a packed archive a new start each. */
static void note_order(const dent_frames *frames)
{
    dent_log_line(frames->context, DENT_LOG_NOTICE,
                  "%s: the frames are not in the order of their numbers: the archive is unpacked again %llu times",
                  frames->list.source, (unsigned long long)steps_back(frames));
}

/* A packed archive whose frames are in another order than its members is unpacked into memory, where steps back cost
 * nothing; if the limit of memory forbids that, it is started again at every step back. */
static dent_status unpack_archive(dent_frames *frames)
{
    struct byte_stream *stream = &frames->stream;
    uint64_t size = stream->position, reached; /* it was read to its end */
    uint8_t *bytes = size <= SIZE_MAX / 4 ? dent_allocate(frames->context, (size_t)size, 1) : NULL;
    size_t got = 0;
    if (!bytes) {
        frames->scope.refused = false; /* nothing is missing */
        note_order(frames);
        return DENT_OK;
    }
    dent_status status = byte_stream_seek(stream, 0, &reached);
    status = status == DENT_OK ? byte_stream_read(stream, bytes, (size_t)size, &got) : status;
    if (status != DENT_OK) {
        dent_release(frames->context, bytes, (size_t)size, 1);
        return status;
    }
    frames->unpacked = bytes;
    frames->unpacked_size = (size_t)size;
    dent_log_line(frames->context, DENT_LOG_NOTICE,
                  "%s: the frames are not in the order of their numbers: the archive is kept unpacked, %llu bytes",
                  frames->list.source, (unsigned long long)size);
    byte_stream_close(stream);
    return byte_stream_open_memory(stream, frames->context, frames->archive, bytes, got, COMPRESSION_NONE);
}

/* Frames in the order of their numbers, members in that of the archive. */
static dent_status prepare_order(dent_frames *frames)
{
    return frames->stream.compression != COMPRESSION_NONE && steps_back(frames) > 0 ? unpack_archive(frames) : DENT_OK;
}

/* `length` characters of the path name the archive. */
static dent_status keep_archive_name(dent_frames *frames, const char *path, size_t length)
{
    frames->archive = dent_allocate(frames->context, length + 1, 1);
    if (!frames->archive) {
        return dent_fail(frames->context, DENT_ERROR_OUT_OF_MEMORY, "%s: no memory for its name", path);
    }
    frames->archive_size = length + 1;
    memcpy(frames->archive, path, length);
    frames->archive[length] = 0;
    return DENT_OK;
}

static dent_status list_archive(dent_frames *frames, const char *path, size_t length)
{
    const char *pattern = path[length] == '/' && path[length + 1] != 0 ? path + length + 1 : NULL;
    const char *fault = pattern ? pattern_fault(pattern) : NULL;
    if (fault) {
        return dent_fail(frames->context, DENT_ERROR_INVALID_ARGUMENT, "%s: %s", path, fault);
    }
    TRY(keep_archive_name(frames, path, length));
    read_scope_count_file(&frames->scope, frames->archive);
    TRY(byte_stream_open(&frames->stream, frames->context, frames->archive, compression_of_archive(frames->archive)));
    frames->is_archive = true;
    TRY(list_members(frames, pattern));
    return prepare_order(frames);
}

/* ---- the interface --------------------------------------------------------------------------------------------- */

/* Only the last part of a path is asked: a folder may be called anything. */
static bool last_part_has_wildcard(const char *path)
{
    const char *slash = strrchr(path, '/');
    return pattern_has_wildcard(slash ? slash + 1 : path);
}

bool dent_path_is_series(const char *path)
{
    if (!path) {
        return false;
    }
    if (is_directory(path)) {
        return !tetgen_pair_exists(path);
    }
    return name_is_archive(path, strlen(path)) || archive_part(path) > 0 ||
           (!file_exists(path) && last_part_has_wildcard(path));
}

bool dent_paths_same_series(const char *path_a, const char *path_b)
{
    if (!path_a || !path_b) {
        return false;
    }
    struct name_span a, b;
    uint64_t number;
    return is_frame_name(path_a) && is_frame_name(path_b) &&
           name_number(path_a, name_stem(path_a), &a, &number) == NUMBER_FOUND &&
           name_number(path_b, name_stem(path_b), &b, &number) == NUMBER_FOUND && names_agree(path_a, a, path_b, b);
}

static dent_status list_path(dent_frames *frames, const char *path)
{
    size_t length = strlen(path);
    if (is_directory(path)) {
        return list_directory(frames, path, NULL);
    }
    if (name_is_archive(path, length)) {
        return list_archive(frames, path, length);
    }
    if (archive_part(path) > 0) {
        return list_archive(frames, path, archive_part(path));
    }
    return !file_exists(path) && last_part_has_wildcard(path) ? list_pattern(frames, path)
                                                              : list_files(frames, 1, &path);
}

static dent_frames *create(dent_context *context, const char *source)
{
    dent_frames *frames = dent_allocate(context, 1, sizeof *frames);
    if (!frames) {
        dent_fail(context, DENT_ERROR_OUT_OF_MEMORY, "%s: no memory for its frames", source);
        return NULL;
    }
    *frames = (dent_frames){0};
    if (read_scope_open(&frames->scope, context, source, 0) != DENT_OK) {
        dent_release(context, frames, 1, sizeof *frames);
        return NULL;
    }
    frames->context = frames->scope.context;
    frame_list_init(&frames->list, frames->context, source);
    return frames;
}

static dent_status hand_over(dent_status status, dent_frames *made, dent_frames **frames)
{
    status = read_scope_result(&made->scope, status);
    made->list.source = NULL; /* the caller's words are no longer needed */
    made->scope.name = "";
    if (status == DENT_OK) {
        *frames = made;
    } else {
        dent_frames_close(made);
    }
    return status;
}

dent_status dent_frames_open(dent_context *context, uint32_t path_count, const char *const *paths, dent_frames **frames)
{
    DENT_REQUIRE(context, context);
    DENT_REQUIRE_ARRAY(context, path_count, paths);
    DENT_REQUIRE(context, frames);
    if (path_count == 0) {
        return dent_fail(context, DENT_ERROR_INVALID_ARGUMENT, "a series of frames needs at least one path");
    }
    dent_frames *made = create(context, paths[0]);
    if (!made) {
        return DENT_ERROR_OUT_OF_MEMORY;
    }
    return hand_over(path_count == 1 ? list_path(made, paths[0]) : list_files(made, path_count, paths), made, frames);
}

dent_status dent_frames_open_memory(dent_context *context, const char *name, const void *bytes, size_t size,
                                    dent_frames **frames)
{
    DENT_REQUIRE(context, context);
    DENT_REQUIRE(context, name);
    DENT_REQUIRE_ARRAY(context, size, bytes);
    DENT_REQUIRE(context, frames);
    dent_frames *made = create(context, name);
    if (!made) {
        return DENT_ERROR_OUT_OF_MEMORY;
    }
    dent_status status = keep_archive_name(made, name, strlen(name));
    if (status == DENT_OK) {
        read_scope_count_bytes(&made->scope, size);
        status = byte_stream_open_memory(&made->stream, made->context, made->archive, bytes, size,
                                         compression_of_archive(made->archive));
        made->is_archive = status == DENT_OK;
    }
    if (status == DENT_OK) {
        status = list_members(made, NULL);
    }
    status = status == DENT_OK ? prepare_order(made) : status;
    return hand_over(status, made, frames);
}

void dent_frames_close(dent_frames *frames)
{
    if (frames) {
        if (frames->is_archive) {
            byte_stream_close(&frames->stream);
        }
        dent_release(frames->context, frames->archive, frames->archive_size, 1);
        dent_release(frames->context, frames->unpacked, frames->unpacked_size, 1);
        frame_list_release(&frames->list);
        dent_context *caller = frames->scope.caller;
        read_scope_close(&frames->scope);
        dent_release(caller, frames, 1, sizeof *frames);
    }
}

uint32_t dent_frames_count(const dent_frames *frames)
{
    if (!frames) {
        return 0;
    }
    return (uint32_t)frames->list.frames.count;
}

const char *dent_frame_name(const dent_frames *frames, uint32_t index)
{
    if (!frames) {
        return NULL;
    }
    return frame_list_name(&frames->list, index);
}

uint64_t dent_frame_number(const dent_frames *frames, uint32_t index)
{
    if (!frames) {
        return 0;
    }
    return frame_list_at(&frames->list, index)->number;
}

/* ---- reading --------------------------------------------------------------------------------------------------- */

static dent_status read_member(dent_frames *frames, const struct frame_record *frame, const char *name,
                               const dent_mesh_read_def *def, dent_mesh **mesh)
{
    dent_context *context = frames->context;
    if (frame->size > SIZE_MAX / 4) {
        return dent_fail(context, DENT_ERROR_TOO_LARGE, "%s: larger than the address space", name);
    }
    size_t size = (size_t)frame->size, got = 0;
    uint64_t reached;
    uint8_t *bytes = dent_allocate(context, size, 1);
    if (!bytes) {
        return dent_fail(context, DENT_ERROR_OUT_OF_MEMORY, "%s: no memory for its %zu bytes", name, size);
    }
    dent_status status = byte_stream_seek(&frames->stream, frame->data_offset, &reached);
    if (status == DENT_OK && reached == frame->data_offset) {
        status = byte_stream_read(&frames->stream, bytes, size, &got);
    }
    if (status == DENT_OK && got < size) {
        status = dent_fail(context, DENT_ERROR_FILE, "%s: the archive has become shorter while it was read", name);
    }
    if (status == DENT_OK) {
        status = mesh_read_memory_within(&frames->scope, name, bytes, size, def, mesh);
    }
    dent_release(context, bytes, size, 1);
    return status;
}

/* A member of the archive in the scope of the series; the mesh then leaves its account. */
static dent_status read_in_scope(dent_frames *frames, const struct frame_record *frame, const char *name,
                                 const dent_mesh_read_def *def, dent_mesh **mesh)
{
    struct read_scope *scope = &frames->scope;
    uint64_t limit = scope->limit;
    TRY(mesh_read_check_def(scope->caller, def));
    scope->limit = def && def->memory_limit > 0 ? def->memory_limit : limit;
    scope->name = name;
    dent_status status = read_scope_result(scope, read_member(frames, frame, name, def, mesh));
    scope->limit = limit;
    scope->used -= status == DENT_OK ? mesh_storage_bytes((*mesh)->storage) : 0;
    return status;
}

dent_status dent_frame_read(dent_frames *frames, uint32_t index, const dent_mesh_read_def *def, dent_mesh **mesh)
{
    DENT_REQUIRE(NULL, frames);
    DENT_REQUIRE(frames->scope.caller, mesh);
    if (index >= frames->list.frames.count) {
        return dent_fail(frames->scope.caller, DENT_ERROR_INVALID_ARGUMENT, "there is no frame %u: the series has %zu",
                         index, frames->list.frames.count);
    }
    const char *name = frame_list_name(&frames->list, index);
    if (frames->is_archive) {
        return read_in_scope(frames, frame_list_at(&frames->list, index), name, def, mesh);
    }
    dent_mesh_read_def of_frame = def ? *def : dent_mesh_read_def_default();
    of_frame.regular_only = true; /* found by its name, and perhaps read again */
    return dent_mesh_read(frames->scope.caller, name, &of_frame, mesh);
}
