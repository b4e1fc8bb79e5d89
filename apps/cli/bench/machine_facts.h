/* machine_facts.h — where a figure was measured: the processor, the compiler, the commit. */
#ifndef DENT_MACHINE_FACTS_H
#define DENT_MACHINE_FACTS_H

#include <stddef.h>

/** "AMD EPYC; 2 processors"; "unknown" where the system does not say. Never a comma or a quotation mark in it. */
void machine_name(char *buffer, size_t size);

/** "gcc 12.2.0": of the tool, and so of the library in it. */
const char *compiler_name(void);

/** The commit the tool was built from, "-dirty" when the tree had changes; "unknown" without Git. */
const char *commit_name(void);

#endif
