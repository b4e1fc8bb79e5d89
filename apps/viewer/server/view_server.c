/* view_server.c — libwebsockets on loopback: page files over HTTP, one WebSocket per page. See view_server.h.
 *
 * One thread runs the service loop and alone touches sockets and clients. Others hand things over under `lock` and wake
 * it by lws_cancel_service. What a client is sent next: the opening messages in order, the state when it changed,
 * answers to its own questions, then, when it is ready for a frame, boxes that changed and the newest frame. So nothing
 * that comes with every frame piles up before a page that draws slowly while another one draws fast.
 *
 * Ready is who has no frame unacknowledged; or one, if the acknowledgement before it came within QUICK_NS. A quick
 * client then misses no frame of a simulation that makes one every 16 ms because a word took its time; and two frames
 * on their way to a page that has just become slow are not older than twice what it takes for one.
 */
#include "view_server.h"

#include <errno.h>
#include <libwebsockets.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

enum {
    TOKEN_BYTES = 16,
    TOKEN_LENGTH = VIEW_TOKEN_LENGTH,
    PATH_LIMIT = 256,
    REPLY_LIMIT = 16,
    FRAMES_UNDER_WAY = 2, /* to a quick client; to others one */
    QUICK_NS = 30000000,
    FILE_CHUNK = 32768,
    SEND_AT_ONCE = 1 << 20, /* bytes; not told, libwebsockets sends pieces as small as the longest command */
    SOCKET_LIMIT = 128,
    ADMITTED_LIMIT = 32 /* from the gate, until the service loop takes them over */
};

_Static_assert(LWS_PRE <= 64, "messages leave 64 bytes before their text");

typedef struct client {
    struct lws *socket;
    uint64_t number;
    uint32_t opening_generation, opening_sent;
    uint64_t boxes_sent, state_sent; /* the number of what it has */
    uint64_t frame_sent;         /* the publication it was */
    uint32_t frames_unconfirmed;
    uint64_t sent_ns[FRAMES_UNDER_WAY]; /* when these were handed over, the oldest first */
    bool quick;                         /* the last acknowledgement came within QUICK_NS */
    view_message *replies[REPLY_LIMIT];
    uint32_t reply_count;
    size_t command_size;
    char command[VIEW_COMMAND_LIMIT];
    struct client *next;
} client;

/* A page file on its way to a browser. */
typedef struct download {
    const view_file *file;
    size_t sent;
} download;

struct view_server {
    view_gate *gate;
    struct lws_context *sockets;
    struct lws_vhost *host_of_pages;
    pthread_t thread;
    bool stop;
    char token[TOKEN_LENGTH + 1];
    char url[128];
    char host[2][64];   /* the Host headers we answer to */
    char origin[2][80]; /* the Origins that may open a socket */

    pthread_mutex_t lock;
    pthread_cond_t arrived;
    view_message **opening;
    uint32_t opening_count, opening_generation;
    view_message *frame, *boxes, *state;
    uint64_t frame_number, boxes_number, state_number;
    view_command queue[VIEW_COMMAND_QUEUE];
    uint32_t queue_first, queue_count;
    int *raised; /* by commands; null: nobody wants to know */
    int admitted[ADMITTED_LIMIT]; /* sockets that the gate let in */
    uint32_t admitted_count;
    client *clients;
    uint32_t client_count;
    uint64_t next_client;
    view_upload upload;
    bool settled; /* some page has drawn what it was asked to: see settled_file */
    view_server_facts facts;
};

static const struct lws_protocols protocols[];

/* ---- who may come in ------------------------------------------------------------------------------------------ */

static bool header_is_one_of(struct lws *socket, enum lws_token_indexes header, const char *first, const char *second)
{
    char text[PATH_LIMIT];
    int length = lws_hdr_copy(socket, text, (int)sizeof text, header);
    return length > 0 && (strcmp(text, first) == 0 || strcmp(text, second) == 0);
}

