/* The peers that were built. */
#include "peer_common.hpp"

extern "C" const peer_row *bench_peer_at(uint32_t index)
{
    static const peer_row rows[] = {
        plain_hash_row(),
        plain_grid_row(),
        plain_grid_cells_row(),
        plain_grid_mailbox_row(),
#ifdef DENT_PEER_EMBREE
        embree_rebuild_row(),
        embree_refit_row(),
        embree_refit_check_row(),
#endif
#ifdef DENT_PEER_CGAL
        cgal_row(),
#endif
#ifdef DENT_PEER_CGAL_MESH
        cgal_mesh_row(),
#endif
#ifdef DENT_PEER_BULLET
        bullet_row(),
#endif
#ifdef DENT_PEER_FCL
        fcl_row(),
#endif
    };
    return index < sizeof rows / sizeof rows[0] ? &rows[index] : nullptr;
}
