#!/usr/bin/env python3
"""Compiles each line of a list of calls with each of its types, and says which do not compile.

usage: check_calls.py calls|absent LIST COMPILER INCLUDE... [--numbers DOCUMENT]
       check_calls.py listed LIST PROGRAM
  calls    every line compiles; --numbers: DOCUMENT has the table of how many there are, as printed
  absent   no line compiles, and the compiler's message names the call, or the rule that a line of CODE breaks
  listed   `PROGRAM list instructions` names each call of the sections of computation and moves, and no others
"""
import collections
import concurrent.futures
import csv
import os
import re
import subprocess
import sys
import tempfile


def split(text):
    """The parts of `text` between its outermost commas."""
    parts, depth, part = [], 0, ''
    for c in text:
        depth += (c in '<([{') - (c in '>)]}')
        if c == ',' and depth == 0:
            parts.append(part.strip())
            part = ''
        else:
            part += c
    return parts + [part.strip()] if part.strip() else parts


def argument(of, name):
    """An expression of the type `of`; arrays are declared before, as `name`."""
    tensor = re.fullmatch(r'([LG])<(\w+)>', of)
    if tensor:
        return '', f'{tensor[1]}<{tensor[2]}>()'
    reference = re.fullmatch(r'([LG])<(\w+)>&', of)
    if reference:
        return '', f"In<{'Local' if reference[1] == 'L' else 'Global'}Tensor<{reference[2]}>&>()"
    array = re.fullmatch(r'L<(\w+)>\[(\d+)\]', of)
    if array:
        return f'LocalTensor<{array[1]}> {name}[{array[2]}]; ', name
    return '', f'In<{of}>()'


def deducible(arguments, given):
    """May the call be written without its template arguments?"""
    required = [one for one in arguments if one != 'bool' and not one.endswith('?')]
    return all(one in 'TUSV' and any(re.search(rf'(?:^|<){one}(?:$|[>&*])', of) for of in given) for one in required)


def template_forms(arguments):
    """The lists of template arguments that a list of them stands for, some of which may be left out at the end."""
    forms = [[]]
    for one in arguments:
        if one == 'bool' or one.endswith('?'):
            values = ['true', 'false'] if one == 'bool' else [one[:-1]]
            longest = max(len(form) for form in forms)
            forms += [form + [value] for form in forms if len(form) == longest for value in values]
        else:
            values = ['true', 'false'] if one == 'bool!' else [one]
            forms = [form + [value] for form in forms for value in values]
    return forms


def statements(call):
    """C++ for a line's CALL, one statement a form."""
    if call.startswith('= '):
        return [call[2:] + ';']
    open_at = call.index('(')
    # operator()(x): the arguments are in the last pair of brackets
    depth, at = 0, len(call) - 1
    while True:
        depth += (call[at] == ')') - (call[at] == '(')
        if depth == 0:
            open_at = at
            break
        at -= 1
    head, given = call[:open_at], split(call[open_at + 1:-1])
    owner, name = '', head
    depth = 0
    for at in range(len(head) - 1, 1, -1):
        depth += (head[at] == '>') - (head[at] == '<')
        if depth == 0 and head[at - 1:at + 1] == '::':
            owner, name = head[:at - 1], head[at + 1:]
            break
    arrays, values = '', []
    for i, of in enumerate(given):
        array, value = argument(of, f'a{i}')
        arrays += array
        values.append(value)
    inside = ', '.join(values)
    base, arguments = name, []
    if '<' in name and not name.startswith('operator'):
        base, arguments = name[:name.index('<')], split(name[name.index('<') + 1:-1])
    if owner and base == owner.split('<')[0]:
        return [f'{arrays}static_cast<void>({owner}({inside}));' if inside else f'{owner} made{{}}; static_cast<void>(made);']
    forms = template_forms(arguments)
    if [] not in forms and deducible(arguments, given):
        forms.append([])
    result = []
    for form in forms:
        explicit = f'<{", ".join(form)}>' if form else ''
        if owner:
            keyword = 'template ' if explicit else ''
            callee = f'In<{owner}&>().{keyword}{base}{explicit}'
            if owner.split('<')[0] in STATIC:
                callee = f'{owner}::{keyword}{base}{explicit}'
        else:
            callee = base + explicit
        result.append(f'{arrays}static_cast<void>({callee}({inside}));')
    return result


STATIC = ('NumericLimits', 'AscendCUtils', 'Mutex')


def read(path):
    """(line number, section, [type tuples], call) of each line."""
    section = ''
    for number, line in enumerate(open(path, encoding='utf-8'), 1):
        line = line.rstrip('\n')
        if line.startswith('['):
            section = line[1:-1]
        elif line and not line.startswith('#'):
            types, call = line.split(' | ', 1)
            yield number, section, [t.split(':') for t in types.split()] if types != '-' else [[]], call


def source(path, lines):
    text = ['#include "tests/api/support.h"\n']
    for number, _, tuples, call in lines:
        for i, types in enumerate(tuples):
            names = ''.join(f'using {name} = {t}; ' for name, t in zip('TUSV', types))
            body = ' '.join('{ ' + statement + ' }' for statement in statements(call))
            text.append(f'#line {number} "{path}"\nvoid Line{number}With{i}() {{ {names}{body} }}\n')
    return ''.join(text)


