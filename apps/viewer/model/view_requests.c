/* view_requests.c — commands of pages that ask for something beside the bodies: a question, colours, a structure. Each
 * changes what is asked for, which all pages share; an unknown word takes it back. */
#include "view_frames.h"

#include <string.h>

static const dent_question_info *find_discrete(const char *word)
{
    const dent_question_info *found = NULL;
    for (unsigned i = 0; i < DENT_DISCRETE_QUESTION_COUNT && found == NULL; i++) {
        const dent_question_info *info = dent_question_info_at(i);
        found = strcmp(info->name, word) == 0 ? info : NULL;
    }
    return found;
}

int view_ask_question(view_source *source, view_settings *requests, const char *word)
{
    const dent_question_info *info = find_discrete(word);
    requests->question = info != NULL ? info->question : 0;
    return info != NULL || strcmp(word, "none") == 0 ? VIEW_GOOD : view_fail(source, "there is no question %s", word);
}

int view_ask_measure(view_source *source, view_settings *requests, const char *word)
{
    view_measure measure = VIEW_MEASURE_NONE;
    bool known = view_find_measure(word, &measure), missing = known && measure != VIEW_MEASURE_NONE;
    missing = missing && !view_measure_offered(source, measure);
    requests->measure = missing ? VIEW_MEASURE_NONE : measure;
    return !known    ? view_fail(source, "there is no measure %s", word)
           : missing ? view_fail(source, "this model has no %s%s", word,
                                 source->live ? "" : "; only simulations have stress and speed")
                     : VIEW_GOOD;
}

int view_ask_structure(view_source *source, view_settings *requests, const view_command *command)
{
    bool known = strcmp(command->word, "none") == 0, outside = command->number[0] >= source->body_count;
    requests->tree = view_find_tree(command->word);
    requests->structure_wanted = !outside && requests->tree != NULL;
    for (unsigned i = 0; i < DENT_STRUCTURE_COUNT && requests->tree == NULL; i++) {
        if (strcmp(command->word, dent_structure_name((dent_structure)i)) == 0) {
            requests->structure = (dent_structure)i;
            requests->structure_wanted = !outside;
        }
    }
    requests->structure_body = outside ? 0 : command->number[0];
    requests->structure_level = command->number[1];
    return known || requests->structure_wanted ? VIEW_GOOD
           : outside                           ? view_fail(source, "there is no body %u", command->number[0])
                                               : view_fail(source, "there is no structure %s", command->word);
}
