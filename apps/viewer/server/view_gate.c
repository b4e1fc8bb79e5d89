/* view_gate.c — see view_gate.h.
 *
 * One thread, one poll over the listening socket and the strangers, who stand in order of arrival. The request is
 * peeked at, not read: the library behind the gate gets a socket as it came from accept. SO_RCVLOWAT makes poll wait
 * for as many bytes as decide, so that a stranger who dribbles costs nothing; where a system ignores it, or the peer
 * has closed its side, such a socket is looked at PAUSE_MS later again.
 *
 * Nothing is decided before all bytes are there: an answer that depended on the first wrong digit would tell it.
 */
#define _GNU_SOURCE /* POLLRDHUP */
#include "view_gate.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#ifndef POLLRDHUP
#define POLLRDHUP 0
#endif

#define METHOD "GET /"

enum {
    METHOD_LENGTH = sizeof METHOD - 1,
    OPENING_LENGTH = METHOD_LENGTH + VIEW_TOKEN_LENGTH + 1, /* "GET /TOKEN/" */
    ACCEPTED_AT_ONCE = 64,                                  /* between two looks at those who are here */
    DRAINED_AT_ONCE = 4096,
    DRAINED_IN_ALL = 65536,
    PAUSE_MS = 20
};

typedef enum stage { STAGE_REQUEST, STAGE_ADMITTED, STAGE_LEAVING } stage;

typedef struct stranger {
    int socket; /* -1: closed or handed over */
    stage stage;
    uint32_t drained; /* bytes, since it was refused */
    uint64_t arrived_ms, deadline_ms;
    uint64_t rest_until_ms; /* not polled before that */
} stranger;

struct view_gate {
    view_gate_def def;
    uint16_t port;
    int listener;
    int wake[2]; /* a pipe: written to when the gate is closed */
    bool started;
    pthread_t thread;
    uint64_t listen_after_ms; /* out of descriptors until then */
    uint32_t count;
    stranger strangers[VIEW_GATE_STRANGERS]; /* in order of arrival */
    struct pollfd polled[VIEW_GATE_STRANGERS + 2];
};

bool view_token_matches(const char *token, const char *text)
{
    unsigned difference = 0;
    for (int i = 0; i < VIEW_TOKEN_LENGTH; i++) {
        difference |= (unsigned)(token[i] ^ text[i]);
    }
    return difference == 0;
}

static uint64_t clock_ms(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000 + (uint64_t)time.tv_nsec / 1000000;
}

/* ---- one stranger ------------------------------------------------------------------------------------------------ */

static void dismiss(stranger *visitor)
{
    close(visitor->socket);
    visitor->socket = -1;
}

static void set_low_mark(int socket, int bytes)
{
    setsockopt(socket, SOL_SOCKET, SO_RCVLOWAT, &bytes, sizeof bytes);
}

/* Says no. The peer's own bytes are read for a moment: closing on unread ones would take the answer back. */
static void refuse(view_gate *gate, stranger *visitor, uint64_t now)
{
    static const char answer[] =
        "HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\ncache-control: no-store\r\nconnection: close\r\n\r\n";
    gate->def.refused(gate->def.user);
    set_low_mark(visitor->socket, 1);
    if (send(visitor->socket, answer, sizeof answer - 1, MSG_NOSIGNAL) < 0 || shutdown(visitor->socket, SHUT_WR) != 0) {
        dismiss(visitor);
        return;
    }
    visitor->stage = STAGE_LEAVING;
    visitor->deadline_ms = now + VIEW_GATE_LEAVE_MS;
}

static void hand_over(view_gate *gate, stranger *visitor, uint64_t now)
{
    if (visitor->stage == STAGE_REQUEST) {
        visitor->stage = STAGE_ADMITTED;
        visitor->deadline_ms = now + VIEW_GATE_REQUEST_MS;
    }
    if (gate->def.admit(gate->def.user, visitor->socket)) {
        visitor->socket = -1;
    } else {
        visitor->rest_until_ms = now + PAUSE_MS;
    }
}

