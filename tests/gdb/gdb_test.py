"""Compiles samples with debug information, stops in their kernels and looks at what gdb shows of the tensors.

    gdb_test.py TILESIM GDB_SCRIPT WORK_FOLDER
"""
import os
import pathlib
import re
import subprocess
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
SAMPLES = HERE.parent / "kernel_files"
TILESIM, SCRIPT, WORK = sys.argv[1:4]


def line_of(source, text):
    return 1 + [text in line for line in source.read_text().splitlines()].index(True)


def shown(source, before, tensors):
    """What gdb prints of each tensor where a core stops first, at the line that holds `before`."""
    pathlib.Path(WORK).mkdir(parents=True, exist_ok=True)
    program = pathlib.Path(WORK) / source.stem
    subprocess.run([TILESIM, "cc", "-g", "-O0", str(source), "-o", str(program)], check=True)
    words = ["set pagination off", "set print elements 4", f"break {source.name}:{line_of(source, before)}",
             "run", *(f"print {tensor}" for tensor in tensors)]
    done = subprocess.run(["gdb", "-batch", "-nx", "-x", SCRIPT, *(f"-ex={word}" for word in words), str(program)],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120, check=False,
                          env={**os.environ, "TILESIM_OPTIONS": "--threads 1"})
    text = done.stdout.decode()
    found = re.findall(r"^\$\d+ = (.*)$", text, re.MULTILINE)
    assert len(found) == len(tensors), text
    return found


class Gdb(unittest.TestCase):
    def test_shows_memory_extent_and_values_of_a_vector_kernel(self):
        x, y, z, x_gm, z_gm = shown(SAMPLES / "add.asc", "AscendC::Add(z, x, y", ["x", "y", "z", "x_", "z_"])
        number = r"-?[\d.]+"
        self.assertRegex(x, rf"^LocalTensor<float> in UB, bytes \[0, 2048\), 512 elements = {{{number}, {number}")
        begin = float(re.search(r"{([-\d.]+)", x)[1])
        self.assertIn(f"{{{begin:g}, {begin + 0.5:g}, {begin + 1:g}, {begin + 1.5:g}...}}", x)
        self.assertIn(f"bytes [4096, 6144), 512 elements = {{{1 - begin / 2:g}, {1 - (begin + 0.5) / 2:g}, ", y)
        self.assertTrue(z.endswith("in UB, bytes [8192, 10240), 512 elements, no instruction has touched those from [0] on"))
        self.assertRegex(x_gm, rf"^GlobalTensor<float> in GM, at 0x[0-9a-f]+, 2048 elements = {{{begin:g}, ")
        self.assertIn("2048 elements = {-26711958, -26711958, -26711958, -26711958...}", z_gm)

    def test_shows_the_memories_of_a_cube_kernel(self):
        a1, b1, a2, b2, c = shown(SAMPLES / "cube_matmul.asc", "a2_.FreeTensor(a2)", ["a1", "b1", "a2", "b2", "c"])
        self.assertEqual(a1, "LocalTensor<tilesim::Half> in L1, bytes [0, 8192), 4096 elements = {-2, -1, 0, 1...}")
        self.assertEqual(a2, "LocalTensor<tilesim::Half> in L0A, bytes [0, 8192), 4096 elements = {-2, -1, 0, 1...}")
        self.assertEqual(b1, "LocalTensor<tilesim::Half> in L1, bytes [16384, 24576), 4096 elements = {-1, 0, 1, -1...}")
        # a fractal of B is transposed on its way
        self.assertEqual(b2, "LocalTensor<tilesim::Half> in L0B, bytes [0, 8192), 4096 elements = {-1, -1, -1, -1...}")
        self.assertEqual(c, "LocalTensor<float> in L0C, bytes [0, 16384), 4096 elements = {2, 0, -2, 2...}")

    def test_shows_other_types_and_tensors_without_a_size_or_an_origin(self):
        half, bf16, int4, trait, unsized, never, none = shown(
            HERE / "tensors.asc", "PipeBarrier<PIPE_ALL>",
            ["halves", "bf16s", "nibbles", "with_trait", "unsized", "never", "none"])
        self.assertEqual(half, "LocalTensor<tilesim::Half> in UB, bytes [0, 64), 32 elements = {1.5, 1.5, 1.5, 1.5...}")
        self.assertEqual(bf16, 
                         "LocalTensor<tilesim::BFloat16> in UB, bytes [0, 64), 32 elements = {0.125, 0.125, 0.125, 0.125...}")
        self.assertIn("in UB, bytes [0, 64), 128 elements = {0, 0, -2, 3...}", int4)
        self.assertEqual(trait, half)
        self.assertRegex(unsized, r"GlobalTensor<float> in GM, at 0x[0-9a-f]+, its size is not set, the first 8 = {0, 1, 2, 3...}")
        self.assertEqual(never, "LocalTensor<float> of no queue or buffer")
        self.assertEqual(none, "GlobalTensor<float> without an address")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[4:], verbosity=2)
