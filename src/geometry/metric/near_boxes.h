/* Rows of boxes against boxes, for all instruction sets. Included by near_kernels_<isa>.c after it has defined
 * meet_sixteen (bits of the boxes at, at + 1 ... at + 15 that meet the given one) and match_vertices. */

static uint64_t meet_boxes(const struct feature_boxes *boxes, uint32_t count, const float lo[3], const float hi[3])
{
    uint64_t bits = 0;
    for (uint32_t at = 0; at < count; at += 16) {
        bits |= (uint64_t)meet_sixteen(boxes, at, lo, hi) << at;
    }
    return bits;
}

static void meet_box_rows(const struct feature_boxes *a, uint64_t which, float reach, const struct feature_boxes *boxes,
                          uint32_t count, uint64_t rows[NEAR_FEATURES])
{
    for (; which; which &= which - 1) {
        int i = __builtin_ctzll(which);
        float lo[3] = {a->lo[0][i] - reach, a->lo[1][i] - reach, a->lo[2][i] - reach};
        float hi[3] = {a->hi[0][i] + reach, a->hi[1][i] + reach, a->hi[2][i] + reach};
        rows[i] = meet_boxes(boxes, count, lo, hi);
    }
}
