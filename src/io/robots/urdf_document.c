/* The URDF parser: expat reads the XML, the handlers here keep what is said about links, joints, masses and collision shapes.
 *
 * Where the parser stands is a short stack of places (robot, link, collision, …); an element that no place knows is
 * passed over with everything inside it. Written for hostile files: document types are refused, so there are no
 * entities to expand; nesting, names and the size of the file are bounded; every number is checked to be finite. expat
 * takes its memory from the C library, a small multiple of the longest tag. */
#include "urdf_document.h"

#include "io/bytes/decimal_number.h"
#include "io/bytes/try_status.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void urdf_document_release(struct urdf_document *document)
{
    array_destroy(&document->links);
    array_destroy(&document->joints);
    array_destroy(&document->shapes);
}

#if !defined(DENT_HAVE_EXPAT)

dent_status urdf_document_parse(dent_context *context, const char *name, const struct file_bytes *bytes,
                                struct mesh_storage *strings, struct urdf_document *document)
{
    (void)bytes;
    (void)strings;
    memset(document, 0, sizeof *document);
    return dent_fail(context, DENT_ERROR_UNSUPPORTED, "%s: this build cannot read URDF: it was made without expat",
                     name);
}

#else

#include "io/model/mesh_builder.h"

#include <expat.h>

enum { NESTING_MAX = 200, NAME_MAX_LENGTH = 255, FILE_NAME_MAX_LENGTH = 4000, PLACES_MAX = 8 };

/* Larger is no robot; expat counts bytes in an int. */
#define FILE_SIZE_MAX ((size_t)256 << 20)

enum place {
    PLACE_DOCUMENT,
    PLACE_ROBOT,
    PLACE_LINK,
    PLACE_COLLISION,
    PLACE_VISUAL,
    PLACE_GEOMETRY,
    PLACE_INERTIAL,
    PLACE_JOINT,
    PLACE_LEAF
};

struct urdf_parse {
    dent_context *context;
    const char *file;
    XML_Parser parser;
    struct urdf_document *document;
    dent_status status;
    enum place places[PLACES_MAX];
    uint32_t place_count;
    uint32_t depth;                /* of elements */
    uint32_t skipped;              /* how many of them, the innermost, are passed over */
    struct urdf_geometry geometry; /* the <collision> or <visual> being read */
    struct urdf_joint joint;       /* the <joint> being read */
};

/* ---- failing --------------------------------------------------------------------------------------------------- */

static void fail(struct urdf_parse *parse, dent_status status, const char *format, ...) DENT_PRINTF_LIKE(3, 4);
static void fail(struct urdf_parse *parse, dent_status status, const char *format, ...)
{
    if (parse->status != DENT_OK) {
        return;
    }
    char text[700];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    make_printable(text, strlen(text)); /* what is quoted may hold anything */
    parse->status = dent_fail(parse->context, status, "%s:%llu: %s", parse->file,
                              (unsigned long long)XML_GetCurrentLineNumber(parse->parser), text);
    XML_StopParser(parse->parser, XML_FALSE);
}

static void fail_memory(struct urdf_parse *parse)
{
    fail(parse, DENT_ERROR_OUT_OF_MEMORY, "out of memory");
}

/* ---- attributes ------------------------------------------------------------------------------------------------ */

static const char *attribute(const char **attributes, const char *name)
{
    for (size_t i = 0; attributes[i]; i += 2) {
        if (strcmp(attributes[i], name) == 0) {
            return attributes[i + 1];
        }
    }
    return NULL;
}

/* A copy of a name that lives as long as the robot and can be printed; null after a failure. */
static const char *keep_text(struct urdf_parse *parse, const char *text, const char *what, size_t longest)
{
    size_t length = strlen(text);
    if (length == 0) {
        fail(parse, DENT_ERROR_FORMAT, "%s is empty", what);
        return NULL;
    }
    if (length > longest) {
        fail(parse, DENT_ERROR_FORMAT, "%s is longer than %zu bytes", what, longest);
        return NULL;
    }
    char *copy = mesh_storage_take(parse->context, parse->document->strings, length + 1, 1);
    if (!copy) {
        fail_memory(parse);
        return NULL;
    }
    memcpy(copy, text, length + 1);
    make_printable(copy, length);
    return copy;
}

