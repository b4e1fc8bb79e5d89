/* bench_enter_peers.c — finds each peer's best setting, and lets it race with that. */
#include "bench_enter_peers.h"

#include "bench_peers.h"
#include "interrupt.h"
#include "questions.h"
#include "tool.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A query of two questions is two turns of a peer, each at the setting that is best for it. */
typedef struct peer_state {
    const bench_scene *scene;
    const peer_row *row;
    dent_context *context;
    peer_input input[RACED_QUESTION_COUNT];
    void *finder[RACED_QUESTION_COUNT];
    double setting[RACED_QUESTION_COUNT];
    peer_output output[RACED_QUESTION_COUNT];
    double tried_ns[RACED_QUESTION_COUNT]; /* of a turn at the best setting, when it was found */
} peer_state;

/* ---- a contestant ---------------------------------------------------------------------------------------- */

static int ask_peer(contestant *self)
{
    peer_state *state = self->state;
    for (unsigned i = 0; i < RACED_QUESTION_COUNT; i++) {
        if (state->finder[i] != NULL && !state->row->find(state->finder[i], &state->output[i])) {
            return complain("bench: %s: %s failed", state->scene->name, self->name);
        }
    }
    return STATUS_GOOD;
}

static int compare_keys(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static bool answer_of_peer(contestant *self, dent_question question, pair_keys *list)
{
    const peer_state *state = self->state;
    const peer_output *output = &state->output[raced_question_index(question)];
    if (!pair_keys_reserve(list, output->count)) {
        return false;
    }
    list->count = output->count;
    if (output->count > 0) {
        memcpy(list->keys, output->keys, output->count * sizeof *list->keys);
        qsort(list->keys, output->count, sizeof *list->keys, compare_keys);
    }
    return true;
}

static void costs_of_peer(contestant *self, turn_costs *costs)
{
    const peer_state *state = self->state;
    costs->candidates = 0;
    for (unsigned i = 0; i < RACED_QUESTION_COUNT; i++) {
        costs->candidates += state->finder[i] != NULL ? (double)state->output[i].candidates : 0;
    }
    costs->allocations = NAN;
    for (int phase = 0; phase < PHASE_COUNT; phase++) {
        costs->phase_ms[phase] = NAN;
    }
}

static double peak_of_peer(contestant *self)
{
    (void)self;
    return NAN; /* peers take their memory where they like */
}

static void close_peer(contestant *self)
{
    peer_state *state = self->state;
    for (unsigned i = 0; i < RACED_QUESTION_COUNT; i++) {
        if (state->finder[i] != NULL) {
            state->row->destroy(state->finder[i]);
        }
    }
    dent_context_destroy(state->context);
    dent_release(state->scene->context, state, 1, sizeof *state);
}

/* ---- the best setting ------------------------------------------------------------------------------------ */

static double mean_edge(const bench_scene *scene)
{
    double sum = 0;
    uint64_t count = 0;
    bool strands = scene->segment_count > 0, solid = scene->cell_count > 0;
    uint32_t elements = strands ? scene->segment_count : solid ? scene->cell_count : scene->face_count;
    uint32_t corners = strands ? 2 : solid ? 4 : 3;
    for (uint32_t i = 0; i < elements; i++) {
        const uint32_t *element = strands ? scene->segments[i] : solid ? scene->cells[i] : scene->faces[i];
        for (uint32_t a = 0; a < corners; a++) {
            for (uint32_t b = a + 1; b < corners; b++) {
                const double *p = scene->positions + 3 * (size_t)element[a];
                const double *q = scene->positions + 3 * (size_t)element[b];
                double x = p[0] - q[0], y = p[1] - q[1], z = p[2] - q[2];
                sum += sqrt(x * x + y * y + z * z);
                count++;
            }
        }
    }
    return count > 0 ? sum / (double)count : 1;
}

static peer_input input_of(const bench_race *race, dent_context *context, dent_question question, double edge)
{
    const bench_scene *scene = race->scene;
    peer_input input = {.context = context,
                        .threads = race->threads,
                        .question = question,
                        .vertex_count = scene->vertex_count,
                        .cell_count = scene->cell_count,
                        .face_count = scene->face_count,
                        .used_count = scene->used_count,
                        .positions = scene->positions,
                        .cells = (const uint32_t(*)[4])scene->cells,
                        .faces = (const uint32_t(*)[3])scene->faces,
                        .used_vertices = scene->used_vertices,
                        .segment_count = scene->segment_count,
                        .segments = (const uint32_t(*)[2])scene->segments,
                        .radii = scene->segment_radii,
                        .mean_edge = edge};
    return input;
}

/* A setting whose steps take longer is given up; the first one, which builds what is updated later, may take a little
 * more. */
static const double too_slow_ns = 8e9;
static const double slow_start = 3;
/* Above this one turn tells enough. */
static const double long_turn_ns = 2e8;

/* The better of two turns, in frames 1 and 0, after one that is not counted. A setting whose rival is far ahead of its
 * first turn, or that has none, is spared the rest. `other_ns`: of another peer, when only the fastest counts; then one
 * turn tells enough. The first one may build what others do not, so that it is judged mildly. */
static double try_setting(const bench_race *race, const peer_row *row, void *finder, double rival, double other_ns)
{
    double best = INFINITY;
    uint32_t turns = race->fastest_peer ? 2 : 3;
    for (uint32_t turn = 0; turn < turns; turn++) {
        bench_scene_pose(race->scene, turn % 2);
        peer_output output;
        uint64_t began = bench_clock_ns(race->cpu_time);
        if (!row->find(finder, &output)) {
            return INFINITY;
        }
        double took = (double)(bench_clock_ns(race->cpu_time) - began);
        double allowed = took > long_turn_ns ? 1.5 : 4;
        if (took > too_slow_ns * (turn == 0 ? slow_start : 1) || took > allowed * rival ||
            took > (turn == 0 ? 4 : 1.5) * other_ns) {
            return INFINITY;
        }
        turns = took > long_turn_ns ? 2 : turns;
        best = turn > 0 && took < best ? took : best;
    }
    return best;
}

/* `rival_ns`: of another peer; settings far behind it are given up. */
static void find_best(bench_race *race, peer_state *state, unsigned question, double rival_ns)
{
    const peer_row *row = state->row;
    uint32_t count = row->setting_count > 0 ? row->setting_count : 1;
    double best = INFINITY;
    for (uint32_t i = 0; i < count && !interrupt_seen(); i++) {
        double setting = row->setting_count > 0 ? row->settings[i] : 0;
        void *finder = row->create(&state->input[question], setting);
        double took = finder == NULL ? INFINITY : try_setting(race, row, finder, best, rival_ns);
        if (finder != NULL && took < best) {
            if (state->finder[question] != NULL) {
                row->destroy(state->finder[question]);
            }
            state->finder[question] = finder;
            state->setting[question] = setting;
            best = took;
        } else if (finder != NULL) {
            row->destroy(finder);
        }
    }
    state->tried_ns[question] = best;
    bench_scene_pose(race->scene, 0);
}

static void describe_setting(const bench_race *race, const peer_state *state, contestant *entered)
{
    size_t used = 0;
    for (unsigned i = 0; i < RACED_QUESTION_COUNT && state->row->setting_count > 0; i++) {
        if ((race->questions & raced_question_at(i)) != 0 && used < sizeof entered->setting) {
            int length = snprintf(entered->setting + used, sizeof entered->setting - used, "%s%s %g",
                                  used > 0 ? "; " : "", state->row->setting_name, state->setting[i]);
            used += length > 0 ? (size_t)length : 0;
        }
    }
}

/* The best turn of the peers so far, when only the fastest is wanted. */
static double best_rival(const bench_race *race, unsigned question)
{
    double best = INFINITY;
    for (uint32_t i = 0; i < race->count && race->fastest_peer; i++) {
        const peer_state *other = race->contestants[i].peer ? race->contestants[i].state : NULL;
        best = other != NULL && other->tried_ns[question] < best ? other->tried_ns[question] : best;
    }
    return best;
}

static int enter_peer(bench_race *race, const peer_row *row, double edge)
{
    peer_state *state = dent_allocate(race->scene->context, 1, sizeof *state);
    if (state == NULL) {
        return complain("bench: out of memory");
    }
    memset(state, 0, sizeof *state);
    state->scene = race->scene;
    state->row = row;
    dent_context_def def = dent_context_def_default();
    def.thread_count = race->threads;
    state->context = dent_context_create(&def, NULL);
    double rival_ns[RACED_QUESTION_COUNT];
    for (unsigned i = 0; i < RACED_QUESTION_COUNT; i++) {
        rival_ns[i] = best_rival(race, i);
    }
    contestant *entered = &race->contestants[race->count++];
    memset(entered, 0, sizeof *entered);
    snprintf(entered->name, sizeof entered->name, "%s", row->name);
    entered->peer = true;
    entered->threads = race->threads;
    entered->state = state;
    entered->ask = ask_peer;
    entered->answer = answer_of_peer;
    entered->costs = costs_of_peer;
    entered->peak_bytes = peak_of_peer;
    entered->close = close_peer;
    for (unsigned i = 0; i < RACED_QUESTION_COUNT; i++) {
        if ((race->questions & raced_question_at(i)) == 0) {
            continue;
        }
        state->input[i] = input_of(race, state->context, raced_question_at(i), edge);
        find_best(race, state, i, rival_ns[i]);
        if (interrupt_seen()) {
            return interrupt_report();
        }
        if (state->finder[i] == NULL && isfinite(rival_ns[i])) {
            close_peer(entered); /* another one is far ahead */
            race->count--;
            return STATUS_GOOD;
        }
        if (state->finder[i] == NULL) {
            remark("%s: %s is left out: it fails or takes more than %g s a step at every setting", race->scene->name,
                   row->name, too_slow_ns * 1e-9);
            close_peer(entered);
            race->count--;
            return STATUS_GOOD;
        }
    }
    describe_setting(race, state, entered);
    return STATUS_GOOD;
}

static double tried_of(const contestant *entered)
{
    const peer_state *state = entered->state;
    double sum = 0;
    for (unsigned i = 0; i < RACED_QUESTION_COUNT; i++) {
        sum += state->tried_ns[i];
    }
    return sum;
}

/* Leaves those in the race that may still turn out to be the fastest. */
static void keep_fastest(bench_race *race)
{
    static const double near = 1.5;
    double best = INFINITY;
    for (uint32_t i = 0; i < race->count; i++) {
        best = race->contestants[i].peer ? fmin(best, tried_of(&race->contestants[i])) : best;
    }
    uint32_t kept = 0;
    for (uint32_t i = 0; i < race->count; i++) {
        contestant *entered = &race->contestants[i];
        if (entered->peer && tried_of(entered) > near * best) {
            close_peer(entered);
        } else {
            race->contestants[kept++] = *entered;
        }
    }
    race->count = kept;
}

int bench_enter_peers(tool_session *session, bench_race *race)
{
    bool several = (race->questions & (race->questions - 1)) != 0;
    if (race->fastest_peer && several) {
        return STATUS_GOOD; /* a peer answers them one by one: its time is known from the races before */
    }
    if ((race->questions & DENT_QUESTION_STRAND) != 0 && race->scene->segment_count != race->scene->edge_count) {
        remark("%s: peers support strands alone: none of them takes part", race->scene->name);
        return STATUS_GOOD;
    }
    double edge = mean_edge(race->scene);
    progress_begin(&session->progress, "settings of the peers", 0);
    int status = STATUS_GOOD;
    for (uint32_t i = 0; bench_peer_at(i) != NULL && status == STATUS_GOOD; i++) {
        const peer_row *row = bench_peer_at(i);
        if ((row->questions & race->questions) == race->questions && (row->parallel || race->threads == 1)) {
            status = race->count < CONTESTANT_LIMIT ? enter_peer(race, row, edge)
                                                    : complain("bench: more than %d contestants", CONTESTANT_LIMIT);
        }
    }
    progress_end(&session->progress);
    if (race->fastest_peer && status == STATUS_GOOD) {
        keep_fastest(race);
    }
    return status;
}

/* ---- the program with peers ------------------------------------------------------------------------------ */

#ifndef DENT_HAVE_PEERS
const peer_row *bench_peer_at(uint32_t index)
{
    (void)index;
    return NULL;
}
#endif

bool bench_has_peers(void)
{
    return bench_peer_at(0) != NULL;
}

/* The words of this command line, from the system: the parser has put them in another order. */
static bool read_command_line(char *text, size_t size, char **words, size_t word_limit)
{
    FILE *file = fopen("/proc/self/cmdline", "rb");
    if (file == NULL) {
        return false;
    }
    size_t length = fread(text, 1, size - 1, file);
    bool whole = feof(file) != 0;
    fclose(file);
    text[length] = '\0';
    size_t count = 0;
    for (size_t at = 0; at < length && count + 1 < word_limit; at += strlen(text + at) + 1) {
        words[count++] = text + at;
    }
    words[count] = NULL;
    return whole && count + 1 < word_limit && count > 0;
}

int bench_become_peers(void)
{
    enum { TEXT_SIZE = 1 << 16, WORD_LIMIT = 512 };
    static char text[TEXT_SIZE], path[4096];
    static char *words[WORD_LIMIT];
    const char *named = getenv("DENT_PEERS");
    if (named != NULL) {
        snprintf(path, sizeof path, "%s", named);
    } else {
        ssize_t length = readlink("/proc/self/exe", path, sizeof path - 32);
        path[length > 0 ? length : 0] = '\0';
        char *slash = strrchr(path, '/');
        snprintf(slash != NULL ? slash + 1 : path, 16, "dent-peers");
    }
    if (access(path, X_OK) != 0) {
        return complain("bench: --peers needs the program dent-peers (cmake -DDENT_BUILD_PEERS=ON): %s: %s", path,
                        strerror(errno));
    }
    if (!read_command_line(text, sizeof text, words, WORD_LIMIT)) {
        return complain("bench: --peers: the command line cannot be read back");
    }
    execv(path, words);
    return complain("bench: %s: %s", path, strerror(errno));
}
