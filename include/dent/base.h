/* dent/base.h — what every other header stands on: export macro, status, outcome, context and its hooks.
 *
 * A dent_context owns nothing geometric. It carries the four things a host may want to replace — memory, threads, log,
 * instruction set — each with a user pointer. There are no mutable globals in the library: two contexts never meet.
 *
 * Null pointers. A parameter may be null where its description says so ("null: …", "may be null"), and an array whose
 * count is 0 may be. Anywhere else null is an error of the caller, and every function treats it alike: one that returns
 * a dent_status returns DENT_ERROR_INVALID_ARGUMENT, with a message that names the function and the parameter; one that
 * returns a value returns 0, null, false or UINT32_MAX (a pose: the identity); one that returns nothing does nothing;
 * and nothing is written. Functions that destroy, close or release accept null. Pointers inside a def follow the
 * descriptions of its fields.
 *
 * Stacks. Every function needs at most 64 KiB of stack (DENT_STACK_BYTES), callbacks not counted, so a thread that
 * calls dent, or runs blocks for it, should have that and its own needs.
 *
 * Units and conventions are on one page in docs/conventions.md.
 */
#ifndef DENT_BASE_H
#define DENT_BASE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(_WIN32)
#define DENT_API
#elif defined(__GNUC__)
#define DENT_API __attribute__((visibility("default")))
#else
#define DENT_API
#endif

#if defined(__GNUC__)
#define DENT_PRINTF_LIKE(format_index, first_argument) __attribute__((format(printf, format_index, first_argument)))
#else
#define DENT_PRINTF_LIKE(format_index, first_argument)
#endif

#define DENT_VERSION_MAJOR 0
#define DENT_VERSION_MINOR 1
#define DENT_VERSION_PATCH 0
#define DENT_VERSION_STRING "0.1.0"

/** "0.1.0": the version of the library that was linked (the macros are those of the header that was read). Threads:
 * any. */
DENT_API const char *dent_version(void);

/** Bytes of stack that any function of dent needs at most, callbacks of the caller not counted. */
#define DENT_STACK_BYTES 65536

/* ---- status: what the world outside the program can do wrong ----------------------------------------------------- */

/** Values are pinned: new ones are added at the end. A call that does not return DENT_OK has changed nothing. */
typedef enum dent_status {
    DENT_OK = 0,
    DENT_ERROR_OUT_OF_MEMORY = 1, /**< the allocator returned null */
    DENT_ERROR_INVALID_ARGUMENT = 2, /**< a def not made by its …_default() function, an unknown enumerator, a bad
                                          option */
    DENT_ERROR_STALE_ID = 3,   /**< the body was removed, or the id never named one of this world */
    DENT_ERROR_BAD_MESH = 4,   /**< index out of range, repeated index in an element; in strict mode also the rest */
    DENT_ERROR_BAD_NUMBER = 5, /**< NaN or infinity among the positions */
    DENT_ERROR_TOO_LARGE = 6,  /**< more than 32-bit indices or the address space can hold */
    DENT_ERROR_UNSUPPORTED = 7, /**< this method cannot answer this question; this build has no such format */
    DENT_ERROR_FILE = 8,        /**< the file cannot be opened, read or written */
    DENT_ERROR_FORMAT = 9       /**< the file was read, but its content is not what its format says */
} dent_status;

/** A short name for a status, "out of memory". Never null. Threads: any. */
DENT_API const char *dent_status_name(dent_status status);

/** How a query ended. An outcome is a result, not an error: what is reported is right, and says how far it got. */
typedef enum dent_outcome {
    DENT_OUTCOME_COMPLETE = 0,
    DENT_OUTCOME_CANCELLED = 1,    /**< the caller's cancel flag was seen; no pairs are reported */
    DENT_OUTCOME_TRUNCATED = 2,    /**< more results than asked for; the true count is given */
    DENT_OUTCOME_BUDGET_SPENT = 3, /**< time or work budget used up */
    DENT_OUTCOME_ITERATION_LIMIT = 4
} dent_outcome;

/** Never null. */
DENT_API const char *dent_outcome_name(dent_outcome outcome);

/* ---- hooks ------------------------------------------------------------------------------------------------------- */

