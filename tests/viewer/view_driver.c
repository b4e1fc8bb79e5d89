/* A caller's own loop with a view in it, for test_library.mjs: view_driver STEPS SIDE SLEEP_US [queries|contacts|wait]. Two
 * sheets of SIDE x SIDE squares; the second falls through the first, with plots and markers. Prints the address and the
 * tunnel first, an event per line, and at the end how long the updates took. With `wait` the steps begin when a page has
 * drawn. */
#include <dent/dent.h>
#include <dent/view.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct sheet {
    uint32_t side;
    double *positions;
    uint32_t *corners;
    dent_body_id id;
} sheet;

static void place(sheet *made, double z, double time)
{
    double *x = made->positions;
    for (uint32_t i = 0; i <= made->side; i++) {
        for (uint32_t j = 0; j <= made->side; j++, x += 3) {
            x[0] = (double)i / made->side;
            x[1] = (double)j / made->side;
            x[2] = z + 0.1 * sin(5 * x[0] + time) * cos(4 * x[1]);
        }
    }
}

static void make(sheet *made, dent_world *world, uint32_t side, double z, const char *name)
{
    made->side = side;
    made->positions = malloc(3 * sizeof(double) * (side + 1) * (side + 1));
    made->corners = malloc(6 * sizeof(uint32_t) * side * side);
    uint32_t *c = made->corners, across = side + 1;
    for (uint32_t i = 0; i < side; i++) {
        for (uint32_t j = 0; j < side; j++, c += 6) {
            uint32_t v = i * across + j;
            memcpy(c, (uint32_t[6]){v, v + across, v + across + 1, v, v + across + 1, v + 1}, 6 * sizeof *c);
        }
    }
    place(made, z, 0);
    dent_body_def def = dent_surface_def_default();
    def.name = name;
    def.vertex_count = across * across;
    def.element_count = 2 * side * side;
    def.element_corners = made->corners;
    def.positions_t0 = dent_positions_double(made->positions);
    dent_world_add_body(world, &def, &made->id);
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void print_event(const dent_view_event *event)
{
    static const char *const names[] = {"restart", "grab", "release", "speed"};
    printf("event %s %u %u %.6g %.6g %.6g %g\n", names[event->kind], event->body, event->vertex, event->target[0],
           event->target[1], event->target[2], event->value);
    fflush(stdout);
}

/* Updates until a page has drawn a frame, however long a loaded machine takes for that; how many there were. */
static uint64_t wait_for_page(dent_view *view)
{
    while (dent_view_get_info(view).frames_drawn == 0 && dent_view_update(view, 0) == DENT_OK) {
        nanosleep(&(struct timespec){0, 1000000}, NULL);
    }
    return dent_view_get_info(view).update_count;
}

static double cpu_us(void)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return 1e6 * (double)time.tv_sec + 1e-3 * (double)time.tv_nsec;
}

int main(int argument_count, char **arguments)
{
    long steps = argument_count > 1 ? atol(arguments[1]) : 1000, taken = 0;
    uint32_t side = argument_count > 2 ? (uint32_t)atol(arguments[2]) : 50;
    long sleep_us = argument_count > 3 ? atol(arguments[3]) : 0;
    double *times = calloc((size_t)steps, sizeof *times), spent = 0, longest_spent = 0;
    sheet sheets[2];
    dent_context *context = dent_context_create(NULL, NULL);
    dent_world *world = dent_world_create(context);
    make(&sheets[0], world, side, 0, "lower");
    make(&sheets[1], world, side, 0.3, "upper");
    dent_view_def def = dent_view_def_default();
    dent_view *view = NULL;
    def.title = "driver";
    def.length_unit = "m";
    def.no_browser = true;
    const char *more = argument_count > 4 ? arguments[4] : "";
    def.queries = strcmp(more, "queries") == 0;
    bool contacts = strcmp(more, "contacts") == 0;
    if (dent_view_create(world, &def, &view) != DENT_OK) {
        return 1;
    }
    printf("%s\n%s\n", dent_view_address(view), dent_view_tunnel(view));
    fflush(stdout);
    uint32_t height, middle;
    dent_view_add_plot(view, "height", 1, &height);
    dent_view_add_plot(view, "middle", 3, &middle);
    uint64_t waited = strcmp(more, "wait") == 0 ? wait_for_page(view) : 0;
    for (long step = 0; step < steps; step++) {
        double time = 0.01 * (double)taken, z = 0.3 * cos(time);
        if (dent_view_wants_step(view)) {
            place(&sheets[0], 0, time);
            place(&sheets[1], z, -time);
            taken++;
        }
        dent_view_marker markers[3] = {{DENT_VIEW_POINT, 0xff0000, {0.5, 0.5, z}, {0}, "middle of the upper sheet"},
                                       {DENT_VIEW_SEGMENT, 0x00c000, {0, 0, 0}, {0, 0, z}, NULL},
                                       {DENT_VIEW_ARROW, 0x0000ff, {1, 1, 0}, {1, 1, z}, "µ"}};
        dent_view_set_plot(view, height, &z);
        dent_view_set_plot(view, middle, (double[3]){0.5, 0.5, z});
        dent_view_set_markers(view, markers, 3);
        dent_contacts_def ask = dent_contacts_def_default();
        dent_contacts found;
        ask.proximity = true, ask.thickness = 0.02;
        if (contacts && step % 20 == 0 && dent_world_find_contacts(world, &ask, &found) == DENT_OK) {
            dent_view_set_contacts(view, &found);
        }
        double before = cpu_us();
        if (dent_view_update(view, time) != DENT_OK) {
            return 2;
        }
        double took = cpu_us() - before;
        spent += took;
        longest_spent = took > longest_spent ? took : longest_spent;
        times[step] = 1e-3 * (double)dent_view_get_info(view).ns_update;
        for (dent_view_event event; dent_view_next_event(view, &event);) {
            print_event(&event);
        }
        nanosleep(&(struct timespec){0, 1000 * sleep_us}, NULL);
    }
    dent_view_info info = dent_view_get_info(view);
    qsort(times, (size_t)steps, sizeof *times, by_size);
    printf("{\"updates\":%llu,\"taken\":%ld,\"made\":%llu,\"drawn\":%llu,\"median_us\":%.3f,\"p99_us\":%.3f,\"longest_"
           "us\":%.3f,\"cpu_us\":%.3f,\"longest_cpu_us\":%.3f}\n",
           (unsigned long long)(info.update_count - waited), taken, (unsigned long long)info.frames_made,
           (unsigned long long)info.frames_drawn, times[steps / 2], times[(size_t)steps * 99 / 100], times[steps - 1],
           spent / (double)steps, longest_spent);
    dent_view_destroy(view);
    dent_world_destroy(world);
    dent_context_destroy(context);
    for (int i = 0; i < 2; i++) {
        free(sheets[i].positions);
        free(sheets[i].corners);
    }
    free(times);
    return 0;
}