/* "/TOKEN/name" -> "name"; null: not ours. */
static const char *name_behind_token(const view_server *server, const char *path)
{
    if (path[0] != '/' || strlen(path) < TOKEN_LENGTH + 2 || !view_token_matches(server->token, path + 1) ||
        path[1 + TOKEN_LENGTH] != '/') {
        return NULL;
    }
    return path + TOKEN_LENGTH + 2;
}

static bool host_is_ours(view_server *server, struct lws *socket)
{
    return header_is_one_of(socket, WSI_TOKEN_HOST, server->host[0], server->host[1]);
}

static int refuse_socket(view_server *server)
{
    pthread_mutex_lock(&server->lock);
    server->facts.refused++;
    pthread_mutex_unlock(&server->lock);
    return 1;
}

static void count_stranger(void *user)
{
    refuse_socket(user);
}

/* From the gate's thread. */
static bool admit(void *user, int socket)
{
    view_server *server = user;
    pthread_mutex_lock(&server->lock);
    bool room = server->admitted_count < ADMITTED_LIMIT;
    if (room) {
        server->admitted[server->admitted_count++] = socket;
    }
    pthread_mutex_unlock(&server->lock);
    lws_cancel_service(server->sockets);
    return room;
}

/* In the service loop. Where the library has no room it closes the socket itself. */
static void take_admitted(view_server *server)
{
    int taken[ADMITTED_LIMIT];
    pthread_mutex_lock(&server->lock);
    uint32_t count = server->admitted_count;
    memcpy(taken, server->admitted, count * sizeof taken[0]);
    server->admitted_count = 0;
    pthread_mutex_unlock(&server->lock);
    for (uint32_t i = 0; i < count; i++) {
        lws_adopt_socket_vhost(server->host_of_pages, taken[i]);
    }
}

static int filter_socket(view_server *server, struct lws *socket)
{
    char path[PATH_LIMIT];
    int length = lws_hdr_copy(socket, path, (int)sizeof path, WSI_TOKEN_GET_URI);
    const char *name = length > 0 ? name_behind_token(server, path) : NULL;
    bool welcome = name != NULL && strcmp(name, "socket") == 0 && host_is_ours(server, socket) &&
                   header_is_one_of(socket, WSI_TOKEN_ORIGIN, server->origin[0], server->origin[1]) &&
                   server->client_count < VIEW_CLIENT_LIMIT;
    return welcome ? 0 : refuse_socket(server);
}

/* ---- the page ------------------------------------------------------------------------------------------------- */

/* A picture that arrives only when a page has said `settled`. The page of a snapshot asks for it, so that it counts as
 * loaded, and is photographed, only when everything is drawn. */
static const unsigned char settled_bytes[] = "<svg xmlns=\"http://www.w3.org/2000/svg\"/>";
static const view_file settled_file = {"settled.svg", "image/svg+xml", settled_bytes, sizeof settled_bytes - 1};

static const view_file *find_file(const char *name)
{
    if (name == NULL) {
        return NULL;
    }
    if (strcmp(name, settled_file.name) == 0) {
        return &settled_file;
    }
    if (*name == '\0') {
        name = "index.html";
    }
    for (const view_file *file = view_bundle; file->name != NULL; file++) {
        if (strcmp(file->name, name) == 0) {
            return file;
        }
    }
    return NULL;
}

static int refuse_page(view_server *server, struct lws *socket, unsigned status)
{
    refuse_socket(server);
    bool told = lws_return_http_status(socket, status, NULL) == 0;
    return told && lws_http_transaction_completed(socket) == 0 ? 0 : -1;
}

static bool add_header(struct lws *socket, const char *name, const char *value, unsigned char **at, unsigned char *end)
{
    return lws_add_http_header_by_name(socket, (const unsigned char *)name, (const unsigned char *)value,
                                       (int)strlen(value), at, end) == 0;
}

