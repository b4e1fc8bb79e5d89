/* What the generated calls with null (null_arguments.py) are made of: one small valid object of every kind of handle,
 * and the checks of what such a call returns. Every call runs in a process of its own, so it cannot spoil the next. */
#ifndef DENT_TESTS_NULL_FIXTURE_H
#define DENT_TESTS_NULL_FIXTURE_H

#include <dent/dent.h>
#include <dent/experimental.h>

#include <dent/file_output.h>
#include <dent/frames.h>
#include <dent/impact_io.h>
#include <dent/mesh_io.h>
#include <dent/haptic.h>
#include <dent/plan.h>
#include <dent/scene.h>
#include <dent/sim_linkage.h>
#include <dent/sim_scene.h>
#include <dent/srdf.h>
#include <dent/urdf.h>
#ifdef DENT_HAVE_VIEW
#include <dent/view.h>
#endif

#include <stdarg.h>

struct null_case {
    const char *function, *parameter;
    void (*call)(void);
};
extern const struct null_case null_cases[];
extern const unsigned null_case_count, null_function_count;

/* INVALID_ARGUMENT; `with_message`: the world's or the context's message names function and parameter. */
void require_refused(dent_status status, const char *function, const char *parameter, bool with_message);
void require_nothing(bool nothing);
bool is_nothing(const void *pointer); /* null, or an empty text */
bool is_zero(double value);           /* 0 or UINT32_MAX */

dent_context *fixture_dent_context(void);
dent_world *fixture_dent_world(void);
dent_body_id fixture_body(void);
dent_linkage *fixture_dent_linkage(void);
dent_embedding *fixture_dent_embedding(void);
dent_bound_tree *fixture_dent_bound_tree(void);
dent_time_critical *fixture_dent_time_critical(void);
dent_schedule *fixture_dent_schedule(void);
dent_file_writer *fixture_dent_file_writer(void);
dent_neighbours *fixture_dent_neighbours(void);
dent_cloud *fixture_dent_cloud(void);
dent_cloud_search *fixture_dent_cloud_search(void);
dent_inside *fixture_dent_inside(void);
dent_boxes *fixture_dent_boxes(void);
dent_kinetic *fixture_dent_kinetic(void);
dent_response *fixture_dent_response(void);
dent_constraints *fixture_dent_constraints(void);
dent_planner *fixture_dent_planner(void);
dent_haptic *fixture_dent_haptic(void);
dent_density *fixture_dent_density(void);
dent_strand_tracker *fixture_dent_strand_tracker(void);
dent_wisp_tree *fixture_dent_wisp_tree(void);
#ifdef DENT_HAVE_VIEW
dent_view *fixture_dent_view(void);
#endif
dent_scene *fixture_dent_scene(void);
dent_sim *fixture_dent_sim(void);
dent_sim_linkage *fixture_dent_sim_linkage(void);
dent_sim_scene *fixture_dent_sim_scene(void);
dent_frames *fixture_dent_frames(void);
const char *const *fixture_names(void);
double *const *fixture_rows(void);
void *fixture_zeroed(void); /* a megabyte of zeros */
void fixture_block(void *data, uint32_t block, uint32_t worker);
dent_status fixture_guarded(void *data);

#endif
