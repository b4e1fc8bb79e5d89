/* Strands with strands by packets (structures/strands/strand_packets.h): what floats leave open is measured in doubles,
 * rules of strands take out what they name, and the pairs of packets that are left become the canonical list.
 *
 * Packets are numbered in the canonical order of their segments. A record names two packets, the smaller first, and the
 * pairs of their segments as sixteen bits; records are counted and sorted by their first packet, then written out row by
 * row: the list comes out in canonical order, and only a few records at a time have to be sorted by comparison.
 */
#include "bodies/strand_rules.h"
#include "base/containers/heap_sort.h"
#include "query/pairs/pair_tests.h"
#include "query/proximity/proximity_search.h"

struct near_packets {
    uint32_t low, high; /* packets, low <= high */
    uint32_t pairs;     /* bit 4 i + j: segment i of low, j of high */
};

struct packet_search {
    struct proximity_search *search;
    const struct strand_packets *packets;
};

/* ---- which pairs of two packets ----------------------------------------------------------------------------------- */

/* Bits of the segments that are there; within one packet each pair once. On one strand a segment and the next are never a
 * pair (strand_rules.h), and their distance is not worth measuring. */
static uint32_t present_pairs(const struct packet_place *a, const struct packet_place *b, bool one_strand)
{
    static const uint32_t rows[5] = {0, 0xF, 0xFF, 0xFFF, 0xFFFF};
    uint32_t columns = (1u << b->count) - 1;
    uint32_t bits = rows[a->count] & columns * 0x1111u;
    if (!one_strand) {
        return bits;
    }
    return a == b                                             ? bits & 0x008Cu  /* j > i + 1 */
           : a->first_segment + PACKET_SEGMENTS == b->first_segment ? bits & ~0x1000u /* the last of a, the first of b */
           : b->first_segment + PACKET_SEGMENTS == a->first_segment ? bits & ~0x0008u
                                                                    : bits;
}

static bool pair_is_near(const struct packet_search *packets, const struct packet_place *a, uint32_t i,
                         const struct packet_place *b, uint32_t j, bool open)
{
    struct proximity_search *search = packets->search;
    const struct body_snapshot *bodies = search->snapshot->bodies;
    uint32_t edge_a = a->first_segment + i, edge_b = b->first_segment + j;
    const struct body *body_a = bodies[a->body_index].body, *body_b = bodies[b->body_index].body;
    if (body_a->identities || body_b->identities) {
        const uint32_t ends_a[2] = {body_a->edges[edge_a].v0, body_a->edges[edge_a].v1},
                       ends_b[2] = {body_b->edges[edge_b].v0, body_b->edges[edge_b].v1};
        if (corners_share_vertex(body_a, ends_a, 2, body_b, ends_b, 2)) {
            return false;
        }
    }
    double distance = 0;
    if (open) {
        const double *points[4];
        proximity_edge_points(search->snapshot, a->body_index, edge_a, b->body_index, edge_b, points);
        distance = edge_edge_distance(points, points + 2);
    }
    return proximity_edges_are_near(search, a->body_index, edge_a, b->body_index, edge_b, distance);
}

static uint32_t count_bits(uint32_t bits)
{
    bits = bits - (bits >> 1 & 0x5555u);
    bits = (bits & 0x3333u) + (bits >> 2 & 0x3333u);
    bits = (bits + (bits >> 4)) & 0x0F0Fu;
    return (bits + (bits >> 8)) & 0x1Fu;
}

/* Rules may take pairs out along one strand, and where vertices are tied. */
static uint32_t decide(const struct packet_search *packets, const struct packet_place *a, const struct packet_place *b,
                       bool tied, struct packet_signs signs, uint64_t *measured)
{
    bool one_strand = a->body_index == b->body_index && a->strand == b->strand;
    uint32_t present = present_pairs(a, b, one_strand), near = signs.near & present, open = signs.open & present;
    uint32_t asked = one_strand || tied ? near | open : open;
    if (asked == 0) {
        return near;
    }
    *measured += count_bits(open);
    for (uint32_t left = asked; left; left &= left - 1) {
        uint32_t bit = (uint32_t)__builtin_ctz(left);
        bool is_near = pair_is_near(packets, a, bit / 4, b, bit % 4, open >> bit & 1);
        near = is_near ? near | 1u << bit : near & ~(1u << bit);
    }
    return near;
}

