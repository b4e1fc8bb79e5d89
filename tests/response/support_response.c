/* See support_response.h. */
#include "support_response.h"

static double between(dent_random *random, double low, double high)
{
    return low + (high - low) * dent_random_unit(random);
}

static void unit_vector(dent_random *random, double out[3])
{
    double length;
    do {
        length = 0;
        for (int i = 0; i < 3; i++) {
            out[i] = between(random, -1, 1);
            length += out[i] * out[i];
        }
    } while (length < 0.01 || length > 1);
    for (int i = 0; i < 3; i++) {
        out[i] /= sqrt(length);
    }
}

/* A positive definite tensor with eigenvalues between 0.5 and 4. */
static void random_inertia(dent_random *random, double tensor[9])
{
    double axis[3][3];
    memset(tensor, 0, 9 * sizeof *tensor);
    for (int k = 0; k < 3; k++) {
        unit_vector(random, axis[k]);
        for (int i = 0; i < 3; i++) {
            for (int j = 0; j < 3; j++) {
                tensor[3 * i + j] += axis[k][i] * axis[k][j] + (i == j ? 0.2 : 0);
            }
        }
    }
}

static void random_rigid(dent_random *random, dent_rigid_state *rigid, bool fixed)
{
    memset(rigid, 0, sizeof *rigid);
    rigid->inverse_mass = fixed ? 0 : between(random, 0.2, 3);
    if (!fixed) {
        random_inertia(random, rigid->inverse_inertia);
    }
    double length = 0;
    for (int i = 0; i < 4; i++) {
        rigid->orientation[i] = between(random, -1, 1);
        length += rigid->orientation[i] * rigid->orientation[i];
    }
    for (int i = 0; i < 4; i++) {
        rigid->orientation[i] /= sqrt(length);
    }
    for (int i = 0; i < 3; i++) {
        rigid->center[i] = between(random, -2, 2);
        rigid->linear_velocity[i] = between(random, -1, 1);
        rigid->angular_velocity[i] = between(random, -1, 1);
    }
}

/* One, three or four vertices with weights that sum to one. */
static void random_side(dent_random *random, const struct cloud *cloud, uint32_t body, uint32_t vertices[4],
                        double weights[4], double point[3])
{
    static const uint32_t counts[3] = {1, 3, 4};
    uint32_t count = counts[dent_random_below(random, 3)];
    double sum = 0;
    for (uint32_t i = 0; i < 4; i++) {
        vertices[i] = UINT32_MAX;
        weights[i] = 0;
    }
    uint32_t range = cloud->problem.contact_count < 3000 ? 40 : CLOUD_VERTICES; /* few contacts: close together */
    uint32_t first = dent_random_below(random, range);
    for (uint32_t i = 0; i < count; i++) {
        vertices[i] = (first + 3 * i) % range;
        weights[i] = between(random, 0.1, 1);
        sum += weights[i];
    }
    double last = 1;
    for (uint32_t i = 0; i + 1 < count; i++) {
        weights[i] /= sum;
        last -= weights[i];
    }
    weights[count - 1] = last;
    memset(point, 0, 3 * sizeof *point);
    for (uint32_t i = 0; i < count; i++) {
        for (int k = 0; k < 3; k++) {
            point[k] += weights[i] * cloud->positions[body][vertices[i]][k];
        }
    }
}

static void random_contact(dent_random *random, struct cloud *cloud, dent_contact *contact, uint64_t number)
{
    memset(contact, 0, sizeof *contact);
    contact->key = 1000 + number * UINT64_C(0x9E3779B97F4A7C15);
    contact->body_a = dent_random_below(random, CLOUD_BODIES);
    contact->body_b = (contact->body_a + 1 + dent_random_below(random, CLOUD_BODIES - 1)) % CLOUD_BODIES;
    contact->kind = DENT_CONTACT_VERTEX_FACE;
    contact->source = DENT_CONTACT_SOURCE_GAP;
    contact->material_a = dent_random_below(random, 3);
    random_side(random, cloud, contact->body_a, contact->vertices_a, contact->weights_a, contact->point_a);
    random_side(random, cloud, contact->body_b, contact->vertices_b, contact->weights_b, contact->point_b);
    unit_vector(random, contact->normal);
    contact->gap = between(random, -0.02, 0.005);
    contact->time = 1;
}

