/* Files of growing size for the count of operations, each built to be hard on one part of a reader. */
#ifndef DENT_TESTS_IO_LINEAR_SHAPES_H
#define DENT_TESTS_IO_LINEAR_SHAPES_H

#include <dent/base.h>

/* A text that grows. */
struct long_text {
    char *data;
    size_t size, capacity;
};

void put(struct long_text *text, const char *format, ...) DENT_PRINTF_LIKE(2, 3);
void put_bytes(struct long_text *text, const void *bytes, size_t size);

struct shape {
    const char *claim; /* "OBJ: many faces" */
    const char *name;  /* of the file, which chooses the reader */
    void (*write)(struct long_text *text, uint32_t size);
    const char *refusal; /* null: it is read. Otherwise it must be refused, in linear time as well, and this is said */
};

extern const struct shape mesh_shapes[], other_shapes[];
extern const uint32_t mesh_shape_count, other_shape_count;

#endif