static bool send_headers(struct lws *socket, const view_file *file)
{
    unsigned char buffer[LWS_PRE + 2048], *start = buffer + LWS_PRE, *at = start, *end = buffer + sizeof buffer - 1;
    return lws_add_http_common_headers(socket, HTTP_STATUS_OK, file->type, (lws_filepos_t)file->size, &at, end) == 0 &&
           add_header(
               socket, "content-security-policy:",
               "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; "
               "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
               &at, end) &&
           add_header(socket, "x-content-type-options:", "nosniff", &at, end) &&
           add_header(socket, "referrer-policy:", "no-referrer", &at, end) &&
           add_header(socket, "cache-control:", "no-store", &at, end) &&
           lws_finalize_write_http_header(socket, start, &at, end) == 0;
}

static int open_page(view_server *server, struct lws *socket, download *load, const char *path)
{
    if (!host_is_ours(server, socket)) {
        return refuse_page(server, socket, HTTP_STATUS_FORBIDDEN);
    }
    if (lws_hdr_total_length(socket, WSI_TOKEN_GET_URI) <= 0) {
        return refuse_page(server, socket, HTTP_STATUS_METHOD_NOT_ALLOWED);
    }
    const view_file *file = find_file(name_behind_token(server, path));
    if (file == NULL) {
        return refuse_page(server, socket,
                           name_behind_token(server, path) != NULL ? HTTP_STATUS_NOT_FOUND : HTTP_STATUS_FORBIDDEN);
    }
    load->file = file;
    load->sent = 0;
    if (!send_headers(socket, file)) {
        return -1;
    }
    lws_callback_on_writable(socket);
    return 0;
}

static int send_page_part(view_server *server, struct lws *socket, download *load)
{
    unsigned char buffer[LWS_PRE + FILE_CHUNK];
    if (load->file == NULL) {
        return 0;
    }
    if (load->file == &settled_file && !server->settled) {
        lws_set_timeout(socket, NO_PENDING_TIMEOUT,
                        0); /* it may take as long as it takes: cut off, the page counts as loaded */
        return 0;
    }
    size_t left = load->file->size - load->sent;
    size_t size = left < FILE_CHUNK ? left : FILE_CHUNK;
    memcpy(buffer + LWS_PRE, load->file->bytes + load->sent, size);
    bool last = size == left;
    if (lws_write(socket, buffer + LWS_PRE, size, last ? LWS_WRITE_HTTP_FINAL : LWS_WRITE_HTTP) < (int)size) {
        return -1;
    }
    load->sent += size;
    if (!last) {
        lws_callback_on_writable(socket);
        return 0;
    }
    load->file = NULL;
    return lws_http_transaction_completed(socket) != 0 ? -1 : 0;
}

static int serve_page(struct lws *socket, enum lws_callback_reasons reason, void *user, void *in, size_t size)
{
    view_server *server = lws_context_user(lws_get_context(socket));
    switch (reason) {
    case LWS_CALLBACK_HTTP:
        return open_page(server, socket, user, in);
    case LWS_CALLBACK_HTTP_WRITEABLE:
        return send_page_part(server, socket, user);
    case LWS_CALLBACK_FILTER_PROTOCOL_CONNECTION: /* a socket that names no protocol of ours */
        return refuse_socket(server);
    case LWS_CALLBACK_HTTP_CONFIRM_UPGRADE: /* the library also offers HTTP/2: a parser nobody here needs */
        return in != NULL && strcmp(in, "websocket") == 0 ? 0 : -refuse_socket(server);
    default:
        return lws_callback_http_dummy(socket, reason, user, in, size);
    }
}

/* ---- clients ---------------------------------------------------------------------------------------------------- */

/* With the lock held. How many commands of a client wait. */
static uint32_t count_waiting(const view_server *server, uint64_t number)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < server->queue_count; i++) {
        count += server->queue[(server->queue_first + i) % VIEW_COMMAND_QUEUE].client == number;
    }
    return count;
}

