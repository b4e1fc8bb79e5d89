/* bench_enter_peers.h — peers as contestants. */
#ifndef DENT_BENCH_ENTER_PEERS_H
#define DENT_BENCH_ENTER_PEERS_H

#include "bench_run.h"

/** True in the program that has peers. */
bool bench_has_peers(void);

/** Hands over to the program that has peers: does not return when that works. Otherwise the error has been reported. */
int bench_become_peers(void);

/** Tries every setting of every peer that can answer on frames 0 and 1 and enters it at its best. */
int bench_enter_peers(tool_session *session, bench_race *race);

#endif