/** Memory. Both functions may be called from any thread that runs dent code (workers included) at the same time. */
typedef struct dent_allocator {
    /** At least `size` bytes (never 0) aligned to `alignment` (a power of two, at most 64), or null. */
    void *(*allocate)(void *user, size_t size, size_t alignment);
    /** Gives back one block with the size it was asked with. Never called with null. */
    void (*release)(void *user, void *block, size_t size);
    void *user;
} dent_allocator;

/** One block of a parallel loop. `worker` is below worker_count and no two blocks with the same worker run at once. */
typedef void dent_block_function(void *data, uint32_t block, uint32_t worker);

/** Threads. `run` calls function(data, block, worker) once for every block in [0, block_count), in any order and on any
 *  threads, and returns when all have finished. It must publish memory as a mutex would. A hook that leaves out or
 *  repeats blocks, or gives a worker number that is too large or in use, is found out: a block is never run twice, what
 *  was left out is run by the calling thread, and the query returns INVALID_ARGUMENT. A long loop may be handed over in
 *  parts. */
typedef struct dent_parallel {
    void (*run)(void *user, uint32_t block_count, dent_block_function *function, void *data);
    uint32_t worker_count; /**< how many workers `run` may use; 1 to 1024 */
    void *user;
} dent_parallel;

typedef enum dent_log_level { DENT_LOG_NOTICE = 0, DENT_LOG_WARNING = 1 } dent_log_level;

/** Notices (a body is mirrored, second-order nodes were dropped): one line without a newline. Called from the thread
 * that called dent. */
typedef struct dent_log {
    void (*write)(void *user, dent_log_level level, const char *text);
    void *user;
} dent_log;

/** Instruction sets. AUTO takes the widest that both the build and the machine have. All give the same bits. */
typedef enum dent_isa {
    DENT_ISA_AUTO = 0,
    DENT_ISA_SCALAR = 1,
    DENT_ISA_AVX2 = 2,
    DENT_ISA_AVX512 = 3,
    DENT_ISA_COUNT = 4
} dent_isa;

/** Never null. */
DENT_API const char *dent_isa_name(dent_isa isa);
/** True when this build and this machine can run it. Threads: any. */
DENT_API bool dent_isa_available(dent_isa isa);

/* ---- context ----------------------------------------------------------------------------------------------------- */

typedef struct dent_context dent_context;

typedef struct dent_context_def {
    size_t struct_size;       /**< filled by dent_context_def_default(); checked */
    dent_allocator allocator; /**< functions null (default): the C library's */
    dent_parallel parallel;   /**< run null (default): the built-in pool, or none when thread_count is 1 */
    dent_log log;             /**< write null (default): silent */
    uint32_t thread_count; /**< threads of the built-in pool, the caller's own included; 0 (default): one per processor
                                this process may run on; at most 1024. Ignored with an own `parallel`. */
    dent_isa isa;             /**< default DENT_ISA_AUTO; one that is not available is refused with UNSUPPORTED */
    uint64_t reading_limit;   /**< bytes of memory that one call that reads files may take; 0 (default): 256 MiB and 100
                                   times the bytes on disk. Readers with a def can set it for one call */
} dent_context_def;

DENT_API dent_context_def dent_context_def_default(void);

/** Null def: all defaults. Returns null only on failure; then *status (if given) says why. Threads: any. */
DENT_API dent_context *dent_context_create(const dent_context_def *def, dent_status *status);
/** All worlds made from it must be gone. Null is allowed. */
DENT_API void dent_context_destroy(dent_context *context);

/** Copies the message of the last failing call made with this context (not with a world of it: those have
 *  dent_world_message). One line: control characters in the names it quotes are '?'. Always ends with a zero byte;
 *  returns the full length. Threads: any. */
DENT_API size_t dent_context_message(const dent_context *context, char *buffer, size_t buffer_size);

/** The instruction set in use: never AUTO. */
DENT_API dent_isa dent_context_isa(const dent_context *context);
/** The def's reading_limit; 0: by the bytes on disk. */
DENT_API uint64_t dent_context_reading_limit(const dent_context *context);
/** How many workers a parallel loop may have, 1 or more; `worker` of a block is below it. */
DENT_API uint32_t dent_context_worker_count(const dent_context *context);

