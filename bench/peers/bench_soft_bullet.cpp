/* dent's elastic solids against Bullet's soft bodies, on the clamped beam of `dent paper physics-beam`.
 *
 *     bench_soft_bullet [seconds]     simulated time per row, default 1 s or four periods, whichever is longer
 *
 * The same mesh with the same masses starts in the shape of its first mode, without gravity and damping, in frames of
 * 1/60 s. Columns:
 *   stiffness  square of the frequency found over that of the mesh solved directly (physics_modal.h): 1 is right
 *   kept       energy of the mode (kinetic and elastic) after four periods, over that at the start
 *   most       the largest energy of the mode at any frame, over that at the start: above 1 is from nothing
 *   ms         CPU time of a frame, one thread
 * The sides:
 *   dent       default settings
 *   fem        Bullet's deformable world (neo-Hookean tetrahedra, backward Euler), 1 and 10 steps a frame. Its two
 *              constants are set so that small strains follow the same E and nu
 *   fem-x      the same, explicit, 10 steps a frame
 *   links      Bullet's position-based soft body (links along the edges), 10 iterations. It has no E: kLST is at its
 *              stiffest, 1, so that its row does not depend on E
 * Bullet is the packaged build in single precision. */
#include <BulletSoftBody/btDeformableBodySolver.h>
#include <BulletSoftBody/btDeformableMultiBodyConstraintSolver.h>
#include <BulletSoftBody/btDeformableMultiBodyDynamicsWorld.h>
#include <BulletSoftBody/btDeformableNeoHookeanForce.h>
#include <BulletSoftBody/btSoftBodyRigidBodyCollisionConfiguration.h>
#include <BulletSoftBody/btSoftRigidDynamicsWorld.h>
#include <btBulletDynamicsCommon.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <vector>

extern "C" {
#include "physics_modal.h"
#include "physics_table.h"
}

namespace
{

const double frame = 1.0 / 60, tip = 0.003;

double processor_ms()
{
    timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return 1e3 * double(now.tv_sec) + 1e-6 * double(now.tv_nsec);
}

/* The beam, its first mode with modal mass 1, and the start: rest + displacement. */
struct Beam {
    physics_mesh mesh;
    physics_modal modal;
    dent_sim_material material;
    std::vector<double> shape, start;
    double omega;

    Beam(dent_context *context, double young, double poisson)
    {
        mesh = physics_beam_mesh(context);
        material = dent_sim_material_default();
        material.young = young;
        material.poisson = poisson;
        material.damping = 0;
        if (mesh.vertex_count == 0 || !physics_modal_open(&modal, &mesh, &material, PHYSICS_CLAMP_LIMIT)) {
            std::fprintf(stderr, "bench_soft_bullet: out of memory\n");
            std::exit(2);
        }
        shape.resize(3 * size_t(mesh.vertex_count));
        omega = physics_modal_first(&modal, shape.data());
        double largest = 0;
        for (double value : shape)
            largest = std::fmax(largest, std::fabs(value));
        for (size_t n = 0; n < shape.size(); n++)
            start.push_back(mesh.positions[n] + tip / largest * shape[n]);
    }
    ~Beam()
    {
        physics_modal_close(&modal);
        physics_mesh_free(&mesh);
    }
    bool fixed(uint32_t v) const { return mesh.positions[3 * size_t(v)] <= PHYSICS_CLAMP_LIMIT; }
    double energy(const std::vector<double> &x, const std::vector<double> &v) const
    {
        double place = physics_modal_coordinate(&modal, shape.data(), mesh.positions, x.data()), speed = 0;
        for (size_t n = 0; n < v.size(); n++)
            speed += modal.masses[n / 3] * shape[n] * v[n];
        return 0.5 * speed * speed + 0.5 * omega * omega * place * place;
    }
};

/* Anything that moves a beam by one frame. */
struct Side {
    virtual ~Side() = default;
    virtual void advance() = 0;
    virtual void read(std::vector<double> &x, std::vector<double> &v) = 0;
};

/* ---- dent ---- */

struct DentSide : Side {
    physics_stage stage;
    uint32_t body;

