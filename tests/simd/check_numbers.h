/* Operations of one type of lanes against plain C, every pair of special values in every lane. Included by
 * check_lanes.h with T, V (three of them), E (the number), COUNT, and BITS(mask), MASK(bits) between masks and bits. */

#define PASTE_(a, b) a##_##b
#define PASTE(a, b) PASTE_(a, b)
#define OP(name) PASTE(T, name)
#define CHECK(name) PASTE(check, PASTE(T, name))

/* The same bits; a NaN that arithmetic made may have any sign and payload. */
static bool CHECK(same)(E a, E b, bool computed)
{
    return memcmp(&a, &b, sizeof a) == 0 || (computed && a != a && b != b);
}

struct CHECK(operands) {
    _Alignas(64) E a[COUNT], b[COUNT];
};

static struct CHECK(operands) CHECK(operands)(size_t i, size_t j)
{
    const size_t count = sizeof PASTE(E, values) / sizeof PASTE(E, values)[0];
    struct CHECK(operands) result;
    for (size_t lane = 0; lane < COUNT; lane++) {
        result.a[lane] = PASTE(E, values)[(i + lane) % count];
        result.b[lane] = PASTE(E, values)[(j + 5 * lane) % count];
    }
    return result;
}

#define LANES_ARE(value, expression, computed)                                                                         \
    do {                                                                                                               \
        _Alignas(64) E got[COUNT];                                                                                     \
        OP(store)(got, value);                                                                                         \
        for (size_t lane = 0; lane < COUNT; lane++) {                                                                  \
            E a = o.a[lane], b = o.b[lane];                                                                            \
            (void)a, (void)b;                                                                                          \
            assert_true(CHECK(same)(got[lane], expression, computed));                                                 \
        }                                                                                                              \
    } while (0)

#define BITS_ARE(bits, expression)                                                                                     \
    do {                                                                                                               \
        uint32_t got = (bits);                                                                                         \
        for (size_t lane = 0; lane < COUNT; lane++) {                                                                  \
            E a = o.a[lane], b = o.b[lane];                                                                            \
            (void)a, (void)b;                                                                                          \
            assert_int_equal(got >> lane & 1, expression);                                                             \
        }                                                                                                              \
    } while (0)

static void CHECK(arithmetic)(const struct CHECK(operands) * operands)
{
    const struct CHECK(operands) o = *operands;
    const T x = OP(load)(o.a), y = OP(load)(o.b);
    LANES_ARE(OP(add)(x, y), a + b, true);
    LANES_ARE(OP(subtract)(x, y), a - b, true);
    LANES_ARE(OP(multiply)(x, y), a * b, true);
    LANES_ARE(OP(divide)(x, y), a / b, true);
    LANES_ARE(OP(least)(x, y), a < b ? a : b, false);
    LANES_ARE(OP(most)(x, y), a > b ? a : b, false);
    LANES_ARE(OP(absolute)(x), signbit(a) ? -a : a, false);
    LANES_ARE(OP(set)(o.a[0]), o.a[0], false);
    const struct V v = {x, y, x}, w = {y, x, x};
    LANES_ARE(PASTE(V, dot)(v, w), (a * b + b * a) + a * a, true);
    LANES_ARE(PASTE(V, sum)(v), (a + b) + a, true);
    LANES_ARE(PASTE(V, cross)(v, w).x, b * a - a * a, true);
    LANES_ARE(PASTE(V, cross)(v, w).y, a * b - a * a, true);
    LANES_ARE(PASTE(V, cross)(v, w).z, a * a - b * b, true);
}

static void CHECK(masks)(const struct CHECK(operands) * operands, uint32_t bits)
{
    const struct CHECK(operands) o = *operands;
    const T x = OP(load)(o.a), y = OP(load)(o.b);
    BITS_ARE(BITS(OP(less)(x, y)), a < b);
    LANES_ARE(OP(choose)(MASK(bits), x, y), bits >> lane & 1 ? a : b, false);
}

static void CHECK(memory)(const struct CHECK(operands) * operands)
{
    const struct CHECK(operands) o = *operands;
    E room[COUNT + 2] = {0};
    OP(store_any)(room + 1, OP(load)(o.a));
    assert_memory_equal(room + 1, o.a, sizeof o.a);
    assert_true(room[0] == 0 && room[COUNT + 1] == 0);
    LANES_ARE(OP(load_any)(room + 1), a, false);
}

/* Halving, in plain C. */
static E CHECK(halve)(const E *from, int operation)
{
    E at[COUNT];
    memcpy(at, from, sizeof at);
    for (int half = COUNT / 2; half > 0; half /= 2) {
        for (int i = 0; i < half; i++) {
            E a = at[i], b = at[i + half];
            at[i] = operation == 0 ? a + b : operation == 1 ? (a < b ? a : b) : (a > b ? a : b);
        }
    }
    return at[0];
}

static void CHECK(reductions)(const struct CHECK(operands) * o)
{
    assert_true(CHECK(same)(OP(sum)(OP(load)(o->a)), CHECK(halve)(o->a, 0), true));
    assert_true(CHECK(same)(OP(smallest)(OP(load)(o->a)), CHECK(halve)(o->a, 1), false));
    assert_true(CHECK(same)(OP(largest)(OP(load)(o->a)), CHECK(halve)(o->a, 2), false));
}

static void CHECK(all)(void)
{
    const size_t count = sizeof PASTE(E, values) / sizeof PASTE(E, values)[0];
    uint32_t bits = 1;
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < count; j++) {
            struct CHECK(operands) operands = CHECK(operands)(i, j);
            bits = bits * 1664525 + 1013904223;
            CHECK(arithmetic)(&operands);
            CHECK(masks)(&operands, bits >> 16);
            CHECK(memory)(&operands);
            CHECK(reductions)(&operands);
        }
    }
}
