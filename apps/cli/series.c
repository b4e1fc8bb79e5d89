/* series.c — opens the series named on the command line, chooses frames, and goes from one to the next by replacing
 * positions (so that a method may refit what it has built) or, with --rebuild, in a new world each time. */
#include "series.h"

#include "interrupt.h"
#include "tool.h"

#include <stdio.h>
#include <string.h>

/* One place on the command line that gives bodies. */
typedef struct frame_source {
    const char *name;
    dent_frames *frames; /* null: a file that stays, or a scene */
    bool is_scene;
    bool stays; /* a file, or a series of one frame beside longer ones */
} frame_source;

typedef struct series {
    tool_session *session;
    loaded_world loaded;
    bool is_open; /* loaded is */
    uint32_t source_count, source_capacity;
    frame_source *sources;
    uint32_t number_count;
    uint64_t *numbers;      /* of the frames that are asked for */
    uint64_t later_notices; /* of frames after the first: counted only */
} series;

bool options_name_series(const tool_options *options)
{
    if ((options->given & OPTIONS_OF_SERIES) != 0) {
        return true;
    }
    for (uint32_t i = 0; i < options->argument_count; i++) {
        if (dent_path_is_series(options->arguments[i])) {
            return true;
        }
    }
    return false;
}

/* ---- what moves ------------------------------------------------------------------------------------------ */

static void close_series(series *all)
{
    dent_context *context = all->session->context;
    if (all->is_open) {
        loaded_world_close(all->session, &all->loaded);
        all->is_open = false;
    }
    for (uint32_t i = 0; i < all->source_count; i++) {
        dent_frames_close(all->sources[i].frames);
    }
    dent_release(context, all->sources, all->source_capacity, sizeof *all->sources);
    dent_release(context, all->numbers, all->number_count, sizeof *all->numbers);
}

/* The words of one series, from `first` on: moved to the front of `words`. Returns how many. */
static uint32_t gather_files(const tool_options *options, uint32_t first, bool *taken, const char **words)
{
    uint32_t count = 0;
    for (uint32_t i = first; i < options->argument_count; i++) {
        const char *word = options->arguments[i];
        if (!taken[i] && (i == first || dent_paths_same_series(options->arguments[first], word))) {
            taken[i] = true;
            words[count++] = word;
        }
    }
    return count;
}

static int add_source(series *all, uint32_t first, bool *taken, const char **words)
{
    const tool_options *options = all->session->options;
    frame_source *source = &all->sources[all->source_count];
    source->name = options->arguments[first];
    source->frames = NULL;
    source->is_scene = names_a_scene(options, source->name);
    uint32_t word_count = 1;
    words[0] = source->name;
    if (names_a_simulation(options, source->name)) {
        return complain("%s is simulated: give one --frame K, or write its frames first (dent run %s -o F)",
                        source->name, source->name);
    }
    bool named = dent_path_is_series(source->name);
    if (!named && !source->is_scene && options_have(options, OPTION_FRAME_RANGE)) {
        word_count = gather_files(options, first, taken, words);
    }
    if (named || word_count > 1) {
        int failed = open_frames(all->session, word_count, words, &source->frames);
        if (failed) {
            return failed;
        }
        session_print_notices(all->session);
    }
    all->source_count++;
    return STATUS_GOOD;
}

static int open_sources(series *all)
{
    const tool_options *options = all->session->options;
    uint32_t count = options->argument_count;
    dent_context *context = all->session->context;
    all->sources = dent_allocate(context, count, sizeof *all->sources);
    all->source_capacity = count;
    bool *taken = dent_allocate(context, count, sizeof *taken);
    const char **words = dent_allocate(context, count, sizeof *words);
    int failed = all->sources == NULL || taken == NULL || words == NULL ? complain("out of memory") : STATUS_GOOD;
    for (uint32_t i = 0; i < count && !failed; i++) {
        taken[i] = false;
    }
    for (uint32_t i = 0; i < count && !failed; i++) {
        if (!taken[i]) {
            failed = add_source(all, i, taken, words);
        }
    }
    dent_release(context, taken, count, sizeof *taken);
    dent_release(context, words, count, sizeof *words);
    return failed;
}

/* ---- which frames ---------------------------------------------------------------------------------------- */

/* Frames of a source, as numbers: those of a series, or 0, 1, 2 ... of a scene. */
static uint64_t source_length(const frame_source *source)
{
    return source->frames != NULL ? dent_frames_count(source->frames) : dent_scene_find(source->name)->frame_count;
}

