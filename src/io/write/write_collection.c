/* ParaView .pvd: a list of files with the time at which each is shown. */
#include "output_file.h"

#include <dent/mesh_io.h>
#include <math.h>

static dent_status check_entries(dent_context *context, const char *path, uint32_t entry_count,
                                 const dent_collection_entry *entries)
{
    if (entry_count > 0 && !entries) {
        return dent_fail(context, DENT_ERROR_INVALID_ARGUMENT, "%s: no entries were given", path);
    }
    for (uint32_t i = 0; i < entry_count; i++) {
        if (!isfinite(entries[i].time)) {
            return dent_fail(context, DENT_ERROR_BAD_NUMBER, "%s: the time of entry %u is not finite", path, i);
        }
        if (!entries[i].file || !entries[i].file[0] || !output_xml_can_carry(entries[i].file)) {
            return dent_fail(context, DENT_ERROR_INVALID_ARGUMENT, "%s: the file name of entry %u %s", path, i,
                             entries[i].file && entries[i].file[0] ? "cannot be written in XML" : "is missing");
        }
    }
    return DENT_OK;
}

dent_status dent_collection_write(dent_context *context, const char *path, uint32_t entry_count,
                                  const dent_collection_entry *entries)
{
    DENT_REQUIRE(context, context);
    DENT_REQUIRE(context, path);
    DENT_REQUIRE_ARRAY(context, entry_count, entries);
    dent_status status = check_entries(context, path, entry_count, entries);
    if (status != DENT_OK) {
        return status;
    }
    struct output_file file;
    status = output_open(&file, context, path);
    if (status != DENT_OK) {
        return status;
    }
    output_text(&file,
                "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\" byte_order=\"LittleEndian\">\n"
                "  <Collection>\n");
    for (uint32_t i = 0; i < entry_count; i++) {
        output_text(&file, "    <DataSet timestep=\"");
        output_number(&file, entries[i].time);
        output_text(&file, "\" part=\"");
        output_decimal(&file, entries[i].part);
        output_text(&file, "\" file=\"");
        output_xml_text(&file, entries[i].file);
        output_text(&file, "\"/>\n");
    }
    output_text(&file, "  </Collection>\n</VTKFile>\n");
    return output_close(&file);
}
