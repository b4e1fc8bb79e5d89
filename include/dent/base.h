/* dent/base.h — the foundation of all other headers: export macro, status, outcome, context and its hooks.
 *
 * A dent_context owns nothing geometric. It holds four services that a host can replace: memory, threads, log and
 * instruction set. The first three take a user pointer. The library has no mutable globals: contexts share nothing.
 *
 * Null pointers. A parameter may be null where its comment says so ("null: …", "may be null"). An array whose count is
 * 0 may be null. Any other null is a caller error, and no function writes anything then. A function that returns a
 * dent_status returns DENT_ERROR_INVALID_ARGUMENT, and the message names the function and the parameter. A function
 * that returns a value returns 0, null, false or UINT32_MAX (a pose: the identity). A function that returns nothing
 * does nothing. Functions that destroy, close or release accept null. The comments of a def's fields say which pointers
 * inside it may be null.
 *
 * Stack. Every function needs at most 64 KiB of stack (DENT_STACK_BYTES), callbacks not counted. A thread that calls
 * dent, or runs blocks for it, needs that much beside its own use.
 *
 * Units and conventions: docs/conventions.md.
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

/** Returns the version of the linked library, "0.1.0". The macros give the version of the header. Threads: any. */
DENT_API const char *dent_version(void);

/** Upper bound, in bytes, on the stack that any function of dent needs, callbacks of the caller not counted. */
#define DENT_STACK_BYTES 65536

/* ---- status codes ------------------------------------------------------------------------------------------------ */

/** Values are fixed: new ones are added at the end. A call that does not return DENT_OK has changed nothing. */
typedef enum dent_status {
    DENT_OK = 0,
    DENT_ERROR_OUT_OF_MEMORY = 1, /**< the allocator returned null */
    DENT_ERROR_INVALID_ARGUMENT = 2, /**< a def not made by its …_default() function, an unknown enumerator, a bad
                                          option */
    DENT_ERROR_STALE_ID = 3,   /**< a removed body, or an id that never belonged to this world */
    DENT_ERROR_BAD_MESH = 4,   /**< index out of range, repeated index in an element; more in strict mode (body.h) */
    DENT_ERROR_BAD_NUMBER = 5, /**< NaN or infinity among the positions */
    DENT_ERROR_TOO_LARGE = 6,  /**< more than 32-bit indices or the address space can hold */
    DENT_ERROR_UNSUPPORTED = 7, /**< a question this method cannot answer; a format this build lacks */
    DENT_ERROR_FILE = 8,        /**< a file that cannot be opened, read or written */
    DENT_ERROR_FORMAT = 9       /**< a file that was read but violates its format */
} dent_status;

/** Returns a short name for a status, such as "out of memory". Never null. Threads: any. */
DENT_API const char *dent_status_name(dent_status status);

/** How a query ended. An outcome is a result, not an error: everything reported is correct, even if incomplete. */
typedef enum dent_outcome {
    DENT_OUTCOME_COMPLETE = 0,
    DENT_OUTCOME_CANCELLED = 1,    /**< the caller's cancel flag was set; no pairs are reported (searches with a
                                        budget report what they have) */
    DENT_OUTCOME_TRUNCATED = 2,    /**< more results than requested; the true count is given */
    DENT_OUTCOME_BUDGET_SPENT = 3  /**< time or work budget used up */
} dent_outcome;

/** Returns the name of an outcome. Never null. */
DENT_API const char *dent_outcome_name(dent_outcome outcome);

/* ---- hooks ------------------------------------------------------------------------------------------------------- */

/** Memory hook. Both functions may be called at the same time from any thread that runs dent code, workers included. */
typedef struct dent_allocator {
    /** Returns at least `size` bytes (never 0) aligned to `alignment` (a power of two, at most 64), or null. */
    void *(*allocate)(void *user, size_t size, size_t alignment);
    /** Releases one block; `size` is the size it was allocated with. Never called with null. */
    void (*release)(void *user, void *block, size_t size);
    void *user;
} dent_allocator;

/** One block of a parallel loop. `worker` is below worker_count. No two blocks with the same worker run at once. */
typedef void dent_block_function(void *data, uint32_t block, uint32_t worker);

