/* interrupt.h — Ctrl-C: stop the query, keep what was printed, exit 130. A second Ctrl-C kills at once. */
#ifndef DENT_INTERRUPT_H
#define DENT_INTERRUPT_H

#include <stdbool.h>

/** Installs the handlers: SIGINT raises the flag, SIGPIPE and SIGXFSZ become errors of write(). Called once, by main.
 */
void interrupt_install(void);

/** The flag, as the queries poll it (`cancel`). */
const int *interrupt_flag(void);
bool interrupt_seen(void);

/** Another flag that Ctrl-C raises, for a query that may also be stopped for another reason; null: none. It must live until
 * this is called again. */
void interrupt_also(int *flag);

/** While `at_once` holds, Ctrl-C ends the program there and then, with status 130: for reading files and making scenes,
 * which cannot be stopped half-way and have nothing to keep. Flush the output first. */
void interrupt_at_once(bool at_once);

/** Says so in one line and returns STATUS_INTERRUPTED. */
int interrupt_report(void);

#endif