/* With the lock held. A newer place of the mouse or of the time bar stands for the older one. When a page talks faster
 * than it is obeyed, its commands are lost: each has its share of the queue, so that none takes another's. One place
 * of the share is kept for RELEASE, or a vertex would be held for ever. */
static void enqueue(view_server *server, const view_command *command)
{
    uint32_t last = (server->queue_first + server->queue_count + VIEW_COMMAND_QUEUE - 1) % VIEW_COMMAND_QUEUE;
    bool a_place = command->kind == VIEW_COMMAND_GRAB || command->kind == VIEW_COMMAND_SEEK;
    uint32_t share = VIEW_COMMAND_SHARE - (command->kind != VIEW_COMMAND_RELEASE);
    bool same_joint = command->kind == VIEW_COMMAND_JOINT && server->queue_count > 0 &&
                      server->queue[last].number[0] == command->number[0];
    if (server->queue_count > 0 && (a_place || same_joint) && server->queue[last].kind == command->kind &&
        server->queue[last].client == command->client) {
        server->queue[last] = *command;
    } else if (server->queue_count < VIEW_COMMAND_QUEUE && count_waiting(server, command->client) < share) {
        server->queue[(server->queue_first + server->queue_count++) % VIEW_COMMAND_QUEUE] = *command;
    }
    if (server->raised != NULL) {
        __atomic_store_n(server->raised, 1, __ATOMIC_RELAXED);
    }
    pthread_cond_signal(&server->arrived);
}

static void open_client(view_server *server, client *visitor, struct lws *socket)
{
    memset(visitor, 0, sizeof *visitor);
    visitor->socket = socket;
    pthread_mutex_lock(&server->lock);
    visitor->number = ++server->next_client;
    visitor->next = server->clients;
    server->clients = visitor;
    server->client_count++;
    pthread_cond_signal(&server->arrived);
    pthread_mutex_unlock(&server->lock);
    lws_callback_on_writable(socket);
}

static void close_client(view_server *server, client *visitor)
{
    pthread_mutex_lock(&server->lock);
    for (client **link = &server->clients; *link != NULL; link = &(*link)->next) {
        if (*link == visitor) {
            *link = visitor->next;
            server->client_count--;
            break;
        }
    }
    pthread_mutex_unlock(&server->lock);
    for (uint32_t i = 0; i < visitor->reply_count; i++) {
        view_message_drop(visitor->replies[i]);
    }
    visitor->reply_count = 0;
}