    explicit DentSide(dent_context *context, const Beam &beam)
    {
        physics_open(&stage, context);
        stage.materials[0] = beam.material;
        stage.def.gravity[2] = 0;
        stage.def.contacts = false;
        body = physics_add(&stage, DENT_SIM_SOLID, physics_beam_mesh(context));
        physics_fix_below(&stage, body, 0, PHYSICS_CLAMP_LIMIT);
        for (size_t n = 0; n < beam.start.size(); n++)
            stage.meshes[body].positions[n] = beam.start[n];
        stage.bodies[body].rest = beam.mesh.positions;
        if (!physics_begin(&stage)) {
            std::fprintf(stderr, "bench_soft_bullet: dent: %s\n", stage.note);
            std::exit(2);
        }
    }
    ~DentSide() override { physics_close(&stage); }
    void advance() override { physics_step(&stage); }
    void read(std::vector<double> &x, std::vector<double> &v) override
    {
        const double *positions = dent_sim_positions(stage.sim, body), *speeds = dent_sim_velocities(stage.sim, body);
        x.assign(positions, positions + x.size());
        v.assign(speeds, speeds + v.size());
    }
};

/* ---- Bullet ---- */

struct BulletSide : Side {
    btSoftBodyRigidBodyCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher{&configuration};
    btDbvtBroadphase broadphase;
    std::unique_ptr<btSoftBody> body;

    void make_body(btSoftBodyWorldInfo *info, const Beam &beam)
    {
        std::vector<btVector3> places;
        std::vector<btScalar> masses;
        for (uint32_t v = 0; v < beam.mesh.vertex_count; v++) {
            const double *p = beam.mesh.positions + 3 * size_t(v);
            places.emplace_back(btScalar(p[0]), btScalar(p[1]), btScalar(p[2]));
            masses.push_back(beam.fixed(v) ? 0 : btScalar(beam.modal.masses[v]));
        }
        info->m_gravity.setZero();
        body.reset(new btSoftBody(info, int(places.size()), places.data(), masses.data()));
        for (uint32_t t = 0; t < beam.mesh.element_count; t++) {
            const uint32_t *c = beam.mesh.corners + 4 * size_t(t);
            body->appendTetra(int(c[0]), int(c[1]), int(c[2]), int(c[3]));
            for (int a = 0; a < 4; a++)
                for (int b = a + 1; b < 4; b++)
                    body->appendLink(int(c[a]), int(c[b]), nullptr, true);
        }
        body->m_cfg.collisions = 0;
        body->m_cfg.kDP = 0;
        body->setActivationState(DISABLE_DEACTIVATION);
    }
    void bend(const Beam &beam)
    {
        for (int v = 0; v < body->m_nodes.size(); v++) {
            const double *p = beam.start.data() + 3 * size_t(v);
            btSoftBody::Node &node = body->m_nodes[v];
            node.m_x = node.m_q = btVector3(btScalar(p[0]), btScalar(p[1]), btScalar(p[2]));
        }
    }
    void read(std::vector<double> &x, std::vector<double> &v) override
    {
        for (size_t n = 0; n < x.size(); n++) {
            const btSoftBody::Node &node = body->m_nodes[int(n / 3)];
            x[n] = double(node.m_x[int(n % 3)]);
            v[n] = double(node.m_v[int(n % 3)]);
        }
    }
};

struct FemSide : BulletSide {
    btDeformableBodySolver solver;
    btDeformableMultiBodyConstraintSolver constraints;
    std::unique_ptr<btDeformableMultiBodyDynamicsWorld> world;
    std::unique_ptr<btDeformableNeoHookeanForce> force;
    int steps;

    FemSide(const Beam &beam, int steps_a_frame, bool implicit) : steps(steps_a_frame)
    {
        double young = beam.material.young, poisson = beam.material.poisson;
        double mu = young / (2 * (1 + poisson)), lambda = young * poisson / ((1 + poisson) * (1 - 2 * poisson));
        constraints.setDeformableSolver(&solver);
        world.reset(
            new btDeformableMultiBodyDynamicsWorld(&dispatcher, &broadphase, &constraints, &configuration, &solver));
        world->setImplicit(implicit);
        world->setLineSearch(false);
        world->setUseProjection(true); /* without, fixed nodes stop the whole body */
        world->setGravity(btVector3(0, 0, 0));
        make_body(&world->getWorldInfo(), beam);
        body->initializeDmInverse();
        body->m_tetraScratches.resize(body->m_tetras.size());
        body->m_tetraScratchesTn.resize(body->m_tetras.size());
        bend(beam);
        world->addSoftBody(body.get());
        /* At rest their law has the Lame constants 3/4 mu and lambda - 5/8 mu. */
        force.reset(new btDeformableNeoHookeanForce(btScalar(mu * 4 / 3), btScalar(lambda + mu * 5 / 6), 0));
        world->addForce(body.get(), force.get());
    }
    ~FemSide() override { world->removeSoftBody(body.get()); }
    void advance() override
    {
        for (int n = 0; n < steps; n++)
            world->stepSimulation(btScalar(frame / steps), 1, btScalar(frame / steps));
    }
};

struct LinkSide : BulletSide {
    btSequentialImpulseConstraintSolver constraints;
    btSoftRigidDynamicsWorld world{&dispatcher, &broadphase, &constraints, &configuration};

