/* tool.h — what the commands of the dent tool share: exit statuses and the shape of a command.
 *
 * A command is one file and one row of the table in main.c. It gets its parsed options and a place to print, and
 * returns an exit status. Everything it does goes through include/dent.
 */
#ifndef DENT_TOOL_H
#define DENT_TOOL_H

#include "options.h"
#include "printer.h"

typedef enum exit_status {
    STATUS_GOOD = 0,
    STATUS_FOUND = 1, /* check: a penetration; ccd: an impact; ccd-queries: a miss or a false alarm;
                         paper physics: a row that fails */
    STATUS_ERROR = 2, /* an error, or an outcome that is not complete; one line on stderr says which */
    STATUS_INTERRUPTED = 130
} exit_status;

typedef int command_function(const tool_options *options, printer *out);

typedef struct tool_command {
    const char *name;
    const char *summary;    /* one line of `dent --help` */
    const char *arguments;  /* what follows the name in the usage line */
    const char *details;    /* the body of `dent NAME --help` */
    option_set option_bits; /* OPTION_BIT of every option it takes */
    uint32_t argument_min, argument_max;
    command_function *run;
} tool_command;

extern const tool_command command_info_row;
extern const tool_command command_check_row;
extern const tool_command command_pairs_row;
extern const tool_command command_ccd_row;
extern const tool_command command_ccd_queries_row;
extern const tool_command command_inside_row;
extern const tool_command command_scenes_row;
extern const tool_command command_export_row;
extern const tool_command command_run_row;
extern const tool_command command_bench_row;
extern const tool_command command_paper_row;
extern const tool_command command_view_row;
extern const tool_command command_points_row;
extern const tool_command command_plan_row;

extern const tool_command command_completion_row;
extern const tool_command command_man_row;

/** The commands, in the order of `dent --help`; null from the end of the table on. */
const tool_command *tool_command_at(uint32_t index);

/* Part of the help of every command that reads bodies. */
#define HELP_ON_FILES                                                                                                  \
    "FILE is a mesh (.msh, .mesh, .node/.ele, .vtk, .vtu, .vtp, .obj, .stl, .ply, .off, .veg, .inp,\n"                 \
    ".tfxmesh), strands (.tfx, .hair, lines of .obj, .vtk, .vtp) or points (.ply without faces, .pcd, .xyz,\n"         \
    ".csv, .pts), also with .gz or .xz. If there is no such file, FILE is the name of a built-in scene (see\n"         \
    "dent scenes) with --frame, --scale and --set. A simulated scene, or a scene file .json, is run up to\n"           \
    "--frame. --simulated and --prescribed choose between two scenes of one name. Bodies are numbered 0, 1,\n"         \
    "2 ... in the order of the files. A file with several physical groups gives one body per group.\n"

/* The same for those that take series of frames. */
#define HELP_ON_SERIES                                                                                                 \
    "FILE may also name a series of frames: a pattern for numbered files ('shirt_%04d.obj',\n"                         \
    "'shirt_*.obj'; quote it), a directory, or a .tar, .tar.gz, .tar.xz of them (also ARCHIVE/PATTERN).\n"             \
    "Its bodies move from frame to frame in one world. Other files stand still; several series advance\n"              \
    "together. With --frames, scenes move too, and files whose names differ in one number are a series.\n"

#endif
