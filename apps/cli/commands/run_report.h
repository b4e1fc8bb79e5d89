/* run_report.h — what `dent run` prints: a line per frame as text or JSON, and at the end who touched whom. */
#ifndef DENT_RUN_REPORT_H
#define DENT_RUN_REPORT_H

#include "push_scale.h"
#include "tool_session.h"

#include <dent/sim_scene.h>

/** One frame: sums and extremes over its steps. */
typedef struct frame_record {
    uint32_t frame;
    double time;
    uint64_t contacts; /* of the last step */
    push_scale penetration;
    uint32_t deepest_a, deepest_b; /* the bodies of that push */
    double kinetic, elastic;
    double outer_work, residual, stiffness; /* of the first mode; see dent_sim_statistics */
    double ms_detect, ms_respond, ms_elastic, ms_total;
} frame_record;

/** What two bodies had to do with each other over the whole run. */
typedef struct pair_record {
    uint32_t body_a, body_b;
    uint64_t most_contacts;
    push_scale push;
    double largest_force;
    uint64_t contacts; /* in the step being looked at */
    double force[3];   /* the same, on a */
} pair_record;

typedef struct run_report {
    tool_session *session;
    const dent_sim_scene *scene;
    dent_sim_scene_facts facts;
    bool json;
    uint32_t first_frame, frame_count; /* frames first_frame … frame_count are simulated */
    frame_record totals;               /* sums of times, extremes */
    uint32_t deepest_frame;
    push_scale share; /* of the smaller mean edge of the two bodies: the largest push of all frames */
    pair_record *pairs;
    uint32_t pair_count, pair_capacity;
} run_report;

void run_report_open(run_report *report, tool_session *session, const dent_sim_scene *scene, uint32_t first_frame,
                     uint32_t frame_count);
void run_report_close(run_report *report);

/** Notes the contacts of the last step. False: out of memory. */
bool run_report_note_step(run_report *report);
/** Prints a frame and adds it to the totals. */
void run_report_frame(run_report *report, const frame_record *record);
/** The table of pairs and the totals; nothing for JSON. */
void run_report_end(run_report *report);

/** "31 contacts, push 0.012 mm, 3.2e-05 J; detect 12, respond 3, elastic 8 of 25 ms": for the progress bar. */
void run_report_note(const run_report *report, const frame_record *record, char *text, size_t size);

#endif