    explicit LinkSide(const Beam &beam)
    {
        world.setGravity(btVector3(0, 0, 0));
        make_body(&world.getWorldInfo(), beam);
        body->m_materials[0]->m_kLST = 1;
        body->m_cfg.piterations = 10;
        body->updateConstants(); /* rest lengths, before the beam is bent */
        body->m_bUpdateRtCst = false;
        bend(beam);
        world.addSoftBody(body.get());
    }
    ~LinkSide() override { world.removeSoftBody(body.get()); }
    void advance() override { world.stepSimulation(btScalar(frame), 1, btScalar(frame)); }
};

/* ---- the race ---- */

void race(const char *name, const Beam &beam, Side &side, double seconds)
{
    double period = 2 * M_PI / beam.omega;
    int frames = int(std::ceil(std::fmax(seconds, 4 * period) / frame));
    int stride = int(std::fmax(1, std::floor(1 / (beam.omega * frame))));
    int done = 0;
    std::vector<double> x(beam.start.size()), v(beam.start.size()), samples;
    side.read(x, v);
    double first = beam.energy(x, v), most = 1, kept = 0, spent = 0;
    samples.push_back(physics_modal_coordinate(&beam.modal, beam.shape.data(), beam.mesh.positions, x.data()));
    for (int n = 1; n <= frames && most < 1e6; n++) { /* what explodes is not followed further */
        double before = processor_ms();
        side.advance();
        spent += processor_ms() - before;
        done = n;
        side.read(x, v);
        double energy = beam.energy(x, v) / first;
        most = std::isfinite(energy) ? std::fmax(most, energy) : INFINITY;
        kept = n * frame <= 4 * period ? energy : kept;
        if (n % stride == 0 && samples.size() < 10)
            samples.push_back(physics_modal_coordinate(&beam.modal, beam.shape.data(), beam.mesh.positions, x.data()));
    }
    double found = physics_swing_angle(samples.data(), int(samples.size())) / (stride * frame) / beam.omega;
    std::printf("%8.0e %5g %-8s %10.4f %10.3g %10.3g %9.3f\n", beam.material.young, beam.material.poisson, name,
                found * found, most < 1e6 ? kept : INFINITY, most, spent / done);
    std::fflush(stdout);
}

} /* namespace */

int main(int argc, char **argv)
{
    double seconds = argc > 1 ? std::atof(argv[1]) : 1;
    dent_context_def def = dent_context_def_default();
    def.thread_count = 1;
    dent_context *context = dent_context_create(&def, nullptr);
    if (context == nullptr) {
        std::fprintf(stderr, "bench_soft_bullet: no context\n");
        return 2;
    }
    std::printf("%8s %5s %-8s %10s %10s %10s %9s\n", "E", "nu", "side", "stiffness", "kept", "most", "ms");
    for (double poisson : {0.3, 0.499}) {
        for (double young : {1e5, 1e6, 1e7, 1e8, 1e9}) {
            Beam beam(context, young, poisson);
            DentSide dent(context, beam);
            race("dent", beam, dent, seconds);
            FemSide once(beam, 1, true), often(beam, 10, true), explicitly(beam, 10, false);
            race("fem", beam, once, seconds);
            race("fem-10", beam, often, seconds);
            race("fem-x", beam, explicitly, seconds);
            if (young == 1e6) {
                LinkSide links(beam);
                race("links", beam, links, seconds);
            }
        }
    }
    dent_context_destroy(context);
    return 0;
}
