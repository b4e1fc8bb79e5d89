/* Numbers and sections of a Gmsh file, the same calls for text and binary. */
#ifndef DENT_IO_GMSH_INPUT_H
#define DENT_IO_GMSH_INPUT_H

#include "io/bytes/byte_reader.h"
#include "reader_table.h"
#include "io/bytes/text_scanner.h"

struct gmsh_input {
    dent_context *context;
    const char *name;
    struct text_scanner scanner; /* sections, and numbers of text files */
    struct byte_reader bytes;    /* numbers of binary files, between gmsh_begin_data and gmsh_end_data */
    bool binary;
    size_t size_bytes; /* of a size in binary version 4.1 */
};

dent_status gmsh_input_init(struct gmsh_input *input, const struct read_request *request);

/* Around the numbers of a section. Binary numbers start behind the line end of the section's title. */
void gmsh_begin_data(struct gmsh_input *input);
/* Goes over "$EndTitle", which must come next. */
dent_status gmsh_end_data(struct gmsh_input *input, const char *title);
/* To behind "$EndTitle" of a section that is not used. FORMAT when there is none. */
dent_status gmsh_skip_section(struct gmsh_input *input, struct text_span title);

/* A 32-bit integer in binary. */
dent_status gmsh_integer(struct gmsh_input *input, const char *what, int64_t *value);
/* Not negative; 4 or 8 bytes in binary. */
dent_status gmsh_size(struct gmsh_input *input, const char *what, uint64_t *value);
dent_status gmsh_number(struct gmsh_input *input, const char *what, double *value);
/* A count that stands as text on a line of its own also in binary files of version 2. */
dent_status gmsh_count_line(struct gmsh_input *input, const char *what, uint64_t *value);

/* Can `count` records follow, each of so many bytes at least? */
dent_status gmsh_check_claim(const struct gmsh_input *input, const char *what, uint64_t count, uint64_t text_bytes,
                             uint64_t binary_bytes);

/* The line for the builder: 0 in binary. */
uint64_t gmsh_line(const struct gmsh_input *input);
/* "name:line: …" or "name: byte n: …". */
dent_status gmsh_fail(const struct gmsh_input *input, dent_status status, const char *format, ...)
    DENT_PRINTF_LIKE(3, 4);

#endif
