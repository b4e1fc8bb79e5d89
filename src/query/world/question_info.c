/* The table of questions as the public interface shows it. See question_row.h. */
#include "query/world/question_row.h"

const struct question_row *question_row_of(dent_question question)
{
    for (uint32_t i = 0; question_table[i]; i++) {
        if (question_table[i]->info.question == question) {
            return question_table[i];
        }
    }
    return NULL;
}

bool question_answered_by(const struct question_row *row, dent_method method)
{
    return (row->methods ? row->methods >> method & 1 : dent_method_questions(method) & row->info.question) != 0;
}

uint32_t dent_question_count(void)
{
    uint32_t count = 0;
    while (question_table[count]) {
        count++;
    }
    return count;
}

const dent_question_info *dent_question_info_at(uint32_t index)
{
    return index < dent_question_count() ? &question_table[index]->info : NULL;
}

const dent_question_info *dent_question_get_info(dent_question question)
{
    const struct question_row *row = question_row_of(question);
    return row ? &row->info : NULL;
}

const char *dent_question_name(dent_question question)
{
    const struct question_row *row = question_row_of(question);
    return row ? row->info.name : NULL;
}

uint32_t dent_question_methods(dent_question question)
{
    const struct question_row *row = question_row_of(question);
    uint32_t methods = 0;
    for (int method = 0; row && method < DENT_METHOD_COUNT; method++) {
        methods |= question_answered_by(row, (dent_method)method) ? 1u << method : 0;
    }
    return methods;
}
