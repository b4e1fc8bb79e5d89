/* The only list of questions. A new question is one file (or folder) that defines its row, and one line here. Discrete
 * questions come first. See question_row.h. */
#include "query/world/question_row.h"

/* Nothing else names them. */
extern const struct question_row vertex_cell_question, face_cell_question, face_face_question, proximity_question,
    impact_question, motion_question, time_critical_question, strand_question;

const struct question_row *const question_table[] = {
    &vertex_cell_question, &face_cell_question, &face_face_question,     &proximity_question,
    &impact_question,      &motion_question,    &time_critical_question,
    &strand_question,      NULL,
};