static uint64_t clock_ns(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static uint32_t frames_allowed(const client *visitor)
{
    return visitor->quick ? FRAMES_UNDER_WAY : 1;
}

/* A frame published now would be sent: counting the one that lies here for it, it has less than it may. Under `lock`.
 */
static bool wants_frame(const view_server *server, const client *visitor)
{
    bool waiting = server->frame != NULL && visitor->frame_sent != server->frame_number;
    return visitor->frames_unconfirmed + waiting < frames_allowed(visitor);
}

/* What goes to this client next, kept for the caller; null: nothing now. */
static view_message *next_message(view_server *server, client *visitor)
{
    view_message *message = NULL;
    pthread_mutex_lock(&server->lock);
    if (visitor->opening_generation != server->opening_generation) {
        visitor->opening_generation = server->opening_generation;
        visitor->opening_sent = 0;
        visitor->frame_sent = 0;
    }
    bool ready = visitor->frames_unconfirmed < frames_allowed(visitor);
    if (visitor->opening_sent < server->opening_count) {
        message = view_message_keep(server->opening[visitor->opening_sent++]);
    } else if (visitor->state_sent != server->state_number) {
        visitor->state_sent = server->state_number;
        message = view_message_keep(server->state);
    } else if (visitor->reply_count > 0) {
        message = visitor->replies[0];
        visitor->reply_count--;
        memmove(visitor->replies, visitor->replies + 1, visitor->reply_count * sizeof visitor->replies[0]);
    } else if (ready && server->opening_count > 0 && visitor->boxes_sent != server->boxes_number) {
        visitor->boxes_sent = server->boxes_number;
        message = view_message_keep(server->boxes);
    } else if (ready && server->frame != NULL && visitor->frame_sent != server->frame_number) {
        message = view_message_keep(server->frame);
        visitor->frame_sent = server->frame_number;
        visitor->sent_ns[visitor->frames_unconfirmed++] = clock_ns();
        server->facts.frames_sent++;
    }
    pthread_mutex_unlock(&server->lock);
    return message;
}

static int send_next(view_server *server, client *visitor)
{
    view_message *message = next_message(server, visitor);
    if (message == NULL) {
        return 0;
    }
    int size = (int)message->size;
    bool sent = lws_write(visitor->socket, message->bytes, message->size, LWS_WRITE_BINARY) >= size;
    view_message_drop(message);
    lws_callback_on_writable(visitor->socket);
    return sent ? 0 : -1;
}

/* ---- commands --------------------------------------------------------------------------------------------------- */

static int close_because(struct lws *socket, enum lws_close_status status, const char *why)
{
    char text[100];
    int length = snprintf(text, sizeof text, "%s", why);
    lws_close_reason(socket, status, (unsigned char *)text, (size_t)length);
    return -1;
}

static void acknowledge(view_server *server, client *visitor)
{
    pthread_mutex_lock(&server->lock);
    if (visitor->frames_unconfirmed > 0) {
        visitor->quick = clock_ns() - visitor->sent_ns[0] < QUICK_NS;
        visitor->frames_unconfirmed--;
        memmove(visitor->sent_ns, visitor->sent_ns + 1, visitor->frames_unconfirmed * sizeof visitor->sent_ns[0]);
        server->facts.frames_acknowledged++;
        pthread_cond_signal(&server->arrived);
    }
    pthread_mutex_unlock(&server->lock);
    lws_callback_on_writable(visitor->socket);
}

static int receive_part(view_server *server, client *visitor, const void *bytes, size_t size)
{
    bool last = lws_is_final_fragment(visitor->socket) && lws_remaining_packet_payload(visitor->socket) == 0;
    pthread_mutex_lock(&server->lock);
    bool taken = view_upload_take(&server->upload, bytes, size, last);
    pthread_mutex_unlock(&server->lock);
    return taken ? 0 : close_because(visitor->socket, LWS_CLOSE_STATUS_POLICY_VIOLATION, "commands are text");
}

static int receive(view_server *server, client *visitor, const void *bytes, size_t size)
{
    view_command command;
    const char *why;
    if (lws_frame_is_binary(visitor->socket)) {
        return receive_part(server, visitor, bytes, size);
    }
    if (size > VIEW_COMMAND_LIMIT - visitor->command_size) {
        return close_because(visitor->socket, LWS_CLOSE_STATUS_MESSAGE_TOO_LARGE, "too long");
    }
    memcpy(visitor->command + visitor->command_size, bytes, size);
    visitor->command_size += size;
    if (!lws_is_final_fragment(visitor->socket) || lws_remaining_packet_payload(visitor->socket) > 0) {
        return 0;
    }
    size = visitor->command_size;
    visitor->command_size = 0;
    if (!view_command_parse(visitor->command, size, &command, &why)) {
        return close_because(visitor->socket, LWS_CLOSE_STATUS_POLICY_VIOLATION, why);
    }
    command.client = visitor->number;
    if (command.kind == VIEW_COMMAND_ACKNOWLEDGE) {
        acknowledge(server, visitor);
    } else if (command.kind == VIEW_COMMAND_SETTLED) {
        server->settled = true;
        lws_callback_on_writable_all_protocol(server->sockets, &protocols[0]);
    } else {
        pthread_mutex_lock(&server->lock);
        enqueue(server, &command);
        pthread_mutex_unlock(&server->lock);
    }
    return 0;
}

static int serve_client(struct lws *socket, enum lws_callback_reasons reason, void *user, void *in, size_t size)
{
    view_server *server = lws_context_user(lws_get_context(socket));
    switch (reason) {
    case LWS_CALLBACK_FILTER_PROTOCOL_CONNECTION:
        return filter_socket(server, socket);
    case LWS_CALLBACK_ESTABLISHED:
        open_client(server, user, socket);
        return 0;
    case LWS_CALLBACK_CLOSED:
        close_client(server, user);
        return 0;
    case LWS_CALLBACK_SERVER_WRITEABLE:
        return send_next(server, user);
    case LWS_CALLBACK_RECEIVE:
        return receive(server, user, in, size);
    case LWS_CALLBACK_EVENT_WAIT_CANCELLED: /* another thread has something new; asking at every turn instead would
                                               never sleep */
        take_admitted(server);
        lws_callback_on_writable_all_protocol(server->sockets, &protocols[1]);
        return 0;
    default:
        return 0;
    }
}

static const struct lws_protocols protocols[] = {
    {"http", serve_page, sizeof(download), 0, 0, NULL, SEND_AT_ONCE},
    {"dent-view-1", serve_client, sizeof(client), VIEW_COMMAND_LIMIT, 0, NULL, SEND_AT_ONCE},
    {NULL, NULL, 0, 0, 0, NULL, 0},
};

/* ---- the thread ------------------------------------------------------------------------------------------------- */

static void *service(void *data)
{
    view_server *server = data;
#ifdef __linux__
    prctl(PR_SET_NAME, "dent-server"); /* tools that list threads tell it from the simulation */
#endif
    while (!__atomic_load_n(&server->stop, __ATOMIC_ACQUIRE)) {
        if (lws_service(server->sockets, 0) < 0) {
            break;
        }
    }
    return NULL;
}

bool view_make_token(char *token)
{
    static const char digits[] = "0123456789abcdef";
    unsigned char bytes[TOKEN_BYTES];
    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes) {
        return false;
    }
    for (int i = 0; i < TOKEN_BYTES; i++) {
        token[2 * i] = digits[bytes[i] >> 4];
        token[2 * i + 1] = digits[bytes[i] & 15];
    }
    token[TOKEN_LENGTH] = '\0';
    return true;
}

