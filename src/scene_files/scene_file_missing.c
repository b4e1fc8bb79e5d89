/* A build without jansson: scene files are refused, with the reason. */
#include "scene_file.h"

bool dent_sim_scene_files_supported(void)
{
    return false;
}

dent_status scene_file_plan(struct sim_plan *plan, const char *name, const char *folder, const char *text, size_t size)
{
    (void)folder;
    (void)text;
    (void)size;
    plan_note(plan,
              dent_fail(plan->context, DENT_ERROR_UNSUPPORTED,
                        "%s: this build cannot read scene files: it was made without jansson (Debian: libjansson-dev)",
                        name));
    return plan->status;
}

dent_status scene_file_load(struct sim_plan *plan, const char *path)
{
    return scene_file_plan(plan, path, NULL, NULL, 0);
}
