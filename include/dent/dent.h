/* dent/dent.h — the whole library dent, and a one-page tour.
 *
 *   dent_context *context = dent_context_create(NULL, NULL);          memory, threads, log, instruction set
 *   dent_world *world = dent_world_create(context);                   bodies and scratch
 *   dent_body_def def = dent_solid_def_default();                     describe a body …
 *   dent_world_add_body(world, &def, &id);                            … its positions are borrowed
 *   dent_query_def ask = dent_query_def_default();
 *   ask.questions = DENT_QUESTION_FACE_CELL;
 *   dent_world_query(world, &ask, &result);                           pairs in canonical order, until the next call
 *
 * Reading order:
 *
 *   base.h  id.h  body.h  world.h  question.h  method.h  border.h  query.h  lookup.h  proximity.h  strand.h  impact.h
 *   motion.h  linkage.h  penetration.h  contact.h  response.h  constraints.h  strand_response.h  hair.h  embedding.h
 *   time_critical.h  schedule.h  neighbours.h  inside.h  boxes.h  kinetic.h  cloud.h
 *
 * Five optional libraries have headers of their own, which this one does not include. dent_io has mesh_io.h, frames.h,
 * impact_io.h, urdf.h, srdf.h and file_output.h. dent_sim has scene.h, sim.h, sim_loads.h, sim_linkage.h and
 * sim_scene.h. dent_plan has plan.h, dent_haptic haptic.h and dent_view view.h.
 *
 * All of these are stable: docs/interface.md says what that promises. experimental.h and structure.h are not, and this
 * header does not include them.
 *
 * Rules for all headers. dent_x_def_default() sets every field of a def to its default. Defs must be made by it:
 * struct_size is checked. dent_x_destroy() accepts null. dent_x_name() of an enumerator returns the word that the tool
 * uses, a constant string. It returns null for unknown values unless its comment says otherwise. These functions, and
 * functions that only read a context, may be called from any thread. Every other object is used by one thread at a
 * time unless its header says more.
 */
#ifndef DENT_DENT_H
#define DENT_DENT_H

#include <dent/base.h>
#include <dent/body.h>
#include <dent/border.h>
#include <dent/boxes.h>
#include <dent/cloud.h>
#include <dent/contact.h>
#include <dent/hair.h>
#include <dent/id.h>
#include <dent/impact.h>
#include <dent/inside.h>
#include <dent/kinetic.h>
#include <dent/linkage.h>
#include <dent/lookup.h>
#include <dent/method.h>
#include <dent/motion.h>
#include <dent/neighbours.h>
#include <dent/penetration.h>
#include <dent/proximity.h>
#include <dent/strand.h>
#include <dent/query.h>
#include <dent/question.h>
#include <dent/embedding.h>
#include <dent/response.h>
#include <dent/schedule.h>
#include <dent/constraints.h>
#include <dent/strand_response.h>
#include <dent/time_critical.h>
#include <dent/world.h>

#endif