static void name_addresses(view_server *server, int port)
{
    static const char *const names[2] = {"127.0.0.1", "localhost"};
    for (int i = 0; i < 2; i++) {
        snprintf(server->host[i], sizeof server->host[i], "%s:%d", names[i], port);
        snprintf(server->origin[i], sizeof server->origin[i], "http://%s", server->host[i]);
    }
    snprintf(server->url, sizeof server->url, "http://%s/%s/", server->host[0], server->token);
}

static void ignore_log(int level, const char *line)
{
    (void)level;
    (void)line;
}

static bool open_sockets(view_server *server)
{
    struct lws_context_creation_info info;
    memset(&info, 0, sizeof info);
    lws_set_log_level(0, ignore_log);
    info.port = CONTEXT_PORT_NO_LISTEN_SERVER; /* the gate listens */
    info.protocols = protocols;
    info.user = server;
    info.gid = (gid_t)-1;
    info.uid = (uid_t)-1;
    info.fd_limit_per_thread = SOCKET_LIMIT;
    info.max_http_header_pool = SOCKET_LIMIT;
    info.timeout_secs = 10;
    info.keepalive_timeout = 5;
    info.options = LWS_SERVER_OPTION_EXPLICIT_VHOSTS | LWS_SERVER_OPTION_DISABLE_IPV6;
    server->sockets = lws_create_context(&info);
    server->host_of_pages = server->sockets != NULL ? lws_create_vhost(server->sockets, &info) : NULL;
    return server->host_of_pages != NULL;
}

static bool open_gate(view_server *server, uint16_t port)
{
    server->gate = view_gate_open(&(view_gate_def){
        .port = port, .token = server->token, .admit = admit, .refused = count_stranger, .user = server});
    if (server->gate == NULL) {
        return false;
    }
    name_addresses(server, view_gate_port(server->gate));
    return true;
}

