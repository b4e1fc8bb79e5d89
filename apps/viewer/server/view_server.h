/* view_server.h — the socket side of `dent view`: a thread that serves the page and streams frames to it.
 *
 * Listens on 127.0.0.1 only. Every address begins with a random token, and connections without it never get further
 * than the gate (view_gate.h); Host and Origin must be ours, so that no other page in the browser can reach it. Files
 * are those of the bundle in the program and no others.
 *
 * Streaming: the newest frame only. A client gets the next frame when it has acknowledged the last one (one that
 * answers within 30 ms: the last but one); what was published meanwhile is skipped. Publishing never waits for anybody:
 * it swaps a pointer under a lock.
 */
#ifndef DENT_VIEW_SERVER_H
#define DENT_VIEW_SERVER_H

#include "view_gate.h"
#include "view_protocol.h"
#include "view_upload.h"

typedef struct view_server view_server;

enum { VIEW_CLIENT_LIMIT = 16, VIEW_COMMAND_SHARE = 32, VIEW_COMMAND_QUEUE = VIEW_CLIENT_LIMIT * VIEW_COMMAND_SHARE };

/** A file of the page, inside the program. */
typedef struct view_file {
    const char *name; /* "index.html" */
    const char *type; /* "text/html; charset=utf-8" */
    const unsigned char *bytes;
    size_t size;
} view_file;

/** The bundle; ended by a row without a name. Made at build time (cmake/viewer.cmake). */
extern const view_file view_bundle[];

/** Fills `token` with VIEW_TOKEN_LENGTH random hexadecimal digits and a zero. */
bool view_make_token(char *token);

/** port 0: one that is free. token null: a new random one; else VIEW_TOKEN_LENGTH hexadecimal digits, so that a page
 * can find its server again. Null: *why says what went wrong in a line. */
view_server *view_server_start(uint16_t port, const char *token, char *why, size_t why_size);
/** Closes the connections and waits for the thread. */
void view_server_stop(view_server *server);

/** "http://127.0.0.1:41234/TOKEN/" */
const char *view_server_url(const view_server *server);
uint16_t view_server_port(const view_server *server);

/** What a new client gets first (HELLO, TOPOLOGY …); replaces the list, and clients who have the old one get it anew.
 * Takes over one reference to each message. */
bool view_server_set_opening(view_server *server, view_message *const *messages, uint32_t count);
/** The newest frame; takes over the reference. */
void view_server_publish(view_server *server, view_message *frame);
/** Where nobody is connected: the next one to come gets the frame published next, not this one, which has grown old. */
void view_server_forget_frame(view_server *server);
/** The newest boxes of a structure, for all clients; a client gets them before the frame published next. Takes over the
 * reference. */
void view_server_set_boxes(view_server *server, view_message *boxes);
/** What the pages have asked for (STATE), for all clients, so that their controls agree. Takes over the reference. */
void view_server_set_state(view_server *server, view_message *state);
enum { VIEW_EVERYBODY = 0 }; /* clients are numbered from 1 */
/** An answer to one client, or something for all; dropped when it is gone, and when it has too many to read. Takes over
 * the reference; null is allowed. */
void view_server_reply(view_server *server, uint64_t client, view_message *message);

/** The next command of any client, waiting at most `wait_ms`. Acknowledgements are not among them. A client that goes
 * away says nothing: view_server_is_here. */
bool view_server_command(view_server *server, uint32_t wait_ms, view_command *command);

/** From now on a command raises *flag (by an atomic store): for work that gives way to pages. Null: none. Returns whether
 * commands are waiting already. */
bool view_server_raise(view_server *server, int *flag);

/** From now on a page may send one file. */
void view_server_expect_upload(view_server *server);
/** How far it is, and the file, or the words of a failure, when it is there: the caller's to drop. */
view_message *view_server_take_upload(view_server *server, view_upload_state *state);

typedef struct view_server_facts {
    uint32_t clients;
    uint64_t frames_published, frames_sent, frames_acknowledged, refused;
    bool wanted;    /* some client is ready for a frame: there is one to draw for */
    bool has_frame; /* there is one that a new client would get */
} view_server_facts;
view_server_facts view_server_get_facts(view_server *server);
/** Whether that client is still connected. */
bool view_server_is_here(view_server *server, uint64_t client);

#endif
