/* view_recording.c — what `dent run -o RUN.pvd` wrote, as a source of the viewer: bodies frame by frame, and the
 * contacts that were recorded (a .vtp of points whose name says so) instead of new ones. A recording may grow while it
 * is watched: the list of its files is read again, when it has changed, behind the last frame and on the way to the
 * first. */
#include "file_names.h"
#include "push_scale.h"
#include "recording_names.h"
#include "tool.h"
#include "view_tool.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* The entries of one time; they follow each other in the file. */
typedef struct recorded_frame {
    uint32_t first, count;
} recorded_frame;

typedef struct recording {
    dent_collection *collection;
    struct stat as_read;    /* of the file with the collection */
    recorded_frame *frames; /* as many as the collection has entries, of which frame_count are used */
    uint32_t frame_count;
    dent_world *world;
    uint32_t mesh_count, mesh_capacity, body_count, body_capacity;
    dent_mesh **meshes; /* one per body file */
    loaded_body *bodies;
    recording_names names;
    dent_point_set *contacts; /* of the present frame; null: none were recorded */
    char folder[FILE_NAME_LIMIT];
} recording;

/* ---- the collection ---------------------------------------------------------------------------------------------- */

static bool holds_contacts(const dent_collection_entry *entry)
{
    const char *slash = strrchr(entry->file, '/'), *name = slash != NULL ? slash : entry->file;
    return strstr(name, "contacts") != NULL || strstr(name, "deepest") != NULL; /* of `dent run`, of `dent check` */
}

static recorded_frame *find_frames(view_source *source, const dent_collection *collection, uint32_t *count)
{
    recorded_frame *frames = dent_allocate(source->context, collection->entry_count, sizeof *frames);
    *count = 0;
    if (frames == NULL) {
        view_fail(source, "out of memory");
        return NULL;
    }
    for (uint32_t i = 0; i < collection->entry_count; i++) {
        if (i == 0 || collection->entries[i].time != collection->entries[i - 1].time) {
            frames[(*count)++] = (recorded_frame){i, 0};
        }
        frames[*count - 1].count++;
    }
    if (*count == 0) {
        view_fail(source, "%s: the recording has no frame", view_session(source)->options->arguments[0]);
        dent_release(source->context, frames, collection->entry_count, sizeof *frames);
        return NULL;
    }
    return frames;
}

static void drop_collection(view_source *source, recording *own)
{
    dent_context *context = source->context;
    if (own->collection != NULL) {
        dent_release(context, own->frames, own->collection->entry_count, sizeof *own->frames);
        dent_collection_destroy(context, own->collection);
    }
    own->collection = NULL;
    own->frames = NULL;
}

/* Reads the list of files, in place of the one there was, which stays when it cannot be read: somebody may be writing
 * it. */
static int read_collection(view_source *source, recording *own)
{
    const char *path = view_session(source)->options->arguments[0];
    dent_context *context = source->context;
    dent_collection *collection;
    struct stat facts;
    uint32_t count;
    memset(&facts, 0, sizeof facts);
    (void)stat(path, &facts); /* before it is read: what is written meanwhile counts as new */
    dent_status status = dent_collection_read(context, path, &collection);
    if (status != DENT_OK) {
        return view_fail(source, "%s", session_message(view_session(source), status));
    }
    recorded_frame *frames = find_frames(source, collection, &count);
    if (frames == NULL) {
        dent_collection_destroy(context, collection);
        return STATUS_ERROR;
    }
    drop_collection(source, own);
    own->collection = collection;
    own->as_read = facts;
    own->frames = frames;
    source->frame_count = own->frame_count = count;
    return STATUS_GOOD;
}

static int read_collection_again(view_source *source)
{
    recording *own = source->own;
    struct stat facts;
    bool changed = stat(view_session(source)->options->arguments[0], &facts) == 0 &&
                   (facts.st_size != own->as_read.st_size || facts.st_mtim.tv_sec != own->as_read.st_mtim.tv_sec ||
                    facts.st_mtim.tv_nsec != own->as_read.st_mtim.tv_nsec || facts.st_ino != own->as_read.st_ino);
    return changed ? read_collection(source, own) : STATUS_GOOD;
}

static void full_path(const recording *own, const dent_collection_entry *entry, char *path)
{
    snprintf(path, 2 * FILE_NAME_LIMIT, "%s%s", entry->file[0] == '/' ? "" : own->folder, entry->file);
}

/* ---- frames ------------------------------------------------------------------------------------------------------ */