static void read_request(view_gate *gate, stranger *visitor, bool half_closed, uint64_t now)
{
    char opening[OPENING_LENGTH];
    ssize_t length = recv(visitor->socket, opening, sizeof opening, MSG_PEEK);
    if (length < OPENING_LENGTH) {
        bool over = length == 0 || half_closed || (length < 0 && errno != EAGAIN && errno != EINTR);
        if (over) {
            gate->def.refused(gate->def.user);
            dismiss(visitor);
        }
        visitor->rest_until_ms = length > 0 ? now + PAUSE_MS : now;
        return;
    }
    bool known = view_token_matches(gate->def.token, opening + METHOD_LENGTH);
    if (known && memcmp(opening, METHOD, METHOD_LENGTH) == 0 && opening[OPENING_LENGTH - 1] == '/') {
        set_low_mark(visitor->socket, 1);
        hand_over(gate, visitor, now);
    } else {
        refuse(gate, visitor, now);
    }
}

static void drain(stranger *visitor)
{
    char ignored[DRAINED_AT_ONCE];
    ssize_t length = recv(visitor->socket, ignored, sizeof ignored, 0);
    visitor->drained += length > 0 ? (uint32_t)length : 0;
    if (length == 0 || visitor->drained > DRAINED_IN_ALL || (length < 0 && errno != EAGAIN && errno != EINTR)) {
        dismiss(visitor);
    }
}

static void attend(view_gate *gate, stranger *visitor, short events, uint64_t now)
{
    bool half_closed = (events & (POLLRDHUP | POLLHUP | POLLERR | POLLNVAL)) != 0;
    switch (visitor->stage) {
    case STAGE_REQUEST:
        read_request(gate, visitor, half_closed, now);
        break;
    case STAGE_ADMITTED:
        hand_over(gate, visitor, now);
        break;
    case STAGE_LEAVING:
        drain(visitor);
        break;
    }
}

/* ---- the table --------------------------------------------------------------------------------------------------- */

static void close_gaps(view_gate *gate)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < gate->count; i++) {
        if (gate->strangers[i].socket >= 0) {
            gate->strangers[kept++] = gate->strangers[i];
        }
    }
    gate->count = kept;
}

/* The first that came, of those at a stage; null: none. */
static stranger *oldest_at(view_gate *gate, stage wanted)
{
    for (uint32_t i = 0; i < gate->count; i++) {
        if (gate->strangers[i].stage == wanted) {
            return &gate->strangers[i];
        }
    }
    return NULL;
}

/* False: not yet; the listening socket rests until somebody may be closed. Connections with the token never are. */
static bool make_room(view_gate *gate, uint64_t now)
{
    if (gate->count < VIEW_GATE_STRANGERS) {
        return true;
    }
    stranger *last = oldest_at(gate, STAGE_LEAVING);
    if (last == NULL) {
        last = oldest_at(gate, STAGE_REQUEST);
        uint64_t ripe = last != NULL ? last->arrived_ms + VIEW_GATE_GRACE_MS : now + PAUSE_MS;
        if (now < ripe) {
            gate->listen_after_ms = ripe;
            return false;
        }
        gate->def.refused(gate->def.user);
    }
    dismiss(last);
    close_gaps(gate);
    return true;
}

static void close_late(view_gate *gate, uint64_t now)
{
    for (uint32_t i = 0; i < gate->count; i++) {
        stranger *visitor = &gate->strangers[i];
        if (visitor->socket >= 0 && now >= visitor->deadline_ms) {
            if (visitor->stage != STAGE_LEAVING) {
                gate->def.refused(gate->def.user);
            }
            dismiss(visitor);
        }
    }
    close_gaps(gate);
}

static void welcome(view_gate *gate, int socket, uint64_t now)
{
    int one = 1;
    stranger *visitor = &gate->strangers[gate->count++];
    *visitor = (stranger){
        .socket = socket, .stage = STAGE_REQUEST, .arrived_ms = now, .deadline_ms = now + VIEW_GATE_REQUEST_MS};
    fcntl(socket, F_SETFL, O_NONBLOCK);
    fcntl(socket, F_SETFD, FD_CLOEXEC);
    setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    set_low_mark(socket, OPENING_LENGTH);
    attend(gate, visitor, 0, now); /* a page's request is mostly here already */
    gate->count -= visitor->socket < 0;
}

static void accept_some(view_gate *gate, uint64_t now)
{
    for (int i = 0; i < ACCEPTED_AT_ONCE && make_room(gate, now); i++) {
        int socket = accept(gate->listener, NULL, NULL);
        if (socket >= 0) {
            welcome(gate, socket, now);
        } else if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
            gate->listen_after_ms = now + PAUSE_MS; /* poll would return at once, for ever */
            return;
        } else if (errno != ECONNABORTED && errno != EINTR) {
            return;
        }
    }
}

/* ---- the thread -------------------------------------------------------------------------------------------------- */

