/* joint_values.h — joint values of the command line. */
#ifndef DENT_JOINT_VALUES_H
#define DENT_JOINT_VALUES_H

#include <dent/linkage.h>

/** A list of all values, or of named ones (NAME=VALUE; NAME.K=VALUE for the K-th value of a joint that has several);
 * those not named stay zero. Null text: all zero. Reports errors with the command and the option. */
int read_joint_values(const char *command, const dent_linkage *linkage, const char *option, const char *text,
                      double *values);

#endif
