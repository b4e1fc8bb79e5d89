# The tests of bits that must not depend on compiler, optimisation level or machine.
set(golden_tests response/test_response_table sim/test_sim_state conformance/test_golden_pairs
  conformance/test_golden_impacts conformance/test_golden_strands geometry/test_golden_metric scenes/test_golden_scenes
  query/test_motion_invariants query/test_time_critical_bounds)
