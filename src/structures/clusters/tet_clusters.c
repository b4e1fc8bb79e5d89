/* Cutting a body into clusters by bisection of its elements' middles. See tet_clusters.h.
 *
 * A set of elements is cut across its longest extent. The place of the cut is a whole number of cluster widths from the
 * end (the width that gives CELLS_AIMED elements a cluster), so that a lattice of cells falls into equal blocks instead
 * of remainders; near that slot the widest gap between middles is taken, which is where a layer of cells ends. A cut
 * that would leave less than an eighth on one side is made at the median instead, so the depth is bounded for graded
 * meshes. Cutting stops when the elements fit a cluster.
 */
#include "structures/clusters/tet_clusters.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "geometry/metric/float_boxes.h"

enum { CELLS_AIMED = 40, PIECE_ELEMENTS = PIECE_CLUSTERS * CELLS_AIMED, GAP_BINS = 64, NO_VERTEX = 255 };

struct builder {
    const struct body *body;
    struct body_clusters *result;
    uint32_t element_count, corners_per_element;
    const uint32_t *corners;
    double (*middles)[3];
    uint32_t *order;      /* elements; a node is a range of it */
    uint8_t *slot;        /* of each vertex in the cluster being made, NO_VERTEX: not in it */
    uint8_t *owned;       /* vertex has an owner */
    uint32_t *first_face; /* of each element: its surface faces, a range of face_list */
    uint32_t *face_list;
    size_t cells_used, faces_used;
    bool open_piece; /* the clusters made now belong to the last piece */
    bool failed;
};

/* ---- where to cut ---------------------------------------------------------------------------- */

struct cut {
    int axis;
    double position;
};

static void bound_middles(const struct builder *builder, uint32_t first, uint32_t last, double lo[3], double hi[3])
{
    for (int axis = 0; axis < 3; axis++) {
        lo[axis] = INFINITY;
        hi[axis] = -INFINITY;
    }
    for (uint32_t i = first; i < last; i++) {
        const double *middle = builder->middles[builder->order[i]];
        for (int axis = 0; axis < 3; axis++) {
            lo[axis] = middle[axis] < lo[axis] ? middle[axis] : lo[axis];
            hi[axis] = middle[axis] > hi[axis] ? middle[axis] : hi[axis];
        }
    }
}

/* Width of a cluster in a box of these extents (ascending) that is to be cut into `parts`: a cube where there is room,
 * thinner where the box is. */
static double cluster_width(const double extent[3], double parts)
{
    double a = extent[0], b = extent[1], c = extent[2];
    if (a > 0 && cbrt(a * b * c / parts) <= a) {
        return cbrt(a * b * c / parts);
    }
    if (b > 0 && sqrt(b * c / parts) <= b) {
        return sqrt(b * c / parts);
    }
    return c / parts;
}

/* The middle of the widest gap between middles within half a width of `aim`. */
static double widest_gap_near(const struct builder *builder, uint32_t first, uint32_t last, int axis, double aim,
                              double width)
{
    double begin = aim - 0.5 * width, per_bin = width / GAP_BINS;
    uint64_t occupied = 0;
    for (uint32_t i = first; i < last; i++) {
        double bin = floor((builder->middles[builder->order[i]][axis] - begin) / per_bin);
        if (bin >= 0 && bin < GAP_BINS) {
            occupied |= UINT64_C(1) << (int)bin;
        }
    }
    int best = 0, best_end = GAP_BINS / 2, run = 0;
    for (int bin = 0; bin <= GAP_BINS; bin++) {
        if (bin < GAP_BINS && !(occupied >> bin & 1)) {
            run++;
            continue;
        }
        int distance = abs(2 * bin - run - GAP_BINS), best_distance = abs(2 * best_end - best - GAP_BINS);
        if (run > best || (run == best && distance < best_distance)) {
            best = run;
            best_end = bin;
        }
        run = 0;
    }
    return best == 0 ? aim : begin + per_bin * (best_end - 0.5 * best);
}