static int read_body_file(view_source *source, recording *own, const dent_collection_entry *entry, dent_mesh **mesh)
{
    char path[2 * FILE_NAME_LIMIT];
    full_path(own, entry, path);
    dent_mesh_read_def def = dent_mesh_read_def_default();
    def.regular_only = true;
    dent_status status = dent_mesh_read(source->context, path, &def, mesh);
    session_forget_notices(view_session(source));
    return status == DENT_OK ? STATUS_GOOD : view_fail(source, "%s", session_message(view_session(source), status));
}

static void list_mesh(recording *own, const dent_mesh *mesh, const dent_body_id *ids, uint32_t first)
{
    for (uint32_t i = 0; i < mesh->body_count; i++) {
        const dent_mesh_body *body = &mesh->bodies[i];
        const char *known = recording_name(&own->names, body->tag);
        own->bodies[first + i] = (loaded_body){.id = ids[i],
                                               .name = known != NULL ? known : body->name,
                                               .kind = body->kind,
                                               .vertex_count = body->vertex_count,
                                               .element_count = body->element_count,
                                               .positions = body->positions,
                                               .element_corners = body->element_corners,
                                               .cell_kinds = body->cell_kinds};
    }
}

static int add_mesh(view_source *source, recording *own, dent_mesh *mesh)
{
    dent_context *context = source->context;
    uint32_t wanted = own->body_count + mesh->body_count;
    loaded_body *grown = dent_reallocate(context, own->bodies, own->body_capacity, wanted, sizeof *grown);
    dent_body_id *ids = dent_allocate(context, mesh->body_count, sizeof *ids);
    if (grown != NULL) {
        own->bodies = grown;
        own->body_capacity = wanted;
    }
    int failed = grown == NULL || ids == NULL ? view_fail(source, "out of memory") : STATUS_GOOD;
    if (!failed && dent_mesh_add_to_world(mesh, own->world, ids) != DENT_OK) {
        failed = view_fail(source, "%s", dent_world_message(own->world));
    }
    if (!failed) {
        list_mesh(own, mesh, ids, own->body_count);
        own->body_count = wanted;
    }
    dent_release(context, ids, mesh->body_count, sizeof *ids);
    return failed;
}

static int exchange_mesh(view_source *source, recording *own, uint32_t number, uint32_t first_body, dent_mesh *next,
                         bool *fresh)
{
    dent_context *context = source->context;
    dent_mesh *before = own->meshes[number];
    dent_mesh_change change;
    if (next->body_count != before->body_count) {
        return view_fail(source, "frame %u has other bodies than the first one", source->frame);
    }
    dent_body_id *ids = dent_allocate(context, next->body_count, sizeof *ids);
    if (ids == NULL) {
        return view_fail(source, "out of memory");
    }
    for (uint32_t i = 0; i < next->body_count; i++) {
        ids[i] = own->bodies[first_body + i].id;
    }
    int failed = dent_mesh_replace_in_world(before, next, own->world, ids, &change) != DENT_OK
                     ? view_fail(source, "%s", dent_world_message(own->world))
                     : STATUS_GOOD;
    if (!failed) {
        list_mesh(own, next, ids, first_body);
        own->meshes[number] = next;
        dent_mesh_destroy(context, before);
        *fresh = *fresh || change != DENT_MESH_SAME_TOPOLOGY;
    }
    dent_release(context, ids, next->body_count, sizeof *ids);
    return failed;
}

static void drop_contacts(view_source *source, recording *own)
{
    dent_points_destroy(source->context, own->contacts);
    own->contacts = NULL;
}

static int read_contacts(view_source *source, recording *own, const dent_collection_entry *entry)
{
    char path[2 * FILE_NAME_LIMIT];
    full_path(own, entry, path);
    drop_contacts(source, own);
    dent_status status = dent_points_read(source->context, path, &own->contacts);
    return status == DENT_OK ? STATUS_GOOD : view_fail(source, "%s", session_message(view_session(source), status));
}

static int make_room_for_mesh(view_source *source, recording *own)
{
    uint32_t wanted = own->mesh_capacity == 0 ? 16 : 2 * own->mesh_capacity;
    if (own->mesh_count < own->mesh_capacity) {
        return STATUS_GOOD;
    }
    dent_mesh **grown =
        dent_reallocate(source->context, own->meshes, own->mesh_capacity, wanted, sizeof *grown);
    if (grown == NULL) {
        return view_fail(source, "out of memory");
    }
    own->meshes = grown;
    own->mesh_capacity = wanted;
    return STATUS_GOOD;
}