/* Rows become columns: two by two, then the two halves. */
static uint32_t transposed(uint32_t bits)
{
    uint32_t swapped = (bits ^ bits >> 3) & 0x0A0Au;
    bits ^= swapped ^ swapped << 3;
    swapped = (bits ^ bits >> 6) & 0x00CCu;
    return bits ^ swapped ^ swapped << 6;
}

static bool begin(void *user, uint32_t block_count)
{
    const struct packet_search *packets = user;
    return block_output_begin(&packets->search->state->near_packets, block_count);
}

static void visit(void *user, uint32_t block, uint32_t worker, const struct packet_pair *pairs, uint32_t count)
{
    enum { BATCH = 64 };
    const struct packet_search *packets = user;
    struct proximity_search *search = packets->search;
    const uint32_t *packet_of_slot = packets->packets->packet_of_slot.data;
    const struct packet_place *places = packets->packets->places.data;
    struct near_packets found[BATCH];
    uint32_t waiting = 0;
    uint64_t answers = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t a = packet_of_slot[pairs[i].slot_a], b = packet_of_slot[pairs[i].slot_b];
        const struct body *body_a = search->snapshot->bodies[places[a].body_index].body,
                          *body_b = search->snapshot->bodies[places[b].body_index].body;
        if (!bodies_may_meet(body_a, body_b)) {
            continue;
        }
        uint32_t near = decide(packets, &places[a], &places[b], body_a->identities || body_b->identities, pairs[i].signs,
                               &search->workers[worker].candidates);
        found[waiting] = a <= b ? (struct near_packets){a, b, near} : (struct near_packets){b, a, transposed(near)};
        waiting += near != 0;
        answers += count_bits(near);
        if (waiting == BATCH || (i + 1 == count && waiting > 0)) {
            block_output_append(&search->state->near_packets, block, found, waiting);
            waiting = 0;
        }
    }
    if (waiting > 0) {
        block_output_append(&search->state->near_packets, block, found, waiting);
    }
    proximity_count_answers(search, answers);
}

bool proximity_search_packets(struct proximity_search *search)
{
    struct strand_packets *packets = &search->state->packets;
    struct packet_search asked = {search, packets};
    struct packet_counts counts = {0, 0};
    struct packet_visitor visitor = {&asked, begin, visit};
    bool enough = strand_packets_update(packets, search->snapshot, search->thickness, search->isa, search->scratch) &&
                  strand_packets_visit(packets, search->isa, search->cancel, search->scratch, &visitor, &counts);
    search->workers[0].box_tests += counts.box_tests;
    return enough && !block_output_failed(&search->state->near_packets);
}

/* ---- the list ----------------------------------------------------------------------------------------------------- */

/* What is kept of a record once its first packet is known by its place. */
struct near_partner {
    uint32_t high, pairs;
};

struct listing {
    const struct strand_packets *packets;
    const uint32_t *first;          /* by packet: of its partners; one more */
    struct near_partner *partners;
    const uint64_t *first_pair;     /* by block of packets; one more */
    dent_pair *pairs;
};

enum { LIST_BLOCK = 1024 };

static void sort_partners(struct near_partner *partners, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        struct near_partner partner = partners[i];
        uint32_t slot = i;
        for (; slot > 0 && partners[slot - 1].high > partner.high; slot--) {
            partners[slot] = partners[slot - 1];
        }
        partners[slot] = partner;
    }
}

static bool partner_before(const void *a, const void *b, const void *user)
{
    (void)user;
    return ((const struct near_partner *)a)->high < ((const struct near_partner *)b)->high;
}

/* Pairs of a segment with those of a packet. While there is room before the end all four are written and those that are
 * no pairs overwritten by the next: that is faster than to look which there are. */