static uint64_t source_number(const frame_source *source, uint64_t index)
{
    return source->frames != NULL ? dent_frame_number(source->frames, (uint32_t)index) : index;
}

/* The first series, or else the first scene; null when nothing moves. */
static const frame_source *leading_source(const series *all)
{
    const frame_source *scene = NULL;
    for (uint32_t i = 0; i < all->source_count; i++) {
        const frame_source *source = &all->sources[i];
        if (source->frames != NULL && !source->stays) {
            return source;
        }
        scene = scene == NULL && source->is_scene ? source : scene;
    }
    return scene;
}

/* A series of one frame (say, a member of an archive) beside longer ones stays as it is. */
static void find_what_stays(series *all)
{
    bool longer = false;
    for (uint32_t i = 0; i < all->source_count; i++) {
        longer = longer || (all->sources[i].frames != NULL && dent_frames_count(all->sources[i].frames) > 1);
    }
    for (uint32_t i = 0; i < all->source_count; i++) {
        frame_source *source = &all->sources[i];
        source->stays = source->frames != NULL ? longer && dent_frames_count(source->frames) == 1 : !source->is_scene;
    }
}

static bool is_chosen(const frame_range *range, uint64_t first, uint64_t number)
{
    return number >= first && number <= range->last && (number - first) % range->step == 0;
}

/* Counts the chosen frames of a source; keeps their numbers where there is room for them. */
static uint32_t choose_frames(const frame_source *source, const frame_range *range, uint64_t first, uint64_t *numbers)
{
    uint32_t count = 0;
    uint64_t length = source_length(source);
    for (uint64_t i = 0; i < length; i++) {
        uint64_t number = source_number(source, i);
        if (is_chosen(range, first, number)) {
            if (numbers != NULL) {
                numbers[count] = number;
            }
            count++;
        }
    }
    return count;
}

/* Index of a frame by its number, or UINT32_MAX. Numbers ascend. */
static uint32_t find_frame(const dent_frames *frames, uint64_t number)
{
    uint32_t low = 0, high = dent_frames_count(frames);
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (dent_frame_number(frames, middle) < number) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < dent_frames_count(frames) && dent_frame_number(frames, low) == number ? low : UINT32_MAX;
}

/* Every series has the same frames, so that none is left out in silence. */
static int check_agreement(const series *all, const frame_source *lead, uint64_t first)
{
    for (uint32_t i = 0; i < all->source_count; i++) {
        const frame_source *source = &all->sources[i];
        if (source->frames == NULL || source->stays) {
            continue;
        }
        for (uint32_t k = 0; k < all->number_count; k++) {
            if (find_frame(source->frames, all->numbers[k]) == UINT32_MAX) {
                return complain("%s has no frame %llu, and %s has", source->name, (unsigned long long)all->numbers[k],
                                lead->name);
            }
        }
        uint32_t count = choose_frames(source, &all->session->options->range, first, NULL);
        if (count != all->number_count) {
            return complain("%s has %u frames of those requested, and %s has %u", source->name, count,
                            lead->name, all->number_count);
        }
    }
    return STATUS_GOOD;
}

static int choose_numbers(series *all)
{
    const frame_range *range = &all->session->options->range;
    find_what_stays(all);
    const frame_source *lead = leading_source(all);
    if (lead == NULL) {
        return complain("--frames and --rebuild are for series of frames, and none is named");
    }
    uint64_t last = source_number(lead, source_length(lead) - 1);
    uint64_t first = range->has_first ? range->first : source_number(lead, 0);
    all->number_count = choose_frames(lead, range, first, NULL);
    if (all->number_count == 0) {
        return complain("%s: --frames chooses none of its %llu frames, which are numbered %llu to %llu", lead->name,
                        (unsigned long long)source_length(lead), (unsigned long long)source_number(lead, 0),
                        (unsigned long long)last);
    }
    all->numbers = dent_allocate(all->session->context, all->number_count, sizeof *all->numbers);
    if (all->numbers == NULL) {
        return complain("out of memory");
    }
    choose_frames(lead, range, first, all->numbers);
    return check_agreement(all, lead, first);
}

/* ---- from one to the next -------------------------------------------------------------------------------- */

