/* D. J. Bernstein's crit-bit trees (https://cr.yp.to/critbit.html), with numbers in place of pointers. An inner node
 * has the first byte and bit in which the keys below it differ; places grow on every way down. */
#include "key_tree.h"

/* A link is a number, times two, plus one for a key and zero for a node. */
struct key_node {
    uint64_t links[2];
    uint32_t byte;
    uint8_t other_bits; /* all bits but the one that decides */
};

void key_tree_init(struct key_tree *tree, dent_context *context, key_tree_bytes *bytes, const void *user)
{
    *tree = (struct key_tree){.bytes = bytes, .user = user, .empty = true};
    array_init(&tree->nodes, context, sizeof(struct key_node));
}

void key_tree_release(struct key_tree *tree)
{
    array_destroy(&tree->nodes);
    tree->empty = true;
}

static bool is_key(uint64_t link)
{
    return link & 1;
}

static struct key_node *node_of(const struct key_tree *tree, uint64_t link)
{
    return (struct key_node *)tree->nodes.data + (link >> 1);
}

/* Bytes behind the end are zero. */
static uint8_t byte_at(const uint8_t *key, size_t length, size_t place)
{
    return place < length ? key[place] : 0;
}

static int side_of(const struct key_node *node, const uint8_t *key, size_t length)
{
    return (1 + (node->other_bits | byte_at(key, length, node->byte))) >> 8;
}

/* The only key that may be equal. */
static uint32_t candidate(const struct key_tree *tree, const uint8_t *key, size_t length)
{
    uint64_t link = tree->root;
    while (!is_key(link)) {
        const struct key_node *node = node_of(tree, link);
        link = node->links[side_of(node, key, length)];
    }
    return (uint32_t)(link >> 1);
}

/* The first byte in which the key differs from that of `number`; false: in none. */
static bool first_difference(const struct key_tree *tree, const uint8_t *key, size_t length, uint32_t number,
                             size_t *place, uint8_t *difference)
{
    size_t other_length;
    const uint8_t *other = tree->bytes(tree->user, number, &other_length);
    size_t longer = length > other_length ? length : other_length;
    for (*place = 0; *place < longer; ++*place) {
        *difference = byte_at(key, length, *place) ^ byte_at(other, other_length, *place);
        if (*difference != 0) {
            return true;
        }
    }
    return false;
}

uint32_t key_tree_find(const struct key_tree *tree, const uint8_t *key, size_t length)
{
    if (tree->empty) {
        return KEY_TREE_NONE;
    }
    size_t place;
    uint8_t difference;
    uint32_t number = candidate(tree, key, length);
    return first_difference(tree, key, length, number, &place, &difference) ? KEY_TREE_NONE : number;
}

/* All bits but the highest of the difference. */
static uint8_t other_bits_of(uint8_t difference)
{
    difference |= difference >> 1;
    difference |= difference >> 2;
    difference |= difference >> 4;
    return (uint8_t)((difference & ~(difference >> 1)) ^ 255);
}

/* The link where a node that decides at this bit belongs. */
static uint64_t *place_for(struct key_tree *tree, const uint8_t *key, size_t length, size_t byte, uint8_t other_bits)
{
    uint64_t *link = &tree->root;
    while (!is_key(*link)) {
        struct key_node *node = node_of(tree, *link);
        if (node->byte > byte || (node->byte == byte && node->other_bits > other_bits)) {
            break;
        }
        link = &node->links[side_of(node, key, length)];
    }
    return link;
}

bool key_tree_add(struct key_tree *tree, const uint8_t *key, size_t length, uint32_t number, uint32_t *found)
{
    uint64_t leaf = (uint64_t)number << 1 | 1;
    *found = KEY_TREE_NONE;
    if (tree->empty) {
        tree->root = leaf;
        tree->empty = false;
        return true;
    }
    size_t byte;
    uint8_t difference;
    uint32_t near = candidate(tree, key, length);
    if (!first_difference(tree, key, length, near, &byte, &difference)) {
        *found = near;
        return true;
    }
    struct key_node fresh = {.byte = (uint32_t)byte, .other_bits = other_bits_of(difference)};
    uint64_t fresh_link = (uint64_t)tree->nodes.count << 1;
    if (!array_push(&tree->nodes, &fresh)) {
        return false;
    }
    uint64_t *place = place_for(tree, key, length, byte, fresh.other_bits);
    struct key_node *node = node_of(tree, fresh_link);
    int side = side_of(node, key, length);
    node->links[side] = leaf;
    node->links[1 - side] = *place;
    *place = fresh_link;
    return true;
}