static inline dent_pair *list_row(dent_pair *next, const dent_pair *end, dent_pair pair, uint32_t bits)
{
    if (end - next >= PACKET_SEGMENTS) {
        for (uint32_t i = 0; i < PACKET_SEGMENTS; i++, bits >>= 1) {
            *next = pair;
            next += bits & 1;
            pair.feature_b++;
        }
        return next;
    }
    for (; bits; bits &= bits - 1) {
        *next = pair;
        next++->feature_b += (uint32_t)__builtin_ctz(bits);
    }
    return next;
}

static void list_block(void *data, uint32_t block, uint32_t worker)
{
    enum { FEW = 64 };
    const struct listing *listing = data;
    const struct packet_place *places = listing->packets->places.data;
    dent_pair *next = listing->pairs + listing->first_pair[block];
    const dent_pair *end = listing->pairs + listing->first_pair[block + 1];
    uint32_t first = block * LIST_BLOCK, all = listing->packets->packet_count;
    uint32_t last = all - first < LIST_BLOCK ? all : first + LIST_BLOCK;
    (void)worker;
    for (uint32_t packet = first; packet < last; packet++) {
        struct near_partner *partners = listing->partners + listing->first[packet];
        uint32_t count = listing->first[packet + 1] - listing->first[packet];
        const struct packet_place *a = &places[packet];
        if (count <= FEW) {
            sort_partners(partners, count);
        } else {
            heap_sort(partners, count, sizeof *partners, partner_before, NULL);
        }
        for (uint32_t row = 0; count > 0 && row < a->count; row++) {
            for (uint32_t i = 0; i < count; i++) {
                const struct packet_place *b = &places[partners[i].high];
                next = list_row(next, end, (dent_pair){a->body_index, a->first_segment + row, b->body_index,
                                                       b->first_segment, DENT_PROXIMITY_EDGE_EDGE},
                                partners[i].pairs >> 4 * row & 0xF);
            }
        }
    }
}

/* Partners by packet: counted, then put. */
static void fill_partners(const struct proximity_state *state, uint32_t *first, struct near_partner *partners)
{
    for (int put = 0; put < 2; put++) {
        for (uint32_t block = 0; block < state->near_packets.block_count; block++) {
            for (struct record_run run = block_output_first(&state->near_packets, block); run.count > 0;
                 run = block_output_next(&run)) {
                const struct near_packets *records = run.records;
                for (size_t i = 0; i < run.count; i++) {
                    if (put) {
                        partners[first[records[i].low]++] = (struct near_partner){records[i].high, records[i].pairs};
                    } else {
                        first[records[i].low + 1]++;
                    }
                }
            }
        }
        for (uint32_t packet = 0; !put && packet < state->packets.packet_count; packet++) {
            first[packet + 1] += first[packet];
        }
    }
    for (uint32_t packet = state->packets.packet_count; packet > 0; packet--) {
        first[packet] = first[packet - 1];
    }
    first[0] = 0;
}

bool proximity_list_packets(struct proximity_search *search, struct dynamic_array *pairs)
{
    struct proximity_state *state = search->state;
    uint32_t count = state->packets.packet_count, blocks = count / LIST_BLOCK + (count % LIST_BLOCK != 0);
    size_t records = block_output_count(&state->near_packets);
    uint32_t *first = arena_allocate_cleared(search->scratch, (size_t)count + 1, sizeof *first);
    uint64_t *first_pair = arena_allocate(search->scratch, (size_t)blocks + 1, sizeof *first_pair);
    struct near_partner *partners = arena_allocate(search->scratch, records, sizeof *partners);
    if (!first || !first_pair || !partners) {
        return false;
    }
    fill_partners(state, first, partners);
    uint64_t total = 0;
    for (uint32_t block = 0; block < blocks; block++) {
        uint32_t last = count - block * LIST_BLOCK < LIST_BLOCK ? count : (block + 1) * LIST_BLOCK;
        first_pair[block] = total;
        for (uint32_t i = first[block * LIST_BLOCK]; i < first[last]; i++) {
            total += count_bits(partners[i].pairs);
        }
    }
    first_pair[blocks] = total;
    block_output_empty(&state->near_packets);
    array_clear(pairs);
    dent_pair *list = array_extend(pairs, total);
    if (!list) {
        return false;
    }
    struct listing listing = {&state->packets, first, partners, first_pair, list};
    dent_parallel_for(search->context, blocks, list_block, &listing);
    return true;
}
