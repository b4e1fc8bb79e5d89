/* The lines of an Abaqus input file: keyword lines with parameters, and data lines with fields between commas.
 *
 *     ** a comment
 *     *ELEMENT, TYPE=C3D4, ELSET=Bone      a keyword; continued on the next line when it ends with a comma
 *     1, 1, 2, 3, 4                        its data
 *
 * Case does not matter in keywords, parameters and names. */
#ifndef DENT_IO_INP_LINES_H
#define DENT_IO_INP_LINES_H

#include "io/bytes/text_scanner.h"
#include "io/model/mesh_builder.h"

enum { INP_PARAMETERS = 16 };

struct inp_parameter {
    struct text_span key, value; /* a value without quotes; empty: none */
};

struct inp_keyword {
    struct text_span name; /* "*ELEMENT" */
    struct inp_parameter parameters[INP_PARAMETERS];
    uint32_t count;
};

enum inp_line { INP_END, INP_KEYWORD, INP_DATA };

/* The next line that is neither empty nor a comment. A keyword is parsed with the lines it goes on in; FORMAT when it
 * has too many parameters. *line is the data, *number the number of the (first) line. */
dent_status inp_next(struct text_scanner *scanner, enum inp_line *what, struct inp_keyword *keyword,
                     struct text_span *line, uint64_t *number);

/* The field before the next comma, white space taken off; false: the line has no more. A comma at the end of the line
 * begins no field. */
bool inp_field(struct text_span *line, struct text_span *field);

/* The value of a parameter, or an empty span; *present tells a parameter without value from none. */
struct text_span inp_parameter(const struct inp_keyword *keyword, const char *key, bool *present);

/* Kind and number of nodes by the name of an element type: "C3D10M". False: not one that makes a body or a group. */
bool inp_element_type(struct text_span type, enum element_kind *kind, uint32_t *nodes);

#endif
