/* tool_session.c — opens the context a command works with.
 *
 * On a terminal two contexts are made: one owns the threads, the other runs its loops on them and counts the blocks
 * that are done, which is what the progress bar shows. Answers do not depend on who runs the blocks. */
#include "tool_session.h"

#include "tool.h"

#include <stdio.h>
#include <string.h>

typedef struct counted_loop {
    progress_bar *progress;
    dent_block_function *function;
    void *data;
} counted_loop;

static void run_counted_block(void *data, uint32_t block, uint32_t worker)
{
    counted_loop *loop = data;
    loop->function(loop->data, block, worker);
    progress_step(loop->progress);
}

static void run_counted(void *user, uint32_t block_count, dent_block_function *function, void *data)
{
    tool_session *session = user;
    counted_loop loop = {&session->progress, function, data};
    progress_begin_loop(&session->progress, block_count);
    dent_parallel_for(session->pool, block_count, run_counted_block, &loop);
}

static void keep_notice(void *user, dent_log_level level, const char *text)
{
    (void)level;
    tool_session *session = user;
    if (session->notice_count < NOTICE_LIMIT) {
        snprintf(session->notices[session->notice_count], NOTICE_SIZE, "%s", text);
    }
    session->notice_count++;
}

static int refuse_isa(dent_isa isa)
{
    char available[128] = "";
    size_t used = 0;
    for (unsigned i = DENT_ISA_SCALAR; i < DENT_ISA_COUNT; i++) {
        if (dent_isa_available((dent_isa)i)) {
            int length = snprintf(available + used, sizeof available - used, "%s%s", used > 0 ? ", " : "",
                                  dent_isa_name((dent_isa)i));
            used += length > 0 ? (size_t)length : 0;
        }
    }
    return complain("--isa %s: this machine or this build does not have it; it has %s", dent_isa_name(isa), available);
}

int session_open(tool_session *session, const tool_options *options, printer *out)
{
    memset(session, 0, sizeof *session);
    session->options = options;
    session->out = out;
    if (options->isa != DENT_ISA_AUTO && !dent_isa_available(options->isa)) {
        return refuse_isa(options->isa);
    }
    dent_context_def def = dent_context_def_default();
    def.thread_count = options->threads;
    def.isa = options->isa;
    def.reading_limit = options->memory_limit;
    progress_create(&session->progress);
    dent_status status = DENT_OK;
    if (session->progress.enabled) {
        session->pool = dent_context_create(&def, &status);
        if (session->pool != NULL) {
            def.parallel.run = run_counted;
            def.parallel.worker_count = dent_context_worker_count(session->pool);
            def.parallel.user = session;
        }
    }
    def.log.write = keep_notice;
    def.log.user = session;
    if (status == DENT_OK) {
        session->context = dent_context_create(&def, &status);
    }
    if (session->context == NULL) {
        session_close(session);
        return complain("cannot start: %s", dent_status_name(status));
    }
    return STATUS_GOOD;
}

void session_close(tool_session *session)
{
    dent_context_destroy(session->context);
    dent_context_destroy(session->pool);
    progress_destroy(&session->progress);
    session->context = NULL;
    session->pool = NULL;
}

const char *session_message(tool_session *session, dent_status status)
{
    if (dent_context_message(session->context, session->message, sizeof session->message) == 0) {
        snprintf(session->message, sizeof session->message, "%s", dent_status_name(status));
    }
    return session->message;
}

void session_print_notices(tool_session *session)
{
    uint32_t kept = session->notice_count < NOTICE_LIMIT ? session->notice_count : NOTICE_LIMIT;
    for (uint32_t i = 0; i < kept; i++) {
        remark("%s", session->notices[i]);
    }
    if (session->notice_count > kept) {
        remark("... and %u more", session->notice_count - kept);
    }
    session->notice_count = 0;
}

void session_forget_notices(tool_session *session)
{
    session->notice_count = 0;
}
