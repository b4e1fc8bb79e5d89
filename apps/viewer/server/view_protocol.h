/* view_protocol.h — what the page and the tool say to one another, as bytes. No sockets here: the parser is fuzzed
 * alone.
 *
 * Tool to page: binary messages, little-endian, every part aligned to 4 bytes. All begin with
 *
 *     uint32 kind, uint32 sequence
 *
 * HELLO      JSON text: what is shown (title, source, bodies, number of frames, questions, structures, units, measures,
 *            probes, joints, the body that follows the hand)
 * TOPOLOGY   uint32 body, vertex_count, face_count; uint32 vertex_numbers[vertex_count] (the body's own number of each
 *            vertex that a surface face uses); uint32 corners[3 * face_count] (places in vertex_numbers); of strands, which
 *            show all vertices, float radii[vertex_count]: a segment joins each vertex with the next, unless its
 *            radius is negative (a tip, with minus its radius)
 * FRAME      see view_frame_header: statistics, then per body float positions[3 * vertex_count], then contacts, then
 *            per body one mark byte per face (padded to 4), where a question is asked, then per body float
 *            field[vertex_count] (-1: none), where it is asked for, then uint32 pair_count and as many
 *            view_body_pair; then, with VIEW_FLAG_CLOUDS, per body of points 5
 *            floats a vertex: normal (0: none), radius of its disc, value of the other clouds' implicit function (3e38:
 *            undefined), and of all clouds uint32 answer (0 no, 1 yes, 2 unknown; UINT32_MAX: there is one cloud
 *            only), points found, float chance of a miss, uint32 line_count, float ends[6 * line_count] of the curve
 *            in which they meet; then, with VIEW_FLAG_MARKERS, uint32 marker_count and per marker a view_marker with its
 *            text, padded to 4; last one double for each column of the probes that HELLO names
 * BOXES      uint32 count, level, deepest, shape (0 boxes, 1 spheres, 2 polytopes), total; float lo[3], hi[3] of each,
 *            or centre and radius, or of all polytopes together the two ends of every edge, to the end of the message.
 *            Kinetic boxes are followed by uint32 from, to (frames), bin_count, events[bin_count]: what happened in equal
 *            parts of the way between these frames
 * NOTE       JSON text: the answer to a pick ("text", "body", "face" …), or what went wrong ("trouble")
 * STATE      JSON text: what the pages have asked for, which all of them share (question, structure, stress, speed)
 *
 * Positions are floats relative to the `origin` named in HELLO and in its `unit`, a power of two: models far from zero
 * keep their shape, and models of any size fit. So are pushes of contacts, shapes of structures and the place of a
 * vertex that is grabbed. Statistics are doubles in the units of the model.
 *
 * Page to tool: short text commands, one per message, words separated by single blanks; see view_command. Anything else
 * closes the connection. While a video is recorded the page also sends one file, in binary messages (view_upload.h).
 */
#ifndef DENT_VIEW_PROTOCOL_H
#define DENT_VIEW_PROTOCOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { VIEW_PROTOCOL_VERSION = 1, VIEW_COMMAND_LIMIT = 256 };

typedef enum view_message_kind {
    VIEW_HELLO = 1,
    VIEW_TOPOLOGY = 2,
    VIEW_FRAME = 3,
    VIEW_BOXES = 4,
    VIEW_NOTE = 5,
    VIEW_STATE = 6
} view_message_kind;

/** Statistics of a frame; the doubles come first so that the layout has no holes. */
typedef struct view_frame_header {
    uint32_t kind, sequence;
    double time; /* seconds of the scene */
    double push; /* the largest of the contacts that are certain, of all where none is; of the model: not in units */
    double kinetic, elastic;
    double ms_detect, ms_respond, ms_total;
    uint64_t published_ns; /* the tool's clock, for measuring staleness */
    uint32_t frame;        /* number in the series or of the step */
    uint32_t frame_count;  /* 0: no end */
    uint32_t body_count;
    uint32_t contact_count; /* all there are … */
    uint32_t contacts_sent; /* … and how many follow: all, or every second, fourth … of them */
    uint32_t pair_count;    /* of the question asked; UINT32_MAX: none is asked */
    uint32_t flags;         /* VIEW_FLAG_… */
    uint32_t topology;      /* the generation of TOPOLOGY messages these positions belong to */
    double push_error;      /* how far `push` may be off */
    double uncertain_push;  /* the largest of the contacts that are not certain; 0: there are none */
} view_frame_header;