static struct cut choose_cut(const struct builder *builder, uint32_t first, uint32_t last)
{
    double lo[3], hi[3], extent[3], sorted[3];
    bound_middles(builder, first, last, lo, hi);
    int axis = 0;
    for (int k = 0; k < 3; k++) {
        extent[k] = hi[k] - lo[k];
        axis = extent[k] > extent[axis] ? k : axis;
    }
    memcpy(sorted, extent, sizeof sorted);
    for (int k = 0; k < 3; k++) { /* three numbers: a bubble will do */
        int i = k % 2;
        double small = sorted[i] < sorted[i + 1] ? sorted[i] : sorted[i + 1],
               large = sorted[i] < sorted[i + 1] ? sorted[i + 1] : sorted[i];
        sorted[i] = small;
        sorted[i + 1] = large;
    }
    if (!(extent[axis] > 0)) {
        return (struct cut){axis, INFINITY}; /* all in one point */
    }
    /* Middles are half an element short of the box of the elements on either side. */
    double parts = (double)(last - first) / CELLS_AIMED;
    double spacing = 0.5 * cluster_width(sorted, (double)(last - first));
    double full[3] = {sorted[0] + spacing, sorted[1] + spacing, sorted[2] + spacing};
    double width = cluster_width(full, parts);
    double layers = floor(full[2] / width + 0.5);
    layers = layers < 2 ? 2 : layers;
    double aim = lo[axis] - 0.5 * spacing + full[2] * floor(0.5 * layers) / layers;
    double window = full[2] / layers < 0.9 * extent[axis] ? full[2] / layers : 0.9 * extent[axis];
    return (struct cut){axis, widest_gap_near(builder, first, last, axis, aim, window)};
}

static void swap_elements(uint32_t *order, uint32_t i, uint32_t j)
{
    uint32_t element = order[i];
    order[i] = order[j];
    order[j] = element;
}

/* Puts the elements before the cut first; returns how many of the range they are. */
static uint32_t divide(struct builder *builder, uint32_t first, uint32_t last, struct cut cut)
{
    uint32_t end = first;
    for (uint32_t i = first; i < last; i++) {
        if (builder->middles[builder->order[i]][cut.axis] < cut.position) {
            swap_elements(builder->order, i, end++);
        }
    }
    return end - first;
}

/* Puts the smaller half along the axis first (quickselect; ties by slot). */
static uint32_t divide_at_median(struct builder *builder, uint32_t first, uint32_t last, int axis)
{
    uint32_t low = first, high = last, middle = first + (last - first) / 2;
    while (high - low > 1) {
        double pivot = builder->middles[builder->order[low + (high - low) / 2]][axis];
        uint32_t less = low, equal = low;
        for (uint32_t i = low; i < high; i++) {
            double x = builder->middles[builder->order[i]][axis];
            if (x < pivot) {
                swap_elements(builder->order, i, equal);
                swap_elements(builder->order, equal++, less++);
            } else if (x == pivot) {
                swap_elements(builder->order, i, equal++);
            }
        }
        if (middle < less) {
            high = less;
        } else if (middle >= equal) {
            low = equal;
        } else {
            break;
        }
    }
    return middle - first;
}

/* ---- clusters -------------------------------------------------------------------------------- */

static uint32_t faces_of(const struct builder *builder, uint32_t element)
{
    return builder->first_face[element + 1] - builder->first_face[element];
}

/* Numbers the vertices of a range in `cluster`; false when it does not fit. Places stay set. */
static bool number_vertices(struct builder *builder, uint32_t first, uint32_t last, struct cluster *cluster)
{
    uint32_t faces = 0;
    cluster->vertex_count = 0;
    for (uint32_t i = first; i < last; i++) {
        const uint32_t *corners = builder->corners + (size_t)builder->order[i] * builder->corners_per_element;
        faces += faces_of(builder, builder->order[i]);
        for (uint32_t k = 0; k < builder->corners_per_element; k++) {
            if (builder->slot[corners[k]] != NO_VERTEX) {
                continue;
            }
            if (cluster->vertex_count == CLUSTER_VERTICES) {
                return false;
            }
            builder->slot[corners[k]] = cluster->vertex_count;
            cluster->vertices[cluster->vertex_count++] = corners[k];
        }
    }
    return faces <= CLUSTER_FACES;
}

/* Vertices that nobody owns yet come first: those asked about then fill the first lanes. */
static void put_owned_first(struct builder *builder, struct cluster *cluster)
{
    uint32_t sorted[CLUSTER_VERTICES], count = 0;
    for (int owned = 0; owned < 2; owned++) {
        for (uint32_t k = 0; k < cluster->vertex_count; k++) {
            if (builder->owned[cluster->vertices[k]] == owned) {
                sorted[count++] = cluster->vertices[k];
            }
        }
    }
    for (uint32_t k = 0; k < count; k++) {
        cluster->vertices[k] = sorted[k];
        builder->slot[sorted[k]] = (uint8_t)k;
    }
}

