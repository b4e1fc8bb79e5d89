/* paper_stage.h — what the experiments of the papers share: a scene whose steps are timed under one setting,
 * statistics, files, and fits by least squares. */
#ifndef DENT_PAPER_STAGE_H
#define DENT_PAPER_STAGE_H

#include "bench/bench_scene.h"
#include "svg_chart.h"

#include <dent/experimental.h>

/* ---- an experiment --------------------------------------------------------------------------------------- */

enum { PAPER_FILE_LIMIT = 4 };

/** A file of a figure: written where no name leads to, so that nothing of it is left when the program ends early. */
typedef struct paper_file {
    int descriptor;
    char path[1024];
} paper_file;

typedef struct paper_run {
    tool_session *session;
    const char *folder;
    const char *command; /* how to make it again, for the files */
    const struct paper_figure *figure;
    bool found; /* a row of a table with bars failed: the exit status is 1 */
    printer file;        /* one at a time */
    int descriptor;
    uint32_t finished_count; /* files of the figure that are written but not yet in their place */
    paper_file finished[PAPER_FILE_LIMIT];
} paper_run;

/** A figure of a paper. `make` writes NAME.csv and NAME.svg and prints a table. */
typedef struct paper_figure {
    const char *name;
    const char *summary;
    int (*make)(paper_run *run);
} paper_figure;

extern const paper_figure figure_hash_times;
extern const paper_figure figure_hash_table_size;
extern const paper_figure figure_hash_cell_size;
extern const paper_figure figure_bucket_query_size;
extern const paper_figure figure_bucket_query_hits;
extern const paper_figure figure_bucket_self_size;
extern const paper_figure figure_bucket_self_hits;
extern const paper_figure figure_surface_resolution;
extern const paper_figure figure_surface_flatness;
extern const paper_figure figure_surface_culling;
extern const paper_figure figure_surface_directions;
extern const paper_figure figure_surface_leaves;
extern const paper_figure figure_surface_phases;
extern const paper_figure figure_motion_missed;
extern const paper_figure figure_motion_size;
extern const paper_figure figure_motion_angle;
extern const paper_figure figure_plan_passages;
extern const paper_figure figure_haptic_traces;
extern const paper_figure figure_deadline_load;
extern const paper_figure figure_deadline_error;
extern const paper_figure figure_deadline_force;
extern const paper_figure figure_deadline_peg;
extern const paper_figure figure_deadline_pairs;
extern const paper_figure figure_constraint_times, figure_constraint_conditions;
extern const paper_figure figure_depth_sliding;
extern const paper_figure figure_depth_directions;
extern const paper_figure figure_hair_shares;
extern const paper_figure figure_hair_friction;
extern const paper_figure figure_hair_wisps;
extern const paper_figure figure_hair_recall;
extern const paper_figure figure_hair_density;
extern const paper_figure figure_cloud_distance;
extern const paper_figure figure_cloud_size;
extern const paper_figure figure_cloud_roc;
extern const paper_figure figure_cloud_sheets;
extern const paper_figure figure_cloud_coupons;
extern const paper_figure figure_boxes_cells;
extern const paper_figure figure_boxes_tables;
extern const paper_figure figure_boxes_rows;
extern const paper_figure figure_kinetic_updates;
extern const paper_figure figure_kinetic_detection;
extern const paper_figure figure_physics;
extern const paper_figure figure_physics_beam;
extern const paper_figure figure_physics_energy;
extern const paper_figure figure_physics_contact;
extern const paper_figure figure_physics_stacks;
extern const paper_figure figure_physics_bullets;
extern const paper_figure figure_physics_starts;
extern const paper_figure figure_physics_cases;

/** Opens FOLDER/NAME.ENDING for printing to run->file; the tables begin with comment lines that say how they were made.
 */
int paper_file_open(paper_run *run, const char *name, const char *ending);
int paper_file_close(paper_run *run);
/** Puts the closed files in their places, each whole or not at all; or, when the figure failed, drops them. */
int paper_files_settle(paper_run *run, int status);
/** `steps` unless --steps says otherwise. */
uint32_t paper_steps(const paper_run *run, uint32_t steps);

/* ---- steps ----------------------------------------------------------------------------------------------- */

/** A method with its parameters. */
typedef struct paper_method {
    const char *name;
    dent_method method;
    dent_spatial_hash_def spatial_hash;
    dent_bucket_tree_def bucket_tree;
    dent_experiments experiments;
    bool no_self; /* pairs of a body with itself are not asked for */
} paper_method;
paper_method paper_method_default(const char *name, dent_method method);

typedef struct paper_stage {
    bench_scene *scene;
    dent_world *world;
    dent_query_def def;
    const paper_method *method;
    bool cpu_time;
    dent_experiments experiments; /* the method's, with `own` */
    dent_query_counters counters; /* of the last step */
    dent_method_counters own;     /* of the last step */
} paper_stage;

/** A world of the scene for one method; the method must outlive it. The scene is shared: pose it before a step. */
int paper_stage_open(paper_run *run, bench_scene *scene, dent_question question, const paper_method *method,
                     paper_stage *stage);
/** Asks about the positions as they are: milliseconds and the number of pairs. */
int paper_stage_step(paper_stage *stage, double *milliseconds, uint64_t *pairs);
void paper_stage_close(paper_stage *stage);

/** Mean edge of the cells, weighted by bodies' edges, in the pose at hand. */
double paper_mean_edge(const bench_scene *scene, const paper_stage *stage);

/* ---- numbers --------------------------------------------------------------------------------------------- */

typedef struct paper_statistics {
    uint32_t count;
    double mean, low, high, squares; /* sum of squared differences from the mean */
} paper_statistics;

void statistics_add(paper_statistics *statistics, double value);
double statistics_deviation(const paper_statistics *statistics);

/** y = c0 + c1 x + c2 x^2 by least squares, degree 1 or 2; deviation: of the measurements from it. */
typedef struct paper_fit {
    double coefficients[3];
    double deviation;
    double x_low, x_high;
} paper_fit;

paper_fit fit_polynomial(const double *x, const double *y, uint32_t count, int degree);
double fit_value(const paper_fit *fit, double x);

#endif