/** Bytes now taken from the allocator, the most ever taken, and the number of allocate calls so far. Threads: any. */
typedef struct dent_memory_use {
    uint64_t bytes;
    uint64_t peak_bytes;
    uint64_t allocations;
} dent_memory_use;
DENT_API dent_memory_use dent_context_memory_use(const dent_context *context);

/* ---- the same services for clients (readers, scenes, simulator, your own code) ----------------------------------- */

/** Memory through the context's allocator, aligned to 64 bytes; `count * size` is checked for overflow; null when it
 * fails (no message is set). count or size 0 gives a block that may only be released. Threads: any. */
DENT_API void *dent_allocate(dent_context *context, size_t count, size_t size);
/** Grows or shrinks a block from dent_allocate (null: a new one); on failure null, and the old block is untouched. */
DENT_API void *dent_reallocate(dent_context *context, void *block, size_t old_count, size_t new_count, size_t size);
/** count and size as allocated. Null is allowed. */
DENT_API void dent_release(dent_context *context, void *block, size_t count, size_t size);

/** The context's parallel loop; one block or one worker runs in place. Every block runs with round-to-nearest,
 * subnormals on and no traps, whatever state the calling thread or the host's threads are in; their state is restored.
 * A loop inside a block is allowed; loops of different threads take turns on the built-in pool. Threads: any.
 * INVALID_ARGUMENT when a hook of the host broke its contract (dent_parallel); every block has run once all the same.
 */
DENT_API dent_status dent_parallel_for(dent_context *context, uint32_t block_count, dent_block_function *function,
                                       void *data);

/** Sets the context's message and returns `status`: `return dent_fail(context, DENT_ERROR_FILE, "%s: …", path);` A null
 * context keeps no message. */
DENT_API dent_status dent_fail(dent_context *context, dent_status status, const char *format, ...)
    DENT_PRINTF_LIKE(3, 4);
/** The same with a list of arguments. */
DENT_API dent_status dent_fail_list(dent_context *context, dent_status status, const char *format, va_list arguments);
/** The rule about null pointers, for functions of your own: `DENT_REQUIRE(context, def);` returns INVALID_ARGUMENT from
 * a function that returns a status, with a message that names the function and the parameter, when the pointer is null;
 * DENT_REQUIRE_ARRAY does so when it is null and `count` is not 0. */
#define DENT_REQUIRE(context, pointer) DENT_REQUIRE_ARRAY(context, 1, pointer)
#define DENT_REQUIRE_ARRAY(context, count, pointer)                                                                    \
    do {                                                                                                               \
        if ((count) > 0 && !(pointer)) {                                                                               \
            return dent_fail((context), DENT_ERROR_INVALID_ARGUMENT, "%s: %s is null", __func__, #pointer);            \
        }                                                                                                              \
    } while (0)
/** Hands one line to the context's log; nothing happens when it is silent. */
DENT_API void dent_log_line(dent_context *context, dent_log_level level, const char *format, ...)
    DENT_PRINTF_LIKE(3, 4);

/** Nanoseconds of a clock that never goes back. Threads: any. */
DENT_API uint64_t dent_clock_ns(void);

/** Deterministic random numbers (a 64-bit counter-mixing generator): the same sequence on every machine. The struct is
 * the whole state; copy it to fork a sequence. */
typedef struct dent_random {
    uint64_t state;
} dent_random;
DENT_API dent_random dent_random_seeded(uint64_t seed);
/** 64 uniform bits. */
DENT_API uint64_t dent_random_bits(dent_random *random);
/** Uniform in [0, bound), bound > 0, without bias. */
DENT_API uint32_t dent_random_below(dent_random *random, uint32_t bound);
/** Uniform multiple of 2^-53 in [0, 1). */
DENT_API double dent_random_unit(dent_random *random);

/** Sine and cosine of an angle in radians, at most 1e6 in size, with the same bits on every machine: made of additions
 * and multiplications in a fixed order, where those of C libraries differ in the last bit. Off by less than 2^-51 for
 * angles of at most 2048, beyond that by little more than the spacing of such angles. Either result may be null:
 * not wanted. Threads: any. */
DENT_API void dent_sine_cosine(double angle, double *sine, double *cosine);

#ifdef __cplusplus
}
#endif

#endif