static void random_body(dent_random *random, struct cloud *cloud, uint32_t i, enum cloud_kind kind)
{
    dent_response_body *body = &cloud->bodies[i];
    bool rigid = i % 3 == 1, fixed = kind == CLOUD_WITH_FIXED && i >= CLOUD_BODIES - 2;
    memset(body, 0, sizeof *body);
    body->vertex_count = CLOUD_VERTICES;
    for (uint32_t v = 0; v < CLOUD_VERTICES; v++) {
        bool held = fixed || (kind == CLOUD_WITH_FIXED && dent_random_below(random, 5) == 0);
        cloud->inverse_masses[i][v] = held ? 0 : between(random, 0.1, 10);
        for (int k = 0; k < 3; k++) {
            cloud->start[i][v][k] = between(random, -2, 2);
            cloud->positions[i][v][k] = cloud->start[i][v][k] + between(random, -0.01, 0.01);
            cloud->velocities[i][v][k] = between(random, -1, 1);
        }
    }
    random_rigid(random, &cloud->rigid[i], fixed);
    cloud->rigid_start[i] = cloud->rigid[i];
    body->inverse_masses = fixed ? NULL : cloud->inverse_masses[i];
    body->positions = cloud->positions[i][0];
    body->positions_start = cloud->start[i][0];
    body->velocities = cloud->velocities[i][0];
    body->forces = fixed ? NULL : cloud->forces[i][0];
    if (rigid) {
        body->rigid = &cloud->rigid[i];
        body->rigid_start = &cloud->rigid_start[i];
        body->rigid_forces = fixed ? NULL : cloud->rigid_forces[i];
    }
}

void cloud_open(struct cloud *cloud, uint64_t seed, uint32_t contact_count, enum cloud_kind kind, uint32_t threads)
{
    static dent_material_pair pairs[2]; /* written once with the same numbers */
    dent_random random = dent_random_seeded(seed);
    dent_context_def def = dent_context_def_default();
    memset(cloud, 0, sizeof *cloud);
    def.thread_count = threads;
    cloud->context = dent_context_create(&def, NULL);
    cloud->response = dent_response_create(cloud->context);
    assert_non_null(cloud->response);
    for (uint32_t i = 0; i < CLOUD_BODIES; i++) {
        random_body(&random, cloud, i, kind);
    }
    cloud->contacts = calloc(contact_count + 1, sizeof *cloud->contacts);
    cloud->forces_out = calloc(contact_count + 1, sizeof *cloud->forces_out);
    cloud->problem.contact_count = contact_count;
    for (uint32_t i = 0; i < contact_count; i++) {
        random_contact(&random, cloud, &cloud->contacts[i], i);
    }
    pairs[0] = (dent_material_pair){1, 0, {0.9, 0.8, 0.5, 1e-6}};
    pairs[1] = (dent_material_pair){0, 2, {0, 0, 1, 0}};
    cloud->problem = dent_response_problem_default();
    cloud->problem.contacts = cloud->contacts;
    cloud->problem.contact_count = contact_count;
    cloud->problem.bodies = cloud->bodies;
    cloud->problem.body_count = CLOUD_BODIES;
    cloud->problem.time_step = 0.01;
    cloud->problem.material_pairs = pairs;
    cloud->problem.material_pair_count = 2;
    cloud->problem.forces = cloud->forces_out;
    cloud->problem.audit = true;
}

void cloud_close(struct cloud *cloud)
{
    free(cloud->contacts);
    free(cloud->forces_out);
    dent_response_destroy(cloud->response);
    dent_context_destroy(cloud->context);
}

