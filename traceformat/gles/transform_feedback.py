"""Transform feedback objects."""

# ruff: noqa: D103 - a handler is documented by the entry point that it is named after
from __future__ import annotations

from typing import TYPE_CHECKING

from traceformat.gles import enums as gl
from traceformat.gles.dispatch import handles, invalid_enum, invalid_operation, invalid_value
from traceformat.gles.names import check_bindable, generate
from traceformat.gles.objects import BufferRange, TransformFeedback
from traceformat.gles.pipelines import settle
from traceformat.gles.state import Changes, Context
from traceformat.gles.values import uints

if TYPE_CHECKING:
    from traceformat.gles.tracking import Tracker


@handles("glGenTransformFeedbacks", "glCreateTransformFeedbacks")
def gen_transform_feedbacks(tracker: Tracker, context: Context, count: int, _: object) -> None:
    tracker.outputs["ids"] = generate(tracker, context.limits.max_names, context.transform_feedbacks, count, "ids")


@handles("glBindTransformFeedback", touches=Changes.BUT_VERTEX)
def bind_transform_feedback(tracker: Tracker, context: Context, target: int, name: int) -> None:
    if target != gl.GL_TRANSFORM_FEEDBACK:
        raise invalid_enum(f"target {target:#x}")
    if context.transform_feedback.active and not context.transform_feedback.paused:
        raise invalid_operation("transform feedback is active")
    feedback = context.transform_feedbacks.objects.get(name)
    if feedback is None:
        check_bindable(tracker, context, context.transform_feedbacks, name, "transform feedback", generated_only=True)
        points = [BufferRange() for _ in range(context.limits.max_transform_feedback_separate_attribs)]
        feedback = TransformFeedback(name, context.transform_feedbacks.serial(), points, created=True)
        context.transform_feedbacks.objects[name] = feedback
    context.transform_feedback = feedback


@handles("glDeleteTransformFeedbacks")
def delete_transform_feedbacks(tracker: Tracker, context: Context, count: int, data: object) -> None:
    if count < 0:
        raise invalid_value(f"count {count}")
    names = [name for name in uints(data, count) if name]
    for name in names:
        feedback = context.transform_feedbacks.get(name)
        if feedback is not None and feedback.active:
            raise invalid_operation(f"transform feedback {name} is active")
    for name in names:
        feedback = context.transform_feedbacks.remove(name)
        if feedback is not None:
            feedback.deleted = True
            if context.transform_feedback is feedback:
                bind_transform_feedback(tracker, context, gl.GL_TRANSFORM_FEEDBACK, 0)


@handles("glIsTransformFeedback")
def is_transform_feedback(tracker: Tracker, context: Context, name: int) -> int:
    return int(name != 0 and context.transform_feedbacks.get(name) is not None)


@handles("glBeginTransformFeedback")
def begin_transform_feedback(tracker: Tracker, context: Context, mode: int) -> None:
    if mode not in (gl.GL_POINTS, gl.GL_LINES, gl.GL_TRIANGLES):
        raise invalid_enum(f"mode {mode:#x}")
    feedback = context.transform_feedback
    if feedback.active:
        raise invalid_operation("transform feedback is active already")
    settle(tracker, context)
    executable = context.program.executable if context.program is not None else None
    if executable is None or not executable.reflection.feedback:
        raise invalid_operation("no program with captured varyings is in use")
    separate = executable.feedback_mode == gl.GL_SEPARATE_ATTRIBS
    needed = len(executable.reflection.feedback) if separate else 1
    if any(feedback.bindings[index].buffer is None for index in range(min(needed, len(feedback.bindings)))):
        raise invalid_operation("a binding point has no buffer")
    feedback.active = True
    feedback.paused = False
    feedback.primitive_mode = mode
    feedback.program = context.program
    tracker.backend.begin_transform_feedback(context)


@handles("glEndTransformFeedback")
def end_transform_feedback(tracker: Tracker, context: Context) -> None:
    feedback = context.transform_feedback
    if not feedback.active:
        raise invalid_operation("transform feedback is not active")
    tracker.backend.end_transform_feedback(context)
    feedback.active = feedback.paused = False
    feedback.program = None


@handles("glPauseTransformFeedback")
def pause_transform_feedback(tracker: Tracker, context: Context) -> None:
    if not context.transform_feedback.active or context.transform_feedback.paused:
        raise invalid_operation("transform feedback is not active, or paused")
    context.transform_feedback.paused = True


@handles("glResumeTransformFeedback")
def resume_transform_feedback(tracker: Tracker, context: Context) -> None:
    feedback = context.transform_feedback
    if not feedback.active or not feedback.paused:
        raise invalid_operation("transform feedback is not paused")
    if feedback.program is not context.program:
        raise invalid_operation("another program is in use than when transform feedback began")
    feedback.paused = False
