/* What only the types of one register have, against plain C. Included by check_lanes.h behind check_numbers.h. */

static void CHECK(register_masks)(const struct CHECK(operands) * operands, uint32_t m, uint32_t n)
{
    const struct CHECK(operands) o = *operands;
    const T x = OP(load)(o.a), y = OP(load)(o.b);
    BITS_ARE(BITS(OP(greater)(x, y)), a > b);
    BITS_ARE(BITS(OP(less_equal)(x, y)), a <= b);
    BITS_ARE(BITS(OP(equal)(x, y)), a == b);
    BITS_ARE(BITS(OP(ordered)(x, y)), (a == a) & (b == b));
    BITS_ARE(BITS(OP(less_equal_within)(MASK(m), x, y)), (m >> lane & 1) & (a <= b));
    BITS_ARE(BITS(OP(mask_and)(MASK(m), MASK(n))), (m & n) >> lane & 1);
    BITS_ARE(BITS(OP(mask_or)(MASK(m), MASK(n))), (m | n) >> lane & 1);
    BITS_ARE(BITS(OP(mask_and_not)(MASK(m), MASK(n))), (m & ~n) >> lane & 1);
    BITS_ARE(BITS(OP(mask_not)(MASK(m))), ~m >> lane & 1);
    BITS_ARE(BITS(OP(mask_all)()), 1);
    BITS_ARE(BITS(OP(mask_nothing)()), 0);
    for (uint32_t first = 0; first < COUNT + 3; first++) {
        BITS_ARE(BITS(OP(mask_first)(first)), lane < first);
    }
    assert_true(OP(mask_none)(OP(mask_nothing)()));
    for (uint32_t lane = 0; lane < COUNT; lane++) {
        assert_false(OP(mask_none)(MASK(1u << lane)));
    }
    assert_int_equal(BITS(OP(mask_all)()), (1u << COUNT) - 1); /* and nothing above */
    LANES_ARE(OP(root)(x), ROOT(a), true);
    LANES_ARE(x + y * x - y / x, a + b * a - b / a, true);
}

static void CHECK(registers)(void)
{
    const size_t count = sizeof PASTE(E, values) / sizeof PASTE(E, values)[0];
    uint32_t bits = 7;
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < count; j++) {
            struct CHECK(operands) operands = CHECK(operands)(i, j);
            bits = bits * 1664525 + 1013904223;
            CHECK(register_masks)(&operands, bits >> 8 & 0xFFFF, bits >> 16);
        }
    }
}
