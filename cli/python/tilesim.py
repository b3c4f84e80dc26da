"""Runs kernels of Ascend C files on a simulated AI core, with numpy arrays as their GM memory.

    import numpy as np, tilesim
    k = tilesim.compile("add.asc", defines={"TILE": 256})
    r = k.add_custom(x, y, z, np.int32(n), blocks=8)       # z is computed in place
    r.cycles, r.time_us, r.faults, r.rows; print(r.explain()); r.report("add.html"); r.trace("add.json")

The program `tilesim` beside this file, else in $PATH, does everything; a file that has not changed is compiled once.
"""
import concurrent.futures
import itertools
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import weakref

import numpy as np

__all__ = ["compile", "tune", "out", "Kernels", "Kernel", "Result", "Tuned", "Trial", "Refused", "KernelFault"]
_OF_LAUNCH = ("blocks", "soc", "set", "cores", "mode", "threads", "strict_sync", "watchdog", "tiling_key")


class Refused(ValueError):
    """What the program does not take, with its words: what was found, what is allowed, the mend."""


class KernelFault(RuntimeError):
    """A kernel that broke a rule of the device, or crashed. The text is that of the command line."""

    def __init__(self, message, result):
        super().__init__(message)
        self.result, self.faults = result, result.faults


class out:
    """An array that the kernel only writes: what it reads there before that, or never writes, is told."""

    def __init__(self, array):
        self.array = array


def _program():
    beside = pathlib.Path(__file__).absolute().with_name("tilesim")
    program = str(beside) if os.access(beside, os.X_OK) else shutil.which("tilesim")
    if program is None:
        raise Refused(f"the program tilesim is neither beside {__file__} nor in $PATH; install it, or add its folder")
    return program


