"""The recorder's machine code for this machine, and for others where there is something to play it (qemu-user)."""

from __future__ import annotations

import struct

import pytest
from cross_machine import FUNCTIONS, MEMORY, run

from capture.marshal import HandleTable, Marshaller
from capture.native.commands import IS_KNOWN, native_command
from capture.native.jumps import answer_code, jump_code
from capture.native.objects import list_assembly
from capture.native.ring import control_assembly
from capture.native.shims import shim_assembly
from capture.native.trampolines import trampoline_assembly
from traceformat.gles.entry_points import COMMANDS

machines = pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
NUMBER = 7
PLACES = {
    "lock": 0, "owner": 8, "count": 16, "used": 24, "flags": 32, "arrays": 40, "rows_used": 48, "first_call": 56,
    "number": 64, "context": 72, "index": 0x1000, "table": 0x18000, "data": 0x20000, "rows": 0x400000,
}  # fmt: skip
WORDS = {name: MEMORY + place for name, place in PLACES.items()}

TRAMPOLINE = """
AT(python) void python({parameters}) {{ printf("python {form}\\n", {values}); }}
AT(real) void real({parameters}) {{ printf("real {form}\\n", {values}); }}
void record({parameters});
uint64_t take(void);
void give(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t);
static void dump(int place, uint64_t size)
{{ for (uint64_t i = 0; i < size; i++) printf("%02x", (unsigned char)MEMORY[place + i]); printf("\\n"); }}
int main(void)
{{
    float content[16] = {{0.5f, -1.5f, 2.5f}};
    for (int i = 3; i < 16; i++) content[i] = i + 0.25f;
    if (!map(1 << 23)) return 9;
    MEMORY[{table} + 3] = {known};
    record({call});
    give({flags}, (uint64_t)MEMORY + {table}, 11, 12, 13);
    record({call});
    record({other});
    WORD({lock}) = 1;
    record({call});
    WORD({lock}) = 0;
    printf("took %d\\n", (int)take());
    record({call});
    printf("%d %d %d\\n", (int)WORD({lock}), (int)WORD({used}), (int)WORD({flags_at}));
    printf("%d %d %d\\n", (int)WORD({first_call}), (int)WORD({number}), (int)WORD({context}));
    dump({index}, 2 * WORD({count}));
    dump({rows}, WORD({rows_used}));
    dump({data}, WORD({used}));
    return 0;
}}
"""
CONTENT = [0.5, -1.5, 2.5, *(i + 0.25 for i in range(3, 16))]
#: Entry point; parameters, how they are printed, values; two calls, and what is printed of them; flags, those behind
#: the calls; recorded rows and content, of both calls or, where the second goes through Python, of one.
CASES = [
    pytest.param(
        "glUniform4f", "int a, float b, float c, float d, float e", "%d %g %g %g %g", "a, b, c, d, e",
        ("-3, 0.5f, 1.5f, -2.f, 4.f", "9, 1.f, 2.f, 3.f, 4.f"), ("-3 0.5 1.5 -2 4", "9 1 2 3 4"), (0, 0),
        [(-3, 0.5, 1.5, -2.0, 4.0), (9, 1.0, 2.0, 3.0, 4.0)], b"",
        id="values",
    ),
    pytest.param(
        "glUniformMatrix4fv", "int a, int b, unsigned char c, const float *d", "%d %d %d %g", "a, b, c, d ? *d : -1.f",
        ("5, 1, 1, content", "5, 1, 0, NULL"), ("5 1 1 0.5", "5 1 0 -1"), (0, 0),
        [(5, 1, 1, 0)], struct.pack("<16f", *CONTENT),
        id="content, and a pointer to nothing",
    ),
    pytest.param(
        "glBufferSubData", "unsigned a, long b, long c, const void *d", "%u %ld %ld %d", "a, b, c, d != NULL",
        ("0x8892, 1l << 40, 12, content", "0x8893, 0, 12, content"), ("34962 1099511627776 12 1", "34963 0 12 1"),
        (0, 0), [(0x8892, 1 << 40, 12, 0)], struct.pack("<3f", *CONTENT[:3]),
        id="writes, and indices",
    ),
    pytest.param(
        "glBindVertexArray", "unsigned a", "%u", "a", ("3", "2"), ("3", "2"), (4, 4 | IS_KNOWN | 1),
        [(3,)], b"",
        id="a vertex array that is known, and one that is not",
    ),
    pytest.param(
        "glDrawArrays", "unsigned a, int b, int c", "%u %d %d", "a, b, c", ("4, 1, 3", "5, -1, 9"), ("4 1 3", "5 -1 9"),
        (2, 2), [(4, 1, 3), (5, -1, 9)], b"",
        id="draws",
    ),
]  # fmt: skip


