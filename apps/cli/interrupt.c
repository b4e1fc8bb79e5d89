/* interrupt.c — the only mutable state of the tool that is not passed along: a signal handler can reach nothing else.
 */
#include "interrupt.h"

#include "tool.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

static int stop_flag;    /* only through the __atomic built-ins: set here, polled by the library's workers */
static int at_once_flag; /* the same */
static int *other_flag;  /* the same; what it leads to, too */

static void on_interrupt(int signal_number)
{
    (void)signal_number;
    __atomic_store_n(&stop_flag, 1, __ATOMIC_RELAXED);
    int *other = __atomic_load_n(&other_flag, __ATOMIC_ACQUIRE);
    if (other != NULL) {
        __atomic_store_n(other, 1, __ATOMIC_RELAXED);
    }
    if (__atomic_load_n(&at_once_flag, __ATOMIC_RELAXED) != 0) {
        static const char line[] = "\ndent: interrupted\n";
        size_t skip = isatty(STDERR_FILENO) ? 0 : 1; /* a terminal shows "^C", perhaps after a progress bar */
        ssize_t ignored = write(STDERR_FILENO, line + skip, sizeof line - 1 - skip);
        (void)ignored;
        _exit(STATUS_INTERRUPTED);
    }
}

void interrupt_install(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    sigemptyset(&action.sa_mask);
    action.sa_handler = on_interrupt;
    action.sa_flags = (int)(SA_RESTART | SA_RESETHAND); /* a second one has its usual effect */
    sigaction(SIGINT, &action, NULL);
    action.sa_handler = SIG_IGN;
    action.sa_flags = 0;
    sigaction(SIGPIPE, &action, NULL);
    sigaction(SIGXFSZ, &action, NULL); /* beyond the limit on file sizes: an error of write(), as a full disk is */
}

const int *interrupt_flag(void)
{
    return &stop_flag;
}

bool interrupt_seen(void)
{
    return __atomic_load_n(&stop_flag, __ATOMIC_RELAXED) != 0;
}

void interrupt_also(int *flag)
{
    __atomic_store_n(&other_flag, flag, __ATOMIC_RELEASE);
}

void interrupt_at_once(bool at_once)
{
    __atomic_store_n(&at_once_flag, at_once ? 1 : 0, __ATOMIC_RELAXED);
}

int interrupt_report(void)
{
    complain("interrupted");
    return STATUS_INTERRUPTED;
}
