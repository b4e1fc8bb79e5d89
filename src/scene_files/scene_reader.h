/* Reading a located JSON document with errors that stick: after the first one every call does nothing and returns
 * something harmless, and plan->status says what happened. Every message is "file:line:column: what was expected". */
#ifndef DENT_SCENE_FILES_SCENE_READER_H
#define DENT_SCENE_FILES_SCENE_READER_H

#include "located_json.h"
#include "quantity.h"
#include "scenes/simulated/sim_plan.h"

/* A named set of vertices of a body, from its mesh file. */
struct scene_region {
    struct scene_region *next;
    const char *name;
    uint32_t body, vertex_count, face_count; /* faces: 0 where the file names none */
    const uint32_t *vertices, *faces;
};

struct scene_reader {
    struct located_document document;
    struct sim_plan *plan;
    const char *folder; /* of mesh files; null: none may be named */
    struct unit_system units;
    uint64_t memory_limit; /* bytes; 0: by the bytes on disk */
    uint64_t memory_used, disk_bytes;
    json_t *body_names, *material_names; /* name to number; see reader_note_name() */
    json_t *support_names, *spring_names, *probe_names;
    struct scene_region *regions; /* of all bodies */
};

typedef const struct located_value located;

/* Keeps the first error, placed at a value or at its key. */
void reader_wrong(struct scene_reader *reader, located *at, const char *format, ...) DENT_PRINTF_LIKE(3, 4);
void reader_wrong_key(struct scene_reader *reader, located *at, const char *format, ...) DENT_PRINTF_LIKE(3, 4);
bool reader_good(const struct scene_reader *reader);

/* First child and next sibling; null at the end, after an error, and of null. */
located *reader_first(const struct scene_reader *reader, located *parent);
located *reader_next(const struct scene_reader *reader, located *value);

/* `value` must be an object with keys of this list only (ends with null); `what` as in "a material". */
bool reader_object(struct scene_reader *reader, located *value, const char *what, const char *const *keys);
bool reader_array(struct scene_reader *reader, located *value, const char *what);

/* A member of an object, or null; `need` makes its absence an error. */
located *reader_member(struct scene_reader *reader, located *object, const char *key);
located *reader_need(struct scene_reader *reader, located *object, const char *key, const char *what);

/* Values. Null values give `fallback` and no error. A number beyond quantity_largest() in size is an error. */
double reader_quantity(struct scene_reader *reader, located *value, enum quantity_kind kind, double fallback);
/* The same within bounds, both included; `bounds` is what the message says was expected, "above 0" for instance. */
double reader_bounded(struct scene_reader *reader, located *value, enum quantity_kind kind, double fallback, double low,
                      double high, const char *bounds);
/* A number above 0, from quantity_smallest() to quantity_largest(); or within other bounds, in SI units. */
double reader_positive(struct scene_reader *reader, located *value, enum quantity_kind kind, double fallback);
double reader_ranged(struct scene_reader *reader, located *value, enum quantity_kind kind, double fallback, double low,
                     double high);
void reader_vector(struct scene_reader *reader, located *value, enum quantity_kind kind, double vector[3]);
uint32_t reader_count(struct scene_reader *reader, located *value, uint32_t low, uint32_t high, uint32_t fallback);
bool reader_boolean(struct scene_reader *reader, located *value, bool fallback);
/* Never null. */
const char *reader_text(struct scene_reader *reader, located *value, const char *fallback);
/* The index of a word in a list that ends with null; -1: none of them (an error), or no value. */
int reader_choice(struct scene_reader *reader, located *value, const char *const *words);

/* The limit of memory for reading a scene file: the context's reading_limit, or 256 MiB and 100 times the bytes on
 * disk. Counted are the text, and the meshes as they are read or before they are generated. False: beyond it, an error
 * placed at `at` (null: at the file). */
bool reader_charge(struct scene_reader *reader, located *at, double bytes);

/* A table of names: notes one unless it is there already, which is false; finds its number, UINT32_MAX without one. The
 * tables are jansson's objects, whose hash no file can foresee. */
bool reader_note_name(struct scene_reader *reader, json_t **names, const char *name, uint32_t number);
uint32_t reader_find_name(json_t *names, const char *name);

#endif
