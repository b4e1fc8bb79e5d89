#!/usr/bin/env python3
"""Writes a C program that calls every public function with null in every pointer position, one after the other.

    null_arguments.py INCLUDE_DIRECTORY OUTPUT.c [HEADER...]

The functions are taken from the headers, so a new one is covered without a line here. The rule is that of dent/base.h:
a function that returns a status returns INVALID_ARGUMENT and a message that names the function and the parameter; one
that returns a value returns 0, null, false or UINT32_MAX; nothing crashes. Parameters that may be null are listed in
OPTIONAL: null must not crash there, and no more is asked. Handles come from null_fixture.c (`fixture_<type>`); a new
kind of handle does not link until it is there. HEADERs are left out: their library was not built.
"""

import re
import sys
from pathlib import Path

# Parameters that their header says may be null.
OPTIONAL = {
    "dent_context_create": {"def", "status"},
    "dent_context_message": {"buffer"},
    "dent_reallocate": {"block"},
    "dent_release": {"block"},
    "dent_parallel_for": {"data"},
    "dent_call_guarded": {"data"},
    "dent_body_set_positions": {"positions_t0", "positions_t1"},
    "dent_body_set_user": {"user"},
    "dent_world_body_ids": {"count"},
    "dent_sine_cosine": {"sine", "cosine"},
    "dent_view_create": {"def"},
    "dent_view_set_contacts": {"contacts"},
    "dent_frame_read": {"def"},
    "dent_mesh_read": {"def"},
    "dent_mesh_read_memory": {"def"},
    "dent_impact_queries_read": {"def"},
    "dent_impact_queries_read_memory": {"def"},
    "dent_robot_read": {"def"},
    "dent_robot_read_memory": {"def"},
    "dent_sim_scene_read_memory": {"def", "folder"},
    "dent_mesh_replace_in_world": {"change"},
    "dent_linkage_motion": {"base"},
    "dent_linkage_poses": {"base"},
    "dent_motion_between": {"centre"},
    "dent_neighbours_nearest": {"indices", "squared_distances", "counts"},
    "dent_cloud_point_edges": {"others"},
    "dent_cloud_meet_triangles": {"points"},
    "dent_cloud_search_begin": {"pose_a", "pose_b"},
    "dent_boxes_create": {"def"},
    "dent_boxes_at_points": {"masks"},
    "dent_boxes_nearest": {"indices", "squared_distances", "counts"},
    "dent_kinetic_create": {"def"}, "dent_kinetic_insert": {"elements"}, "dent_kinetic_nodes": {"nodes"},
    "dent_penalty_forces": {"report"},
    "dent_position_solve": {"report"},
    "dent_velocity_solve": {"report"},
    "dent_reposition_solve": {"report"},
    "dent_constraints_solve": {"report"},
    "dent_planner_run": {"cancel"},
    "dent_constraint_face_normal_rate": {"face"},
    "dent_constraint_edge_normal_rate": {"a", "b"},
    "dent_strand_forces": {"report"},
    "dent_strand_settle": {"report"},
    "dent_strand_settle_on_spheres": {"report"},
    "dent_helix_point": {"tangent"},
    "dent_density_at": {"gradient", "velocity"},
    "dent_wisp_tree_adapt": {"accelerations", "report"},
    "dent_sim_reposition": {"report"},
    "dent_sim_get_pose": {"pose", "linear", "angular"},
    "dent_sim_linkage_bodies": {"count"}, "dent_sim_linkage_joints": {"count"},
    "dent_sim_linkage_get_values": {"values", "speeds"},
    "dent_sim_set_velocity": {"linear", "angular"},
    "dent_contacts_apply_hysteresis": {"new_keys", "keys"},
    "dent_response_table": {"count"},
    "dent_time_critical_begin": {"start"}, "dent_schedule_begin": {"start"},
    "dent_sphere_response_compute": {"def", "forces_a", "forces_b"},
    "dent_impact_feature_print": {"buffer"},
    "dent_proximity_feature_print": {"buffer"},
    "dent_feature_print": {"buffer"},
    "dent_body_tetrahedra": {"cells"},
    "dent_bound_tree_create": {"def"},
    "dent_embedding_create": {"def"},
    "dent_sim_attachment_forces": {"forces"},
    "dent_fail": {"context", "format"},
    "dent_fail_list": {"context", "format"},
    "dent_log_line": {"format"},
}

# Arguments that are no pointers, and pointers for which a zeroed block will not do.
BY_TYPE = {
    "dent_body_id": "fixture_body()", "dent_budget": "dent_budget_units(1)", "double": "0.5",
    "const char *": '"fixture.obj"', "const char *const *": "fixture_names()", "dent_block_function *": "fixture_block",
    "dent_guarded_function *": "fixture_guarded",
    "double *const *": "fixture_rows()", "dent_status": "DENT_ERROR_FILE", "dent_random *": "fixture_zeroed()",
}
COUNTS = re.compile(r"count|size|capacity|bound|block_count")


