#!/usr/bin/env python3
"""Writes the inputs of scale.asc, and what it is to compute, below the current folder."""
import os
import struct


def main():
    x = [(7 * i) % 61 - 30 for i in range(8 * 1024)]
    bias = [i % 5 for i in range(256)]
    golden = [3 * value + bias[i % len(bias)] for i, value in enumerate(x)]
    for folder in ("input", "output"):
        os.makedirs(folder, exist_ok=True)
    for path, numbers in (("input/input_x.bin", x), ("input/input_bias.bin", bias), ("output/golden.bin", golden)):
        with open(path, "wb") as file:
            file.write(struct.pack(f"<{len(numbers)}e", *numbers))


if __name__ == "__main__":
    main()