/* Notices of the first frame are shown, those of later ones, which say much the same, are counted. */
static void sort_out_notices(series *all, bool show)
{
    if (show) {
        progress_lock(&all->session->progress);
        session_print_notices(all->session);
        progress_unlock(&all->session->progress);
    } else {
        all->later_notices += all->session->notice_count;
        session_forget_notices(all->session);
    }
}

static int load_anew(series *all, uint64_t number, bool show_notices)
{
    if (all->is_open) {
        loaded_world_close(all->session, &all->loaded);
        all->is_open = false;
    }
    int failed = loaded_world_open(all->session, &all->loaded);
    all->is_open = !failed;
    all->loaded.scene_frame = (uint32_t)number;
    for (uint32_t i = 0; i < all->source_count && !failed; i++) {
        const frame_source *source = &all->sources[i];
        uint32_t index = source->frames != NULL && !source->stays ? find_frame(source->frames, number) : 0;
        failed = loaded_world_add_frame(all->session, &all->loaded, source->name, source->frames, index);
        if (!failed) {
            sort_out_notices(all, show_notices);
        }
    }
    return failed ? failed : loaded_world_allow(all->session, &all->loaded);
}

static int move_on(series *all, uint64_t number, bool *fresh)
{
    for (uint32_t i = 0; i < all->source_count; i++) {
        const frame_source *source = &all->sources[i];
        if (source->is_scene) {
            loaded_world_pose_scene(&all->loaded, i, (uint32_t)number);
        }
        if (source->frames == NULL || source->stays) {
            continue;
        }
        dent_mesh_change change = DENT_MESH_SAME_TOPOLOGY;
        uint32_t index = find_frame(source->frames, number);
        int failed = loaded_world_set_frame(all->session, &all->loaded, i, source->frames, index, &change);
        if (failed) {
            session_forget_notices(all->session);
            return failed;
        }
        sort_out_notices(all, false);
        if (change == DENT_MESH_NEW_TOPOLOGY) {
            progress_lock(&all->session->progress);
            remark("%s: other elements than in the frame before", dent_frame_name(source->frames, index));
            progress_unlock(&all->session->progress);
            *fresh = true;
        }
    }
    return STATUS_GOOD;
}

static int run_frame(series *all, uint32_t position, frame_function *function, void *user)
{
    const frame_source *lead = leading_source(all);
    frame_facts facts = {.number = all->numbers[position], .position = position, .count = all->number_count};
    facts.file =
        lead->frames != NULL ? dent_frame_name(lead->frames, find_frame(lead->frames, facts.number)) : lead->name;
    facts.fresh = position == 0 || options_have(all->session->options, OPTION_REBUILD);
    int failed = facts.fresh ? load_anew(all, facts.number, position == 0) : move_on(all, facts.number, &facts.fresh);
    return failed ? failed : function(all->session, &all->loaded, &facts, user);
}

static int run_frames(series *all, frame_function *function, void *user)
{
    tool_session *session = all->session;
    char what[64];
    snprintf(what, sizeof what, "%u frames", all->number_count);
    progress_hold(&session->progress, what, all->number_count);
    int status = STATUS_GOOD;
    for (uint32_t i = 0; i < all->number_count && !printer_failed(session->out); i++) {
        int result = run_frame(all, i, function, user);
        status = result != STATUS_GOOD ? result : status;
        if (result == STATUS_ERROR || result == STATUS_INTERRUPTED) {
            break;
        }
        progress_hold_at(&session->progress, i + 1);
    }
    progress_release(&session->progress);
    if (all->later_notices > 0) {
        remark("%llu more notices on later frames", (unsigned long long)all->later_notices);
    }
    return status;
}

int run_on_series(const tool_options *options, printer *out, frame_function *function,
                  void (*finish)(tool_session *session, void *user), void *user)
{
    tool_session session;
    int status = options_have(options, OPTION_FRAME)
                     ? complain("--frame is for one frame of a scene, --frames for several: give one of them")
                     : refuse_scene_options(options);
    if (status == STATUS_GOOD) {
        status = session_open(&session, options, out);
    }
    if (status != STATUS_GOOD) {
        return status;
    }
    series all;
    memset(&all, 0, sizeof all);
    all.session = &session;
    status = open_sources(&all);
    status = status == STATUS_GOOD ? choose_numbers(&all) : status;
    if (status == STATUS_GOOD) {
        status = run_frames(&all, function, user);
        if (finish != NULL && (status == STATUS_GOOD || status == STATUS_FOUND)) {
            finish(&session, user);
        }
    }
    close_series(&all);
    session_close(&session);
    return status;
}