static const char *keep_attribute(struct urdf_parse *parse, const char *element, const char **attributes,
                                  const char *name)
{
    const char *text = attribute(attributes, name);
    char what[64];
    snprintf(what, sizeof what, "%s of <%s>", name, element);
    if (!text) {
        fail(parse, DENT_ERROR_FORMAT, "<%s> has no %s", element, name);
        return NULL;
    }
    return keep_text(parse, text, what, NAME_MAX_LENGTH);
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Exactly `count` finite numbers. Without the attribute they stay as they are, unless it is needed. */
static void read_numbers(struct urdf_parse *parse, const char *element, const char **attributes, const char *name,
                         bool needed, int count, double *numbers)
{
    const char *text = attribute(attributes, name);
    if (!text) {
        if (needed) {
            fail(parse, DENT_ERROR_FORMAT, "<%s> has no %s", element, name);
        }
        return;
    }
    int found = 0;
    for (const char *at = text;; found++) {
        while (is_blank(*at)) {
            at++;
        }
        if (*at == 0) {
            break;
        }
        size_t length = 0;
        while (at[length] && !is_blank(at[length])) {
            length++;
        }
        double value;
        if (!decimal_to_double(at, length, &value)) {
            fail(parse, DENT_ERROR_FORMAT, "%s of <%s>: '%.*s' is not a number", name, element,
                 (int)(length < 40 ? length : 40), at);
            return;
        }
        if (!isfinite(value)) {
            fail(parse, DENT_ERROR_BAD_NUMBER, "%s of <%s>: '%.*s' is not a finite number", name, element,
                 (int)(length < 40 ? length : 40), at);
            return;
        }
        if (found < count) {
            numbers[found] = value;
        }
        at += length;
    }
    if (found != count) {
        fail(parse, DENT_ERROR_FORMAT, "%s of <%s> has %d number%s where %d should be", name, element, found,
             found == 1 ? "" : "s", count);
    }
}

static void read_origin(struct urdf_parse *parse, const char **attributes, struct urdf_origin *origin)
{
    read_numbers(parse, "origin", attributes, "xyz", false, 3, origin->xyz);
    read_numbers(parse, "origin", attributes, "rpy", false, 3, origin->rpy);
}

/* ---- shapes ---------------------------------------------------------------------------------------------------- */

static void check_positive(struct urdf_parse *parse, const char *element, const double *sizes, int count)
{
    for (int i = 0; i < count; i++) {
        if (!(sizes[i] > 0)) {
            fail(parse, DENT_ERROR_FORMAT, "<%s> has a size of %.9g: it must be above 0", element, sizes[i]);
        }
    }
}

static enum place begin_mesh(struct urdf_parse *parse, const char **attributes)
{
    struct urdf_geometry *geometry = &parse->geometry;
    const char *file = attribute(attributes, "filename");
    if (!file) {
        fail(parse, DENT_ERROR_FORMAT, "<mesh> has no filename");
        return PLACE_LEAF;
    }
    geometry->shape = URDF_SHAPE_MESH;
    geometry->size[0] = geometry->size[1] = geometry->size[2] = 1;
    read_numbers(parse, "mesh", attributes, "scale", false, 3, geometry->size);
    for (int i = 0; i < 3; i++) {
        if (geometry->size[i] == 0) {
            fail(parse, DENT_ERROR_FORMAT, "scale of <mesh> is 0 along %c", "xyz"[i]);
        }
    }
    geometry->file = keep_text(parse, file, "filename of <mesh>", FILE_NAME_MAX_LENGTH);
    return PLACE_LEAF;
}

static enum place begin_geometry(struct urdf_parse *parse, const char *element, const char **attributes)
{
    struct urdf_geometry *geometry = &parse->geometry;
    if (geometry->shape != URDF_SHAPE_NONE) {
        fail(parse, DENT_ERROR_FORMAT, "<geometry> has more than one shape");
    } else if (strcmp(element, "mesh") == 0) {
        return begin_mesh(parse, attributes);
    } else if (strcmp(element, "box") == 0) {
        geometry->shape = URDF_SHAPE_BOX;
        read_numbers(parse, element, attributes, "size", true, 3, geometry->size);
        check_positive(parse, element, geometry->size, 3);
    } else if (strcmp(element, "cylinder") == 0) {
        geometry->shape = URDF_SHAPE_CYLINDER;
        read_numbers(parse, element, attributes, "radius", true, 1, &geometry->size[0]);
        read_numbers(parse, element, attributes, "length", true, 1, &geometry->size[1]);
        check_positive(parse, element, geometry->size, 2);
    } else if (strcmp(element, "sphere") == 0) {
        geometry->shape = URDF_SHAPE_SPHERE;
        read_numbers(parse, element, attributes, "radius", true, 1, &geometry->size[0]);
        check_positive(parse, element, geometry->size, 1);
    } else if (!geometry->is_visual) {
        fail(parse, DENT_ERROR_UNSUPPORTED, "<%.60s> is an unknown shape; use mesh, box, cylinder or sphere",
             element);
    }
    return PLACE_LEAF;
}

static enum place begin_shape_part(struct urdf_parse *parse, const char *element, const char **attributes)
{
    if (strcmp(element, "origin") == 0) {
        read_origin(parse, attributes, &parse->geometry.origin);
    } else if (strcmp(element, "geometry") == 0) {
        return PLACE_GEOMETRY;
    }
    return PLACE_LEAF;
}

static void end_shape(struct urdf_parse *parse)
{
    struct urdf_geometry *geometry = &parse->geometry;
    if (geometry->is_visual && geometry->shape != URDF_SHAPE_MESH) {
        return;
    }
    if (geometry->shape == URDF_SHAPE_NONE) {
        fail(parse, DENT_ERROR_FORMAT, "<collision> without a shape");
    } else if (!array_push(&parse->document->shapes, geometry)) {
        fail_memory(parse);
    }
}

/* ---- joints ---------------------------------------------------------------------------------------------------- */

static enum place begin_joint(struct urdf_parse *parse, const char **attributes)
{
    static const char *const types[URDF_JOINT_TYPE_COUNT] = {"fixed",     "revolute", "continuous",
                                                             "prismatic", "floating", "planar"};
    parse->joint = (struct urdf_joint){.axis = {1, 0, 0}, .multiplier = 1, .type = URDF_JOINT_TYPE_COUNT, .effort = INFINITY, .velocity = INFINITY};
    struct urdf_joint *joint = &parse->joint;
    joint->line = XML_GetCurrentLineNumber(parse->parser);
    joint->name = keep_attribute(parse, "joint", attributes, "name");
    const char *type = attribute(attributes, "type");
    for (int i = 0; type && i < URDF_JOINT_TYPE_COUNT; i++) {
        joint->type = strcmp(type, types[i]) == 0 ? (enum urdf_joint_type)i : joint->type;
    }
    if (joint->type == URDF_JOINT_TYPE_COUNT) {
        fail(parse, DENT_ERROR_UNSUPPORTED,
             "joint '%s' is of type '%.40s'; dent reads fixed, revolute, continuous, prismatic, floating and planar "
             "ones",
             joint->name ? joint->name : "", type ? type : "");
    }
    return PLACE_JOINT;
}

static void read_mimic(struct urdf_parse *parse, const char **attributes)
{
    parse->joint.mimics = keep_attribute(parse, "mimic", attributes, "joint");
    read_numbers(parse, "mimic", attributes, "multiplier", false, 1, &parse->joint.multiplier);
    read_numbers(parse, "mimic", attributes, "offset", false, 1, &parse->joint.offset);
}

static enum place begin_joint_part(struct urdf_parse *parse, const char *element, const char **attributes)
{
    struct urdf_joint *joint = &parse->joint;
    if (strcmp(element, "parent") == 0) {
        joint->parent = keep_attribute(parse, element, attributes, "link");
    } else if (strcmp(element, "child") == 0) {
        joint->child = keep_attribute(parse, element, attributes, "link");
    } else if (strcmp(element, "origin") == 0) {
        read_origin(parse, attributes, &joint->origin);
    } else if (strcmp(element, "axis") == 0) {
        read_numbers(parse, element, attributes, "xyz", false, 3, joint->axis);
    } else if (strcmp(element, "limit") == 0) {
        joint->has_limits = attribute(attributes, "lower") || attribute(attributes, "upper");
        read_numbers(parse, element, attributes, "lower", false, 1, &joint->lower);
        read_numbers(parse, element, attributes, "upper", false, 1, &joint->upper);
        read_numbers(parse, element, attributes, "effort", false, 1, &joint->effort);
        read_numbers(parse, element, attributes, "velocity", false, 1, &joint->velocity);
    } else if (strcmp(element, "dynamics") == 0) {
        read_numbers(parse, element, attributes, "damping", false, 1, &joint->damping);
        read_numbers(parse, element, attributes, "friction", false, 1, &joint->friction);
    } else if (strcmp(element, "mimic") == 0) {
        read_mimic(parse, attributes);
    }
    return PLACE_LEAF;
}

static void end_joint(struct urdf_parse *parse)
{
    if (!parse->joint.parent || !parse->joint.child) {
        fail(parse, DENT_ERROR_FORMAT, "joint '%s' names no %s link", parse->joint.name,
             parse->joint.parent ? "child" : "parent");
    } else if (!array_push(&parse->document->joints, &parse->joint)) {
        fail_memory(parse);
    }
}

/* ---- robots and links ------------------------------------------------------------------------------------------ */

static enum place begin_robot(struct urdf_parse *parse, const char *element, const char **attributes)
{
    if (strcmp(element, "robot") != 0) {
        fail(parse, DENT_ERROR_FORMAT, "<%.60s> where <robot> should be: not a URDF file", element);
        return PLACE_LEAF;
    }
    const char *name = attribute(attributes, "name");
    parse->document->name = keep_text(parse, name && name[0] ? name : "robot", "name of <robot>", NAME_MAX_LENGTH);
    return PLACE_ROBOT;
}

static enum place begin_link(struct urdf_parse *parse, const char **attributes)
{
    struct urdf_link link = {.line = XML_GetCurrentLineNumber(parse->parser)};
    link.name = keep_attribute(parse, "link", attributes, "name");
    if (!array_push(&parse->document->links, &link)) {
        fail_memory(parse);
    }
    return PLACE_LINK;
}

static enum place begin_robot_part(struct urdf_parse *parse, const char *element, const char **attributes)
{
    if (strcmp(element, "link") == 0) {
        return begin_link(parse, attributes);
    }
    if (strcmp(element, "joint") == 0) {
        return begin_joint(parse, attributes);
    }
    return PLACE_LEAF;
}

static enum place begin_inertial_part(struct urdf_parse *parse, const char *element, const char **attributes)
{
    static const char *const names[6] = {"ixx", "ixy", "ixz", "iyy", "iyz", "izz"};
    struct urdf_link *link = array_at(&parse->document->links, parse->document->links.count - 1);
    if (strcmp(element, "origin") == 0) {
        read_origin(parse, attributes, &link->inertial);
    } else if (strcmp(element, "mass") == 0) {
        read_numbers(parse, element, attributes, "value", true, 1, &link->mass);
        link->has_mass = true;
    } else if (strcmp(element, "inertia") == 0) {
        for (int n = 0; n < 6; n++) {
            bool needed = n == 0 || n == 3 || n == 5;
            read_numbers(parse, element, attributes, names[n], needed, 1, &link->inertia[n]);
        }
        link->has_inertia = true;
    }
    return PLACE_LEAF;
}

static enum place begin_link_part(struct urdf_parse *parse, const char *element)
{
    if (strcmp(element, "inertial") == 0) {
        return PLACE_INERTIAL;
    }
    bool is_visual = strcmp(element, "visual") == 0;
    if (!is_visual && strcmp(element, "collision") != 0) {
        return PLACE_LEAF;
    }
    parse->geometry = (struct urdf_geometry){
        .link = (uint32_t)(parse->document->links.count - 1),
        .line = XML_GetCurrentLineNumber(parse->parser),
        .is_visual = is_visual,
    };
    return is_visual ? PLACE_VISUAL : PLACE_COLLISION;
}

/* ---- the walk -------------------------------------------------------------------------------------------------- */

static enum place begin_in(struct urdf_parse *parse, enum place place, const char *element, const char **attributes)
{
    switch (place) {
    case PLACE_DOCUMENT:
        return begin_robot(parse, element, attributes);
    case PLACE_ROBOT:
        return begin_robot_part(parse, element, attributes);
    case PLACE_LINK:
        return begin_link_part(parse, element);
    case PLACE_COLLISION:
    case PLACE_VISUAL:
        return begin_shape_part(parse, element, attributes);
    case PLACE_GEOMETRY:
        return begin_geometry(parse, element, attributes);
    case PLACE_INERTIAL:
        return begin_inertial_part(parse, element, attributes);
    case PLACE_JOINT:
        return begin_joint_part(parse, element, attributes);
    case PLACE_LEAF:
        break;
    }
    return PLACE_LEAF;
}

static void XMLCALL on_begin(void *data, const char *element, const char **attributes)
{
    struct urdf_parse *parse = data;
    if (parse->status != DENT_OK) {
        return;
    }
    if (++parse->depth > NESTING_MAX) {
        fail(parse, DENT_ERROR_FORMAT, "elements are nested deeper than %d", (int)NESTING_MAX);
    } else if (strncmp(element, "xacro:", 6) == 0) {
        fail(parse, DENT_ERROR_FORMAT, "<%.60s>: a xacro file, to be turned into URDF by xacro first", element);
    } else if (parse->skipped > 0 || parse->places[parse->place_count - 1] == PLACE_LEAF) {
        parse->skipped++;
    } else {
        /* Places do not nest deeper than the longest way: robot, link, collision, geometry, leaf. */
        enum place next = begin_in(parse, parse->places[parse->place_count - 1], element, attributes);
        parse->places[parse->place_count++] = next;
    }
}

static void XMLCALL on_end(void *data, const char *element)
{
    struct urdf_parse *parse = data;
    (void)element;
    if (parse->status != DENT_OK) {
        return;
    }
    parse->depth--;
    if (parse->skipped > 0) {
        parse->skipped--;
        return;
    }
    enum place place = parse->places[--parse->place_count];
    if (place == PLACE_COLLISION || place == PLACE_VISUAL) {
        end_shape(parse);
    } else if (place == PLACE_JOINT) {
        end_joint(parse);
    }
}

static void XMLCALL on_document_type(void *data, const char *name, const char *system, const char *public_id,
                                     int has_internal_subset)
{
    (void)name;
    (void)system;
    (void)public_id;
    (void)has_internal_subset;
    fail(data, DENT_ERROR_FORMAT, "a document type: dent reads no document types and no entities");
}

static void run_parser(struct urdf_parse *parse, const struct file_bytes *bytes)
{
    XML_SetUserData(parse->parser, parse);
    XML_SetElementHandler(parse->parser, on_begin, on_end);
    XML_SetStartDoctypeDeclHandler(parse->parser, on_document_type);
    enum XML_Status parsed = XML_Parse(parse->parser, (const char *)bytes->data, (int)bytes->size, 1);
    if (parse->status == DENT_OK && parsed != XML_STATUS_OK) {
        enum XML_Error error = XML_GetErrorCode(parse->parser);
        fail(parse, error == XML_ERROR_NO_MEMORY ? DENT_ERROR_OUT_OF_MEMORY : DENT_ERROR_FORMAT, "not XML: %s",
             XML_ErrorString(error));
    }
    if (parse->status == DENT_OK && parse->document->links.count == 0) {
        fail(parse, DENT_ERROR_FORMAT, "a robot without links");
    }
}

dent_status urdf_document_parse(dent_context *context, const char *name, const struct file_bytes *bytes,
                                struct mesh_storage *strings, struct urdf_document *document)
{
    memset(document, 0, sizeof *document);
    if (bytes->size > FILE_SIZE_MAX) {
        return dent_fail(context, DENT_ERROR_TOO_LARGE, "%s: %zu bytes are too many for a URDF file", name,
                         bytes->size);
    }
    document->strings = strings;
    array_init(&document->links, context, sizeof(struct urdf_link));
    array_init(&document->joints, context, sizeof(struct urdf_joint));
    array_init(&document->shapes, context, sizeof(struct urdf_geometry));
    struct urdf_parse parse = {.context = context, .file = name, .document = document, .place_count = 1};
    parse.places[0] = PLACE_DOCUMENT;
    parse.parser = XML_ParserCreate(NULL);
    if (!parse.parser) {
        return dent_fail(context, DENT_ERROR_OUT_OF_MEMORY, "%s: out of memory", name);
    }
    run_parser(&parse, bytes);
    XML_ParserFree(parse.parser);
    if (parse.status != DENT_OK) {
        urdf_document_release(document);
    }
    return parse.status;
}

#endif
