/* option_values.h — reads the value of one option into its place in tool_options. */
#ifndef DENT_OPTION_VALUES_H
#define DENT_OPTION_VALUES_H

#include "options.h"

/** Reads `text`, the value of the option `id`, spelled `name`, which takes one. Texts are kept, not copied. False: the
 * value is not right, already reported in one line that begins with `command`. */
bool option_read_value(tool_options *options, const char *command, option_id id, const char *name, const char *text);

#endif
