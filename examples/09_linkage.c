/* An arm of two links swings towards a wall: when does it first touch, and where are its joints then? The answer is
 * certified: nothing touches before that time.
 *
 *     cc 09_linkage.c $(pkg-config --cflags --libs dent) && ./a.out
 */
#include <dent/dent.h>
#include <stdio.h>

/* A box from (0, -0.1, -0.1) to (length, 0.1, 0.1): corner i is on the high side where its bits are set. */
static dent_body_id add_box(dent_world *world, const char *name, double length, double (*corners)[3])
{
    static const uint32_t triangles[12][3] = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}, {0, 1, 5}, {0, 5, 4},
                                              {2, 6, 7}, {2, 7, 3}, {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};
    dent_body_def def = dent_surface_def_default();
    dent_body_id id = {0};
    for (int i = 0; i < 8; i++) {
        corners[i][0] = i & 1 ? length : 0;
        corners[i][1] = i & 2 ? 0.1 : -0.1;
        corners[i][2] = i & 4 ? 0.1 : -0.1;
    }
    def.name = name;
    def.vertex_count = 8;
    def.element_count = 12;
    def.element_corners = triangles[0];
    def.positions_t0 = dent_positions_double(corners[0]);
    dent_world_add_body(world, &def, &id);
    return id;
}

int main(void)
{
    static double corners[3][8][3];
    static const char *const links[] = {"upper arm", "forearm"};
    dent_context *context = dent_context_create(NULL, NULL);
    dent_world *world = dent_world_create(context);

    /* The forearm turns about z at the end of the upper arm; the base moves the upper arm about z in the world. */
    dent_joint_def elbow = dent_joint_def_default();
    elbow.name = "elbow";
    elbow.kind = DENT_JOINT_REVOLUTE;
    elbow.parent = 0;
    elbow.child = 1;
    elbow.origin.translation[0] = 1.2;
    elbow.axis[0] = 0;
    elbow.axis[2] = 1;
    dent_linkage_def def = dent_linkage_def_default();
    dent_linkage *arm = NULL;
    def.link_count = 2;
    def.link_names = links;
    def.joint_count = 1;
    def.joints = &elbow;
    if (!world || dent_linkage_create(context, &def, &arm) != DENT_OK) {
        return 1;
    }

    /* From stretched out along x: the shoulder turns by one radian, the elbow by two. */
    dent_pose identity = dent_pose_identity();
    dent_motion shoulder = dent_motion_stationary(&identity);
    double from = 0, to = 2;
    dent_motion_frame frames[3];
    shoulder.axis[2] = 1;
    shoulder.angle = 1;
    dent_linkage_motion(arm, &shoulder, &from, &to, 0, frames);

    /* The wall stands still in a frame of its own. */
    dent_pose place = identity;
    place.translation[1] = 1.5;
    frames[2].parent = DENT_FRAME_WORLD;
    frames[2].motion = dent_motion_stationary(&place);

    const dent_motion_body bodies[3] = {{add_box(world, links[0], 1, corners[0]), dent_linkage_frame_of(arm, 0)},
                                        {add_box(world, links[1], 1, corners[1]), dent_linkage_frame_of(arm, 1)},
                                        {add_box(world, "wall", 3, corners[2]), 2}};
    const dent_excluded_pair neighbours = {bodies[0].body, bodies[1].body};
    dent_motion_impact_def ask = dent_motion_impact_def_default();
    dent_motion_impact_result result;
    ask.frames = frames;
    ask.frame_count = 3;
    ask.bodies = bodies;
    ask.body_count = 3;
    ask.excluded = &neighbours;
    ask.excluded_count = 1;
    dent_status status = dent_world_motion_impact(world, &ask, &result);
    if (status == DENT_OK && result.verdict == DENT_MOTION_CONTACT) {
        printf("%s and %s touch at t = %.6f: shoulder %.6f, elbow %.6f radians\n",
               dent_body_name(world, dent_world_body_at(world, result.body_a)),
               dent_body_name(world, dent_world_body_at(world, result.body_b)), result.t_lo,
               result.t_lo * shoulder.angle, from + result.t_lo * (to - from));
    }
    dent_linkage_destroy(arm);
    dent_world_destroy(world);
    dent_context_destroy(context);
    return status == DENT_OK && result.verdict == DENT_MOTION_CONTACT ? 0 : 1;
}