static void forget_vertices(struct builder *builder, const struct cluster *cluster)
{
    for (uint32_t k = 0; k < cluster->vertex_count; k++) {
        builder->slot[cluster->vertices[k]] = NO_VERTEX;
    }
}

static void fill_elements(struct builder *builder, uint32_t first, uint32_t last, struct cluster *cluster,
                          struct cluster_corners *slots)
{
    struct body_clusters *result = builder->result;
    bool solid = body_has_cells(builder->body);
    cluster->first_cell = (uint32_t)builder->cells_used;
    cluster->first_face = (uint32_t)builder->faces_used;
    for (uint32_t i = first; i < last; i++) {
        uint32_t element = builder->order[i];
        const uint32_t *corners = builder->corners + (size_t)element * builder->corners_per_element;
        for (uint32_t k = 0; solid && k < 4; k++) {
            uint8_t slot = builder->slot[corners[k]];
            slots->cells[cluster->cell_count] |= (uint32_t)slot << 8 * k;
            slots->cell_vertices[cluster->cell_count] |= UINT32_C(1) << slot;
        }
        if (solid) {
            cluster->cell_count++;
            result->cells[builder->cells_used++] = element;
        }
        for (uint32_t f = builder->first_face[element]; f < builder->first_face[element + 1]; f++) {
            uint32_t face = builder->face_list[f];
            for (int k = 0; k < 3; k++) {
                uint8_t slot = builder->slot[builder->body->surface_faces[face].corners[k]];
                slots->faces[k][cluster->face_count] = slot;
                cluster->on_faces |= UINT32_C(1) << slot;
            }
            cluster->face_count++;
            result->faces[builder->faces_used++] = face;
        }
    }
}

static void take_ownership(struct builder *builder, struct cluster *cluster)
{
    for (uint32_t k = 0; k < cluster->vertex_count; k++) {
        uint32_t vertex = cluster->vertices[k];
        if (builder->body->vertex_use[vertex] & VERTEX_ON_SURFACE) {
            cluster->surface |= UINT32_C(1) << k;
        }
        if (!builder->owned[vertex]) {
            builder->owned[vertex] = 1;
            cluster->owned |= UINT32_C(1) << k;
        }
    }
    cluster->owned_surface = cluster->owned & cluster->surface;
    for (uint32_t k = cluster->vertex_count; k < CLUSTER_VERTICES; k++) {
        cluster->vertices[k] = cluster->vertices[0];
    }
}

/* One more record in an array of the result; its memory doubles. */
static void *grow(struct builder *builder, void **array, uint32_t *count, size_t *capacity, size_t size)
{
    if (*count == *capacity) {
        size_t larger = 2 * *capacity + 4;
        void *fresh = dent_reallocate(builder->result->context, *array, *capacity, larger, size);
        if (!fresh) {
            builder->failed = true;
            return NULL;
        }
        *array = fresh;
        *capacity = larger;
    }
    return (char *)*array + size * (*count)++;
}

/* Gives back what an array of the result has too much; where that fails, it keeps it. */
static void trim(struct builder *builder, void **array, uint32_t count, size_t *capacity, size_t size)
{
    void *fresh = count < *capacity && count > 0
                      ? dent_reallocate(builder->result->context, *array, *capacity, count, size)
                      : NULL;
    if (fresh) {
        *array = fresh;
        *capacity = count;
    }
}

/* Worlds may have thousands of bodies of one cluster. */
static void trim_all(struct builder *builder)
{
    struct body_clusters *result = builder->result;
    trim(builder, (void **)&result->clusters, result->cluster_count, &result->cluster_capacity,
         sizeof *result->clusters);
    trim(builder, (void **)&result->corners, result->cluster_count, &result->corner_capacity, sizeof *result->corners);
    trim(builder, (void **)&result->pieces, result->piece_count, &result->piece_capacity, sizeof *result->pieces);
}

static struct cluster_piece *piece_for_next_cluster(struct builder *builder)
{
    struct body_clusters *result = builder->result;
    if (builder->open_piece && result->pieces[result->piece_count - 1].count < PIECE_CLUSTERS) {
        return &result->pieces[result->piece_count - 1];
    }
    struct cluster_piece *piece =
        grow(builder, (void **)&result->pieces, &result->piece_count, &result->piece_capacity, sizeof *result->pieces);
    if (piece) {
        *piece = (struct cluster_piece){result->cluster_count, 0};
        builder->open_piece = true;
    }
    return piece;
}

