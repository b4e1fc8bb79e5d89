/* Colours: no two rows of a colour move the same vertex or rigid body, so the rows of a colour can be worked on side by
 * side, and the result is that of one fixed order whatever the number of threads. First fit in the order of contacts,
 * with one 64-bit mask of used colours per node: O(contacts). Rows that find none of the first 63 colours free (a rigid
 * body with hundreds of contacts) come last, one after the other.
 *
 * Here is also what else depends on who shares a node: how many rows do (penalty divides by it), and which nodes are
 * pushed from opposite sides. */
#include "response/response_rows.h"

enum { COLOUR_LIMIT = 64, LAST_COLOUR = COLOUR_LIMIT - 1, ROWS_PER_BLOCK = 64, PARALLEL_ROWS = 256 };

struct row_nodes {
    uint32_t count;
    uint32_t nodes[8];
    double signs[8]; /* the row pushes the node along its normal, or against it */
};

static void add_side_nodes(const struct response_work *work, const struct response_side *side, double sign,
                           struct row_nodes *list)
{
    const struct response_body_state *state = &work->states[side->body];
    if (side->kind == SIDE_RIGID && state->node_count > 0) {
        list->signs[list->count] = sign;
        list->nodes[list->count++] = state->first_node;
    } else if (side->kind == SIDE_VERTICES) {
        for (uint32_t i = 0; i < side->count; i++) {
            if (side->inverse_masses[i] > 0) {
                list->signs[list->count] = sign;
                list->nodes[list->count++] = state->first_node + side->vertices[i];
            }
        }
    }
}

static struct row_nodes nodes_of(const struct response_work *work, const struct response_row *row)
{
    struct row_nodes list;
    list.count = 0;
    add_side_nodes(work, &row->a, 1, &list);
    add_side_nodes(work, &row->b, -1, &list);
    return list;
}

/* ---- colours ------------------------------------------------------------------------------------------------- */

/* The node, cleared when this is the first row of the call to meet it. */
static struct response_node *begin_node(struct response_work *work, uint32_t number)
{
    struct response_node *node = &work->nodes[number];
    if (node->call != work->response->call) {
        *node = (struct response_node){.call = work->response->call};
    }
    return node;
}

static uint32_t first_free_colour(uint64_t used)
{
    uint32_t colour = 0;
    while (colour < LAST_COLOUR && (used >> colour & 1)) {
        colour++;
    }
    return colour;
}

static void choose_colours(struct response_work *work, uint64_t counts[COLOUR_LIMIT])
{
    for (uint64_t i = 0; i < work->row_count; i++) {
        struct response_row *row = &work->rows[i];
        if (row->state != DENT_ACTION_NONE) {
            continue;
        }
        struct row_nodes list = nodes_of(work, row);
        uint64_t used = 0;
        for (uint32_t k = 0; k < list.count; k++) {
            struct response_node *node = begin_node(work, list.nodes[k]);
            used |= node->colours;
            node->sharing++;
        }
        row->colour = first_free_colour(used);
        for (uint32_t k = 0; k < list.count; k++) {
            work->nodes[list.nodes[k]].colours |= UINT64_C(1) << row->colour;
        }
        counts[row->colour]++;
        work->active_count++;
    }
}

/* Rows by colour, and within a colour in the order of contacts. Empty colours can only be the last. */
static void sort_by_colour(struct response_work *work, const uint64_t counts[COLOUR_LIMIT])
{
    uint64_t next[COLOUR_LIMIT], first = 0;
    for (uint32_t colour = 0; colour < COLOUR_LIMIT; colour++) {
        next[colour] = first;
        work->colour_first[colour] = first;
        first += counts[colour];
        if (counts[colour] > 0) {
            work->colour_count = colour + 1;
        }
    }
    work->colour_first[COLOUR_LIMIT] = first;
    for (uint64_t i = 0; i < work->row_count; i++) {
        if (work->rows[i].state == DENT_ACTION_NONE) {
            work->order[next[work->rows[i].colour]++] = i;
        }
    }
}

/* Nodes keep the number of the call that last touched them, so that a call need not clear those of other places: a few
 * contacts in a large world cost as little as in a small one. */
