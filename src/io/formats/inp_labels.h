/* Names of an Abaqus input file to numbers: parts, instances, sets and the sets that sections use.
 *
 * A name belongs to a kind and to a space of numbers (a part, or the file itself). Case does not matter. */
#ifndef DENT_IO_INP_LABELS_H
#define DENT_IO_INP_LABELS_H

#include "io/bytes/key_tree.h"
#include "io/bytes/text_scanner.h"

enum { INP_LABEL_MAX = 255 };
enum inp_label { INP_PART = 'p', INP_INSTANCE = 'i', INP_ELEMENT_SET = 'e', INP_NODE_SET = 'n', INP_SECTION = 's' };

struct inp_labels {
    struct key_tree tree;
    struct dynamic_array text;    /* char: the keys, one behind the other */
    struct dynamic_array ends;    /* size_t: where each key ends */
    struct dynamic_array numbers; /* uint32_t */
};

void inp_labels_init(struct inp_labels *labels, dent_context *context);
void inp_labels_release(struct inp_labels *labels);

/* The number of a name, or KEY_TREE_NONE. */
uint32_t inp_labels_find(const struct inp_labels *labels, enum inp_label kind, uint32_t space, struct text_span name);
/* Gives a name its number, unless it has one: *number is that one then. False: no memory. */
bool inp_labels_add(struct inp_labels *labels, enum inp_label kind, uint32_t space, struct text_span name,
                    uint32_t *number);

#endif
