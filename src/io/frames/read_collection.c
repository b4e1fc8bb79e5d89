/* Reads ParaView .pvd collections: <DataSet timestep="…" part="…" file="…"/>, one after the other. Names are copied;
 * the five XML entities that writers use in attributes are undone. */
#include "base/containers/dynamic_array.h"
#include "io/bytes/decimal_number.h"
#include "io/bytes/try_status.h"
#include "io/bytes/xml_file.h"

#include <dent/mesh_io.h>

#include <math.h>

struct collection_storage {
    dent_collection collection;
    struct dynamic_array entries; /* dent_collection_entry; file: offset into names until all are read */
    struct dynamic_array names;   /* char */
};

static dent_status read_data_set(struct collection_storage *storage, const struct xml_scanner *xml,
                                 const struct xml_tag *tag)
{
    struct text_span value;
    dent_collection_entry entry = {0};
    const char *at = tag->name.text;
    if (xml_attribute(tag, "timestep", &value) &&
        (!decimal_to_double(value.text, value.length, &entry.time) || !isfinite(entry.time))) {
        return xml_fail(xml, at, DENT_ERROR_FORMAT, "timestep '%.*s' is not a finite number", SPAN_ARGUMENTS(value));
    }
    int64_t part = 0;
    bool fits = true;
    if (xml_attribute(tag, "part", &value) &&
        (!decimal_to_integer(value.text, value.length, &part, &fits) || !fits || part < 0 || part > UINT32_MAX)) {
        return xml_fail(xml, at, DENT_ERROR_FORMAT, "part '%.*s' is not a whole number from 0", SPAN_ARGUMENTS(value));
    }
    if (!xml_attribute(tag, "file", &value) || value.length == 0) {
        return xml_fail(xml, at, DENT_ERROR_FORMAT, "<DataSet> names no file");
    }
    entry.part = (uint32_t)part;
    entry.file = (const char *)(uintptr_t)storage->names.count;
    if (!xml_keep_value(&storage->names, value) || !array_push(&storage->entries, &entry)) {
        return dent_fail(xml->context, DENT_ERROR_OUT_OF_MEMORY, "%s: out of memory", xml->name);
    }
    return DENT_OK;
}

static dent_status read_tags(struct collection_storage *storage, struct xml_scanner *xml)
{
    struct xml_tag tag;
    bool first = true;
    for (;;) {
        TRY(xml_next_tag(xml, &tag));
        if (tag.kind == XML_END_OF_FILE) {
            return first ? dent_fail(xml->context, DENT_ERROR_FORMAT, "%s: this is no .pvd collection", xml->name)
                         : DENT_OK;
        }
        struct text_span type;
        if (first && (!span_equal(tag.name, "VTKFile") || !xml_attribute(&tag, "type", &type) ||
                      !span_equal(type, "Collection"))) {
            return xml_fail(xml, tag.name.text, DENT_ERROR_FORMAT, "<VTKFile type=\"Collection\"> should be here");
        }
        first = false;
        if (tag.kind == XML_OPEN && span_equal(tag.name, "DataSet")) {
            TRY(read_data_set(storage, xml, &tag));
        }
    }
}

static void finish(struct collection_storage *storage)
{
    dent_collection_entry *entries = storage->entries.data;
    for (size_t i = 0; i < storage->entries.count; i++) {
        entries[i].file = (const char *)storage->names.data + (uintptr_t)entries[i].file;
    }
    storage->collection = (dent_collection){(uint32_t)storage->entries.count, entries, storage};
}

void dent_collection_destroy(dent_context *context, dent_collection *collection)
{
    if (context && collection) {
        struct collection_storage *storage = collection->storage;
        array_destroy_in(&storage->entries, context);
        array_destroy_in(&storage->names, context);
        dent_release(context, storage, 1, sizeof *storage);
    }
}

static dent_status read_collection(struct xml_scanner *xml, void *result)
{
    struct collection_storage *storage = dent_allocate(xml->context, 1, sizeof *storage);
    if (!storage) {
        return dent_fail(xml->context, DENT_ERROR_OUT_OF_MEMORY, "%s: out of memory", xml->name);
    }
    *storage = (struct collection_storage){.collection = {.storage = storage}};
    array_init(&storage->entries, xml->context, sizeof(dent_collection_entry));
    array_init(&storage->names, xml->context, 1);
    dent_status status = read_tags(storage, xml);
    if (status == DENT_OK && storage->entries.count >= UINT32_MAX) {
        status = dent_fail(xml->context, DENT_ERROR_TOO_LARGE, "%s: too many entries", xml->name);
    }
    if (status == DENT_OK) {
        finish(storage);
        *(dent_collection **)result = &storage->collection;
    } else {
        dent_collection_destroy(xml->context, &storage->collection);
    }
    return status;
}

dent_status dent_collection_read(dent_context *context, const char *path, dent_collection **collection)
{
    DENT_REQUIRE(context, context);
    DENT_REQUIRE(context, path);
    DENT_REQUIRE(context, collection);
    return xml_file_read(context, path, read_collection, collection);
}