/** Thread hook. `run` calls function(data, block, worker) once for every block in [0, block_count), in any order and on
 *  any threads. It returns when all blocks have finished. It must publish memory as a mutex would. A long loop may be
 *  passed to it in parts. Broken hooks are detected: blocks left out or repeated, worker numbers too large or in use.
 *  Then no block runs twice, the calling thread runs the missing ones, and the query returns INVALID_ARGUMENT. */
typedef struct dent_parallel {
    void (*run)(void *user, uint32_t block_count, dent_block_function *function, void *data);
    uint32_t worker_count; /**< number of workers that `run` may use; 1 to 1024 */
    void *user;
} dent_parallel;

typedef enum dent_log_level { DENT_LOG_NOTICE = 0, DENT_LOG_WARNING = 1 } dent_log_level;

/** Log hook for notices (a body is mirrored, second-order nodes were dropped). `text` is one line without a newline.
 * Called from the thread that called dent. */
typedef struct dent_log {
    void (*write)(void *user, dent_log_level level, const char *text);
    void *user;
} dent_log;

/** Instruction sets. AUTO selects the widest set that build and machine both support. All give the same bits. */
typedef enum dent_isa {
    DENT_ISA_AUTO = 0,
    DENT_ISA_SCALAR = 1,
    DENT_ISA_AVX2 = 2,
    DENT_ISA_AVX512 = 3,
    DENT_ISA_COUNT = 4
} dent_isa;

/** Returns the name of an instruction set. Never null. */
DENT_API const char *dent_isa_name(dent_isa isa);
/** Returns true if this build and this machine can run it. Threads: any. */
DENT_API bool dent_isa_available(dent_isa isa);

/* ---- context ----------------------------------------------------------------------------------------------------- */

typedef struct dent_context dent_context;

typedef struct dent_context_def {
    size_t struct_size;       /**< set by dent_context_def_default(); checked */
    dent_allocator allocator; /**< functions null (default): the C library's */
    dent_parallel parallel;   /**< run null (default): the built-in pool, or none if thread_count is 1 */
    dent_log log;             /**< write null (default): silent */
    uint32_t thread_count; /**< threads of the built-in pool, the caller's included; at most 1024. 0 (default): one per
                                CPU this process may run on. Ignored if `parallel` is set */
    dent_isa isa;             /**< default DENT_ISA_AUTO; an unavailable one fails with UNSUPPORTED */
    uint64_t reading_limit;   /**< bytes of memory that one file-reading call may take; 0 (default): 256 MiB plus 100
                                   times the bytes on disk. Readers with a def can set it for one call */
} dent_context_def;

DENT_API dent_context_def dent_context_def_default(void);

/** Creates a context; null def: all defaults. Returns null on failure and writes the reason to *status, which may be
 * null. Threads: any. */
DENT_API dent_context *dent_context_create(const dent_context_def *def, dent_status *status);
/** Destroys the context. All its worlds must be destroyed before. Null is allowed. */
DENT_API void dent_context_destroy(dent_context *context);

/** Copies the message of the last failing call made with this context or with anything made from it. These are worlds,
 *  readers, scenes, simulators, paths, boxes and clouds. This is the one call that works for all of them. Where several
 *  threads fail at once, dent_world_message gives each world its own. The message is one line: control characters in
 *  quoted names become '?'. It always ends with a zero byte. Returns the full length. Threads: any. */
DENT_API size_t dent_context_message(const dent_context *context, char *buffer, size_t buffer_size);

/** Returns the instruction set in use, never AUTO. */
DENT_API dent_isa dent_context_isa(const dent_context *context);
/** Returns the def's reading_limit; 0: derived from the bytes on disk. */
DENT_API uint64_t dent_context_reading_limit(const dent_context *context);
/** Returns how many workers a parallel loop may have, at least 1. `worker` of a block is below it. */
DENT_API uint32_t dent_context_worker_count(const dent_context *context);

/** Bytes now allocated, the peak, and the number of allocate calls so far. Threads: any. */
typedef struct dent_memory_use {
    uint64_t bytes;
    uint64_t peak_bytes;
    uint64_t allocations;
} dent_memory_use;
DENT_API dent_memory_use dent_context_memory_use(const dent_context *context);

/* ---- the same services for clients: readers, scenes, simulator, your own code ------------------------------------ */

/** Allocates through the context's allocator, aligned to 64 bytes. `count * size` is checked for overflow. Returns null
 * on failure; no message is set. If count or size is 0, the block may only be released. Threads: any. */
