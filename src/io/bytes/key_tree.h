/* A dictionary of byte strings whose cost no file can raise: a binary tree that branches at the first bit in which keys
 * differ (a crit-bit tree). Finding and adding take at most eight steps per byte of the key, however the keys were
 * chosen; a hash function would have to trust them.
 *
 * Keys stay with the caller and are known by their numbers. All have the same length, or none is another's beginning
 * followed by zero bytes (strings). */
#ifndef DENT_IO_KEY_TREE_H
#define DENT_IO_KEY_TREE_H

#include "base/containers/dynamic_array.h"

#define KEY_TREE_NONE UINT32_MAX

/* The bytes of a key that was added with this number. */
typedef const uint8_t *key_tree_bytes(const void *user, uint32_t number, size_t *length);

struct key_tree {
    key_tree_bytes *bytes;
    const void *user;
    struct dynamic_array nodes; /* struct key_node */
    uint64_t root;              /* a link; see key_tree.c */
    bool empty;
};

void key_tree_init(struct key_tree *tree, dent_context *context, key_tree_bytes *bytes, const void *user);
void key_tree_release(struct key_tree *tree);

/* The number of the key, or KEY_TREE_NONE. */
uint32_t key_tree_find(const struct key_tree *tree, const uint8_t *key, size_t length);

/* Adds a key that bytes(user, number) gives from now on, unless it is there: *found is its number then, otherwise
 * KEY_TREE_NONE. False: no memory. */
bool key_tree_add(struct key_tree *tree, const uint8_t *key, size_t length, uint32_t number, uint32_t *found);

#endif
