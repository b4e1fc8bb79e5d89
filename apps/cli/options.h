/* options.h — a small strict option parser: every option of the tool in one table, each command taking some of them.
 *
 * `--name value` and `--name=value` are the same; `--` ends the options. An unknown option, a missing or malformed
 * value and an option given twice are errors, reported in one line that says what would have been right.
 */
#ifndef DENT_OPTIONS_H
#define DENT_OPTIONS_H

#include <dent/inside.h>
#include <dent/impact.h>
#include <dent/motion.h>
#include <dent/plan.h>
#include <dent/query.h>
#include <dent/scene.h>

typedef enum option_id {
    OPTION_ASK,
    OPTION_BENCH_ASK,
    OPTION_METHOD,
    OPTION_INSIDE_METHOD,
    OPTION_THREADS,
    OPTION_ISA,
    OPTION_TOUCHING,
    OPTION_SURFACE_VERTICES_ONLY,
    OPTION_THICKNESS,
    OPTION_CLOSEST_ONLY,
    OPTION_SEPARATION,
    OPTION_KIND,
    OPTION_TRUTH,
    OPTION_NO_SELF,
    OPTION_NAMES,
    OPTION_SELF,
    OPTION_TOLERANCE,
    OPTION_MOTION_TOLERANCE,
    OPTION_SORT,
    OPTION_TOP,
    OPTION_CSV,
    OPTION_HTML,
    OPTION_NO_TOUCHING,
    OPTION_OUT,
    OPTION_CURVES,
    OPTION_PICTURE,
    OPTION_VIEW,
    OPTION_MERGE,
    OPTION_FRAME_RANGE,
    OPTION_REBUILD,
    OPTION_COUNT_ONLY,
    OPTION_FRAME,
    OPTION_TO_FRAME,
    OPTION_SCALE,
    OPTION_SET,
    OPTION_STATS,
    OPTION_PEERS,
    OPTION_FASTEST_PEER,
    OPTION_VARIANTS,
    OPTION_FRAMES,
    OPTION_REPEAT,
    OPTION_TABLE,
    OPTION_CPU_TIME,
    OPTION_CONTROL,
    OPTION_BENCH_MOTION,
    OPTION_PHASES,
    OPTION_FOLDER,
    OPTION_STEPS,
    OPTION_FROM,
    OPTION_TO,
    OPTION_OBSTACLE,
    OPTION_PACKAGE_PATH,
    OPTION_JOINTS,
    OPTION_ALLOW,
    OPTION_SRDF,
    OPTION_MEMORY_LIMIT,
    OPTION_MOTION,
    OPTION_SKIP_MISSING,
    OPTION_NO_LIMITS,
    OPTION_HAND,
    OPTION_PORT,
    OPTION_TOKEN,
    OPTION_NO_BROWSER,
    OPTION_SNAPSHOT,
    OPTION_RECORD,
    OPTION_SHOW,
    OPTION_PRESCRIBED,
    OPTION_SIMULATED,
    OPTION_STORY_FRAMES,
    OPTION_ANIMATION,
    OPTION_CHECKPOINT,
    OPTION_EVERY,
    OPTION_RESUME,
    OPTION_FULL,
    OPTION_CONVERGE,
    OPTION_PROBES,
    OPTION_MOVE,
    OPTION_SEED,
    OPTION_BUDGET,
    OPTION_EDGES,
    OPTION_PLANNER,
    OPTION_PATH_OUT,
    OPTION_DEADLINE,
    OPTION_STEP_DEADLINE,
    OPTION_CURVE_OUT,
    OPTION_JSON,
    OPTION_COUNT
} option_id;

/** A set of options: one bit each. */
__extension__ typedef unsigned __int128 option_set;

_Static_assert(OPTION_COUNT <= 128, "a set of options has a bit for each");

#define OPTION_BIT(id) ((option_set)1 << (id))
#define OPTIONS_OF_SCENES                                                                                              \
    (OPTION_BIT(OPTION_FRAME) | OPTION_BIT(OPTION_SCALE) | OPTION_BIT(OPTION_SET) | OPTION_BIT(OPTION_PRESCRIBED) |    \
     OPTION_BIT(OPTION_SIMULATED))
#define OPTIONS_OF_SERIES (OPTION_BIT(OPTION_FRAME_RANGE) | OPTION_BIT(OPTION_REBUILD))
#define OPTIONS_OF_MACHINE (OPTION_BIT(OPTION_THREADS) | OPTION_BIT(OPTION_ISA))

/* Of pairs of bodies that may touch; for robots and all other bodies with names. */
#define OPTIONS_OF_ALLOWED (OPTION_BIT(OPTION_ALLOW) | OPTION_BIT(OPTION_SRDF))
/* Of commands that take a robot as it stands, among other files. */
#define OPTIONS_OF_ROBOT_FILES                                                                                         \
    (OPTION_BIT(OPTION_JOINTS) | OPTION_BIT(OPTION_PACKAGE_PATH) | OPTION_BIT(OPTION_SKIP_MISSING) |                   \
     OPTION_BIT(OPTION_NO_LIMITS) | OPTIONS_OF_ALLOWED)
