/* view_gate.h — the listening socket of `dent view`: lets connections with the token through, keeps strangers few.
 *
 * Everybody on the machine can connect to a port of the loopback interface. So before the HTTP library sees a
 * connection, the gate looks at the first bytes of its request, which must be "GET /TOKEN/". A connection that has them
 * is handed over with all its bytes unread; any other is answered 403. Strangers have a table of their own: they take
 * no place, no memory and no time from pages.
 *
 * Deadlines, by stage: the first bytes of the request within VIEW_GATE_REQUEST_MS of the connection, a refused peer's
 * own close within VIEW_GATE_LEAVE_MS. Behind the gate those of the library apply: headers and upgrade 10 s, an idle
 * connection 5 s.
 *
 * When the table is full, room is made for a newcomer by closing a stranger: one that was refused, else the one that
 * came first, once it has had VIEW_GATE_GRACE_MS for its request; until then newcomers wait in the system's queue. So a
 * page has that long to send its request however many strangers there are, and n of them ahead of it in the queue hold
 * it up by at most n / VIEW_GATE_STRANGERS * VIEW_GATE_GRACE_MS: 0.2 s if there are 400.
 */
#ifndef DENT_VIEW_GATE_H
#define DENT_VIEW_GATE_H

#include <stdbool.h>
#include <stdint.h>

enum { VIEW_TOKEN_LENGTH = 32 }; /* hexadecimal digits: 128 bits */

enum {
    VIEW_GATE_STRANGERS = 512, /* half of the descriptors a process usually has */
    VIEW_GATE_REQUEST_MS = 5000,
    VIEW_GATE_LEAVE_MS = 1000,
    VIEW_GATE_GRACE_MS = 250
};

typedef struct view_gate view_gate;

typedef struct view_gate_def {
    uint16_t port;     /* 0: one that is free */
    const char *token; /* VIEW_TOKEN_LENGTH characters; valid while the gate is open */
    /* Takes over a socket that is not blocking, nothing of it read. False: no room, the gate asks again later. Called
     * from the gate's thread, as is `refused`, once for every stranger that was answered or closed. */
    bool (*admit)(void *user, int socket);
    void (*refused)(void *user);
    void *user;
} view_gate_def;

/** Listens on 127.0.0.1, and lets nobody in yet. Null: errno says why. */
view_gate *view_gate_open(const view_gate_def *def);
uint16_t view_gate_port(const view_gate *gate);
/** Starts its thread. */
bool view_gate_start(view_gate *gate);
/** Ends the thread and closes what was not admitted; null is allowed. */
void view_gate_close(view_gate *gate);

/** Whether `text`, of at least VIEW_TOKEN_LENGTH characters, begins with the token. All characters are compared, so
 * that the time taken tells nothing. */
bool view_token_matches(const char *token, const char *text);

#endif
