#!/usr/bin/env python3
"""Who may include whom: `python3 tests/lint/check_floors.py [ROOT]`; also the CTest `floors`.

A file includes its own floor and lower ones only. Beyond that:
  ops/**/*_kernel.h       runs on the device: names the kernel API, lib/..., tiling data and its own tasks
  ops/**/*_reference.cpp  is the independent answer: never sees the simulator
  **/*.h                  leaves JSON and Boost to sources: each costs whoever includes it a second or two, and a
                          user of the installed headers its package. Headers of cli and of tests may name the type
                          (json_fwd.hpp)
Headers that are named without a floor are those of a user's kernels and host programs; they are found on the
include path of the floor that owns them.
"""
import re
import sys
from pathlib import Path

FLOORS = ["formats", "sim/soc", "sim/core", "sim/explain", "sim/isa", "sim/ascendc", "sim/host", "tiling", "ops", "cli"]  # lowest first
TOPS = ["formats", "sim", "tiling", "ops", "cli"]
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]*)', re.M)
DEVICE_HEADER = re.compile(r"(kernel_operator\.h|kernel_tiling/[a-z0-9_]+\.h|lib/[a-z0-9_/]+\.h)$")
TILING_HEADER = re.compile(r"tiling/[a-z0-9_]+/[a-z0-9_]+_(tiling|split|tasks|tiling_data|ub)\.h$")
KERNEL_PART = re.compile(r"ops/[a-z0-9_]+/[a-z0-9_]+_(kernel|tasks)\.h$")
HOST_HEADER = re.compile(r"(register|platform)/[a-z0-9_]+\.h$")


def floor_of(path):
    """The position of a path's floor, from 0; -1 where it is on none."""
    return next((i for i, floor in enumerate(FLOORS) if path.startswith(floor + "/")), -1)


def floor_of_include(root, name):
    """The floor of an included file; of one that is named without a floor, that of who owns it; -1 where nobody does."""
    if floor_of(name) >= 0:
        return floor_of(name)
    if name.startswith("lib/") and (root / "ops" / name).exists():
        return FLOORS.index("ops")
    for floor in ["sim/ascendc", "sim/host"]:
        if (root / floor / name).exists():
            return FLOORS.index(floor)
    if HOST_HEADER.match(name) and (root / "tiling" / name).exists():
        return FLOORS.index("tiling")
    return -1


def offences_of(root, file, text):
    """A sentence for each include of `text`, that of the file `file`, that breaks the order."""
    found = []
    includes = INCLUDE.findall(text)
    if file.endswith(".h"):
        for _, name in includes:
            is_type_alone = re.match("(cli|tests)/", file) and name == "nlohmann/json_fwd.hpp"
            if re.match("(nlohmann|boost)/", name) and not is_type_alone:
                found.append(f"{file}: a header includes {name}. Only sources may")
    if file.startswith("tests/"):
        return found
    own = floor_of(file)
    if own < 0:
        return [*found, f"{file}: lies on no floor. The floors are {', '.join(FLOORS)}"]
    for name in (name for bracket, name in includes if bracket == '"'):
        theirs = floor_of_include(root, name)
        if theirs < 0:
            found.append(f"{file}: includes {name}, which is on no floor. Write the path from the root")
        elif theirs > own:
            found.append(f"{file}: includes {name} of {FLOORS[theirs]}, a floor above it")
        is_device = any(allowed.match(name) for allowed in (DEVICE_HEADER, TILING_HEADER, KERNEL_PART))
        if re.match(r"ops/.*_kernel\.h$", file) and not is_device:
            found.append(f"{file}: a kernel includes {name}. It may name kernel_operator.h, kernel_tiling/, lib/, "
                         "tiling/<family>/*_{tiling,split,tasks,tiling_data,ub}.h and ops/<operator>/*_{kernel,tasks}.h")
        if re.match(r"ops/.*_reference\.(cpp|h)$", file) and (re.match("(sim|tiling)/", name) or DEVICE_HEADER.match(name)):
            found.append(f"{file}: a reference includes {name}. It may not see the simulator, the tiling or the kernel")
    return found


def texts_of(root):
    """The texts of all files that are looked at, by path from the root."""
    files = [path for top in TOPS for end in ("h", "cpp") for path in (root / top).rglob(f"*.{end}")]
    files += (root / "tests").rglob("*.h")
    return {str(path.relative_to(root)): path.read_text() for path in sorted(files)}


if __name__ == "__main__":
    root = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    texts = texts_of(root)
    if not any(file.startswith(tuple(TOPS)) for file in texts):
        sys.exit(f"floors: no sources under {root}; its argument is to name the project's folder")
    offences = [line for file, text in texts.items() for line in offences_of(root, file, text)]
    if offences:
        sys.exit("\n".join([*offences, "floors: the includes above break the order"]))
    print(f"floors: {len(texts)} files keep the order {' < '.join(FLOORS)}")
