#!/usr/bin/env python3
"""Peers of the benchmarks test one pair at a time with the scalar exact predicates, as any program that links the library
could. What dent tests in lanes, many pairs at once, is no part of them: a race would measure dent against itself."""
import pathlib
import re
import unittest

PEERS = pathlib.Path(__file__).resolve().parents[2] / "bench" / "peers"
PREDICATES = {"geometry/metric/feature_distance.h", "geometry/predicates/tetrahedron_predicates.h",
              "geometry/predicates/triangle_predicates.h"}
CALLS = {"edge_edge_distance", "vertex_in_tetrahedron", "triangle_meets_open_tetrahedron", "triangle_versus_triangle"}


def sources():
    return {path.name: path.read_text() for path in sorted(PEERS.glob("peer_*")) if path.suffix in (".cpp", ".hpp")}


class PeersArePlain(unittest.TestCase):
    def test_they_include_the_scalar_predicates_and_no_other_header_of_the_library(self):
        own = set(sources()) | {"bench/bench_peers.h"}
        included = set()
        for text in sources().values():
            included |= set(re.findall(r'#include "([^"]+)"', text)) - own
        self.assertEqual(included, PREDICATES)

    def test_every_candidate_goes_to_the_test_of_one_pair(self):
        text = sources()["peer_common.hpp"]
        consider = text[text.index("inline void consider("):text.index("struct AnswerSet")]
        called = set(re.findall(r"\b(\w+)\(", consider))
        self.assertEqual(called & CALLS, CALLS)
        self.assertFalse([name for name in called if re.search("batch|lanes|block|kernel", name)])


if __name__ == "__main__":
    unittest.main()