#define OPTIONS_OF_ROBOTS                                                                                              \
    (OPTION_BIT(OPTION_FROM) | OPTION_BIT(OPTION_TO) | OPTION_BIT(OPTION_OBSTACLE) | OPTION_BIT(OPTION_PACKAGE_PATH) | \
     OPTION_BIT(OPTION_SKIP_MISSING) | OPTION_BIT(OPTION_NO_LIMITS) | OPTIONS_OF_ALLOWED)

enum { SETTING_LIMIT = 32, SETTING_NAME_LIMIT = 64, PATH_LIST_LIMIT = 64 };

/** The values of an option that may be repeated. */
typedef struct path_list {
    uint32_t count;
    const char *paths[PATH_LIST_LIMIT];
} path_list;

/** --frames FIRST:LAST:STEP, by the numbers in the names. */
typedef struct frame_range {
    bool has_first; /* else: the first there is */
    uint64_t first;
    uint64_t last; /* UINT64_MAX: the last there is */
    uint64_t step;
} frame_range;

/** bench --motion: how the bodies move from frame to frame. */
typedef enum bench_motion { BENCH_MOTION_DEFORM, BENCH_MOTION_REST, BENCH_MOTION_RIGID } bench_motion;

/** check --sort */
typedef enum check_sort { CHECK_SORT_DEPTH, CHECK_SORT_VOLUME, CHECK_SORT_NAME } check_sort;

typedef struct tool_options {
    option_set given;  /* OPTION_BIT of those on the command line */
    bool help;         /* --help or -h, which every command takes; what follows it was not read */
    dent_question ask; /* one, or for bench several bits */
    dent_method method;
    dent_inside_method inside_method;
    uint32_t threads; /* 0: all processors */
    dent_isa isa;
    double tolerance;
    double separation;     /* ccd */
    dent_impact_kind kind; /* ccd-queries; 0: not given */
    const char *truth;     /* ccd-queries; null: not given */
    double thickness;      /* of proximity */
    const char *out;
    check_sort sort;  /* check; meaningful when given */
    uint32_t top;     /* check; meaningful when given */
    const char *csv, *html;
    const char *curves;
    const char *picture;
    double azimuth, elevation; /* of the picture, degrees */
    uint32_t frame, to_frame;  /* to_frame: ccd of scenes; meaningful when given */
    frame_range range;
    uint32_t frames, repeat; /* bench; 0: not given */
    uint32_t steps;          /* paper; 0: not given */
    const char *from, *to;   /* ccd of robots: joint values; null: not given */
    dent_motion_kind motion; /* ccd of rigid scenes */
    bench_motion bench_motion;
    const char *joints;      /* of robots that stand; null: all 0 */
    const char *srdf;        /* null: the one beside the robot, if there is one */
    path_list obstacles, package_paths;
    path_list allowed; /* A:B each */
    dent_plan_method planner;
    uint64_t memory_limit;           /* for reading, bytes; 0: not given */
    const char *checkpoint, *resume; /* run; null: not given */
    uint32_t every;                  /* run: frames from one checkpoint to the next; default 1 */
    const char *converge;            /* run: the probe that must settle; null: not given */
    const char *probes;              /* run: where the probes of the scene go; null: not given */
    double move[3];                  /* points: of the second cloud, a length */
    uint64_t seed, budget;           /* points, in work units; plan, in edge tests */
    double deadline;                 /* ms; 0: not given */
    double scale;
    uint32_t hand;        /* view: the body that follows the mouse */
    uint32_t port;        /* view; 0: any */
    const char *token;    /* view: a file; null: a random one */
    const char *snapshot; /* view; null: none */
    const char *record;   /* view; null: none */
    const char *show;     /* view: how the page begins; null: as usual */
    uint32_t setting_count;
    dent_scene_setting settings[SETTING_LIMIT];
    char setting_names[SETTING_LIMIT][SETTING_NAME_LIMIT];
    char **arguments; /* what is not an option, in order */
    uint32_t argument_count;
} tool_options;

static inline bool options_have(const tool_options *options, option_id id)
{
    return (options->given & OPTION_BIT(id)) != 0;
}

/** Parses argv[0 … argc) for a command called `command` that takes the options in `allowed`. The arguments are moved to
 * the front of argv. False: an error, already reported. */
bool options_parse(tool_options *options, const char *command, option_set allowed, int argc, char **argv);

/** The lines of --help for the options in `allowed` and for --help itself, into a buffer of any size; returns the full length. */
size_t options_describe(option_set allowed, char *buffer, size_t buffer_size);

/** What an option is called and takes, for the manual and the shells. Null: no short name, no value. */
typedef struct option_info {
    const char *name, *short_name, *value, *help;
} option_info;
option_info options_get_info(option_id id);

/** The word of a list nearest to `word`, or null when none is near. */
const char *nearest_word(const char *word, const char *const *list, size_t count);

#endif