static void drop_opening(view_server *server)
{
    for (uint32_t i = 0; i < server->opening_count; i++) {
        view_message_drop(server->opening[i]);
    }
    free(server->opening);
    server->opening = NULL;
    server->opening_count = 0;
}

/* Everything but the threads, which have ended or never began. */
static void release(view_server *server)
{
    for (uint32_t i = 0; i < server->admitted_count; i++) {
        close(server->admitted[i]);
    }
    if (server->sockets != NULL) {
        lws_context_destroy(server->sockets);
    }
    drop_opening(server);
    view_message_drop(server->frame);
    view_message_drop(server->boxes);
    view_message_drop(server->state);
    view_message_drop(server->upload.file);
    pthread_cond_destroy(&server->arrived);
    pthread_mutex_destroy(&server->lock);
    free(server);
}

static void end_service(view_server *server)
{
    __atomic_store_n(&server->stop, true, __ATOMIC_RELEASE);
    lws_cancel_service(server->sockets);
    pthread_join(server->thread, NULL);
}

view_server *view_server_start(uint16_t port, const char *token, char *why, size_t why_size)
{
    view_server *server = calloc(1, sizeof *server);
    if (server == NULL) {
        snprintf(why, why_size, "out of memory");
        return NULL;
    }
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_mutex_init(&server->lock, NULL);
    pthread_cond_init(&server->arrived, &monotonic);
    pthread_condattr_destroy(&monotonic);
    if (token != NULL) {
        snprintf(server->token, sizeof server->token, "%s", token);
    }
    if (token == NULL && !view_make_token(server->token)) {
        snprintf(why, why_size, "the system gives no random numbers");
    } else if (!open_gate(server, port)) {
        snprintf(why, why_size, "cannot listen on 127.0.0.1:%u: %s", (unsigned)port, strerror(errno));
    } else if (!open_sockets(server)) {
        snprintf(why, why_size, "cannot set up libwebsockets");
    } else if (pthread_create(&server->thread, NULL, service, server) != 0) {
        snprintf(why, why_size, "cannot start a thread");
    } else if (!view_gate_start(server->gate)) {
        snprintf(why, why_size, "cannot start a thread");
        end_service(server);
    } else {
        return server;
    }
    view_gate_close(server->gate);
    release(server);
    return NULL;
}

void view_server_stop(view_server *server)
{
    if (server == NULL) {
        return;
    }
    view_gate_close(server->gate); /* first: it wakes the service loop */
    end_service(server);
    release(server);
}

/* ---- from the other threads ----------------------------------------------------------------------------------- */

const char *view_server_url(const view_server *server)
{
    return server->url;
}

uint16_t view_server_port(const view_server *server)
{
    return view_gate_port(server->gate);
}

bool view_server_set_opening(view_server *server, view_message *const *messages, uint32_t count)
{
    view_message **copy = malloc((count + 1) * sizeof *copy);
    if (copy == NULL) {
        return false;
    }
    memcpy(copy, messages, count * sizeof *copy);
    pthread_mutex_lock(&server->lock);
    drop_opening(server);
    server->opening = copy;
    server->opening_count = count;
    server->opening_generation++;
    view_message_drop(server->frame); /* it belongs to the old opening */
    server->frame = NULL;
    pthread_mutex_unlock(&server->lock);
    lws_cancel_service(server->sockets);
    return true;
}

void view_server_publish(view_server *server, view_message *frame)
{
    pthread_mutex_lock(&server->lock);
    view_message *old = server->frame;
    server->frame = frame;
    server->frame_number++;
    server->facts.frames_published++;
    pthread_mutex_unlock(&server->lock);
    view_message_drop(old);
    lws_cancel_service(server->sockets);
}

