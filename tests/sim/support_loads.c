#include "support_loads.h"

#include <math.h>
#include <string.h>

void stage_open(struct stage *stage, uint32_t threads, dent_isa isa, struct test_mesh mesh, dent_sim_body_kind kind)
{
    memset(stage, 0, sizeof *stage);
    stage->context = test_context(threads, isa);
    stage->def = dent_sim_def_default();
    stage->material = dent_sim_material_default();
    stage->mesh = mesh;
    stage->bodies[0] = test_body(kind, &stage->mesh);
    stage->def.body_count = 1;
    stage->def.bodies = stage->bodies;
    stage->def.material_count = 1;
    stage->def.materials = &stage->material;
    stage->def.loads = stage->loads;
    stage->def.supports = stage->supports;
    stage->def.springs = stage->springs;
    stage->def.probes = stage->probes;
    stage->def.contacts = false;
}

void stage_open_block(struct stage *stage, dent_sim_elements elements, uint32_t nx, uint32_t ny, uint32_t nz,
                      double edge)
{
    bool whole = elements == DENT_SIM_HEXAHEDRA;
    stage_open(stage, 1, DENT_ISA_AUTO,
               whole ? test_hexahedra(nx, ny, nz, edge, 0, 0, 0) : test_block(nx, ny, nz, edge, 0, 0, 0),
               DENT_SIM_SOLID);
    stage->bodies[0].elements = elements;
}

void stage_close(struct stage *stage)
{
    dent_sim_destroy(stage->sim);
    dent_context_destroy(stage->context);
    test_mesh_free(&stage->mesh);
    for (uint32_t n = 0; n < stage->chosen_count; n++) {
        free(stage->chosen[n]);
    }
}

const uint32_t *stage_layer(struct stage *stage, int axis, double value, uint32_t *count)
{
    uint32_t *list = malloc(stage->mesh.vertex_count * sizeof *list);
    assert_non_null(list);
    *count = 0;
    for (uint32_t v = 0; v < stage->mesh.vertex_count; v++) {
        if (fabs(stage->mesh.positions[3 * v + axis] - value) < 1e-9) {
            list[(*count)++] = v;
        }
    }
    assert_true(*count > 0);
    stage->chosen[stage->chosen_count++] = list;
    return list;
}

void stage_hold(struct stage *stage, int axis, double value, uint32_t axes)
{
    dent_sim_support *support = &stage->supports[stage->def.support_count++];
    *support = dent_sim_support_default();
    support->vertices = stage_layer(stage, axis, value, &support->vertex_count);
    support->axes = axes;
}

dent_sim_load_def *stage_push(struct stage *stage, dent_sim_load_kind kind)
{
    dent_sim_load_def *load = &stage->loads[stage->def.load_count++];
    *load = dent_sim_load_def_default(kind);
    return load;
}

void stage_begin(struct stage *stage)
{
    stage->sim = test_sim(stage->context, &stage->def);
}

double stage_mean(const struct stage *stage, const double *numbers, int axis)
{
    double sum = 0;
    for (uint32_t v = 0; v < stage->mesh.vertex_count; v++) {
        sum += numbers[3 * v + axis] / stage->mesh.vertex_count;
    }
    return sum;
}

void stage_reaction(struct stage *stage, uint32_t support, double force[3])
{
    assert_int_equal(dent_sim_support_reaction(stage->sim, support, force), DENT_OK);
}

bool is_near(double value, double expected, double share)
{
    if (fabs(value - expected) <= share * fabs(expected)) {
        return true;
    }
    print_message("%.9g instead of %.9g\n", value, expected);
    return false;
}

void stage_open_beam(struct stage *stage, double young)
{
    stage_open(stage, 1, DENT_ISA_AUTO, test_block(20, 2, 2, 0.05, 0, 0, 0), DENT_SIM_SOLID);
    stage->material.young = young;
    stage->material.poisson = 0.3;
    stage->material.damping = 0.1;
    stage->def.time_step = 0.05;
    stage->def.air_damping = 2;
}

void stage_open_everything(struct stage *stage, uint32_t threads, dent_isa isa)
{
    static const dent_sim_time_value rows[] = {{0, 0}, {0.1, 1}, {0.3, -1}};
    stage_open(stage, threads, isa, test_block(8, 2, 2, 0.05, 0, 0, 0.1), DENT_SIM_SOLID);
    stage->material.young = 1e6;
    stage_hold(stage, 0, 0, DENT_SIM_HOLD_X | DENT_SIM_HOLD_Z);
    stage_hold(stage, 1, 0, 0);
    stage->supports[1].direction[1] = 1;
    stage->supports[1].direction[2] = 0.5;
    stage->supports[1].displacement[1] = 0.002;
    stage->supports[1].course = (dent_sim_course){3, rows};
    dent_sim_load_def *load = stage_push(stage, DENT_SIM_LOAD_FOLLOWER);
    load->pressure = 500;
    load->course = (dent_sim_course){3, rows};
    load = stage_push(stage, DENT_SIM_LOAD_FORCE);
    load->vector[1] = 3;
    load->vertices = stage_layer(stage, 0, 0.4, &load->vertex_count);
    stage->def.spring_count = 1;
    stage->springs[0] = dent_sim_spring_default();
    stage->springs[0].a.body = 0;
    stage->springs[0].a.vertices[0] = load->vertices[0];
    stage->springs[0].b.place[2] = 1;
    stage->springs[0].stiffness = 50;
    stage->springs[0].damping = 1;
    for (int kind = 1; kind <= 7; kind++) {
        stage->probes[stage->def.probe_count++] = dent_sim_probe_default((dent_sim_probe_kind)kind);
    }
}
