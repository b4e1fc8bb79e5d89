#!/usr/bin/env python3
"""Runs a command in the long tier (DENT_LONG_TESTS); else says so and ends with 77, which ctest shows as skipped."""

import os
import subprocess
import sys

if not os.environ.get("DENT_LONG_TESTS"):
    print(f"SKIPPED: {' '.join(sys.argv[1:])} is for the long tier: set DENT_LONG_TESTS=1")
    sys.exit(77)
sys.exit(subprocess.run(sys.argv[1:]).returncode)
