#!/usr/bin/env python3
"""Compares two files of halves: verify_result.py OUTPUT GOLDEN."""
import struct
import sys


def halves(path):
    with open(path, "rb") as file:
        raw = file.read()
    return struct.unpack(f"<{len(raw) // 2}e", raw)


def main():
    output, golden = halves(sys.argv[1]), halves(sys.argv[2])
    wrong = sum(not abs(a - b) <= 1e-3 * abs(b) + 1e-5 for a, b in zip(output, golden))
    if len(output) != len(golden) or wrong > 1e-4 * len(golden):
        print(f"[ERROR] {wrong} of {len(golden)} elements differ")
        return 1
    print("test pass!")
    return 0


if __name__ == "__main__":
    sys.exit(main())
