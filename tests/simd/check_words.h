/* Words, kept lanes, loads of some lanes, reductions of four and numbers of 16 bits for one instruction set against plain
 * C. Included by check_lanes.h. */

struct word_case {
    _Alignas(64) uint32_t a[16], b[16];
    _Alignas(64) float x[16];
};

/* Often equal, often with no bit in common, and above INT32_MAX. */
static void draw_words(struct word_case *drawn, uint32_t *state)
{
    static const uint32_t values[] = {0, 1, 2, 3, 0x7FFFFFFF, 0x80000000, 0x80000001, 0xFFFFFFFF};
    for (int i = 0; i < 16; i++) {
        drawn->a[i] = values[next_random(state) & 7];
        drawn->b[i] = values[next_random(state) & 7];
        drawn->x[i] = (float)next_random(state);
    }
}

static void check_word_operations(void)
{
    uint32_t state = 21;
    for (int round = 0; round < 500; round++) {
        struct word_case drawn;
        draw_words(&drawn, &state);
        const uint32_t bits = next_random(&state) & ((1u << FLOATS) - 1);
        const floats_mask mask = floats_mask_of_bits(bits);
        const words a = words_load(drawn.a), b = words_load_any(drawn.b);
        _Alignas(64) uint32_t sum[16], both[16], any[16], shifted[16], chosen[16], counted[16], loaded[16];
        _Alignas(64) uint32_t shifted_left[16], shifted_right[16];
        _Alignas(64) float floats_loaded[16];
        words_store(sum, words_add(a, b));
        words_store_any(both, words_and(a, b));
        words_store(any, words_or(a, b));
        words_store(shifted, words_shift_right(a, 8));
        words_store(shifted_left, words_shift_left_each(a, words_and(b, words_set(31))));
        words_store(shifted_right, words_shift_right_each(a, words_and(b, words_set(31))));
        words_store(chosen, words_choose(mask, a, b));
        words_store(counted, words_add(words_count_up(), words_set(100)));
        words_store(loaded, words_load_within(mask, drawn.a));
        floats_store(floats_loaded, floats_load_within(mask, drawn.x));
        for (int i = 0; i < FLOATS; i++) {
            uint32_t x = drawn.a[i], y = drawn.b[i], on = bits >> i & 1;
            assert_int_equal(sum[i], x + y);
            assert_int_equal(both[i], x & y);
            assert_int_equal(any[i], x | y);
            assert_int_equal(shifted[i], x >> 8);
            assert_int_equal(shifted_left[i], x << (y & 31));
            assert_int_equal(shifted_right[i], x >> (y & 31));
            assert_int_equal(chosen[i], on ? x : y);
            assert_int_equal(counted[i], 100 + i);
            assert_int_equal(loaded[i], on ? x : 0);
            assert_true(floats_loaded[i] == (on ? drawn.x[i] : 0));
            assert_int_equal(floats_mask_bits(words_equal(a, b)) >> i & 1, x == y);
            assert_int_equal(floats_mask_bits(words_less(a, b)) >> i & 1, x < y);
            assert_int_equal(floats_mask_bits(words_meet(a, b)) >> i & 1, (x & y) != 0);
            assert_int_equal(floats_mask_bits(words_disjoint_within(mask, a, b)) >> i & 1, on && !(x & y));
        }
    }
}

static void check_word_tables(void)
{
    uint32_t table[48], state = 22;
    for (uint32_t i = 0; i < 48; i++) {
        table[i] = 0x80000000 + 7 * i;
    }
    for (int round = 0; round < 200; round++) {
        _Alignas(64) uint32_t early[16], any[16], got[16];
        for (int i = 0; i < 16; i++) {
            early[i] = (next_random(&state) & 31) | 0x4500;
            any[i] = next_random(&state) % 48;
        }
        words_store(got, words_pick32(table, floats_index_of_byte(words_load(early), 0)));
        for (int i = 0; i < FLOATS; i++) {
            assert_int_equal(got[i], table[early[i] & 255]);
        }
        words_store(got, words_pick48(table, words_load(any)));
        for (int i = 0; i < FLOATS; i++) {
            assert_int_equal(got[i], table[any[i]]);
        }
    }
}

static void check_kept_lanes(void)
{
    struct word_case drawn;
    uint32_t state = 23;
    for (uint32_t bits = 0; bits < 1u << FLOATS; bits++) {
        uint32_t kept[16], numbers[16 + 16], count = 0;
        float kept_floats[16];
        draw_words(&drawn, &state);
        words_keep(kept, words_load(drawn.a), floats_order_of_bits(bits));
        floats_keep(kept_floats, floats_load(drawn.x), floats_order_of_bits(bits));
        assert_int_equal(words_of_bits(numbers, 1000, bits), __builtin_popcount(bits));
        for (uint32_t i = 0; i < FLOATS; i++) {
            if (bits >> i & 1) {
                assert_int_equal(kept[count], drawn.a[i]);
                assert_true(kept_floats[count] == drawn.x[i]);
                assert_int_equal(numbers[count++], 1000 + i);
            }
        }
    }
    uint32_t numbers[32 + 16];
    assert_int_equal(words_of_bits(numbers, 5, 0x80010001), 3);
    assert_int_equal(numbers[0], 5);
    assert_int_equal(numbers[1], 21);
    assert_int_equal(numbers[2], 36);
}