/* Makes a cluster of the range if it fits; false when it must be cut. */
static bool make_cluster(struct builder *builder, uint32_t first, uint32_t last)
{
    struct cluster cluster = {.vertex_count = 0};
    struct cluster_corners corners = {.cell_vertices = {0}};
    bool fits = last - first <= CLUSTER_CELLS && number_vertices(builder, first, last, &cluster);
    if (fits) {
        struct body_clusters *result = builder->result;
        put_owned_first(builder, &cluster);
        fill_elements(builder, first, last, &cluster, &corners);
        take_ownership(builder, &cluster);
        struct cluster_piece *piece = piece_for_next_cluster(builder);
        uint32_t corner_count = result->cluster_count;
        struct cluster_corners *corner_slot =
            piece ? grow(builder, (void **)&result->corners, &corner_count, &result->corner_capacity, sizeof corners)
                  : NULL;
        struct cluster *slot = corner_slot ? grow(builder, (void **)&result->clusters, &result->cluster_count,
                                                  &result->cluster_capacity, sizeof cluster)
                                           : NULL;
        if (slot) {
            *slot = cluster;
            *corner_slot = corners;
            piece->count++;
        }
    }
    forget_vertices(builder, &cluster);
    return fits;
}

/* The depth is at most log of the count to the base 8/7. */
static void cut_range(struct builder *builder, uint32_t first, uint32_t last, bool in_piece)
{
    uint32_t count = last - first;
    if (!in_piece && count <= PIECE_ELEMENTS) {
        builder->open_piece = false;
        in_piece = true;
    }
    if (builder->failed || make_cluster(builder, first, last)) {
        return;
    }
    struct cut cut = choose_cut(builder, first, last);
    uint32_t before = divide(builder, first, last, cut);
    if (before < (count + 7) / 8 || count - before < (count + 7) / 8) {
        before = divide_at_median(builder, first, last, cut.axis);
    }
    cut_range(builder, first, first + before, in_piece);
    cut_range(builder, first + before, last, in_piece);
}

/* ---- the body -------------------------------------------------------------------------------- */

static void compute_middles(struct builder *builder, const double (*shape)[3])
{
    double largest = 0;
    for (uint32_t vertex = 0; vertex < builder->body->vertex_count; vertex++) {
        for (int axis = 0; axis < 3; axis++) {
            largest = fabs(shape[vertex][axis]) > largest ? fabs(shape[vertex][axis]) : largest;
        }
    }
    struct box_scaling scaling = box_scaling_for(largest);
    for (uint32_t element = 0; element < builder->element_count; element++) {
        const uint32_t *corners = builder->corners + (size_t)element * builder->corners_per_element;
        for (int axis = 0; axis < 3; axis++) {
            double sum = 0;
            for (uint32_t k = 0; k < builder->corners_per_element; k++) {
                sum += box_scale(scaling, shape[corners[k]][axis]);
            }
            builder->middles[element][axis] = sum / builder->corners_per_element;
        }
        builder->order[element] = element;
    }
}

/* Which surface faces each element has. */
static void list_faces(struct builder *builder)
{
    const struct body *body = builder->body;
    memset(builder->first_face, 0, ((size_t)builder->element_count + 1) * sizeof *builder->first_face);
    for (uint32_t face = 0; face < body->surface_face_count; face++) {
        uint32_t element = body->surface_face_tetrahedron ? body->surface_face_tetrahedron[face] : face;
        builder->first_face[element]++;
    }
    uint32_t end = 0;
    for (uint32_t element = 0; element <= builder->element_count; element++) {
        end += builder->first_face[element];
        builder->first_face[element] = end;
    }
    for (uint32_t face = body->surface_face_count; face-- > 0;) {
        uint32_t element = body->surface_face_tetrahedron ? body->surface_face_tetrahedron[face] : face;
        builder->face_list[--builder->first_face[element]] = face;
    }
}

static bool builder_allocate(struct builder *builder, dent_context *context)
{
    struct body_clusters *result = builder->result;
    const struct body *body = builder->body;
    size_t elements = builder->element_count;
    result->cells = dent_allocate(context, result->cell_count, sizeof *result->cells);
    result->faces = dent_allocate(context, result->face_count, sizeof *result->faces);
    builder->middles = dent_allocate(context, elements, sizeof *builder->middles);
    builder->order = dent_allocate(context, elements, sizeof *builder->order);
    builder->slot = dent_allocate(context, body->vertex_count, 1);
    builder->owned = dent_allocate(context, body->vertex_count, 1);
    builder->first_face = dent_allocate(context, elements + 1, sizeof *builder->first_face);
    builder->face_list = dent_allocate(context, body->surface_face_count, sizeof *builder->face_list);
    return result->cells && result->faces && builder->middles && builder->order && builder->slot && builder->owned &&
           builder->first_face && builder->face_list;
}

