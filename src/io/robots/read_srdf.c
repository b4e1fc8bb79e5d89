/* Reads SRDF: the elements that say which pairs of links may touch. See dent/srdf.h.
 *
 * All names lie one behind the other in one array; rules hold offsets into it until the file has been read. */
#include <dent/srdf.h>

#include "base/containers/dynamic_array.h"
#include "io/bytes/try_status.h"
#include "io/bytes/xml_file.h"
#include "io/model/mesh_builder.h"

enum { LINK_NAME_MAX = 255 };

struct srdf_storage {
    dent_srdf srdf;
    struct dynamic_array rules; /* dent_srdf_rule; names: offsets into texts, plus one, until all are read */
    struct dynamic_array texts; /* char */
};

void dent_srdf_destroy(dent_context *context, dent_srdf *srdf)
{
    if (context && srdf) {
        struct srdf_storage *storage = srdf->storage;
        array_destroy_in(&storage->rules, context);
        array_destroy_in(&storage->texts, context);
        dent_release(context, storage, 1, sizeof *storage);
    }
}

static dent_status out_of_memory(const struct xml_scanner *xml)
{
    return dent_fail(xml->context, DENT_ERROR_OUT_OF_MEMORY, "%s: out of memory", xml->name);
}

/* Stores a text and writes its offset, plus one, in the place of a pointer. */
static dent_status keep_text(struct srdf_storage *storage, const struct xml_scanner *xml, struct text_span value,
                             const char **place)
{
    size_t begin = storage->texts.count;
    if (!xml_keep_value(&storage->texts, value)) {
        return out_of_memory(xml);
    }
    make_printable((char *)storage->texts.data + begin, storage->texts.count - begin - 1);
    *place = (const char *)(uintptr_t)(begin + 1);
    return DENT_OK;
}

static dent_status keep_link(struct srdf_storage *storage, const struct xml_scanner *xml, const struct xml_tag *tag,
                             const char *attribute, const char **place)
{
    struct text_span value;
    if (!xml_attribute(tag, attribute, &value) || value.length == 0) {
        return xml_fail(xml, tag->name.text, DENT_ERROR_FORMAT, "<%.*s> has no %s", SPAN_ARGUMENTS(tag->name),
                        attribute);
    }
    if (value.length > LINK_NAME_MAX) {
        return xml_fail(xml, tag->name.text, DENT_ERROR_FORMAT, "%s of <%.*s> is longer than %d bytes", attribute,
                        SPAN_ARGUMENTS(tag->name), (int)LINK_NAME_MAX);
    }
    return keep_text(storage, xml, value, place);
}

/* "" where there is no such attribute; of a long one the beginning. */
static dent_status keep_optional(struct srdf_storage *storage, const struct xml_scanner *xml,
                                 const struct xml_tag *tag, const char *attribute, const char **place)
{
    struct text_span value;
    if (!xml_attribute(tag, attribute, &value)) {
        value = (struct text_span){.text = "", .length = 0};
    }
    value.length = value.length < LINK_NAME_MAX ? value.length : LINK_NAME_MAX;
    return keep_text(storage, xml, value, place);
}

static dent_status read_rule(struct srdf_storage *storage, const struct xml_scanner *xml, const struct xml_tag *tag)
{
    dent_srdf_rule rule = {0};
    if (span_equal(tag->name, "disable_default_collisions")) {
        TRY(keep_link(storage, xml, tag, "link", &rule.link_a));
    } else {
        TRY(keep_link(storage, xml, tag, "link1", &rule.link_a));
        TRY(keep_link(storage, xml, tag, "link2", &rule.link_b));
    }
    rule.enabled = span_equal(tag->name, "enable_collisions");
    TRY(keep_optional(storage, xml, tag, "reason", &rule.reason));
    return array_push(&storage->rules, &rule) ? DENT_OK : out_of_memory(xml);
}

