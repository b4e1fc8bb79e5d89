/* questions.c — walks the table of questions. See questions.h. */
#include "questions.h"

#include <stdio.h>
#include <string.h>

bool question_is_discrete(const dent_question_info *info)
{
    return info->discrete;
}

const dent_question_info *find_question(const char *word, question_filter *taken)
{
    for (uint32_t i = 0; i < dent_question_count(); i++) {
        const dent_question_info *info = dent_question_info_at(i);
        if (taken(info) && strcmp(info->name, word) == 0) {
            return info;
        }
    }
    return NULL;
}

size_t list_question_names(question_filter *taken, const char **names)
{
    size_t count = 0;
    for (uint32_t i = 0; i < dent_question_count(); i++) {
        const dent_question_info *info = dent_question_info_at(i);
        if (taken(info)) {
            names[count++] = info->name;
        }
    }
    return count;
}

const char *join_words(const char *const *words, size_t count, char *buffer, size_t size)
{
    size_t used = 0;
    buffer[0] = '\0';
    for (size_t i = 0; i < count; i++) {
        const char *before = i == 0 ? "" : i + 1 == count ? " or " : ", ";
        int length = snprintf(buffer + used, size - used, "%s%s", before, words[i]);
        if (length < 0 || (size_t)length >= size - used) {
            break;
        }
        used += (size_t)length;
    }
    return buffer;
}

dent_question discrete_question_at(unsigned index)
{
    return dent_question_info_at(index)->question;
}

dent_question raced_question_at(unsigned index)
{
    return index < DENT_DISCRETE_QUESTION_COUNT ? discrete_question_at(index) : DENT_QUESTION_STRAND;
}

unsigned raced_question_index(dent_question question)
{
    unsigned index = 0;
    while (raced_question_at(index) != question && index + 1 < RACED_QUESTION_COUNT) {
        index++;
    }
    return index;
}

bool question_is_raced(const dent_question_info *info)
{
    return info->discrete || info->question == DENT_QUESTION_STRAND;
}
