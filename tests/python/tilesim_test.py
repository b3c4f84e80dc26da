"""tilesim.py, the module beside the program: what it promises, sentence by sentence.

Found by PYTHONPATH; the program keeps what it compiles in $XDG_CACHE_HOME.
"""
import ast
import contextlib
import gc
import io
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import types
import unittest
import unittest.mock

import numpy as np

import tilesim

try:
    import ml_dtypes
except ImportError:
    ml_dtypes = None

HERE = pathlib.Path(__file__).resolve().parent
SAMPLES = HERE.parent / "kernel_files"
COPY = str(HERE / "copy.asc")
MODULE = pathlib.Path(tilesim.__file__)
N = 256


def program(*words):
    """The command line of the same program: its exit code and what it prints."""
    done = subprocess.run([MODULE.with_name("tilesim"), *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          check=False)
    return done.returncode, done.stdout.decode()


def floats(n=N):
    return np.arange(n, dtype=np.float32)


def cached():
    return set((pathlib.Path(os.environ["XDG_CACHE_HOME"]) / "tilesim/cc").iterdir())


class Module(unittest.TestCase):
    def test_is_one_file_of_at_most_300_lines_that_needs_numpy_alone(self):
        text = MODULE.read_text()
        self.assertLessEqual(len(text.splitlines()), 300)
        imported = {alias.name.split(".")[0] for node in ast.walk(ast.parse(text, feature_version=(3, 9)))
                    if isinstance(node, ast.Import) for alias in node.names}
        self.assertIn("numpy", imported)
        self.assertLessEqual(imported - {"numpy"}, set(sys.stdlib_module_names))

    def test_says_what_to_install_where_there_is_no_program(self):
        with tempfile.TemporaryDirectory() as folder:
            shutil.copy(MODULE, folder)
            done = subprocess.run([sys.executable, "-c", "import tilesim; tilesim.compile('add.asc')"], cwd=folder,
                                  env={**os.environ, "PATH": folder, "PYTHONPATH": folder}, stderr=subprocess.PIPE,
                                  check=False)
        self.assertIn(b"Refused: the program tilesim is neither beside", done.stderr)
        self.assertIn(b"nor in $PATH; install it", done.stderr)


class Compile(unittest.TestCase):
    def test_keeps_what_it_has_compiled(self):
        defines = {"UNUSED": os.getpid()}  # of this run, so that nothing is kept yet
        tilesim.compile(COPY, defines=defines)
        before = cached()
        k = tilesim.compile(COPY, defines=defines)
        k.copy_floats(floats(), floats(), N, blocks=1)
        self.assertEqual(cached(), before)

    def test_defines_are_those_of_the_compiler(self):
        k = tilesim.compile(COPY, defines={"TILE": N, "UNUSED": None})
        y = np.zeros(N, np.float32)
        k.copy_floats(floats(), y, N - 8, blocks=1)  # no whole tile
        self.assertFalse(y.any())

    def test_options_go_to_the_compiler(self):
        with self.assertRaisesRegex(tilesim.Refused, "TILE"):
            tilesim.compile(COPY, options=["-UTILE", "-DTILE=nothing"])

    def test_says_what_the_compiler_says(self):
        with self.assertRaisesRegex(tilesim.Refused, r"compile_error.asc:8:.*error(.|\n)*does not compile"):
            tilesim.compile(SAMPLES / "refused/compile_error.asc")

    def test_tells_the_kernels(self):
        k = tilesim.compile(COPY)
        self.assertIn("copy_floats(__gm__ float* x, __gm__ float* y, uint32_t n)", k.signatures)
        self.assertIn("copy_span", dir(k))
        with self.assertRaisesRegex(AttributeError, "no kernel is named 'copi_floats'; the kernels of .*copy_floats"):
            k.copi_floats


class Call(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.k = tilesim.compile(COPY)

    def test_writes_arrays_in_place(self):
        x, y = floats(), np.zeros(N, np.float32)
        self.k.copy_floats(x, y, np.int32(N), blocks=2)
        np.testing.assert_array_equal(y, x)

    def test_takes_parameters_by_name(self):
        x, y = floats(), np.zeros(N, np.float32)
        self.k.copy_floats(x, n=N, y=y, blocks=1)
        np.testing.assert_array_equal(y, x)
        with self.assertRaisesRegex(TypeError, "y is given twice; the kernel is copy_floats"):
            self.k.copy_floats(x, y, N, y=y)

    def test_takes_a_parameter_that_has_the_name_of_an_option_at_its_place(self):
        y = np.zeros(2, np.int32)
        self.k.count_blocks(y, np.int32(7), blocks=1)
        np.testing.assert_array_equal(y, [7, 1])
        with self.assertRaisesRegex(TypeError, "blocks is an option, too: give the parameter at its place, so that "
                                               "blocks= is the option; the kernel is count_blocks"):
            self.k.count_blocks(y, blocks=np.int32(7))

    def test_copies_arrays_that_are_not_contiguous_there_and_back(self):
        x, y = floats(2 * N)[::2], np.zeros((N, 3), np.float32)
        self.k.copy_floats(x, y[:, 1], N, blocks=1)
        np.testing.assert_array_equal(y, np.stack([0 * x, x, 0 * x], axis=1))

    def test_says_when_an_array_that_cannot_be_written_is_written(self):
        x, y = floats(), np.zeros(N, np.float32)
        x.flags.writeable = False
        self.k.copy_floats(x, y, N, blocks=1)
        np.testing.assert_array_equal(y, x)
        y = np.zeros(N, np.float32)
        y.flags.writeable = False
        with self.assertRaisesRegex(tilesim.Refused, "y cannot be written, and the kernel has written to it"):
            self.k.copy_floats(x, y, N, blocks=1)
        self.assertFalse(y.any())
        with self.assertRaisesRegex(tilesim.Refused, "y cannot be written, and the kernel has written to it"):
            self.k.copy_floats(x, tilesim.out(y), N, blocks=1)

    def test_refuses_arrays_that_hold_no_numbers(self):
        for array in [np.zeros(N, np.complex64), np.full(N, None), np.array(["a"] * N)]:
            with self.assertRaisesRegex(tilesim.Refused, "x, an array of .*, must hold numbers that a kernel takes"):
                self.k.copy_floats(array, np.zeros(N, np.float32), N, blocks=1)

    def test_takes_scalars_of_python_and_numpy(self):
        y = np.zeros(4)
        self.k.scalars(y, 2.5, -7, 2**63, True, blocks=1)
        np.testing.assert_array_equal(y, [2.5, -7, 2.0**63, 1])
        self.k.scalars(y, np.float32(0.1), np.int8(-3), np.uint32(5), np.bool_(False), blocks=1)
        np.testing.assert_array_equal(y, [np.float32(0.1), -3, 5, 0])

    def test_takes_views_that_share_no_element(self):
        both = np.stack([floats(), np.zeros(N, np.float32)], axis=1)
        self.k.copy_floats(both[:, 0], both[:, 1], N, blocks=1)
        np.testing.assert_array_equal(both[:, 1], floats())

    def test_takes_structs_as_dicts_by_value_and_in_gm(self):
        x, y = floats(), np.zeros(N, np.float32)
        self.k.copy_span(x, y, {"begin": np.uint32(64), "count": 128}, blocks=1)
        np.testing.assert_array_equal(y[:128], x[64:192])
        n = 8 * 2048
        x, y, z = floats(n), np.ones(n, np.float32), np.zeros(n, np.float32)
        add = tilesim.compile(SAMPLES / "add.asc")  # which has a main of its own
        result = add.add_custom(x, y, z, {"total": n, "tile": 512}, blocks=8)
        np.testing.assert_array_equal(z, x + y)
        self.assertEqual(result.row["cores"], 8)

    def test_gives_one_memory_to_two_parameters_that_are_given_one_array(self):
        n = 8 * 2048
        x, y = floats(n), np.ones(n, np.float32)
        add = tilesim.compile(SAMPLES / "add.asc")
        add.add_custom(x, y, y, {"total": n, "tile": 512}, blocks=8)
        np.testing.assert_array_equal(y, x + 1)

    def test_takes_a_str_as_the_command_line_does(self):
        n = 4096
        tiling = {"count": n, "tile": {"length": 256, "buffers": 2}, "a": 3.0, "spare": np.array([7, 8])}
        z = np.zeros(n, np.float32)
        axpy = tilesim.compile(SAMPLES / "axpy.cpp")
        axpy.axpy("arange:fp32:4096", np.ones(n, np.float32), z, "workspace:64", tiling, blocks=4)
        np.testing.assert_array_equal(z, 3 * floats(n) + 1)

    def test_takes_fp16_by_a_template(self):
        x, y = np.arange(N, dtype=np.float16), np.zeros(N, np.float16)
        self.k["copy<half>"](x, y, N, blocks=1)
        np.testing.assert_array_equal(y, x)
        with self.assertRaisesRegex(tilesim.Refused, "'copy' is a template, <class T>; give its arguments"):
            self.k["copy"]

    @unittest.skipUnless(ml_dtypes, "ml_dtypes is not installed")
    def test_takes_bf16_of_ml_dtypes(self):
        x = np.arange(N).astype(ml_dtypes.bfloat16)
        y = np.zeros_like(x)
        self.k["copy<bfloat16_t>"](x, y, N, blocks=1)
        np.testing.assert_array_equal(y, x)

    def test_takes_tensors_of_torch(self):
        class Tensor:  # what of torch's is used
            def __init__(self, array, dtype):
                self.array, self.dtype = array, dtype

            def detach(self):
                return self

            def view(self, dtype):
                return Tensor(self.array.view(np.int16), dtype)

            def numpy(self):
                if str(self.dtype) == "torch.bfloat16":
                    raise TypeError("Got unsupported ScalarType BFloat16")
                return self.array

        x, y = floats(), np.zeros(N, np.float32)
        self.k.copy_floats(Tensor(x, "torch.float32"), Tensor(y, "torch.float32"), N, blocks=1)
        np.testing.assert_array_equal(y, x)
        x, y = np.arange(N, dtype=np.uint16), np.zeros(N, np.uint16)  # bits of bf16
        sys.modules["torch"] = types.SimpleNamespace(int16="torch.int16")
        try:
            self.k["copy<bfloat16_t>"](Tensor(x, "torch.bfloat16"), Tensor(y, "torch.bfloat16"), N, blocks=1)
        finally:
            del sys.modules["torch"]
        np.testing.assert_array_equal(y, x)

    def test_tells_what_is_never_written_of_an_array_that_is_out(self):
        x, y = floats(), np.ones(N, np.float32)
        result = self.k.copy_floats(x, tilesim.out(y), N - 64, blocks=1)
        np.testing.assert_array_equal(y[: N - 64], x[: N - 64])
        self.assertIn("y: no core has written 256 of its 1024 bytes", "\n".join(result.row["notices"]))
        with self.assertRaisesRegex(tilesim.KernelFault, "GM buffer x"):
            self.k.copy_floats(tilesim.out(x), y, N, blocks=1)

    def test_raises_the_programs_words_alone_where_an_array_that_is_out_is_not_written_at_all(self):
        x, y = floats(), np.ones(N, np.float32)
        with contextlib.redirect_stderr(io.StringIO()), self.assertRaises(RuntimeError) as caught:
            self.k.copy_floats(x, tilesim.out(y), 0, blocks=1)
        self.assertEqual(str(caught.exception),
                         "an output was not written: tilesim: y: the kernel has not written bytes [0, 1024) of 1024")
        np.testing.assert_array_equal(y, np.ones(N, np.float32))
        with contextlib.redirect_stderr(io.StringIO()):
            result = self.k.copy_floats(x, tilesim.out(y), 0, blocks=1, check=False)
        self.assertEqual((result.row["verdict"], result.faults), ("mismatch", []))

    def test_tells_on_stderr_what_a_count_leaves_out(self):
        x, y = floats(), np.zeros(N, np.float32)
        with contextlib.redirect_stderr(io.StringIO()) as said:
            tilesim.compile(COPY, {"TILE": 61}).copy_floats(x, y, 61, blocks=1)
        self.assertIn("leaves out the last bytes of its count", said.getvalue())

    def test_speaks_of_parameters_where_the_command_line_speaks_of_options(self):
        with self.assertRaises(tilesim.Refused) as caught:
            self.k.copy_floats(floats(), "zeros:fp32", N, blocks=1)
        self.assertNotIn("--", str(caught.exception))
        self.assertIn("parameter y: ", str(caught.exception))

    def test_takes_options_of_the_command_line(self):
        x, y = floats(), np.zeros(N, np.float32)
        result = self.k.copy_floats(x, y, N, blocks=1)
        other = self.k.copy_floats(x, y, N, blocks=1, soc="ascend910b3", strict_sync=True, set={"chip.clock_mhz": 900})
        self.assertEqual(other.row["soc"], "ascend910b3")
        self.assertAlmostEqual(other.time_us - result.time_us, other.cycles / 900 - result.cycles / 1800)
        with self.assertRaisesRegex(tilesim.Refused, "unknown option 'blocs'; did you mean blocks\\? `tilesim run --help` lists all"):
            self.k.copy_floats(x, y, N, blocs=1)

    def test_computes_no_values_in_mode_timing(self):
        x, y = floats(), np.ones(N, np.float32)
        cycles = self.k.copy_floats(x, y, N, blocks=1).cycles
        y[:] = 1
        self.assertEqual(self.k.copy_floats(x, y, N, blocks=1, mode="timing").cycles, cycles)
        np.testing.assert_array_equal(y, 1)


class ResultOfACall(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.x = str(pathlib.Path(cls.folder.name) / "x.npy")
        np.save(cls.x, floats())
        cls.result = tilesim.compile(COPY).copy_floats(floats(), np.zeros(N, np.float32), N, blocks=2)
        code, text = program("run", COPY, "--kernel", "copy_floats", "--blocks", "2", "--arg", f"x={cls.x}", "--arg",
                             f"y=inout:{cls.x}", "--arg", f"n=int32:{N}", "--format", "json")
        assert code == 0, text
        cls.printed = text.splitlines()[:-1]
        cls.row = json.loads(text.splitlines()[-1])

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_has_the_row_of_the_command_line(self):
        result = self.result
        self.assertEqual({**result.row, "host_ms": 0}, {**self.row, "host_ms": 0})
        self.assertEqual(result.rows, [result.row])
        self.assertGreater(result.cycles, 0)
        self.assertEqual((result.cycles, result.time_us), (self.row["cycles"], self.row["time_us"]))
        self.assertEqual(result.faults, [])

    def test_has_what_the_kernel_printed(self):
        self.assertEqual(self.result.output.splitlines(), self.printed)
        self.assertIn("[AIV Block 1/2] block 1 of 2", self.printed)

    def test_is_explained(self):
        text = self.result.explain()
        self.assertTrue(text.startswith("copy_floats#1: the busiest core"))
        self.assertRegex(text, rf"all +AIV 0 +{self.result.cycles} ")

    def test_is_reported_and_traced_in_files(self):
        page, trace = (pathlib.Path(self.folder.name) / name for name in ("copy.html", "copy.json"))
        self.result.report(page)
        self.assertTrue(page.read_text().startswith("<!DOCTYPE html>"))
        self.assertIn("copy_floats#1", page.read_text())
        self.result.trace(trace)
        self.assertGreater(json.loads(trace.read_text())["otherData"]["events"], 0)

    def test_leaves_no_file_behind(self):
        with tempfile.TemporaryDirectory() as own, unittest.mock.patch("tempfile.tempdir", own):  # others run beside
            result = tilesim.compile(COPY).copy_floats(floats(), np.zeros(N, np.float32), N, blocks=1)
            self.assertTrue(any((made / "x.npy").exists() for made in pathlib.Path(own).glob("tilesim-*")))
            del result
            gc.collect()
            self.assertEqual(list(pathlib.Path(own).iterdir()), [])


class Refusal(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.k = tilesim.compile(COPY)

    def refused(self, words, call):
        with self.assertRaises(tilesim.Refused) as caught:
            call()
        self.assertIn(words, str(caught.exception))
        self.assertIn("; the kernel is copy_", str(caught.exception))

    def test_of_an_array_names_the_kernel_with_its_parameters(self):
        x, y = floats(), np.zeros(N, np.float32)
        self.refused("x: the array is of fp16, the parameter is __gm__ float*",
                     lambda: self.k.copy_floats(x.astype(np.float16), y, N))
        self.refused("x, an array of complex64, must hold numbers that a kernel takes", lambda: self.k.copy_floats(x.astype(np.complex64), y, N))
        self.refused("span: has 4 bytes, the parameter __gm__ Span* points to 8",
                     lambda: self.k.copy_span(x, y, np.zeros(1, np.uint32)))
        self.refused("x: the array has no elements", lambda: self.k.copy_floats(x[:0], y, N))
        self.refused("n: the parameter is a uint32_t by value, no array", lambda: self.k.copy_floats(x, y, floats()))
        self.refused("y is a list; give an array", lambda: self.k.copy_floats(x, [0.0], N))

    def test_of_memory_that_two_share_in_part(self):
        x, y = floats(2 * N), np.zeros(N, np.float32)
        words = "x and y share memory, and one is written; give both one writeable array, no out(), or a copy"
        self.refused(words, lambda: self.k.copy_floats(x[:N], x[N - 1:-1], N))
        self.refused(words, lambda: self.k.copy_floats(y, tilesim.out(y), N))
        self.refused(words, lambda: self.k.copy_floats(tilesim.out(y), y, N))
        read_only = y.view()
        read_only.flags.writeable = False
        self.refused(words, lambda: self.k.copy_floats(read_only, y, N))
        self.k.copy_floats(read_only, read_only, N, blocks=1)
        self.k.copy_floats(y, y, N, blocks=1)
        self.k.copy_floats(x[:N], x[N:], N, blocks=1)
        np.testing.assert_array_equal(x[N:], floats())

    def test_of_anything_else_does_too(self):
        x, y = floats(), np.zeros(N, np.float32)
        self.refused("n is missing", lambda: self.k.copy_floats(x, y))
        self.refused("n: is fp64:..., the parameter is uint32_t", lambda: self.k.copy_floats(x, y, 2.5))
        self.refused("the struct has no field end", lambda: self.k.copy_span(x, y, {"begin": 0, "end": 8}))
        with self.assertRaisesRegex(TypeError, "4 arguments; the kernel is copy_floats"):
            self.k.copy_floats(x, y, N, 8)


class Fault(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.k = tilesim.compile(SAMPLES / "planted_bug.asc", defines={"FORGET_THE_FLAG": None})

    def test_raises_the_text_of_the_command_line(self):
        code, text = program("run", str(SAMPLES / "planted_bug.asc"), "-DFORGET_THE_FLAG", "--kernel", "absolute",
                             "--arg", "x=ones:fp32:1024", "--arg", "y=ones:fp32:1024", "--arg", "count=int32:1024",
                             "--blocks", "1")
        self.assertEqual(code, 3)
        y = np.full(1024, 5, np.float32)
        with self.assertRaises(tilesim.KernelFault) as caught:
            self.k.absolute(np.ones(1024, np.float32), y, 1024, blocks=1)
        for line in str(caught.exception).splitlines():
            self.assertIn(line, text)
        self.assertIn("needs SetFlag/WaitFlag<MTE2_V> between them", str(caught.exception))
        self.assertEqual(len(caught.exception.faults), 2)
        self.assertEqual(caught.exception.result.row["verdict"], "hazard")
        np.testing.assert_array_equal(y, 5)  # nothing is written then

    def test_is_only_told_without_check(self):
        x, y = -np.ones(1024, np.float32), np.zeros(1024, np.float32)
        result = self.k.absolute(x, y, 1024, blocks=1, check=False)
        self.assertEqual(len(result.faults), 2)
        self.assertIn("planted_bug.asc:28", result.faults[0])
        np.testing.assert_array_equal(y, 1)

    def test_of_a_crash_has_the_text_of_the_command_line(self):
        k = tilesim.compile(COPY)
        x = floats()
        with self.assertRaisesRegex(
            tilesim.KernelFault, r"AIV 0, crash, .*:\d+: \[crash\] a segmentation fault at address 0x10 in the kernel's own code"
        ) as caught:
            k.crash(x, 16, blocks=1)
        self.assertEqual(caught.exception.faults, [str(caught.exception)])
        self.assertEqual(caught.exception.result.row["verdict"], "fault")
        result = k.crash(x, 16, blocks=1, check=False)
        self.assertEqual(result.faults, [str(caught.exception)])
        np.testing.assert_array_equal(x, floats())  # as it was

    def test_of_an_array_that_is_smaller_than_what_the_kernel_reads_names_it(self):
        with self.assertRaisesRegex(tilesim.KernelFault, "GM buffer x pass the end .* the buffer has 2048"):
            self.k.absolute(np.ones(512, np.float32), np.zeros(1024, np.float32), 1024, blocks=1)


class Tune(unittest.TestCase):
    @staticmethod
    def copy(k):
        y = np.zeros(N, np.float32)
        k.copy_floats(floats(), y, N, blocks=1)
        return np.array_equal(y, floats())

    def test_puts_the_best_first_and_the_wrong_last(self):
        # 48 does not divide, 100000 is more than UB holds, nothing() is no number
        tuned = tilesim.tune(COPY, vary={"TILE": [64, 48, 256, 100000, "nothing()"]}, run=self.copy)
        self.assertEqual(tuned.best, {"TILE": 256})
        self.assertEqual([trial.defines["TILE"] for trial in tuned[:2]], [256, 64])
        self.assertLess(tuned[0].time_us, tuned[1].time_us)
        why = {trial.defines["TILE"]: trial.why_not for trial in tuned}
        self.assertEqual((why[256], why[64], why[48]), ("", "", "run() says that it is wrong"))
        self.assertIn("KernelFault: ", why[100000])
        self.assertIn("does not compile", why["nothing()"])
        self.assertIn("TILE': 256}: ", repr(tuned[0]))

    def test_takes_what_run_raises_as_wrong_and_a_fault_that_it_does_not_look_at(self):
        def run(k):
            if k.options == ["-DTILE=256"]:
                raise AssertionError("not close")
            k.copy_floats(floats(), np.zeros(N, np.float32), N, blocks=1, check=False)

        tuned = tilesim.tune(COPY, vary={"TILE": [100000, 256, 64]}, run=run)
        self.assertEqual(tuned.best, {"TILE": 64})
        self.assertEqual(sorted(trial.why_not[:28] for trial in tuned[1:])[1], "AssertionError: not close")

    def test_is_never_worse_than_the_default(self):
        def run(k):  # as fast, whatever it is
            k.copy_floats(floats(), np.zeros(N, np.float32), 0, blocks=1)

        self.assertEqual(tilesim.tune(COPY, vary={"TILE": [64, 256]}, run=run).best, {"TILE": 64})

    def test_has_no_best_where_nothing_is_right(self):
        tuned = tilesim.tune(COPY, vary={"TILE": [64]}, run=lambda k: None)
        with self.assertRaisesRegex(RuntimeError, "no combination is right: .*run.. has launched no kernel"):
            tuned.best


if __name__ == "__main__":
    unittest.main()
