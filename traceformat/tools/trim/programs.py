"""Effects of calls that make programs and set their uniforms."""

from __future__ import annotations

from traceformat.calls import Call, integer
from traceformat.gles.objects import ProgramObject
from traceformat.gles.state import Context
from traceformat.tools.trim.collector import Collector, EffectsBase, Key
from traceformat.tools.trim.keys import identity

__all__ = ["ProgramEffects", "programs_of"]


def programs_of(context: Context) -> list[ProgramObject]:
    """Programs whose stages a draw executes."""
    if context.used_program is not None:
        return [context.used_program]
    return list(dict.fromkeys(context.pipeline.stages.values())) if context.pipeline is not None else []


class ProgramEffects(EffectsBase):
    """Shaders, programs, uniforms."""

    @staticmethod
    def _program(context: Context, name: object) -> Key:
        """Identity of the shader or program of that name."""
        thing = context.group.programs.get(integer(name))
        return identity(context, thing) if thing is not None else ("program", context.group.serial, 0)

    def _do_glShaderSource(self, found: Collector, context: Context, call: Call) -> None:
        found.kill(self._program(context, call.args[0]), "source")

    def _do_glCompileShader(self, found: Collector, context: Context, call: Call) -> None:
        found.read(self._program(context, call.args[0]), "source")
        found.kill(self._program(context, call.args[0]), "compiled")

    def _do_glAttachShader(self, found: Collector, context: Context, call: Call) -> None:
        found.update(self._program(context, call.args[0]), "attached")

    _do_glDetachShader = _do_glAttachShader

    def _before_link(self, found: Collector, context: Context, call: Call) -> None:
        found.update(self._program(context, call.args[0]), "link parameters")

    _do_glBindAttribLocation = _do_glBindFragDataLocation = _do_glBindFragDataLocationIndexed = _before_link
    _do_glTransformFeedbackVaryings = _do_glProgramParameteri = _before_link

    def _do_glLinkProgram(self, found: Collector, context: Context, call: Call) -> None:
        program = context.group.programs.get(integer(call.args[0]))
        if not isinstance(program, ProgramObject):
            return
        key = identity(context, program)
        found.read(key, "attached")
        found.read(key, "link parameters")
        for shader in program.shaders:
            found.read(identity(context, shader), "compiled")
        (found.kill if program.linked else found.update)(key, "linked")

    _do_glProgramBinary = _do_glLinkProgram

    @staticmethod
    def _linked(context: Context, program: ProgramObject) -> Key:
        return (*identity(context, program), "link", program.link_count)

    def _introspection(self, found: Collector, context: Context, name: str, call: Call) -> None:
        """The first time that a program asks for a location teaches it to the tracker; later times teach nothing."""
        program = context.group.programs.get(integer(call.args[0]))
        if not isinstance(program, ProgramObject):
            return
        key = self._linked(context, program)
        found.read(identity(context, program), "linked")
        question = (*key, name, *(value for value in call.args[1:] if not isinstance(value, bytearray)), call.result)
        if question not in self._learned:
            self._learned.add(question)
            found.update(key, "asked")

    def _uniform(self, found: Collector, context: Context, name: str, call: Call) -> None:
        if name.startswith("glProgram"):
            named = context.group.programs.get(integer(call.args[0]))
            program = named if isinstance(named, ProgramObject) else None
            rest = call.args[1:]
        else:
            found.read(("context", context.name), "program")
            program, rest = context.used_program, call.args
            if program is None and context.pipeline is not None:
                found.read(("context", context.name), "pipeline")
                found.read(identity(context, context.pipeline), "active")
                program = context.pipeline.active
        if program is None or not rest:
            return
        location = integer(rest[0])
        if location < 0:
            return
        key = self._linked(context, program)
        found.read(identity(context, program), "linked")
        found.read(key, "asked")
        count = integer(rest[1]) if name.endswith("v") else 1
        executable = program.executable
        place = executable.locations.get(location) if executable is not None else None
        if place is None:
            # Not reflected: what else lies behind an array's first location is not known.
            (found.kill if count == 1 else found.update)(key, "location", location)
            return
        slot, first = place
        for element in range(first, min(first + max(count, 0), slot.uniform.size)):
            found.kill(key, "uniform", slot.index, element)

    def _do_glCreateShaderProgramv(self, found: Collector, context: Context, call: Call) -> None:
        program = context.group.programs.get(integer(call.result))
        if isinstance(program, ProgramObject):
            found.kill(identity(context, program), "linked")

    def _do_glBindProgramPipeline(self, found: Collector, context: Context, call: Call) -> None:
        found.kill(("context", context.name), "pipeline")
        self._made(found, context, "program pipeline", call.args[0])

    def _do_glUseProgramStages(self, found: Collector, context: Context, call: Call) -> None:
        self._pipeline_part(found, context, call, 2, "stages")

    def _do_glActiveShaderProgram(self, found: Collector, context: Context, call: Call) -> None:
        self._pipeline_part(found, context, call, 1, "active")

    def _pipeline_part(self, found: Collector, context: Context, call: Call, place: int, part: str) -> None:
        self._made(found, context, "program pipeline", call.args[0])
        pipeline = context.pipelines.get(integer(call.args[0]))
        program = context.group.programs.get(integer(call.args[place]))
        if pipeline is not None:
            (found.kill if part == "active" else found.update)(identity(context, pipeline), part)
        if program is not None:
            found.read(identity(context, program), "linked")

    def _do_glUniformBlockBinding(self, found: Collector, context: Context, call: Call) -> None:
        program = context.group.programs.get(integer(call.args[0]))
        if isinstance(program, ProgramObject):
            key = self._linked(context, program)
            found.read(identity(context, program), "linked")
            found.read(key, "asked")
            found.kill(key, "block", call.args[1])