/* Reads the files of a frame until one is bad; *fresh: some body has other elements now. */
static int read_files(view_source *source, uint32_t number, bool first, bool *fresh)
{
    recording *own = source->own;
    const recorded_frame *frame = &own->frames[number];
    uint32_t meshes = 0, first_body = 0;
    int failed = STATUS_GOOD;
    drop_contacts(source, own); /* a frame may have none */
    for (uint32_t i = 0; i < frame->count && !failed; i++) {
        const dent_collection_entry *entry = &own->collection->entries[frame->first + i];
        dent_mesh *mesh = NULL;
        if (holds_contacts(entry)) {
            failed = read_contacts(source, own, entry);
            continue;
        }
        if (!first && meshes == own->mesh_count) {
            return view_fail(source, "frame %u has more bodies than the first one", number);
        }
        failed = read_body_file(source, own, entry, &mesh);
        uint32_t bodies = failed ? 0 : mesh->body_count;
        failed = failed || !first ? failed : make_room_for_mesh(source, own);
        failed = failed  ? failed
                 : first ? add_mesh(source, own, mesh)
                         : exchange_mesh(source, own, meshes, first_body, mesh, fresh);
        if (failed) {
            dent_mesh_destroy(source->context, mesh);
            return failed;
        }
        own->meshes[meshes++] = mesh;
        own->mesh_count = first ? meshes : own->mesh_count;
        first_body += bodies;
    }
    return !failed && meshes < own->mesh_count
               ? view_fail(source, "frame %u has fewer bodies than the first one", number)
               : failed;
}

/* `first` is the first time, when bodies are added instead of moved. When a file is bad, those before it have been
 * read: the bodies are described as they are then, since the viewer goes on. */
static int read_frame(view_source *source, uint32_t number, bool first)
{
    recording *own = source->own;
    bool fresh = first;
    int failed = read_files(source, number, first, &fresh);
    if (failed && first) {
        return failed;
    }
    source->frame = number;
    source->facts.time = own->collection->entries[own->frames[number].first].time;
    if (fresh) {
        int worse = view_describe_loaded(source, own->bodies, own->body_count);
        return failed ? failed : worse;
    }
    view_follow_loaded(source, own->bodies);
    return failed;
}

static int go_to(view_source *source, uint32_t frame)
{
    return read_frame(source, frame < source->frame_count ? frame : source->frame_count - 1, false);
}

static int advance(view_source *source)
{
    int failed = source->frame + 1 < source->frame_count ? STATUS_GOOD : read_collection_again(source);
    return failed ? failed : go_to(source, source->frame + 1 < source->frame_count ? source->frame + 1 : 0);
}

static int restart(view_source *source)
{
    int failed = read_collection_again(source);
    return failed ? failed : go_to(source, 0);
}

/* ---- contacts ---------------------------------------------------------------------------------------------------- */

static const dent_mesh_field *find_field(const dent_point_set *points, const char *name, uint32_t components)
{
    for (uint32_t i = 0; i < points->field_count; i++) {
        if (strcmp(points->fields[i].name, name) == 0 && points->fields[i].components == components) {
            return &points->fields[i];
        }
    }
    return NULL;
}

static uint32_t whole(const dent_mesh_field *field, uint32_t i)
{
    double value = field != NULL ? field->values[i] : -1;
    return value >= 0 && value < UINT32_MAX ? (uint32_t)value : UINT32_MAX;
}

/* The body that has this number in the simulation; recordings of others have no names and are taken as they stand. */
static uint32_t listed_body(const recording *own, uint32_t number)
{
    uint32_t place = 0;
    for (uint32_t m = 0; m < own->mesh_count && own->names.count > 0; m++) {
        for (uint32_t b = 0; b < own->meshes[m]->body_count; b++, place++) {
            if ((uint32_t)own->meshes[m]->bodies[b].tag == number) {
                return place;
            }
        }
    }
    return number;
}

