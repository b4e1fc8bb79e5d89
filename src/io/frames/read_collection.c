/* Reads ParaView .pvd collections: <DataSet timestep="…" part="…" file="…"/>, one after the other. Names are copied;
 * the five XML entities that writers use in attributes are undone. */
#include "io/bytes/decimal_number.h"
#include "io/bytes/file_bytes.h"
#include "io/bytes/growable_array.h"
#include "io/bytes/read_scope.h"
#include "io/bytes/try_status.h"
#include "io/bytes/xml_scanner.h"

#include <dent/mesh_io.h>

#include <math.h>

struct collection_storage {
    dent_collection collection;
    struct growable_array entries; /* dent_collection_entry; file: offset into names until all are read */
    struct growable_array names;   /* char */
};

static const struct entity {
    const char *written;
    char meant;
} entities[] = {{"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&apos;", '\''}};

/* Appends the name with entities undone and a zero byte behind it. */
static bool keep_name(struct collection_storage *storage, dent_context *context, struct text_span value)
{
    for (size_t i = 0; i < value.length;) {
        char c = value.text[i];
        size_t length = 1;
        for (size_t k = 0; c == '&' && k < sizeof entities / sizeof entities[0]; k++) {
            size_t size = strlen(entities[k].written);
            if (size <= value.length - i && memcmp(value.text + i, entities[k].written, size) == 0) {
                c = entities[k].meant;
                length = size;
                break;
            }
        }
        if (!growable_push(&storage->names, context, &c)) {
            return false;
        }
        i += length;
    }
    return growable_push(&storage->names, context, "");
}

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
    if (!keep_name(storage, xml->context, value) || !growable_push(&storage->entries, xml->context, &entry)) {
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
        growable_release(&storage->entries, context);
        growable_release(&storage->names, context);
        dent_release(context, storage, 1, sizeof *storage);
    }
}

static dent_status read_collection(dent_context *context, const char *path, dent_collection **collection)
{
    struct file_bytes bytes;
    TRY(file_bytes_load(context, path, FILES_ONLY, &bytes));
    struct collection_storage *storage = dent_allocate(context, 1, sizeof *storage);
    dent_status status = DENT_ERROR_OUT_OF_MEMORY;
    if (!storage) {
        dent_fail(context, status, "%s: out of memory", path);
    } else {
        *storage = (struct collection_storage){.collection = {.storage = storage}};
        growable_init(&storage->entries, sizeof(dent_collection_entry));
        growable_init(&storage->names, 1);
        struct xml_scanner xml;
        status = xml_open(&xml, context, path, bytes.data, bytes.size);
        status = status == DENT_OK ? read_tags(storage, &xml) : status;
        if (status == DENT_OK && storage->entries.count >= UINT32_MAX) {
            status = dent_fail(context, DENT_ERROR_TOO_LARGE, "%s: too many entries", path);
        }
    }
    file_bytes_release(context, &bytes);
    if (status == DENT_OK) {
        finish(storage);
        *collection = &storage->collection;
    } else if (storage) {
        dent_collection_destroy(context, &storage->collection);
    }
    return status;
}

dent_status dent_collection_read(dent_context *context, const char *path, dent_collection **collection)
{
    DENT_REQUIRE(context, context);
    DENT_REQUIRE(context, path);
    DENT_REQUIRE(context, collection);
    struct read_scope scope;
    TRY(read_scope_open(&scope, context, path, 0));
    read_scope_count_file(&scope, path);
    return read_scope_end(&scope, read_collection(scope.context, path, collection));
}
