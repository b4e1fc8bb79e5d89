/* questions.h — the table of questions (dent/question.h) as commands use it: words on the command line and in messages.
 */
#ifndef DENT_TOOL_QUESTIONS_H
#define DENT_TOOL_QUESTIONS_H

#include <dent/dent.h>

enum { QUESTION_LIMIT = 32 }; /* questions are bits */

/** Which questions a command takes. */
typedef bool question_filter(const dent_question_info *info);

/** Those of dent_world_query. */
bool question_is_discrete(const dent_question_info *info);

/** Those that `dent pairs` prints: the discrete ones, and those with an asker of their own in command_pairs.c. */
bool question_has_pairs(const dent_question_info *info);

/** The question called `word`; null: none that the command takes. */
const dent_question_info *find_question(const char *word, question_filter *taken);

/** The names of all that are taken, at most QUESTION_LIMIT; returns how many. */
size_t list_question_names(question_filter *taken, const char **names);

/** "a, b or c". */
const char *join_words(const char *const *words, size_t count, char *buffer, size_t size);

/** The discrete question at an index below DENT_DISCRETE_QUESTION_COUNT. */
dent_question discrete_question_at(unsigned index);

/** What `dent bench` races in: the discrete questions, alone or together, and strand alone. */
enum { RACED_QUESTION_COUNT = DENT_DISCRETE_QUESTION_COUNT + 1 };
dent_question raced_question_at(unsigned index);
unsigned raced_question_index(dent_question question);
bool question_is_raced(const dent_question_info *info);

#endif