@machines
@pytest.mark.parametrize(("name", "parameters", "form", "values", "calls", "said", "flags", "rows", "content"), CASES)
def test_trampolines(tmp_path, machine, name, parameters, form, values, calls, said, flags, rows, content):
    command = native_command(COMMANDS[name], Marshaller(COMMANDS[name], HandleTable()))
    assert command is not None
    text = trampoline_assembly(command, NUMBER, FUNCTIONS["python"], FUNCTIONS["real"], WORDS)
    modules = {"record": (text, "record")}
    modules |= {symbol: (each, symbol) for symbol, each in control_assembly(WORDS).items()}
    program = TRAMPOLINE.format(
        parameters=parameters, form=form, values=values, call=calls[0], other=calls[1], flags=flags[0],
        known=IS_KNOWN | 1, flags_at=PLACES["flags"], **{each: at for each, at in PLACES.items() if each != "flags"},
    )  # fmt: skip
    lines = run(tmp_path, machine, modules, program)
    second = "real" if len(rows) == 2 else "python"
    here = [f"python {said[0]}", f"real {said[0]}", f"{second} {said[1]}", f"python {said[0]}"]
    assert lines[:6] == [*here, f"took {len(rows)}", f"python {said[0]}"]
    assert lines[6] == f"0 {len(content)} {flags[1]}"
    assert lines[7] == "11 12 13"
    assert lines[8] == struct.pack("<H", NUMBER).hex() * len(rows)
    form = "<" + "".join(command.row[i].char for i in range(len(command.row))).replace("l", "q")
    assert list(struct.iter_unpack(form, bytes.fromhex(lines[9]))) == rows
    assert bytes.fromhex(lines[10]) == content


SHIMS = """
AT(callback) void *callback(char *handle, const char *name, void *more)
{ printf("callback %d %s\\n", (int)(long)handle, name); return (void *)1; }
AT(next) void *next(const char *name, void *caller)
{ printf("next %s %d\\n", name, caller != NULL); return name[0] == 'g' ? (void *)2 : NULL; }
AT(real) void *real(char *handle, const char *name, const char *version)
{ printf("real %d %s %s\\n", (int)(long)handle, name, version); return (void *)3; }
AT(other) void *opened(const char *name, int mode, void *caller)
{ printf("open %s %d %d\\n", name, mode, caller == __builtin_extract_return_addr(caller)); return (void *)4; }
AT(known) void *known(const char *name, int mode)
{ printf("known %s %d\\n", name ? name : "-", mode); return name && name[0] == 'n' ? NULL : (void *)5; }
AT(close) int close_one(void *handle) { printf("close %d\\n", (int)(long)handle); return 0; }
void *dlopen_shim(const char *, int), *dlvsym_shim(void *, const char *, const char *);
int main(void)
{
    const char *names[] = {"glClear", "eglFoo", "dlopen", "malloc"};
    for (int i = 0; i < 4; i++)
        for (long handle = -1; handle < 6; handle += 6)
            printf("%d\\n", (int)(long)dlvsym_shim((void *)handle, names[i], "V"));
    if (!map(4096)) return 9;
    const char *files[] = {"libGL.so", "new.so", "LG.so", NULL};
    for (WORD(8) = 0; WORD(8) < 2; WORD(8)++)
        for (int i = 0; i < 4; i++)
            printf("%d\\n", (int)(long)dlopen_shim(files[i], 2));
    return 0;
}
"""