static int recorded_contacts(view_source *source)
{
    const recording *own = source->own;
    const dent_point_set *points = own->contacts;
    view_facts *facts = &source->facts;
    view_facts_begin(source);
    push_scale scale = {0, 0, 0};
    facts->contact_count = points != NULL ? points->point_count : 0;
    if (points == NULL) {
        return view_source_ask_contacts(source);
    }
    const dent_mesh_field *normal = find_field(points, "normal", 3), *push = find_field(points, "push", 1),
                          *error = find_field(points, "error", 1), *force = find_field(points, "force", 3);
    push = push != NULL ? push : find_field(points, "depth", 1); /* its name in older recordings */
    const dent_mesh_field *ids[4] = {find_field(points, "body_a", 1), find_field(points, "feature_a", 1),
                                     find_field(points, "body_b", 1), find_field(points, "feature_b", 1)};
    for (uint32_t i = 0; i < points->point_count; i++) {
        view_contact shown = {.body_a = listed_body(own, whole(ids[0], i)),
                              .feature_a = whole(ids[1], i),
                              .body_b = listed_body(own, whole(ids[2], i)),
                              .feature_b = whole(ids[3], i)};
        double squared = 0;
        for (int axis = 0; axis < 3; axis++) {
            shown.point[axis] = view_place(source, points->positions[3 * (size_t)i + (size_t)axis], axis);
            shown.normal[axis] = normal != NULL ? (float)normal->values[3 * (size_t)i + (size_t)axis] : 0;
            double part = force != NULL ? force->values[3 * (size_t)i + (size_t)axis] : 0;
            squared += part * part;
        }
        double depth = push != NULL ? push->values[i] : 0, off = error != NULL ? error->values[i] : 0;
        shown.push = view_length(source, depth);
        shown.error = view_length(source, off);
        shown.force = (float)sqrt(squared);
        push_scale_add(&scale, depth, off);
        if (!view_facts_add(source, &shown)) {
            return view_fail(source, "out of memory");
        }
    }
    facts->push = scale.push;
    facts->push_error = scale.error;
    facts->uncertain_push = scale.uncertain;
    return STATUS_GOOD;
}

/* ---- open and close ---------------------------------------------------------------------------------------------- */

static void close_recording(view_source *source)
{
    recording *own = source->own;
    dent_context *context = source->context;
    dent_world_destroy(own->world);
    for (uint32_t i = 0; i < own->mesh_count; i++) {
        dent_mesh_destroy(context, own->meshes[i]);
    }
    dent_release(context, own->meshes, own->mesh_capacity, sizeof *own->meshes);
    dent_release(context, own->bodies, own->body_capacity, sizeof *own->bodies);
    recording_names_release(context, &own->names);
    dent_points_destroy(context, own->contacts);
    drop_collection(source, own);
    dent_release(context, own, 1, sizeof *own);
    source->own = NULL;
}

/* The names lie in the folder of the frames. */
static bool read_names(view_source *source, recording *own)
{
    char folder[2 * FILE_NAME_LIMIT] = "";
    if (own->collection->entry_count > 0) {
        full_path(own, &own->collection->entries[0], folder);
        char *slash = strrchr(folder, '/');
        *(slash != NULL ? slash + 1 : folder) = '\0';
    }
    return recording_names_read(source->context, folder, &own->names);
}

static int open_files(view_source *source, recording *own, const char *path)
{
    dent_context *context = source->context;
    const char *slash = strrchr(path, '/');
    if (strlen(path) >= FILE_NAME_LIMIT) {
        return view_fail(source, "%s: the name is too long", path);
    }
    snprintf(own->folder, sizeof own->folder, "%.*s", slash != NULL ? (int)(slash - path + 1) : 0, path);
    own->world = dent_world_create(context);
    if (own->world == NULL) {
        return view_fail(source, "out of memory");
    }
    source->world = own->world;
    int failed = read_collection(source, own);
    if (!failed && !read_names(source, own)) {
        failed = view_fail(source, "out of memory");
    }
    return failed ? failed : read_frame(source, 0, true);
}

int view_recording_open(view_source *source)
{
    const tool_options *options = view_session(source)->options;
    recording *own = dent_allocate(source->context, 1, sizeof *own);
    if (own == NULL) {
        return view_fail(source, "out of memory");
    }
    memset(own, 0, sizeof *own);
    source->own = own;
    source->close = close_recording;
    source->go_to = go_to;
    source->advance = advance;
    source->restart = restart;
    source->find_contacts = recorded_contacts;
    int failed = open_files(source, own, options->arguments[0]);
    if (failed) {
        return failed;
    }
    const dent_collection_entry *entries = own->collection->entries;
    double length = own->frame_count > 1 ? entries[own->frames[1].first].time - entries[0].time : 0;
    source->frame_seconds = length > 1e-4 && length < 10 ? length : 1.0 / 30;
    return options->frame > 0 ? go_to(source, options->frame) : STATUS_GOOD;
}

bool view_names_recording(const tool_options *options)
{
    const char *name = options->arguments[0];
    size_t length = strlen(name);
    return options->argument_count == 1 && length > 4 && strcmp(name + length - 4, ".pvd") == 0;
}
