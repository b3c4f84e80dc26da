"""Shows LocalTensor and GlobalTensor in gdb with their memory, extent and values.

    tilesim cc -g -O0 add.asc -o add
    gdb -x PREFIX/share/tilesim/gdb.py ./add

What it shows is of the core that the current thread simulates. Values stand as the kernel has left them so far:
instructions compute in the order of the program.
"""
import itertools
import struct

import gdb
import gdb.printing

# The memory behind a TPosition, and the member of CoreMemories that holds it.
MEMORIES = {
    "A1": ("L1", "l1_"), "B1": ("L1", "l1_"), "C1": ("L1", "l1_"), "TSCM": ("L1", "l1_"),
    "A2": ("L0A", "l0a"), "B2": ("L0B", "l0b"), "CO1": ("L0C", "l0c_"), "C2": ("BT", "bt_"),
    "C2PIPE2GM": ("FB", "fb_"), "VECIN": ("UB", "ub_"), "VECOUT": ("UB", "ub_"), "VECCALC": ("UB", "ub_"),
}
FIRST = 8  # elements of a GlobalTensor that says no size


def number(element, data):
    """The value of an element's bytes, as text: 16-bit types of the device are structs to gdb."""
    if str(element).endswith("Half"):
        return f"{struct.unpack('<e', data)[0]:g}"
    if str(element).endswith("BFloat16"):
        return f"{struct.unpack('<f', bytes(2) + data)[0]:g}"
    return gdb.Value(data, element)


def bytes_at(address, count):
    return bytes(gdb.selected_inferior().read_memory(int(address), count))


def l0_bytes(memory, begin, size):
    """L0A and L0B hold a fractal (512 bytes) of reals as 256 floats, the 16 rows of a column side by side."""
    fractal = begin // 512
    data = memory["data_"]["data_"] + 256 * fractal
    kind = str((memory["types_"]["_M_impl"]["_M_start"] + fractal).dereference()).rsplit("::", 1)[-1]
    if kind == "kNone":
        return bytes(size)
    if kind == "kBytes":
        return bytes_at(int(data) + begin % 512, size)
    row, column = divmod(begin % 512 // size, 32 // size)
    value = bytes_at(data + 16 * column + row, 4)
    if kind == "kBf16":
        return value[2:]
    return struct.pack("<e", struct.unpack("<f", value)[0]) if kind == "kFp16" else value


def plain(value):
    """A tensor with a trait is one of plain elements underneath."""
    first = value.type.strip_typedefs().fields()[0]
    return value.cast(first.type) if first.is_base_class else value


class Tensor:
    """What both have in common: the elements one by one, as many as `print elements` allows."""

    def display_hint(self):
        return "array"

    def children(self):
        for i in itertools.count():
            try:
                value = self.at(i) if i < self.shown else None
            except (gdb.error, gdb.MemoryError, struct.error):
                value = None
            if value is None:
                return
            yield f"[{i}]", value


class LocalTensor(Tensor):
    def __init__(self, value):
        value = plain(value)
        self.element = value.type.template_argument(0)
        self.bits = 4 if str(self.element).endswith("int4b_t") else 8 * self.element.sizeof
        self.begin = int(value["offset_"])
        self.size = int(value["size_"])
        self.end = self.begin + self.size * self.bits // 8
        self.name, member = MEMORIES.get(str(value["position_"]).rsplit("::", 1)[-1], ("no memory", None))
        self.valid = bool(value["valid_"])
        self.memory = None
        self.shown = 0
        core = gdb.parse_and_eval("tilesim::internal::current_core")
        if self.valid and member and int(core) != 0 and int(core["memories_"]) != 0:
            self.memory = core["memories_"][member]
            known = self.end if self.name.startswith("L0") and self.name != "L0C" else self.known_bytes()
            self.shown = max(0, min(self.size, (known - self.begin) * 8 // self.bits))

    def known_bytes(self):
        """From there on no instruction has touched the memory."""
        return int(self.memory["known_"]) * self.memory["values_"]["data_"].dereference().type.sizeof

    def at(self, i):
        size = max(1, self.bits // 8)
        begin = self.begin + i * self.bits // 8
        if "l0" in str(self.memory.type).lower() and self.name != "L0C":
            data = l0_bytes(self.memory, begin, size)
        else:
            data = bytes_at(int(self.memory["values_"]["data_"]) + begin, size)
        if self.bits == 4:
            nibble = data[0] >> 4 * (i % 2) & 15
            return gdb.Value(nibble - 16 if nibble > 7 else nibble)
        return number(self.element, data)

    def to_string(self):
        if not self.valid:
            return f"LocalTensor<{self.element}> of no queue or buffer"
        untouched = f", no instruction has touched those from [{self.shown}] on" if self.shown < self.size else ""
        if self.memory is None:
            untouched = ", values not to be seen: this thread simulates no core, or its run computes none"
        return (f"LocalTensor<{self.element}> in {self.name}, bytes [{self.begin}, {self.end}), "
                f"{self.size} elements{untouched}")


class GlobalTensor(Tensor):
    def __init__(self, value):
        value = plain(value)
        self.element = value.type.template_argument(0)
        self.address = int(value["address_"])
        self.size = int(value["size_"])
        left = (int(value["limit_"]) - self.address) // self.element.sizeof  # [offset] keeps size_ as it is
        self.shown = max(0, left) if self.size else FIRST if self.address else 0

    def at(self, i):
        return number(self.element, bytes_at(self.address + i * self.element.sizeof, self.element.sizeof))

    def to_string(self):
        if self.address == 0:
            return f"GlobalTensor<{self.element}> without an address"
        extent = f"{self.shown} elements" if self.size else f"its size is not set, the first {FIRST}"
        return f"GlobalTensor<{self.element}> in GM, at {self.address:#x}, {extent}"


def printers():
    collection = gdb.printing.RegexpCollectionPrettyPrinter("tilesim")
    collection.add_printer("LocalTensor", "^AscendC::LocalTensor<.*>$", LocalTensor)
    collection.add_printer("GlobalTensor", "^AscendC::GlobalTensor<.*>$", GlobalTensor)
    return collection


gdb.printing.register_pretty_printer(None, printers(), replace=True)