static void builder_release(struct builder *builder, dent_context *context)
{
    const struct body *body = builder->body;
    size_t elements = builder->element_count;
    dent_release(context, builder->middles, elements, sizeof *builder->middles);
    dent_release(context, builder->order, elements, sizeof *builder->order);
    dent_release(context, builder->slot, body->vertex_count, 1);
    dent_release(context, builder->owned, body->vertex_count, 1);
    dent_release(context, builder->first_face, elements + 1, sizeof *builder->first_face);
    dent_release(context, builder->face_list, body->surface_face_count, sizeof *builder->face_list);
}

bool body_clusters_create(struct body_clusters *clusters, dent_context *context, const struct body *body,
                          const double (*shape)[3])
{
    bool solid = body_has_cells(body);
    *clusters = (struct body_clusters){
        .context = context, .cell_count = solid ? body->tetrahedron_count : 0, .face_count = body->surface_face_count};
    struct builder builder = {
        .body = body,
        .result = clusters,
        .element_count = solid ? body->tetrahedron_count : body->element_count,
        .corners_per_element = kind_corner_count(body->kind),
        .corners = solid ? (const uint32_t *)body->tetrahedra : body->element_corners,
    };
    builder.failed = !builder_allocate(&builder, context);
    if (!builder.failed && builder.element_count > 0) {
        memset(builder.slot, NO_VERTEX, body->vertex_count);
        memset(builder.owned, 0, body->vertex_count);
        compute_middles(&builder, shape);
        list_faces(&builder);
        cut_range(&builder, 0, builder.element_count, false);
    }
    if (!builder.failed) {
        trim_all(&builder);
    }
    builder_release(&builder, context);
    if (builder.failed) {
        body_clusters_destroy(clusters);
    }
    return !builder.failed;
}

void body_clusters_destroy(struct body_clusters *clusters)
{
    dent_context *context = clusters->context;
    if (!clusters->users || --*clusters->users == 0) {
        dent_release(context, clusters->users, 1, sizeof *clusters->users);
        dent_release(context, clusters->clusters, clusters->cluster_capacity, sizeof *clusters->clusters);
        dent_release(context, clusters->corners, clusters->corner_capacity, sizeof *clusters->corners);
        dent_release(context, clusters->pieces, clusters->piece_capacity, sizeof *clusters->pieces);
        dent_release(context, clusters->cells, clusters->cell_count, sizeof *clusters->cells);
        dent_release(context, clusters->faces, clusters->face_count, sizeof *clusters->faces);
    }
    *clusters = (struct body_clusters){.context = context};
}

/* ---- sharing --------------------------------------------------------------------------------- */

static bool same_bytes(const void *a, const void *b, size_t count, size_t size)
{
    return count == 0 || memcmp(a, b, count * size) == 0;
}

/* Of bodies with the same mesh: the order of the elements and where it is cut say everything. */
static bool cut_alike(const struct body_clusters *a, const struct body_clusters *b)
{
    bool same = a->cluster_count == b->cluster_count && a->piece_count == b->piece_count &&
                a->cell_count == b->cell_count && a->face_count == b->face_count &&
                same_bytes(a->pieces, b->pieces, a->piece_count, sizeof *a->pieces) &&
                same_bytes(a->cells, b->cells, a->cell_count, sizeof *a->cells) &&
                same_bytes(a->faces, b->faces, a->face_count, sizeof *a->faces);
    for (uint32_t i = 0; same && i < a->cluster_count; i++) {
        same = a->clusters[i].cell_count == b->clusters[i].cell_count &&
               a->clusters[i].face_count == b->clusters[i].face_count;
    }
    return same;
}

void body_clusters_share(struct body_clusters *clusters, struct body_clusters *lender)
{
    if (clusters->users || !cut_alike(clusters, lender)) {
        return;
    }
    if (!lender->users) {
        lender->users = dent_allocate(lender->context, 1, sizeof *lender->users);
        if (!lender->users) {
            return;
        }
        *lender->users = 1;
    }
    body_clusters_destroy(clusters);
    *clusters = *lender;
    ++*clusters->users;
}
