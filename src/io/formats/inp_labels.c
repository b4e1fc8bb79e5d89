/* One key tree for all names. A key is its kind, its space and the name in lower case; names are cut at INP_LABEL_MAX
 * bytes, three times what Abaqus allows. */
#include "inp_labels.h"

#include <stdio.h>

struct key {
    char text[INP_LABEL_MAX + 16];
    size_t length;
};

static const uint8_t *key_bytes(const void *user, uint32_t number, size_t *length)
{
    const struct inp_labels *labels = user;
    const size_t *ends = labels->ends.data;
    size_t begin = number > 0 ? ends[number - 1] : 0;
    *length = ends[number] - begin;
    return (const uint8_t *)labels->text.data + begin;
}

void inp_labels_init(struct inp_labels *labels, dent_context *context)
{
    key_tree_init(&labels->tree, context, key_bytes, labels);
    array_init(&labels->text, context, 1);
    array_init(&labels->ends, context, sizeof(size_t));
    array_init(&labels->numbers, context, sizeof(uint32_t));
}

void inp_labels_release(struct inp_labels *labels)
{
    key_tree_release(&labels->tree);
    array_destroy(&labels->text);
    array_destroy(&labels->ends);
    array_destroy(&labels->numbers);
}

static struct key make_key(enum inp_label kind, uint32_t space, struct text_span name)
{
    struct key key;
    key.length = (size_t)snprintf(key.text, sizeof key.text, "%c%u:", (char)kind, space);
    for (size_t i = 0; i < name.length && i < INP_LABEL_MAX; i++) {
        char c = name.text[i];
        /* a key must not end with zero bytes */
        key.text[key.length++] = (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c ? c : '?');
    }
    return key;
}

static uint32_t number_at(const struct inp_labels *labels, uint32_t index)
{
    return index == KEY_TREE_NONE ? KEY_TREE_NONE : ((const uint32_t *)labels->numbers.data)[index];
}

uint32_t inp_labels_find(const struct inp_labels *labels, enum inp_label kind, uint32_t space, struct text_span name)
{
    struct key key = make_key(kind, space, name);
    return number_at(labels, key_tree_find(&labels->tree, (const uint8_t *)key.text, key.length));
}

bool inp_labels_add(struct inp_labels *labels, enum inp_label kind, uint32_t space, struct text_span name,
                    uint32_t *number)
{
    struct key key = make_key(kind, space, name);
    uint32_t index = (uint32_t)labels->numbers.count, found = KEY_TREE_NONE;
    size_t end = labels->text.count + key.length;
    /* the bytes first: the tree reads them */
    if (!array_push_many(&labels->text, key.text, key.length) || !array_push(&labels->ends, &end) ||
        !key_tree_add(&labels->tree, (const uint8_t *)key.text, key.length, index, &found)) {
        return false;
    }
    if (found != KEY_TREE_NONE) {
        labels->text.count -= key.length;
        labels->ends.count--;
        *number = number_at(labels, found);
        return true;
    }
    return array_push(&labels->numbers, number);
}