void view_server_forget_frame(view_server *server)
{
    pthread_mutex_lock(&server->lock);
    view_message *old = server->client_count == 0 ? server->frame : NULL;
    server->frame = old != NULL ? NULL : server->frame;
    pthread_mutex_unlock(&server->lock);
    view_message_drop(old);
}

static void exchange(view_server *server, view_message **place, uint64_t *number, view_message *message)
{
    pthread_mutex_lock(&server->lock);
    view_message *old = *place;
    *place = message;
    (*number)++;
    pthread_mutex_unlock(&server->lock);
    view_message_drop(old);
    lws_cancel_service(server->sockets);
}

void view_server_set_boxes(view_server *server, view_message *boxes)
{
    exchange(server, &server->boxes, &server->boxes_number, boxes);
}

void view_server_set_state(view_server *server, view_message *state)
{
    exchange(server, &server->state, &server->state_number, state);
}

void view_server_reply(view_server *server, uint64_t number, view_message *message)
{
    pthread_mutex_lock(&server->lock);
    for (client *visitor = server->clients; visitor != NULL && message != NULL; visitor = visitor->next) {
        if ((visitor->number == number || number == VIEW_EVERYBODY) && visitor->reply_count < REPLY_LIMIT) {
            visitor->replies[visitor->reply_count++] = view_message_keep(message);
        }
    }
    pthread_mutex_unlock(&server->lock);
    view_message_drop(message);
    lws_cancel_service(server->sockets);
}

bool view_server_command(view_server *server, uint32_t wait_ms, view_command *command)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += wait_ms / 1000;
    until.tv_nsec += (long)(wait_ms % 1000) * 1000000;
    if (until.tv_nsec >= 1000000000) {
        until.tv_sec++;
        until.tv_nsec -= 1000000000;
    }
    pthread_mutex_lock(&server->lock);
    if (wait_ms > 0 && server->queue_count == 0) {
        pthread_cond_timedwait(&server->arrived, &server->lock, &until);
    }
    bool found = server->queue_count > 0;
    if (found) {
        *command = server->queue[server->queue_first];
        server->queue_first = (server->queue_first + 1) % VIEW_COMMAND_QUEUE;
        server->queue_count--;
    }
    pthread_mutex_unlock(&server->lock);
    return found;
}

bool view_server_raise(view_server *server, int *flag)
{
    pthread_mutex_lock(&server->lock);
    server->raised = flag;
    bool waiting = server->queue_count > 0;
    pthread_mutex_unlock(&server->lock);
    return waiting;
}

void view_server_expect_upload(view_server *server)
{
    pthread_mutex_lock(&server->lock);
    server->upload.state = VIEW_UPLOAD_OPEN;
    pthread_mutex_unlock(&server->lock);
}

view_message *view_server_take_upload(view_server *server, view_upload_state *state)
{
    pthread_mutex_lock(&server->lock);
    *state = server->upload.state;
    bool whole = *state == VIEW_UPLOAD_DONE || *state == VIEW_UPLOAD_FAILED;
    view_message *file = whole ? server->upload.file : NULL;
    server->upload.file = whole ? NULL : server->upload.file;
    pthread_mutex_unlock(&server->lock);
    return file;
}

view_server_facts view_server_get_facts(view_server *server)
{
    pthread_mutex_lock(&server->lock);
    view_server_facts facts = server->facts;
    facts.clients = server->client_count;
    facts.has_frame = server->frame != NULL;
    for (const client *visitor = server->clients; visitor != NULL && !facts.wanted; visitor = visitor->next) {
        facts.wanted = wants_frame(server, visitor);
    }
    pthread_mutex_unlock(&server->lock);
    return facts;
}

bool view_server_is_here(view_server *server, uint64_t number)
{
    bool here = false;
    pthread_mutex_lock(&server->lock);
    for (const client *visitor = server->clients; visitor != NULL && !here; visitor = visitor->next) {
        here = visitor->number == number;
    }
    pthread_mutex_unlock(&server->lock);
    return here;
}