def _call(words):
    """What the program says on standard output and error. A kernel's fault (3), or an unwritten output (1), is no failure here."""
    done = subprocess.run([_program(), *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    said = done.stderr.decode(errors="replace").replace("--arg ", "parameter ")
    said = re.sub(r"(?<![\w,-])--(?!help)([a-z][a-z-]*)", lambda option: option[1].replace("-", "_"), said)  # keywords here
    if done.returncode == 2:
        raise Refused(said.strip())
    if done.returncode not in (0, 1, 3):
        raise RuntimeError(f"tilesim {' '.join(words)} ended with {done.returncode}: {said.strip()}")
    return done.stdout.decode(errors="replace"), said


def _options(options):
    """soc="ascend910b3", strict_sync=True, set={"key": 1}: as words of the command line."""
    words = []
    for name, value in options.items():
        option = "--" + name.replace("_", "-")
        if isinstance(value, dict):
            value = [f"{key}={one}" for key, one in value.items()]
        for one in value if isinstance(value, (list, tuple)) else [value]:
            if one is True:
                words.append(option)
            elif one is not None and one is not False:
                words += [option, str(one)]
    return words


def compile(file, defines=None, options=()):
    """The kernels of a source file. `defines`: {"TILE": 256} is -DTILE=256, None a name without a value;
    `options`: more words for the compiler, such as "-Iinclude"."""
    words = [f"-D{name}" if value is None else f"-D{name}={value}" for name, value in (defines or {}).items()]
    return Kernels(os.path.abspath(file), words + list(options))


class Kernels:
    """The kernels of a file: k.add_custom, k["demo::scale<half, 2>"]."""

    def __init__(self, file, options):
        self.file, self.options = file, options
        listed, said = _call(["list", "kernels", file, *options, "--format", "json"])
        sys.stderr.write(said)
        self._rows = [json.loads(line) for line in listed.splitlines()]
        self.signatures = [row["signature"] for row in self._rows]
        self._watch = None  # a list that each Result goes to

    def __getitem__(self, name):
        plain = name.split("<")[0].strip()
        found = [row for row in self._rows if row["kernel"] == plain]
        found = found or [row for row in self._rows if row["kernel"].split("::")[-1] == plain]
        if len(found) != 1:
            what = "more than one kernel is" if found else "no kernel is"
            raise Refused(f"{what} named {name!r}; the kernels of {self.file} are {'; '.join(self.signatures)}")
        if found[0]["template"] and "<" not in name:
            raise Refused(f"{name!r} is a template, {found[0]['template']}; give its arguments: k[\"{plain}<...>\"]")
        return Kernel(self, name, found[0])

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        try:
            return self[name]
        except Refused as error:
            raise AttributeError(str(error)) from None

    def __dir__(self):
        return [*super().__dir__(), *(row["kernel"].split("::")[-1] for row in self._rows)]


class Kernel:
    """A kernel that can be called. A parameter takes a numpy array or a torch tensor on the CPU (GM memory,
    written in place), a scalar, a dict (a struct), or a str: what stands behind --arg NAME= of the command line."""

    def __init__(self, kernels, name, row):
        self._kernels, self._name, self.signature = kernels, name, row["signature"]
        self.parameters = row["parameters"].split(",") if row["parameters"] else []

    def __call__(self, *arguments, check=True, **options):
        """Options of `tilesim run` are keywords: blocks, soc, set, cores, mode, threads, strict_sync, watchdog, tiling_key."""
        if len(arguments) > len(self.parameters):
            raise TypeError(f"{len(arguments)} arguments; the kernel is {self.signature}")
        named = dict(zip(self.parameters, arguments))
        for name in [name for name in self.parameters if name in options and (name in named) != (name in _OF_LAUNCH)]:
            what = "given twice" if name in named else f"an option, too: give the parameter at its place, so that {name}= is the option"
            raise TypeError(f"{name} is {what}; the kernel is {self.signature}")
        named.update({name: options.pop(name) for name in self.parameters if name in options and name not in named})
        try:
            result = Result(self._kernels, self._name, named, options)
        except Refused as error:
            raise Refused(str(error) + f"; the kernel is {self.signature}" * ("the kernel is" not in str(error))) from None
        if self._kernels._watch is not None:
            self._kernels._watch.append(result)
        if check and result.faults:
            raise KernelFault(result.row["message"], result)
        if check and result.row["verdict"] == "mismatch":
            raise RuntimeError(f"{result.row['message']}: {result._said}")
        result._write_back()
        return result


def _bits(value):
    """The numpy array of an array or tensor, bf16 as uint16; nothing is copied."""
    if hasattr(value, "detach"):  # a tensor of torch
        value = value.detach()
        if str(value.dtype) == "torch.bfloat16":  # numpy has none
            return value.view(sys.modules["torch"].int16).numpy().view(np.uint16)
        return value.numpy()
    return value.view(np.uint16) if isinstance(value, np.ndarray) and value.dtype.name == "bfloat16" else value


def _scalar(value):
    """The word of a scalar, such as int32:5; None where it is none."""
    if isinstance(value, (bool, np.bool_)):
        return f"bool:{int(value)}"
    if isinstance(value, int):
        return f"{'int64' if value < 2**63 else 'uint64'}:{value}"
    if isinstance(value, float):
        return f"fp64:{value!r}"
    if isinstance(value, np.generic):
        return f"{value.dtype.name}:{int(value) if value.dtype.kind in 'iu' else float(value)!r}"
    return None


class Result:
    """What came of a call: `rows` has the columns of `tilesim run --format json`, `output` what the kernel printed."""

    def __init__(self, kernels, kernel, arguments, options):
        self._folder = tempfile.mkdtemp(prefix="tilesim-")  # the arrays as they were before the call
        weakref.finalize(self, shutil.rmtree, self._folder, ignore_errors=True)
        self._arrays, self._only_written = {}, set()
        mode = options.pop("mode", "full")
        self._has_values = mode != "timing"
        self._words = [kernels.file, *kernels.options, "--kernel", kernel, "--quiet", *_options(options)]
        for name, value in arguments.items():
            self._words += ["--arg", f"{name}={self._word(name, value)}"]
        text, said = _call(["run", *self._words, "--mode", mode, "--output", self._path("out"), "--format", "json"])
        if (row := text.rfind('{"id":')) < 0:  # the kernel may have printed before
            raise RuntimeError(f"{kernel} was not run: {said.strip()}")
        sys.stderr.write(said)
        self._said = said.strip()
        self.output = text[:row]
        self.row = json.loads(text[row:])
        self.rows = [self.row]
        self.cycles, self.time_us, self.faults = (self.row[name] for name in ("cycles", "time_us", "faults"))

    def _path(self, name):
        return os.path.join(self._folder, name)
    def _word(self, name, value):
        if isinstance(value, str):
            return value
        if isinstance(value, dict):
            return "struct:" + json.dumps(value, default=lambda one: one.tolist())
        if (scalar := _scalar(value)) is not None:
            return scalar
        array = _bits(value.array if (only_written := isinstance(value, out)) else value)
        if not isinstance(array, np.ndarray):
            raise Refused(f"{name} is a {type(value).__name__}; give an array, a tensor, a scalar, a dict or a str")
        for other, known in self._arrays.items():
            if (array.flags.writeable or known.flags.writeable) and np.shares_memory(array, known):
                plain = known.flags.writeable and not only_written and other not in self._only_written
                if plain and known.__array_interface__ == array.__array_interface__:
                    return "same:" + other
                raise Refused(f"{other} and {name} share memory, and one is written; give both one writeable array, no out(), or a copy")
        if array.dtype.kind not in "biuf":
            raise Refused(f"{name}, an array of {array.dtype}, must hold numbers that a kernel takes")
        self._arrays[name] = array
        if only_written:
            self._only_written.add(name)
            return f"out:{array.dtype.name}:{array.size}"
        np.save(path := self._path(name + ".npy"), np.ascontiguousarray(array).reshape(-1))
        return "inout:" + path

    def _write_back(self):
        """Puts what the kernel has computed into the caller's arrays; nothing after a crash."""
        for name, array in self._arrays.items():
            path = os.path.join(self._path("out"), name + ".npy")
            if self._has_values and (not self.faults or os.path.exists(path)):
                computed = np.load(path).reshape(array.shape)
                if array.flags.writeable:
                    array[...] = computed
                elif computed.tobytes() != array.tobytes():
                    self._arrays[name] = None
        if lost := [name for name, array in self._arrays.items() if array is None]:
            raise Refused(f"{', '.join(lost)} cannot be written, and the kernel has written to it; give a copy")
        self._arrays.clear()

    def _again(self, command):
        return _call([command, *self._words])[0]

    def explain(self):
        """Why it takes as long as it does, as a table; print it."""
        return self._again("explain")[len(self.output):]

    def report(self, file):
        """Writes the page of the call, in HTML."""
        pathlib.Path(file).write_text(self._again("report"), encoding="utf-8")

    def trace(self, file):
        """Writes the timeline of the call, for Perfetto."""
        pathlib.Path(file).write_text(self._again("trace"), encoding="utf-8")


class Trial:
    """A combination of `tune`: time_us of all its launches, or why it cannot win."""

    def __init__(self, defines):
        self.defines, self.time_us, self.why_not = defines, None, ""

    def __repr__(self):
        return f"{self.defines}: {self.why_not or f'{self.time_us:.3f} us'}"


class Tuned(list):
    """The trials, best first, then those that cannot win."""

    @property
    def best(self):
        """The defines of the best; raises where no trial was right."""
        if self[0].why_not:
            raise RuntimeError(f"no combination is right: {self!r}")
        return self[0].defines


def tune(file, vary, run, defines=None, options=()):
    """Compiles the file with each combination of `vary` and calls run(kernels), which launches them and looks at
    what they compute: what it raises, a fault, or False means that the combination is wrong. The first values are
    the default: nothing that takes as long or longer comes before them."""
    trials = [Trial(dict(zip(vary, values))) for values in itertools.product(*vary.values())]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        built = [pool.submit(compile, file, {**(defines or {}), **trial.defines}, options) for trial in trials]
    for trial, future in zip(trials, built):
        try:
            kernels = future.result()
            kernels._watch = results = []
            right = run(kernels)
            faults = [result.row["message"] for result in results if result.faults]
            if faults:
                trial.why_not = faults[0]
            elif right is not None and not right:
                trial.why_not = "run() says that it is wrong"
            elif not results:
                trial.why_not = "run() has launched no kernel"
            else:
                trial.time_us = sum(result.time_us for result in results)
        except Exception as error:
            trial.why_not = f"{type(error).__name__}: {error}"
    return Tuned(sorted(trials, key=lambda trial: (trial.why_not != "", trial.time_us or 0)))