@machines
def test_shims(tmp_path, machine):
    texts = shim_assembly(
        {"dlopen": FUNCTIONS["other"], "dlvsym": FUNCTIONS["callback"]},
        FUNCTIONS["next"],
        {"dlvsym": FUNCTIONS["real"], "dlopen": FUNCTIONS["known"], "dlclose": FUNCTIONS["close"],},
        MEMORY + 8,
    )  # fmt: skip
    modules = {f"{name}_shim": (text, f"{name}_shim") for name, text in texts.items()}
    said = [
        "next glClear 1", "2", "callback 5 glClear", "1",
        "next eglFoo 1", "real -1 eglFoo V", "3", "callback 5 eglFoo", "1",
        "real -1 dlopen V", "3", "callback 5 dlopen", "1", "real -1 malloc V", "3", "real 5 malloc V", "3",
        # Nobody is loading; another thread is.
        "open libGL.so 2 1", "4", "known new.so 6", "open new.so 2 1", "4",
        "known LG.so 6", "5", "known - 2", "5",
        "open libGL.so 2 1", "4", "known new.so 6", "open new.so 2 1", "4",
        "known LG.so 6", "close 5", "open LG.so 2 1", "4", "known - 2", "5",
    ]  # fmt: skip
    assert run(tmp_path, machine, modules, SHIMS) == said


LIST = """
AT(other) uint64_t length(const char *text) { return strlen(text); }
int note_object(void *, uint64_t, void *);
int main(void)
{
    static uint64_t list[12];
    static struct { uint32_t kind, flags; uint64_t offset, address, rest[4]; } segments[] = {{1, 5}, {2, 6, 16, 0x300}};
    struct { uint64_t base; const char *name; void *segments; uint16_t count; uint64_t loads, unloads; } info =
        {0x10000, "/lib/an.so", segments, 2, 12, 34};
    list[0] = (uint64_t)&list[5]; list[1] = (uint64_t)&list[12];
    printf("%d\\n", note_object(&info, sizeof info, list));
    printf("%d %d %d %d\\n", (int)(list[0] - (uint64_t)list), (int)list[2], (int)list[3], (int)list[4]);
    printf("%lx %lx %lx %d %.*s\\n", list[5], list[6], list[7], (int)list[8], (int)list[8], (char *)&list[9]);
    int is_over = note_object(&info, sizeof info, list);
    printf("%d %d\\n", is_over, (int)list[4]);
    return 0;
}
"""


@machines
def test_the_list_of_objects(tmp_path, machine):
    layout, words = 0, [1 | 5 << 32, *[0] * 6, 2 | 6 << 32, 16, 0x300, *[0] * 4]
    for word in words:
        layout = (layout ^ word) * 1099511628211 % 2**64
    lines = run(tmp_path, machine, {"note_object": (list_assembly(FUNCTIONS["other"]), "note_object")}, LIST)
    assert lines == ["0", "88 12 34 0", f"10000 10300 {layout:x} 10 /lib/an.so", "1 1"]


JUMP = """
AT(real) int real(int a, double b, void *c) { printf("real %d %g %d\\n", a, b, c == NULL); return 17; }
static const unsigned char code[] = {CODE};
int main(void)
{
    if (!map(1 << 16)) return 9;
    memcpy(MEMORY, code, sizeof code);
    WORD(16384) = (uint64_t)real;
    if (mprotect(MEMORY, 16384, PROT_READ | PROT_EXEC)) return 8;
    __builtin___clear_cache(MEMORY, MEMORY + sizeof code);
    printf("%d\\n", ((int (*)(int, double, void *))MEMORY)(3, 2.5, NULL));
    WORD(16384) = (uint64_t)MEMORY + 8;
    printf("%d\\n", ((int (*)(int, double, void *))MEMORY)(3, 2.5, NULL));
    return 0;
}
"""


@machines
def test_jumps(tmp_path, machine):
    code = ", ".join(str(byte) for byte in jump_code(machine, 16384) + answer_code(machine, 0x3000))
    assert run(tmp_path, machine, {}, JUMP.replace("CODE", code)) == ["real 3 2.5 1", "17", "12288"]
