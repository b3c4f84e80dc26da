#!/usr/bin/env python3
"""Adds one bad include at a time to a file of the project, or to a new one, and expects check_floors.py to name it, and
the program to end as it should.

  python3 tests/lint/check_floors_test.py ROOT
"""
import subprocess
import sys
import tempfile
from pathlib import Path

from check_floors import offences_of, texts_of

PLANTED = [
    # file, what it is made to include, what is to be said
    ("formats/units.h", '"sim/core/pipe.h"', "includes sim/core/pipe.h of sim/core, a floor above it"),
    ("sim/isa/cube.h", '"sim/ascendc/cube.h"', "includes sim/ascendc/cube.h of sim/ascendc, a floor above it"),
    ("sim/core/pipe.h", '"kernel_operator.h"', "includes kernel_operator.h of sim/ascendc, a floor above it"),
    ("sim/ascendc/cube.h", '"acl/acl.h"', "includes acl/acl.h of sim/host, a floor above it"),
    ("tiling/rejection.h", '"lib/conv_backprop/conv3d_bp_filter_api.h"',
     "includes lib/conv_backprop/conv3d_bp_filter_api.h of ops, a floor above it"),
    ("ops/cases/refusal.h", '"error.h"', "includes error.h, which is on no floor"),
    ("ops/conv3d_backprop/backprop_filter_kernel.h", '"ops/cases/refusal.h"', "a kernel includes ops/cases/refusal.h"),
    ("ops/conv3d_backprop/some_reference.cpp", '"sim/core/launch.h"', "a reference includes sim/core/launch.h"),
    ("ops/plans/plan.h", "<nlohmann/json_fwd.hpp>", "a header includes nlohmann/json_fwd.hpp"),
    ("tests/ops/tune/random_tiling.h", "<nlohmann/json.hpp>", "a header includes nlohmann/json.hpp"),
    ("cli/plan_row.h", "<nlohmann/json.hpp>", "a header includes nlohmann/json.hpp"),
    ("cli/arguments.h", "<boost/program_options.hpp>", "a header includes boost/program_options.hpp"),
    ("ops/max_pool/max_pool_grad_kernel.h", '"tiling/max_pool/pool_op_planner.h"',
     "a kernel includes tiling/max_pool/pool_op_planner.h"),
]

root = Path(sys.argv[1])
texts = texts_of(root)
failures = []
for file, include, said in PLANTED:
    if file not in texts and not file.endswith("some_reference.cpp"):
        failures.append(f"{file} is not among the files that are looked at")
    before = offences_of(root, file, texts.get(file, ""))
    after = offences_of(root, file, texts.get(file, "") + f"\n#include {include}\n")
    if before:
        failures.append(f"{file} as it is was refused: {before}")
    if not any(line.startswith(f"{file}: {said}") for line in after):
        failures.append(f'{file} with #include {include}: expected "{file}: {said}", got {after}')
with tempfile.TemporaryDirectory() as folder:  # the whole program: what it says of a tree, and its exit code
    planted = Path(folder)

    def says(expected):
        done = subprocess.run([sys.executable, "-B", Path(__file__).with_name("check_floors.py"), planted],
                              capture_output=True, text=True, check=False)
        if done.returncode != (0 if expected.startswith("floors: 2 files") else 1) or expected not in done.stdout + done.stderr:
            failures.append(f"expected {expected!r}, got {done}")

    says("floors: no sources under")
    for name in ["formats/low.h", "ops/high.h"]:
        (planted / name).parent.mkdir()
        (planted / name).write_text("#pragma once\n")
    says("floors: 2 files keep the order")
    (planted / "formats/low.h").write_text('#include "ops/high.h"\n')
    says("formats/low.h: includes ops/high.h of ops, a floor above it")
sys.exit("\n".join(failures) or 0)