static bool prepare_nodes(struct response_work *work)
{
    dent_response *response = work->response;
    struct dynamic_array *nodes = &response->nodes;
    if (nodes->count < work->node_count) {
        size_t fresh = work->node_count - nodes->count;
        void *room = array_extend(nodes, fresh);
        if (!room) {
            return false;
        }
        memset(room, 0, fresh * sizeof(struct response_node));
    }
    work->nodes = nodes->data;
    response->call++;
    if (response->call == 0) { /* after 2^32 calls */
        memset(nodes->data, 0, nodes->count * sizeof(struct response_node));
        response->call = 1;
    }
    return true;
}

dent_status response_colour(struct response_work *work)
{
    dent_response *response = work->response;
    uint64_t counts[COLOUR_LIMIT] = {0};
    array_clear(&response->order);
    array_clear(&response->colour_first);
    work->order = array_extend(&response->order, work->row_count);
    work->colour_first = array_extend(&response->colour_first, COLOUR_LIMIT + 1);
    if (!work->order || !work->colour_first || !prepare_nodes(work)) {
        return dent_fail(response->context, DENT_ERROR_OUT_OF_MEMORY, "no memory to colour the contacts");
    }
    choose_colours(work, counts);
    sort_by_colour(work, counts);
    return DENT_OK;
}

/* ---- sweeps -------------------------------------------------------------------------------------------------- */

struct sweep {
    struct response_work *work;
    response_row_function *function;
    void *data;
    uint64_t first, end; /* in work->order */
};

static void sweep_block(void *data, uint32_t block, uint32_t worker)
{
    struct sweep *sweep = data;
    uint64_t first = sweep->first + (uint64_t)block * ROWS_PER_BLOCK;
    (void)worker;
    for (uint64_t i = first; i < first + ROWS_PER_BLOCK && i < sweep->end; i++) {
        sweep->function(sweep->data, &sweep->work->rows[sweep->work->order[i]]);
    }
}

void response_sweep(struct response_work *work, response_row_function *function, void *data)
{
    for (uint32_t colour = 0; colour < work->colour_count; colour++) {
        struct sweep sweep = {work, function, data, work->colour_first[colour], work->colour_first[colour + 1]};
        uint64_t count = sweep.end - sweep.first;
        if (colour < LAST_COLOUR && count >= PARALLEL_ROWS) {
            uint32_t blocks = (uint32_t)((count + ROWS_PER_BLOCK - 1) / ROWS_PER_BLOCK);
            dent_parallel_for(work->response->context, blocks, sweep_block, &sweep);
        } else {
            for (uint64_t i = sweep.first; i < sweep.end; i++) {
                function(data, &work->rows[work->order[i]]);
            }
        }
    }
}

/* ---- what shares a node -------------------------------------------------------------------------------------- */

uint32_t response_sharing(const struct response_work *work, const struct response_row *row)
{
    struct row_nodes list = nodes_of(work, row);
    uint32_t most = 1;
    for (uint32_t k = 0; k < list.count; k++) {
        if (work->nodes[list.nodes[k]].sharing > most) {
            most = work->nodes[list.nodes[k]].sharing;
        }
    }
    return most;
}

/* A node remembers the first direction it is pushed in; one that meets a push of less than cos 120 degrees to it is
 * squeezed. Two passes: find the nodes, then mark every row at them. */
static void note_push(struct response_node *node, double sign, const double normal[3])
{
    if (node->pushes == 0) {
        node->pushes = 1;
        for (int axis = 0; axis < 3; axis++) {
            node->direction[axis] = sign * normal[axis];
        }
    } else if (sign * vector_dot(node->direction, normal) < -0.5) {
        node->pushes = 2;
    }
}

void response_mark_squeezed(struct response_work *work, double limit)
{
    for (uint64_t i = 0; i < work->row_count; i++) {
        struct response_row *row = &work->rows[i];
        if (row->state == DENT_ACTION_NONE && row->gap < limit) {
            struct row_nodes list = nodes_of(work, row);
            for (uint32_t k = 0; k < list.count; k++) {
                note_push(&work->nodes[list.nodes[k]], list.signs[k], row->normal);
            }
        }
    }
    for (uint64_t i = 0; i < work->active_count; i++) {
        struct response_row *row = &work->rows[work->order[i]];
        struct row_nodes list = nodes_of(work, row);
        for (uint32_t k = 0; k < list.count && row->gap < limit; k++) {
            row->squeezed = row->squeezed || work->nodes[list.nodes[k]].pushes == 2;
        }
    }
}