enum {
    VIEW_FLAG_PLAYING = 1,
    VIEW_FLAG_LAST = 2,
    VIEW_FLAG_MARKS = 4,
    VIEW_FLAG_LIVE = 8,
    VIEW_FLAG_PENDING = 16, /* contacts and pairs follow */
    VIEW_FLAG_STRESS = 32,
    VIEW_FLAG_CLOUDS = 64,
    VIEW_FLAG_MARKERS = 128
};

/** One contact as it is sent: 13 words. */
typedef struct view_contact {
    float point[3], normal[3];
    float push;  /* the displacement along the normal that parts the two, negative apart; in units */
    float error; /* of `push`, in units; above half of it, the contact is not certain */
    float force; /* length; 0: not known */
    uint32_t body_a, feature_a, body_b, feature_b;
} view_contact;

/** All contacts of two bodies, sent or not: 8 words. */
typedef struct view_body_pair {
    uint32_t body_a, body_b; /* body_a <= body_b */
    uint32_t count;
    float push, error; /* the largest of those that are certain, of all where none is; in units */
    float point[3];    /* where that is */
} view_body_pair;

/** A mark of the program's own: 9 words, then the text. */
typedef struct view_marker {
    uint32_t kind, color; /* dent_view_marker_kind, 0xRRGGBB */
    float a[3], b[3];
    uint32_t text_size; /* bytes */
} view_marker;

typedef enum view_command_kind {
    VIEW_COMMAND_ACKNOWLEDGE = 1, /* ack SEQUENCE               the frame was drawn */
    VIEW_COMMAND_PLAY,            /* play                                           */
    VIEW_COMMAND_PAUSE,           /* pause                                          */
    VIEW_COMMAND_STEP,            /* step -1000 … 1000          frames              */
    VIEW_COMMAND_SEEK,            /* seek FRAME                                     */
    VIEW_COMMAND_SPEED,           /* speed 0.01 … 100                               */
    VIEW_COMMAND_RESTART,         /* restart                                        */
    VIEW_COMMAND_ASK,             /* ask none|QUESTION          a discrete one      */
    VIEW_COMMAND_STRUCTURE,       /* structure none|NAME BODY LEVEL                 */
    VIEW_COMMAND_STRESS,          /* stress none|MEASURE        as colours          */
    VIEW_COMMAND_PICK,            /* pick BODY FACE             place in TOPOLOGY   */
    VIEW_COMMAND_GRAB,            /* grab BODY VERTEX X Y Z     drag a vertex       */
    VIEW_COMMAND_NUDGE,           /* nudge X Y Z              the hand, by lengths in the unit */
    VIEW_COMMAND_TURN,            /* turn X Y Z               the hand, by a rotation vector */
    VIEW_COMMAND_JOINT,           /* joint INDEX VALUE          of a robot, see HELLO */
    VIEW_COMMAND_RELEASE,         /* release                                        */
    VIEW_COMMAND_SETTLED          /* settled                    everything requested is drawn: take the picture */
} view_command_kind;

typedef struct view_command {
    view_command_kind kind;
    uint64_t client;
    uint32_t number[2];
    int32_t steps;
    double value[3];
    char word[24];
} view_command;

/** Reads one command from `size` bytes (not ended by a zero). False: it is none, *why says so in a few words. Accepts
 * exactly the forms above: no extra blanks, no NaN, no infinities, numbers within 32 bits. */
bool view_command_parse(const void *bytes, size_t size, view_command *command, const char **why);

/** A message under construction; memory from the C library, since it outlives any context. */
typedef struct view_message {
    uint32_t references; /* only through view_message_keep and _drop */
    size_t size, capacity;
    unsigned char *bytes; /* of the message; before it there is room for the socket library's header */
} view_message;

/** An empty message with room for `capacity` bytes; null: out of memory. One reference. */
view_message *view_message_create(size_t capacity);
view_message *view_message_keep(view_message *message);
void view_message_drop(view_message *message); /* null is allowed */
/** Appends bytes (null: zeros), growing as needed. False: out of memory, and the message stays as it was. */
bool view_message_append(view_message *message, const void *bytes, size_t size);
/** Room for `size` more bytes, for the caller to fill; null: out of memory. Valid until the next call. */
void *view_message_extend(view_message *message, size_t size);
bool view_message_word(view_message *message, uint32_t word);

#endif
