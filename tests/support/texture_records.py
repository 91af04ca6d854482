"""What a texture access record holds, as lists."""

from replay.glsl.llvm.record_memory import RecordMemory


class TextureRecording:
    """A record for so many quads (whole groups), and how to read it."""

    def __init__(self, quads, rows=1 << 12):
        self.memory = RecordMemory(rows)
        self.memory.begin(quads)

    def quads(self):
        """For each quad its look-ups: (instruction, texels of each lane, [(line, lanes), ...])."""
        memory, found, ops, lines = self.memory, [], 0, 0
        for first, count in zip(memory.tex_first.tolist(), memory.tex_count.tolist(), strict=True):
            assert first == ops
            listed = []
            for op in range(first, first + count):
                assert memory.ops["line_first"][op] == lines
                rows = slice(lines, lines + int(memory.ops["line_count"][op]))
                own = zip(memory.lines["line"][rows].tolist(), memory.lines["lanes"][rows].tolist(), strict=True)
                listed.append((int(memory.ops["instruction"][op]), memory.ops["texels"][op].tolist(), list(own)))
                lines = rows.stop
            ops += count
            found.append(listed)
        assert (ops, lines) == (memory.row.ops, memory.row.lines)
        return found
