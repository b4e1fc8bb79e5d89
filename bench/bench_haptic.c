/* Haptics: how long a tick of the device's loop takes, and an update of the god-object.
 *
 *     bench_haptic [ticks] [updates]     default 20000 4000
 *
 * Coupling: a plate of 8 x 8 points is pressed onto a plane, so that a force is made of 32 contacts, the most there are.
 * Update: a ball of 480 triangles slides over hills of 100,352 triangles, pressed in by a tenth of its radius, at 0.3
 * radii per 10 ms with the device moving a tick between updates. The empty loop beside each reads the clock as often and
 * does nothing else: what the machine takes away. CPU is the time of the thread. One thread. Bars: 100 µs and 4 ms at the 99th percentile.
 */
#define _POSIX_C_SOURCE 200809L
#include "../tests/support/haptic_field.h"
#include "sort_times.h"

#include <stdio.h>
#include <time.h>

/* Of this thread: what others on the machine do does not count. */
static double cpu_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return 1e9 * (double)now.tv_sec + (double)now.tv_nsec;
}

static double hills(double x, double y)
{
    double a, b;
    dent_sine_cosine(7 * x, &a, NULL);
    dent_sine_cosine(5 * y, &b, NULL);
    return 0.1 * a * b;
}

struct times {
    double *wall, *cpu;
    uint64_t began;
    double began_cpu;
};

static void begin(struct times *times)
{
    times->began_cpu = cpu_ns();
    times->began = dent_clock_ns();
}

static void end(struct times *times, size_t i)
{
    times->wall[i] = (double)(dent_clock_ns() - times->began);
    times->cpu[i] = cpu_ns() - times->began_cpu;
}

static void print_row(const char *what, struct times *times, size_t count, const char *note)
{
    for (int clock = 0; clock < 2; clock++) {
        double *ns = clock ? times->cpu : times->wall;
        sort_times(ns, count);
        printf("%-20s %-5s %10.2f %10.2f %10.2f %10.2f   %s\n", what, clock ? "CPU" : "wall", 1e-3 * ns[count / 2],
               1e-3 * ns[count * 99 / 100], 1e-3 * ns[count * 999 / 1000], 1e-3 * ns[count - 1], clock ? "" : note);
    }
}

static void empty_loop(struct times *times, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        begin(times);
        end(times, i);
    }
    print_row("  empty loop", times, count, "");
}

static bool couple(dent_context *context, struct times *times, size_t count)
{
    struct haptic_field field;
    dent_haptic *haptic = NULL;
    dent_haptic_force force = {.work = 0};
    dent_haptic_state state = {.contact_count = 0};
    haptic_field_open(&field, context, haptic_sheet(0.1, 7, NULL));
    haptic_field_add(&field, "plane", DENT_HAPTIC_FIXED, haptic_sheet(1, 3, NULL));
    dent_haptic_def def = haptic_field_def(&field, 0, 0, 0.1);
    bool good = dent_haptic_create(context, &def, &haptic) == DENT_OK;
    for (int i = 0; i < 100 && good; i++) {
        dent_pose device = haptic_pose(0, 0, 0.1 - 0.0012 * i);
        good = dent_haptic_couple(haptic, &device, &force) == DENT_OK && dent_haptic_update(haptic, &state) == DENT_OK;
    }
    for (size_t i = 0; i < count && good; i++) {
        double wave, other;
        char note[64];
        dent_sine_cosine(0.01 * (double)(i % 10000), &wave, &other);
        dent_pose device = haptic_turned(0.01 * wave, 0.01 * other, -0.02 + 0.005 * wave, 0.1 * other, (int)(i % 3));
        begin(times);
        good = dent_haptic_couple(haptic, &device, &force) == DENT_OK;
        end(times, i);
        if (i + 1 == count) {
            snprintf(note, sizeof note, "%u contacts, %u push", force.contact_count, force.pushing);
            print_row("coupling tick", times, count, note);
        }
    }
    dent_haptic_destroy(haptic);
    haptic_field_close(&field);
    return good && force.contact_count == DENT_HAPTIC_CONTACTS_MAX;
}

static bool update(dent_context *context, struct times *times, size_t count)
{
    struct haptic_field field;
    dent_haptic *haptic = NULL;
    dent_haptic_force force;
    dent_haptic_state state = {.contact_count = 0};
    haptic_field_open(&field, context, haptic_ball(0.05, 13, 20));
    haptic_field_add(&field, "hills", DENT_HAPTIC_FIXED, haptic_sheet(1, 224, hills));
    dent_haptic_def def = haptic_field_def(&field, 0, 0, 0.3);
    bool good = dent_haptic_create(context, &def, &haptic) == DENT_OK;
    uint64_t tests = 0, touching = 0, crossings = 0;
    for (size_t i = 0; i < count && good; i++) {
        double x, y, angle = 0.0025 * (double)i;
        dent_sine_cosine(angle, &y, &x);
        x *= 0.6;
        y *= 0.6;
        dent_pose device = haptic_turned(x, y, hills(x, y) + 0.045, angle, 2);
        good = dent_haptic_couple(haptic, &device, &force) == DENT_OK;
        begin(times);
        good = good && dent_haptic_update(haptic, &state) == DENT_OK;
        end(times, i);
        tests += state.motion_tests;
        touching += state.contact_count > 0;
        crossings += i % 100 == 0 ? haptic_crossings(&field, &state.tool) : 0;
    }
    char note[128];
    snprintf(note, sizeof note, "%.1f certified motions each, %.0f %% touching, %llu crossings in %zu exact checks",
             (double)tests / (double)count, 100.0 * (double)touching / (double)count, (unsigned long long)crossings,
             (count + 99) / 100);
    print_row("god-object update", times, count, note);
    dent_haptic_destroy(haptic);
    haptic_field_close(&field);
    return good && crossings == 0;
}

int main(int argc, char **argv)
{
    size_t ticks = argc > 1 ? (size_t)atol(argv[1]) : 20000, updates = argc > 2 ? (size_t)atol(argv[2]) : 4000;
    dent_context_def def = dent_context_def_default();
    def.thread_count = 1;
    dent_context *context = dent_context_create(&def, NULL);
    size_t most = ticks > updates ? ticks : updates;
    struct times times = {calloc(most, sizeof(double)), calloc(most, sizeof(double)), 0, 0};
    if (!context || !times.wall || !times.cpu || ticks < 1 || updates < 1) {
        return 1;
    }
    printf("%-26s %10s %10s %10s %10s\n", "microseconds", "median", "p99", "p99.9", "largest");
    bool good = couple(context, &times, ticks);
    empty_loop(&times, ticks);
    good = update(context, &times, updates) && good;
    empty_loop(&times, updates);
    free(times.wall);
    free(times.cpu);
    dent_context_destroy(context);
    return good ? 0 : 1;
}
