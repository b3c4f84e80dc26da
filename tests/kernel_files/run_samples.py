#!/usr/bin/env python3
"""Compiles and runs the samples of samples.txt, and looks at their exit codes and words.

    run_samples.py TILESIM WORK_FOLDER [ID...]
"""
import math
import pathlib
import shlex
import struct
import subprocess
import sys

FOLDER = pathlib.Path(__file__).resolve().parent


def rows():
    for line in (FOLDER / "samples.txt").read_text().splitlines():
        if line.strip() and not line.startswith("#"):
            cells = [cell.strip() for cell in line.split("|")]
            yield cells[:4] + ["|".join(line.split("|")[4:]).strip()]


def call(words, folder):
    done = subprocess.run(words, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300, check=False)
    return done.returncode, done.stdout.decode(errors="replace")


def options_in(text):
    """The options, with the files that they name as paths from anywhere."""
    words = shlex.split(text)
    return [str(FOLDER / word) if i > 0 and words[i - 1] == "-include" else word for i, word in enumerate(words)]


def sample(tilesim, work, row):
    """What is wrong with it; "" where nothing is."""
    name, sources, options, code = row[:4]
    folder = work / name
    folder.mkdir(parents=True, exist_ok=True)
    files = [str(FOLDER / source) for source in sources.split()]
    if code == "->":
        found, text = call([tilesim, "run", *files, *options_in(options), *with_expected(arguments(row[4]), folder)],
                           folder)
        return "" if found == 0 else f"exit code {found}, expected 0\n{text}"
    code, words = int(code), row[4]
    program = folder / "program"
    found, text = call([tilesim, "cc", *files, *options_in(options), "-o", str(program)], folder)
    if found == 0:
        generator = FOLDER / pathlib.Path(sources.split()[0]).parent / "scripts" / "gen_data.py"
        if generator.exists():
            call([sys.executable, str(generator)], folder)
        found, said = call([str(program)], folder)
        text += said
        verify = generator.with_name("verify_result.py")
        if found == 0 and verify.exists():
            found, said = call([sys.executable, str(verify), "output/output.bin", "output/golden.bin"], folder)
            text += said
    if found != code:
        return f"exit code {found}, expected {code}\n{text}"
    return "" if words in text else f"says nothing of \"{words}\":\n{text}"


def arguments(text):
    """The words of a command line; braces keep what is between them together and as it is."""
    words, depth, word = [], 0, ""
    for letter in text:
        depth += (letter == "{") - (letter == "}")
        if letter == " " and depth == 0:
            words += [word] if word else []
            word = ""
        else:
            word += letter
    return words + ([word] if word else [])


def half(value):
    """The number of fp16 that is nearest."""
    return struct.unpack("<e", struct.pack("<e", value))[0]


def with_expected(words, folder):
    """The words with a file in place of each formula: --expect z=3*i+1 becomes --expect z=expected_z.npy."""
    pairs = [(before, *word.split("=", 1)) for before, word in zip(words, words[1:]) if "=" in word]
    made = {name: how.split(":") for before, name, how in pairs if before == "--arg"}
    files = {}
    for before, name, formula in pairs:
        if before == "--expect":
            _, dtype, count = made[name]  # out:fp32:4096
            letter, descr = {"fp16": ("e", "<f2"), "fp32": ("f", "<f4")}[dtype]
            numbers = [eval(formula, {"math": math, "half": half, "i": i}) for i in range(int(count))]
            header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': ({count},), }}".ljust(117) + "\n"
            files[f"{name}={formula}"] = f"{name}=expected_{name}.npy"
            (folder / f"expected_{name}.npy").write_bytes(b"\x93NUMPY\1\0" + struct.pack("<H", len(header)) +
                                                          header.encode() + struct.pack(f"<{count}{letter}", *numbers))
    return [files.get(word, word) for word in words]


def main():
    tilesim, work, chosen = str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2]), sys.argv[3:]
    known = {row[0]: row for row in rows()}
    wrong = 0
    for name in chosen or known:
        what = sample(tilesim, work, known[name])
        print(f"{name}: {what or 'as expected'}", flush=True)
        wrong += what != ""
    print(f"{len(chosen or known) - wrong} of {len(chosen or known)} samples are as expected")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