static bool is_rule(struct text_span name)
{
    return span_equal(name, "disable_collisions") || span_equal(name, "enable_collisions") ||
           span_equal(name, "disable_default_collisions");
}

static dent_status read_tags(struct srdf_storage *storage, struct xml_scanner *xml)
{
    struct xml_tag tag;
    bool first = true;
    for (;;) {
        TRY(xml_next_tag(xml, &tag));
        if (tag.kind == XML_END_OF_FILE) {
            return first ? dent_fail(xml->context, DENT_ERROR_FORMAT, "%s: no SRDF: <robot> should be in it", xml->name)
                         : DENT_OK;
        }
        if (first) {
            if (!span_equal(tag.name, "robot")) {
                return xml_fail(xml, tag.name.text, DENT_ERROR_FORMAT, "no SRDF: <robot> should be here");
            }
            TRY(keep_optional(storage, xml, &tag, "name", &storage->srdf.robot));
            first = false;
        } else if (tag.kind == XML_OPEN && xml->depth == (tag.is_empty ? 1u : 2u) && is_rule(tag.name)) {
            TRY(read_rule(storage, xml, &tag));
        }
    }
}

/* From offsets to pointers. */
static const char *text_at(const struct srdf_storage *storage, const char *offset)
{
    return offset ? (const char *)storage->texts.data + ((uintptr_t)offset - 1) : NULL;
}

static void finish(struct srdf_storage *storage)
{
    dent_srdf_rule *rules = storage->rules.data;
    for (size_t i = 0; i < storage->rules.count; i++) {
        rules[i].link_a = text_at(storage, rules[i].link_a);
        rules[i].link_b = text_at(storage, rules[i].link_b);
        rules[i].reason = text_at(storage, rules[i].reason);
    }
    storage->srdf.robot = text_at(storage, storage->srdf.robot);
    storage->srdf.rules = rules;
    storage->srdf.rule_count = (uint32_t)storage->rules.count;
}

static dent_status read_srdf(struct xml_scanner *xml, void *result)
{
    struct srdf_storage *storage = dent_allocate(xml->context, 1, sizeof *storage);
    if (!storage) {
        return out_of_memory(xml);
    }
    *storage = (struct srdf_storage){.srdf = {.storage = storage}};
    array_init(&storage->rules, xml->context, sizeof(dent_srdf_rule));
    array_init(&storage->texts, xml->context, 1);
    dent_status status = read_tags(storage, xml);
    if (status == DENT_OK && storage->rules.count >= UINT32_MAX) {
        status = dent_fail(xml->context, DENT_ERROR_TOO_LARGE, "%s: too many pairs of links", xml->name);
    }
    if (status == DENT_OK) {
        finish(storage);
        *(dent_srdf **)result = &storage->srdf;
    } else {
        dent_srdf_destroy(xml->context, &storage->srdf);
    }
    return status;
}

dent_status dent_srdf_read(dent_context *context, const char *path, dent_srdf **srdf)
{
    DENT_REQUIRE(context, context);
    DENT_REQUIRE(context, path);
    DENT_REQUIRE(context, srdf);
    return xml_file_read(context, path, read_srdf, srdf);
}

/* ---- asking ------------------------------------------------------------------------------------------------------ */

static bool names(const dent_srdf_rule *rule, const char *a, const char *b)
{
    return (strcmp(rule->link_a, a) == 0 && (!rule->link_b || strcmp(rule->link_b, b) == 0)) ||
           (strcmp(rule->link_a, b) == 0 && (!rule->link_b || strcmp(rule->link_b, a) == 0));
}

bool dent_srdf_allows(const dent_srdf *srdf, const char *link_a, const char *link_b)
{
    bool allowed = false;
    for (uint32_t i = 0; srdf && link_a && link_b && i < srdf->rule_count; i++) {
        const dent_srdf_rule *rule = &srdf->rules[i];
        if (names(rule, link_a, link_b)) {
            if (rule->enabled) {
                return false;
            }
            allowed = true;
        }
    }
    return allowed;
}
