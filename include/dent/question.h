/* dent/question.h — the table of questions about the bodies of a world.
 *
 * A question defines which pairs are reported, a method (method.h) defines how they are computed. The rows give the
 * questions, what they report and the function that runs each. The tool, the fuzzers and the conformance tests walk
 * this table.
 */
#ifndef DENT_QUESTION_H
#define DENT_QUESTION_H

#include <dent/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Questions, as bits. The discrete ones are those of dent_world_query, and one query may combine several. Each other
 * one has a function of its own (dent_question_info.call). */
typedef enum dent_question {
    DENT_QUESTION_VERTEX_CELL = 1,
    DENT_QUESTION_FACE_CELL = 2,
    DENT_QUESTION_FACE_FACE = 4,
    DENT_QUESTION_PROXIMITY = 8,     /**< proximity.h */
    DENT_QUESTION_IMPACT = 16,       /**< impact.h */
    DENT_QUESTION_MOTION = 32,       /**< motion.h */
    DENT_QUESTION_TIME_CRITICAL = 64, /**< time_critical.h */
    DENT_QUESTION_STRAND = 128        /**< strand.h */
} dent_question;

/** The discrete questions: all bits, and how many. They are the first rows of the table. */
#define DENT_DISCRETE_QUESTIONS                                                                                        \
    ((uint32_t)DENT_QUESTION_VERTEX_CELL | (uint32_t)DENT_QUESTION_FACE_CELL | (uint32_t)DENT_QUESTION_FACE_FACE)
#define DENT_DISCRETE_QUESTION_COUNT 3

/** What one side of a pair is. */
typedef enum dent_feature_kind {
    DENT_FEATURE_VERTEX = 1, /**< vertex index */
    DENT_FEATURE_EDGE = 2,   /**< index in dent_body_edges */
    DENT_FEATURE_FACE = 3,   /**< index in dent_body_surface_faces */
    DENT_FEATURE_CELL = 4    /**< the caller's cell */
} dent_feature_kind;

typedef struct dent_feature_pair {
    dent_feature_kind a, b;
} dent_feature_pair;

#define DENT_FEATURE_PAIR_LIMIT 2

/** A row of the table. Static memory. */
typedef struct dent_question_info {
    dent_question question;
    const char *name;    /**< "vertex-cell" */
    const char *meaning; /**< one line: the pairs that are reported */
    const char *numbers; /**< one line: the numbers that come with each pair; null: none */
    const char *call;    /**< the function that runs it: "dent_world_query" */
    dent_feature_pair features[DENT_FEATURE_PAIR_LIMIT]; /**< what pairs are made of; of two equal kinds each pair is
                                                            reported once */
    uint32_t feature_pair_count;
    bool discrete;     /**< a bit of dent_query_def.questions; its list is dent_query_result_list */
    bool reads_t1;     /**< positions at t1 count as well as those at t0 */
    bool self_contact; /**< also reports pairs of one body with itself */
} dent_question_info;

/** Returns the number of rows. Threads, here and below: any. */
DENT_API uint32_t dent_question_count(void);

/** Returns a row, the discrete questions first; null from dent_question_count() on. */
DENT_API const dent_question_info *dent_question_info_at(uint32_t index);

/** Returns the row of a question; null for a value that is not exactly one question. */
DENT_API const dent_question_info *dent_question_get_info(dent_question question);

/** Returns the name, such as "vertex-cell"; null for a value that is not exactly one question. */
DENT_API const char *dent_question_name(dent_question question);

#ifdef __cplusplus
}
#endif

#endif