DENT_API void *dent_allocate(dent_context *context, size_t count, size_t size);
/** Grows or shrinks a block from dent_allocate (null: a new one). On failure returns null and keeps the old block. */
DENT_API void *dent_reallocate(dent_context *context, void *block, size_t old_count, size_t new_count, size_t size);
/** Releases a block; count and size as allocated. Null is allowed. */
DENT_API void dent_release(dent_context *context, void *block, size_t count, size_t size);

/** Runs the context's parallel loop; a single block, or a single worker, runs in place. Every block runs with
 * round-to-nearest, subnormals on and no traps, whatever the state of the thread; that state is restored. A loop inside
 * a block is allowed. Loops of different threads take turns on the built-in pool. Threads: any. Fails with
 * INVALID_ARGUMENT if the host's hook broke its contract (dent_parallel); every block has still run exactly once. */
DENT_API dent_status dent_parallel_for(dent_context *context, uint32_t block_count, dent_block_function *function,
                                       void *data);

/** Work that dent_call_guarded() runs; its status is what that call returns. */
typedef dent_status dent_guarded_function(void *data);
/** Calls function(data) once, in place, and returns its status. It runs with round-to-nearest, subnormals on and no
 * traps, as a block of dent_parallel_for does. Afterwards the thread has its own state again, sticky flags included.
 * Arithmetic whose bits must not depend on the caller's floating-point state belongs in such a function. Compilers may
 * move it across calls that change the state, but not out of a function called by pointer. Calls may be nested, and
 * loops inside use all workers. `data` may be null. Threads: any. */
DENT_API dent_status dent_call_guarded(dent_context *context, dent_guarded_function *function, void *data);

/** Sets the context's message and returns `status`: `return dent_fail(context, DENT_ERROR_FILE, "%s: …", path);`. With
 * a null context no message is stored. */
DENT_API dent_status dent_fail(dent_context *context, dent_status status, const char *format, ...)
    DENT_PRINTF_LIKE(3, 4);
/** Does the same with an argument list. */
DENT_API dent_status dent_fail_list(dent_context *context, dent_status status, const char *format, va_list arguments);
/** Apply the null-pointer rule in your own functions that return a status. `DENT_REQUIRE(context, def);` returns
 * INVALID_ARGUMENT if the pointer is null, and the message names the function and the parameter. DENT_REQUIRE_ARRAY
 * does so if the pointer is null and `count` is not 0. */
#define DENT_REQUIRE(context, pointer) DENT_REQUIRE_ARRAY(context, 1, pointer)
#define DENT_REQUIRE_ARRAY(context, count, pointer)                                                                    \
    do {                                                                                                               \
        if ((count) > 0 && !(pointer)) {                                                                               \
            return dent_fail((context), DENT_ERROR_INVALID_ARGUMENT, "%s: %s is null", __func__, #pointer);            \
        }                                                                                                              \
    } while (0)
/** Writes one line to the context's log; does nothing if the log is silent. */
DENT_API void dent_log_line(dent_context *context, dent_log_level level, const char *format, ...)
    DENT_PRINTF_LIKE(3, 4);

/** Returns the nanoseconds of a monotonic clock. Threads: any. */
DENT_API uint64_t dent_clock_ns(void);

/** Deterministic random numbers (a 64-bit counter-mixing generator): the same sequence on every machine. The struct is
 * the whole state. Copy it to fork a sequence. */
typedef struct dent_random {
    uint64_t state;
} dent_random;
DENT_API dent_random dent_random_seeded(uint64_t seed);
/** Returns 64 uniform bits. */
DENT_API uint64_t dent_random_bits(dent_random *random);
/** Returns a uniform integer in [0, bound), bound > 0, without bias. */
DENT_API uint32_t dent_random_below(dent_random *random, uint32_t bound);
/** Returns a uniform multiple of 2^-53 in [0, 1). */
DENT_API double dent_random_unit(dent_random *random);

/** Writes the sine and cosine of an angle in radians, at most 1e6 in size, with the same bits on every machine. It uses
 * additions and multiplications in a fixed order; C libraries differ in the last bit. The error is below 2^-51 for
 * angles of at most 2048, and beyond that little more than the spacing of such angles. Either result may be null.
 * Threads: any. */
DENT_API void dent_sine_cosine(double angle, double *sine, double *cosine);

#ifdef __cplusplus
}
#endif

#endif