class Parameter:
    def __init__(self, text):
        text = " ".join(text.split())
        self.array = "[" in text
        text = re.sub(r"\[.*", "", text)
        match = re.match(r"(.*?)(\w+)$", text)
        self.type, self.name = match.group(1).strip(), match.group(2)
        self.pointer = self.array or "*" in self.type


class Function:
    def __init__(self, result, name, parameters):
        self.result, self.name = " ".join(result.split()), name
        self.variadic = parameters.strip().endswith("...")
        items = [] if parameters.strip() == "void" else [p for p in parameters.split(",") if p.strip() != "..."]
        self.parameters = [Parameter(item) for item in items]


def read_headers(include, left_out):
    text = "".join(path.read_text() for path in sorted((include / "dent").glob("*.h")) if path.name not in left_out)
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    text = re.sub(r"^#(?:.*\\\n)*.*$", "", text, flags=re.M)
    declared = re.findall(r"DENT_API\s+([^;{}()]*?)\b(dent_\w+)\s*\(([^;]*?)\)\s*(?:DENT_PRINTF_LIKE\([^)]*\)\s*)?;",
                          text)
    if len(declared) != len(re.findall(r"\bDENT_API\b", text)):
        sys.exit("null_arguments.py: a declaration in the headers was not understood")
    functions = [Function(*groups) for groups in declared]
    handles = set(re.findall(r"typedef struct (dent_\w+) \1;", text))
    defaults = set(re.findall(r"\b(dent_\w+)_default\(void\)", text))
    return functions, handles, defaults


def argument(parameter, handles, defaults):
    """A C expression for a parameter that is not the null one."""
    plain = re.sub(r"\bconst\b|\*", "", parameter.type).strip()
    if parameter.type in BY_TYPE and not parameter.array:
        return BY_TYPE[parameter.type]
    if not parameter.pointer:
        if plain == "va_list":
            return "arguments"
        return "1" if COUNTS.search(parameter.name) else f"(({parameter.type}[1]){{0}})[0]"
    if plain in handles and parameter.type.count("*") == 1:
        return f"fixture_{plain}()"
    if plain in defaults and parameter.type.startswith("const"):
        return f"(({plain}[1]){{{plain}_default()}})"
    if plain in ("dent_solid_def", "dent_body_def"):
        return "((dent_body_def[1]){dent_solid_def_default()})"
    return "fixture_zeroed()"


def write_case(number, function, null, handles, defaults):
    arguments = ["NULL" if n == null else argument(p, handles, defaults) for n, p in enumerate(function.parameters)]
    name, parameter = function.name, function.parameters[null].name
    call = f"{name}({', '.join(arguments)})"
    optional = parameter in OPTIONAL.get(name, ()) or name.endswith(("_destroy", "_close"))
    list_of = ", ..." if "arguments" in arguments else ""
    if function.result == "dent_status" and not optional and not name.startswith("dent_fail"):
        # There is a message where another parameter can keep it.
        keeps = any(p.type.replace("const ", "").replace(" *", "", 1) in handles
                    for n, p in enumerate(function.parameters) if n != null)
        body = f'require_refused({call}, "{name}", "{parameter}", {"true" if keeps else "false"});'
    elif optional or function.result == "void" or re.match(r"dent_\w+$", function.result):
        body = f"(void){call};" if function.result != "void" else f"{call};"
    elif function.result.endswith("*"):
        body = f"require_nothing(is_nothing({call}));"
    else:
        body = f"require_nothing(is_zero((double){call}));"
    if list_of:
        return (f"static void list_{number}(int first, ...)\n{{\n    va_list arguments;\n"
                f"    va_start(arguments, first);\n"
                f"    {body}\n    va_end(arguments);\n}}\n"
                f"static void case_{number}(void)\n{{\n    list_{number}(0, 0);\n}}\n")
    return f"static void case_{number}(void)\n{{\n    {body}\n}}\n"


def main(arguments):
    if len(arguments) < 2:
        print(__doc__, file=sys.stderr)
        return 2
    functions, handles, defaults = read_headers(Path(arguments[0]), arguments[2:])
    lines, table = ['#include "interface/null_fixture.h"\n'], []
    for function in functions:
        for null, parameter in enumerate(function.parameters):
            if parameter.pointer:
                number = len(table)
                lines.append(write_case(number, function, null, handles, defaults))
                table.append(f'    {{"{function.name}", "{parameter.name}", case_{number}}},')
    lines.append("const struct null_case null_cases[] = {\n" + "\n".join(table) + "\n};\n")
    lines.append(f"const unsigned null_case_count = {len(table)};\n")
    lines.append(f"const unsigned null_function_count = {len(functions)};\n")
    Path(arguments[1]).write_text("\n".join(lines))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
