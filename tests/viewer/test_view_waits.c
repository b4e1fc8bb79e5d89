/* dent_view_update waits for no socket: whenever the server's thread writes to one, the write is held up until the caller's loop
 * has gone round a number of times more. If an update waited for the writer, by a lock that is held across the write or in any
 * other way, neither would go on. That is a claim about order, not about time: it holds on a machine of any load.
 *
 * The program's own send() takes the place of the C library's, also for libwebsockets, which is a shared library. */
#include "support/cmocka_includes.h"

#include <dent/dent.h>
#include <dent/view.h>

#include <arpa/inet.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS_HELD = 50, WRITES = 12, SECONDS_LIMIT = 120 };

static atomic_uint rounds, writes, stuck; /* of the loop; held up; given up */
static atomic_bool holding;
static pthread_t loop;

static void rest(long nanoseconds)
{
    nanosleep(&(struct timespec){0, nanoseconds}, NULL);
}

__attribute__((visibility("default"))) ssize_t send(int socket, const void *bytes, size_t size, int flags)
{
    if (atomic_load(&holding) && !pthread_equal(pthread_self(), loop)) {
        unsigned until = atomic_load(&rounds) + ROUNDS_HELD;
        for (int i = 0; i < 1000 * SECONDS_LIMIT && (int)(until - atomic_load(&rounds)) > 0 && atomic_load(&holding); i++) {
            rest(1000000);
            if (i + 1 == 1000 * SECONDS_LIMIT) {
                atomic_fetch_add(&stuck, 1);
            }
        }
        atomic_fetch_add(&writes, 1);
    }
    return sendto(socket, bytes, size, flags, NULL, 0);
}

/* A page without a browser: the words that open its socket. What it gets it does not read. */
static int open_page(const char *address)
{
    char request[512], token[40];
    unsigned port;
    assert_int_equal(sscanf(address, "http://127.0.0.1:%u/%39[0-9a-f]/", &port, token), 2);
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int page = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(connect(page, (struct sockaddr *)&to, sizeof to), 0);
    int length = snprintf(request, sizeof request,
                          "GET /%s/socket HTTP/1.1\r\nHost: 127.0.0.1:%u\r\nOrigin: http://127.0.0.1:%u\r\n"
                          "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
                          "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: dent-view-1\r\n\r\n",
                          token, port, port);
    assert_int_equal(write(page, request, (size_t)length), length);
    return page;
}

static void ignore_line(void *user, const char *line)
{
    (void)user;
    (void)line;
}

static void an_update_waits_for_no_write(void **unused)
{
    (void)unused;
    static const double corners[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    static const uint32_t tetrahedron[4] = {0, 1, 2, 3};
    loop = pthread_self();
    dent_context *context = dent_context_create(NULL, NULL);
    dent_world *world = dent_world_create(context);
    dent_body_def def = dent_solid_def_default();
    dent_body_id id;
    def.vertex_count = 4;
    def.element_count = 1;
    def.element_corners = tetrahedron;
    def.positions_t0 = dent_positions_double(corners);
    assert_int_equal(dent_world_add_body(world, &def, &id), DENT_OK);
    dent_view_def view_def = dent_view_def_default();
    dent_view *view;
    view_def.no_browser = true;
    view_def.print = ignore_line;
    assert_int_equal(dent_view_create(world, &view_def, &view), DENT_OK);
    atomic_store(&holding, true);
    int pages[4];
    for (int i = 0; i < 4; i++) {
        pages[i] = open_page(dent_view_address(view));
    }
    for (long i = 0; atomic_load(&writes) < WRITES && atomic_load(&stuck) == 0 && i < 1000L * SECONDS_LIMIT; i++) {
        assert_int_equal(dent_view_update(view, 0.01 * (double)i), DENT_OK);
        atomic_fetch_add(&rounds, 1);
        rest(100000);
    }
    atomic_store(&holding, false);
    assert_int_equal(atomic_load(&stuck), 0);
    assert_true(atomic_load(&writes) >= WRITES);
    assert_true(dent_view_get_info(view).frames_made >= 1);
    for (int i = 0; i < 4; i++) {
        close(pages[i]);
    }
    dent_view_destroy(view);
    dent_world_destroy(world);
    dent_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(an_update_waits_for_no_write)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