/* The lowest byte first, whatever the machine's order is. */
static uint64_t hash_number(uint64_t hash, uint64_t number, int bytes)
{
    for (int i = 0; i < bytes; i++) {
        hash = (hash ^ (number >> (8 * i) & 0xFF)) * UINT64_C(0x100000001B3);
    }
    return hash;
}

/* An array of doubles or 64-bit numbers. */
static uint64_t hash_add(uint64_t hash, const void *data, size_t size)
{
    for (size_t i = 0; i < size; i += 8) {
        uint64_t number;
        memcpy(&number, (const char *)data + i, 8);
        hash = hash_number(hash, number, 8);
    }
    return hash;
}

uint64_t cloud_hash(const struct cloud *cloud)
{
    uint64_t hash = UINT64_C(0xCBF29CE484222325);
    hash = hash_add(hash, cloud->positions, sizeof cloud->positions);
    hash = hash_add(hash, cloud->velocities, sizeof cloud->velocities);
    hash = hash_add(hash, cloud->forces, sizeof cloud->forces);
    hash = hash_add(hash, cloud->rigid, sizeof cloud->rigid);
    hash = hash_add(hash, cloud->rigid_forces, sizeof cloud->rigid_forces);
    for (uint64_t i = 0; i < cloud->problem.contact_count; i++) {
        const dent_contact_force *force = &cloud->forces_out[i];
        hash = hash_add(hash, force, offsetof(dent_contact_force, state));
        hash = hash_number(hash_number(hash, force->state, 4), force->reserved, 4);
    }
    return hash;
}

/* ---- one particle -------------------------------------------------------------------------------------------- */

dent_contact plain_contact(uint64_t key, uint32_t body_a, uint32_t vertex_a, uint32_t body_b, uint32_t vertex_b,
                           const double normal[3], double gap)
{
    dent_contact contact;
    memset(&contact, 0, sizeof contact);
    contact.key = key;
    contact.body_a = body_a;
    contact.body_b = body_b;
    contact.kind = DENT_CONTACT_VERTEX_FACE;
    contact.source = DENT_CONTACT_SOURCE_GAP;
    for (int i = 0; i < 4; i++) {
        contact.vertices_a[i] = contact.vertices_b[i] = UINT32_MAX;
    }
    contact.vertices_a[0] = vertex_a;
    contact.vertices_b[0] = vertex_b;
    contact.weights_a[0] = contact.weights_b[0] = 1;
    memcpy(contact.normal, normal, sizeof contact.normal);
    contact.gap = gap;
    contact.time = 1;
    return contact;
}

void particle_init(struct particle *particle, double mass, double time_step)
{
    memset(particle, 0, sizeof *particle);
    particle->inverse_mass = 1 / mass;
    particle->bodies[0].vertex_count = 1;
    particle->bodies[0].inverse_masses = &particle->inverse_mass;
    particle->bodies[0].positions = particle->position;
    particle->bodies[0].positions_start = particle->start;
    particle->bodies[0].velocities = particle->velocity;
    particle->bodies[0].forces = particle->force;
    particle->problem = dent_response_problem_default();
    particle->problem.contacts = &particle->contact;
    particle->problem.contact_count = 1;
    particle->problem.bodies = particle->bodies;
    particle->problem.body_count = 2;
    particle->problem.time_step = time_step;
    particle->problem.forces = &particle->memory;
    particle->problem.previous = &particle->memory;
    particle->problem.previous_count = 1;
}

void particle_detect(struct particle *particle, const double normal[3])
{
    double gap = 0;
    for (int i = 0; i < 3; i++) {
        gap += normal[i] * particle->position[i];
    }
    particle->contact = plain_contact(7, 0, 0, 1, UINT32_MAX, normal, gap);
    memcpy(particle->contact.point_a, particle->position, sizeof particle->position);
    for (int i = 0; i < 3; i++) {
        particle->contact.point_b[i] = particle->position[i] - gap * normal[i];
    }
}