def compile_lines(path, lines, compiler, includes):
    with tempfile.TemporaryDirectory() as folder:
        unit = os.path.join(folder, 'calls.cpp')
        with open(unit, 'w', encoding='utf-8') as out:
            out.write(source(path, lines))
        command = [compiler, '-std=c++20', '-fsyntax-only', '-fmax-errors=0', '-fno-diagnostics-show-caret', '-w',
                   *(f'-I{include}' for include in includes), unit]
        return subprocess.run(command, capture_output=True, text=True, check=False)


def groups(lines, count):
    return [lines[i::count] for i in range(count)]


# Sections whose calls are instructions, or sequences or registers of such.
LISTED = ('vector', 'gather', 'sort', 'fill, index, interpolation', 'transpose', 'data copies', 'synchronisation', 'atomics',
          'cube')
# Calls that no core executes: sizes, and what other parts have and this one passes over.
NO_INSTRUCTION = {'GetSortOffset', 'GetSortLen', 'MrgSortSrcList', 'TQueSync', 'SetNextTaskStart', 'WaitPreTaskEnd',
                  'AllocMutexID', 'ReleaseMutexID', 'SetStoreAtomicConfig', 'GetStoreAtomicConfig', 'SetLreluMode',
                  'NumericLimits'}
# Steps that kernels call by other names, and what no list of calls has.
NO_CALL = {'ArithProgression', 'Floor', 'printf', 'InitGlobalMemory', 'GetValue', 'SetValue'}


def listed(path, program):
    """Are the calls of the list and the names of the table the same?"""
    table = subprocess.run([program, 'list', 'instructions', '--format', 'csv'], capture_output=True, text=True, check=True)
    names = {name for row in csv.DictReader(table.stdout.splitlines())
             for name in re.findall(r'\w+', re.sub(r'\(.*', '', row['name']))}
    calls, all_calls = set(), set()
    for _, section, _, call in read(path):
        name = re.match(r'(?:= )?(\w+)[<(]', call)
        if name and not re.search('Params|Info', name[1]):
            all_calls.add(name[1])
            if section in LISTED and not call.startswith('= '):
                calls.add(name[1])
    missing = sorted(calls - names - NO_INSTRUCTION)
    unknown = sorted(names - all_calls - NO_CALL)
    print(f'{len(calls)} calls; not in the table: {missing}; in the table and no call: {unknown}')
    return 1 if missing or unknown else 0


def main():
    mode, path, compiler, *rest = sys.argv[1:]
    if mode == 'listed':
        return listed(path, compiler)
    document = rest.pop(rest.index('--numbers') + 1) if '--numbers' in rest else None
    includes = [r for r in rest if r != '--numbers']
    lines = list(read(path))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        parts = groups(lines, 2 * (os.cpu_count() or 1))
        results = list(pool.map(lambda part: compile_lines(path, part, compiler, includes), parts))
    said = ''.join(result.stderr for result in results)
    name = re.escape(path)
    if mode == 'absent':
        # what is refused where: an assertion follows the line that it is instantiated for
        words, number = collections.defaultdict(str), 0
        for line in said.splitlines():
            place = re.match(rf'{name}:(\d+):', line)
            number = int(place[1]) if place else number
            if re.search('static assertion failed: (Ascend C has|tilesim does not model|one call takes)', line):
                words[number] += line

        def refused(number, call):
            if call.startswith('= '):  # a mixture of tensors, by its rule
                return 'one call takes' in words[number]
            head = call.split('(')[0]
            word = re.match(r'\w+', head)[0]
            return re.search(rf'\b{word}\b', words[number])

        silent = [(n, call) for n, _, _, call in lines if not refused(n, call)]
        for n, call in silent:
            print(f'{path}:{n}: {call}: compiles, or is not refused by its name')
        print(f'{len(lines)} calls, {len(lines) - len(silent)} refused by name')
        return 1 if silent else 0
    failed = sorted({int(n) for n in re.findall(rf'{name}:(\d+):', said)})
    if not failed and any(result.returncode for result in results):
        print(said)
        return 1
    calls = {n: call for n, _, _, call in lines}
    for n in failed:
        first = re.search(rf'{name}:{n}:\d+: error: (.*)', said)
        print(f'{path}:{n}: {calls[n]}: {first[1] if first else "does not compile with one of its types"}')
    rows = collections.OrderedDict()
    for n, section, tuples, call in lines:
        row = rows.setdefault(section, [0, 0, 0])
        row[0] += 1
        row[1] += len(tuples)
        row[2] += n not in failed
    table = '| calls | overloads | with their types | compile |\n|---|---|---|---|\n'
    for section, (overloads, instances, good) in rows.items():
        table += f'| {section} | {overloads} | {instances} | {good} |\n'
    total = [sum(row[i] for row in rows.values()) for i in range(3)]
    table += f'| all | {total[0]} | {total[1]} | {total[2]} |\n'
    print(table, end='')
    if document and table not in open(document, encoding='utf-8').read():
        print(f'{document}: has another table; put the one above there')
        return 1
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