static void sooner(uint64_t *first, uint64_t other)
{
    *first = other < *first ? other : *first;
}

/* Fills `polled`, in the order of the table; how long there is nothing to do otherwise: -1 for ever. */
static int prepare(view_gate *gate, uint64_t now)
{
    uint64_t next = UINT64_MAX;
    bool listening = now >= gate->listen_after_ms;
    gate->polled[0] = (struct pollfd){.fd = gate->wake[0], .events = POLLIN};
    gate->polled[1] = (struct pollfd){.fd = listening ? gate->listener : -1, .events = POLLIN};
    if (!listening) {
        sooner(&next, gate->listen_after_ms);
    }
    for (uint32_t i = 0; i < gate->count; i++) {
        const stranger *visitor = &gate->strangers[i];
        bool rest_shapes = now < visitor->rest_until_ms;
        gate->polled[i + 2] = (struct pollfd){.fd = rest_shapes ? -1 : visitor->socket, .events = POLLIN | POLLRDHUP};
        sooner(&next, visitor->deadline_ms);
        if (rest_shapes) {
            sooner(&next, visitor->rest_until_ms);
        }
    }
    return next == UINT64_MAX ? -1 : next <= now ? 0 : (int)(next - now);
}

static void *keep_gate(void *data)
{
    view_gate *gate = data;
    for (;;) {
        int wait = prepare(gate, clock_ms());
        if (poll(gate->polled, gate->count + 2, wait) < 0 && errno != EINTR) {
            struct timespec moment = {0, PAUSE_MS * 1000000};
            nanosleep(&moment, NULL); /* no memory: the next turn may have some */
            continue;
        }
        if (gate->polled[0].revents != 0) {
            return NULL;
        }
        uint64_t now = clock_ms();
        for (uint32_t i = 0; i < gate->count; i++) {
            if (gate->polled[i + 2].revents != 0) {
                attend(gate, &gate->strangers[i], gate->polled[i + 2].revents, now);
            }
        }
        close_late(gate, now);
        if (gate->polled[1].revents != 0) {
            accept_some(gate, now);
        }
    }
}

static bool listen_on_loopback(view_gate *gate)
{
    struct sockaddr_in address;
    socklen_t size = sizeof address;
    int one = 1;
    memset(&address, 0, sizeof address);
    address.sin_family = AF_INET;
    address.sin_port = htons(gate->def.port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    gate->listener = socket(AF_INET, SOCK_STREAM, 0);
    bool open = gate->listener >= 0 && fcntl(gate->listener, F_SETFL, O_NONBLOCK) == 0 &&
                fcntl(gate->listener, F_SETFD, FD_CLOEXEC) == 0 &&
                setsockopt(gate->listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one) == 0 &&
                bind(gate->listener, (struct sockaddr *)&address, sizeof address) == 0 &&
                listen(gate->listener, SOMAXCONN) == 0 &&
                getsockname(gate->listener, (struct sockaddr *)&address, &size) == 0;
    gate->port = ntohs(address.sin_port);
    return open;
}

view_gate *view_gate_open(const view_gate_def *def)
{
    view_gate *gate = calloc(1, sizeof *gate);
    if (gate == NULL) {
        return NULL;
    }
    gate->def = *def;
    gate->listener = gate->wake[0] = gate->wake[1] = -1;
    if (pipe(gate->wake) != 0 || fcntl(gate->wake[0], F_SETFD, FD_CLOEXEC) != 0 ||
        fcntl(gate->wake[1], F_SETFD, FD_CLOEXEC) != 0 || !listen_on_loopback(gate)) {
        int reason = errno;
        view_gate_close(gate);
        errno = reason;
        return NULL;
    }
    return gate;
}

uint16_t view_gate_port(const view_gate *gate)
{
    return gate->port;
}

bool view_gate_start(view_gate *gate)
{
    gate->started = pthread_create(&gate->thread, NULL, keep_gate, gate) == 0;
    return gate->started;
}

void view_gate_close(view_gate *gate)
{
    if (gate == NULL) {
        return;
    }
    if (gate->started) {
        while (write(gate->wake[1], "", 1) < 0 && errno == EINTR) {
        }
        pthread_join(gate->thread, NULL);
    }
    for (uint32_t i = 0; i < gate->count; i++) {
        dismiss(&gate->strangers[i]);
    }
    const int own[] = {gate->listener, gate->wake[0], gate->wake[1]};
    for (int i = 0; i < 3; i++) {
        if (own[i] >= 0) {
            close(own[i]);
        }
    }
    free(gate);
}