/* Small whole numbers: sums are exact in any order. */
static void check_reductions_of_four(void)
{
    _Alignas(64) float x[4][16];
    uint32_t state = 24;
    for (int round = 0; round < 100; round++) {
        float sum[4] = {0, 0, 0, 0}, least[4], got[4];
        for (int k = 0; k < 4; k++) {
            for (int i = 0; i < 16; i++) {
                x[k][i] = (float)(next_random(&state) & 1023) - 512;
            }
            least[k] = x[k][0];
            for (int i = 0; i < FLOATS; i++) {
                sum[k] += x[k][i];
                least[k] = x[k][i] < least[k] ? x[k][i] : least[k];
            }
        }
        floats_sum4(floats_load(x[0]), floats_load(x[1]), floats_load(x[2]), floats_load(x[3]), got);
        assert_memory_equal(got, sum, sizeof sum);
        floats_least4(floats_load(x[0]), floats_load(x[1]), floats_load(x[2]), floats_load(x[3]), got);
        assert_memory_equal(got, least, sizeof least);
    }
}

static void check_short_conversions(void)
{
    _Alignas(64) int16_t from[16] = {0, 1, -1, 32767, -32768, 12345, -12345, 255, 256, -256, 7, -7, 99, 100, 101, 102};
    _Alignas(64) float cut[16] = {0, 0.9f, 1, 1.5f, 31999.99f, 32000, 2.25f, 3.75f, 4, 5, 6, 7, 8, 9, 10, 32767.5f};
    _Alignas(64) const uint8_t bytes[16] = {0, 1, 255, 128, 127, 2, 3, 64, 200, 100, 50, 25, 12, 6, 254, 129};
    for (int i = 0; i < 16; i += FLOATS) {
        _Alignas(64) float got[16];
        _Alignas(64) uint16_t whole[16];
        floats_store(got, floats_of_shorts(from + i));
        floats_to_shorts(whole, floats_load(cut + i));
        for (int k = 0; k < FLOATS; k++) {
            assert_true(got[k] == (float)from[i + k]);
            assert_int_equal(whole[k], (int)cut[i + k]);
        }
        floats_store(got, floats_of_bytes(bytes + i));
        for (int k = 0; k < FLOATS; k++) {
            assert_true(got[k] == (float)bytes[i + k]);
        }
    }
}

static void check_short_boxes(void)
{
    _Alignas(64) uint16_t lo[3][32], hi[3][32];
    uint32_t state = 25;
    for (int round = 0; round < 500; round++) {
        uint16_t least[3], most[3];
        struct shorts32 low[3], high[3];
        uint32_t count = round % 33, expected = 0;
        for (int axis = 0; axis < 3; axis++) {
            for (int i = 0; i < 32; i++) {
                lo[axis][i] = (uint16_t)(next_random(&state) % 6 * 6553);
                hi[axis][i] = (uint16_t)(lo[axis][i] + next_random(&state) % (32768u - lo[axis][i]));
            }
            least[axis] = (uint16_t)(next_random(&state) % 6 * 6553);
            most[axis] = (uint16_t)(least[axis] + next_random(&state) % (32768u - least[axis]));
            low[axis] = shorts32_load(lo[axis]);
            high[axis] = shorts32_load(hi[axis]);
        }
        for (uint32_t i = 0; i < count; i++) {
            bool meets = true;
            for (int axis = 0; axis < 3; axis++) {
                meets = meets && lo[axis][i] <= most[axis] && least[axis] <= hi[axis][i];
            }
            expected |= (uint32_t)meets << i;
        }
        assert_int_equal(shorts32_meet(low, high, least, most, count), expected);
    }
}

static void check_turned_rows(void)
{
    const float rows[4][4] = {{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 10, 11, 12}, {13, 14, 15, 16}};
    _Alignas(64) float columns[4][4];
    turn_four_rows(rows[0], rows[1], rows[2], rows[3], columns[0], columns[1], columns[2], columns[3]);
    for (int i = 0; i < 4; i++) {
        for (int k = 0; k < 4; k++) {
            assert_true(columns[k][i] == rows[i][k]);
        }
    }
}

static void check_words(void)
{
    check_word_operations();
    check_word_tables();
    check_kept_lanes();
    check_reductions_of_four();
    check_short_conversions();
    check_short_boxes();
    check_turned_rows();
}
