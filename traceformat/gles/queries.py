"""Query and sync objects. Everything has been executed by the time it is asked for: nothing is ever pending."""

# ruff: noqa: D103 - a handler is documented by the entry point that it is named after
from __future__ import annotations

from typing import TYPE_CHECKING

from traceformat.gles import enums as gl
from traceformat.gles.dispatch import handles, invalid_enum, invalid_operation, invalid_value
from traceformat.gles.names import generate, is_generated
from traceformat.gles.objects import Query, Sync
from traceformat.gles.state import Changes, Context
from traceformat.gles.values import ints_out, longs_out, uints

if TYPE_CHECKING:
    from traceformat.gles.tracking import Tracker

OCCLUSION = frozenset({gl.GL_ANY_SAMPLES_PASSED, gl.GL_ANY_SAMPLES_PASSED_CONSERVATIVE, gl.GL_SAMPLES_PASSED})
TARGETS = OCCLUSION | {
    gl.GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN,
    gl.GL_PRIMITIVES_GENERATED,
    gl.GL_TIME_ELAPSED,
}
BOOLEAN = frozenset({gl.GL_ANY_SAMPLES_PASSED, gl.GL_ANY_SAMPLES_PASSED_CONSERVATIVE})


@handles("glGenQueries", touches=Changes.NOTHING)
def gen_queries(tracker: Tracker, context: Context, count: int, _: object) -> None:
    tracker.outputs["ids"] = generate(tracker, context.limits.max_names, context.queries, count, "ids")


@handles("glDeleteQueries", touches=Changes.NOTHING)
def delete_queries(tracker: Tracker, context: Context, count: int, data: object) -> None:
    if count < 0:
        raise invalid_value(f"count {count}")
    for name in uints(data, count):
        query = context.queries.remove(name) if name else None
        if query is not None:
            query.deleted = True
            if query.active:
                tracker.backend.end_query(context, query)
                query.active = False
                context.current_queries.pop(query.target, None)


@handles("glBeginConditionalRender", touches=Changes.NOTHING)
def begin_conditional_render(tracker: Tracker, context: Context, name: int, mode: int) -> None:
    if not gl.GL_QUERY_WAIT <= mode <= gl.GL_QUERY_BY_REGION_NO_WAIT:
        raise invalid_enum(f"mode {mode:#x}")
    query = context.queries.get(name)
    if query is None:
        raise invalid_value(f"no query {name}")
    if context.condition is not None or query.active or query.target not in OCCLUSION:
        raise invalid_operation(f"rendering on the condition of query {name}")
    context.condition = query
    # Every query has its result by now, whether or not the program would have waited for it.
    context.skips_rendering = not query.result


@handles("glEndConditionalRender", touches=Changes.NOTHING)
def end_conditional_render(tracker: Tracker, context: Context) -> None:
    if context.condition is None:
        raise invalid_operation("no conditional rendering")
    context.condition, context.skips_rendering = None, False


@handles("glIsQuery", touches=Changes.NOTHING)
def is_query(tracker: Tracker, context: Context, name: int) -> int:
    return int(name != 0 and context.queries.get(name) is not None)


def _check_target(target: int) -> None:
    if target not in TARGETS:
        raise invalid_enum(f"target {target:#x}")


@handles("glBeginQuery", touches=Changes.NOTHING)
def begin_query(tracker: Tracker, context: Context, target: int, name: int) -> None:
    _check_target(target)
    if not is_generated(tracker, context.queries, name):
        raise invalid_operation(f"query {name} was not generated")
    if target in context.current_queries or (
        target in OCCLUSION and any(other in context.current_queries for other in OCCLUSION)
    ):
        raise invalid_operation(f"a query for {target:#x} is active")
    query = context.queries.get(name)
    if query is None:
        query = context.queries.objects[name] = Query(name, context.queries.serial(), target)
    if query.active or query.target != target:
        raise invalid_operation(f"query {name} is active, or of target {query.target:#x}")
    query.active = True
    context.current_queries[target] = query
    tracker.backend.begin_query(context, query)


@handles("glEndQuery", touches=Changes.NOTHING)
def end_query(tracker: Tracker, context: Context, target: int) -> None:
    _check_target(target)
    query = context.current_queries.get(target)
    if query is None:
        raise invalid_operation(f"no query for {target:#x} is active")
    tracker.backend.end_query(context, query)
    query.active = False
    del context.current_queries[target]
    result = tracker.backend.query_result(context, query)
    query.result = int(result != 0) if target in BOOLEAN else result


@handles("glQueryCounter", touches=Changes.NOTHING)
def query_counter(tracker: Tracker, context: Context, name: int, target: int) -> None:
    if target != gl.GL_TIMESTAMP:
        raise invalid_enum(f"target {target:#x}")
    if not is_generated(tracker, context.queries, name):
        raise invalid_operation(f"query {name} was not generated")
    query = context.queries.get(name)
    if query is None:
        query = context.queries.objects[name] = Query(name, context.queries.serial(), target)
    elif query.target != target or query.active:
        raise invalid_operation(f"query {name} is not a timestamp")


@handles("glGetQueryiv", touches=Changes.NOTHING)
def get_query(tracker: Tracker, context: Context, target: int, pname: int, _: object) -> None:
    if target not in TARGETS and target != gl.GL_TIMESTAMP:
        raise invalid_enum(f"target {target:#x}")
    if pname == gl.GL_CURRENT_QUERY:
        query = context.current_queries.get(target)
        value = query.name if query is not None else 0
    elif pname == gl.GL_QUERY_COUNTER_BITS:
        value = 64 if target == gl.GL_SAMPLES_PASSED else 1 if target in BOOLEAN else 64
    else:
        raise invalid_enum(f"pname {pname:#x}")
    tracker.outputs["params"] = ints_out([value])


def _result(context: Context, name: int, pname: int) -> int:
    query = context.queries.get(name)
    if query is None or query.active:
        raise invalid_operation(f"query {name} does not exist, or is active")
    if pname == gl.GL_QUERY_RESULT_AVAILABLE:
        return 1
    if pname in (gl.GL_QUERY_RESULT, gl.GL_QUERY_RESULT_NO_WAIT):
        return query.result
    raise invalid_enum(f"pname {pname:#x}")


@handles("glGetQueryObjectuiv", "glGetQueryObjectiv", touches=Changes.NOTHING)
def get_query_object(tracker: Tracker, context: Context, name: int, pname: int, _: object) -> None:
    largest = 0x7FFFFFFF if tracker.call.name.startswith("glGetQueryObjectiv") else 0xFFFFFFFF
    tracker.outputs["params"] = ints_out([min(_result(context, name, pname), largest)])


@handles("glGetQueryObjectui64v", "glGetQueryObjecti64v", touches=Changes.NOTHING)
def get_query_object_64(tracker: Tracker, context: Context, name: int, pname: int, _: object) -> None:
    tracker.outputs["params"] = longs_out([_result(context, name, pname)])


@handles("glFenceSync", touches=Changes.NOTHING)
def fence_sync(tracker: Tracker, context: Context, condition: int, flags: int) -> int:
    if condition != gl.GL_SYNC_GPU_COMMANDS_COMPLETE:
        raise invalid_enum(f"condition {condition:#x}")
    if flags:
        raise invalid_value(f"flags {flags:#x}")
    names = context.group.syncs
    name = tracker.recorded_result() or names.generate(1)[0]
    names.objects[name] = Sync(name, names.serial())
    return name


def _sync(context: Context, name: int | None) -> Sync:
    sync = context.group.syncs.get(name or 0)
    if sync is None:
        raise invalid_value(f"sync {name} does not exist")
    return sync


@handles("glIsSync", touches=Changes.NOTHING)
def is_sync(tracker: Tracker, context: Context, name: int | None) -> int:
    return int(context.group.syncs.get(name or 0) is not None)


@handles("glDeleteSync", touches=Changes.NOTHING)
def delete_sync(tracker: Tracker, context: Context, name: int | None) -> None:
    if name:
        _sync(context, name).deleted = True
        context.group.syncs.remove(name)


@handles("glClientWaitSync", touches=Changes.NOTHING)
def client_wait_sync(tracker: Tracker, context: Context, name: int | None, flags: int, timeout: int) -> int:
    _sync(context, name)
    if flags & ~gl.GL_SYNC_FLUSH_COMMANDS_BIT:
        raise invalid_value(f"flags {flags:#x}")
    return gl.GL_ALREADY_SIGNALED


@handles("glWaitSync", touches=Changes.NOTHING)
def wait_sync(tracker: Tracker, context: Context, name: int | None, flags: int, timeout: int) -> None:
    _sync(context, name)
    if flags or timeout & 0xFFFFFFFFFFFFFFFF != gl.GL_TIMEOUT_IGNORED:
        raise invalid_value(f"flags {flags:#x}, timeout {timeout}")


@handles("glGetSynciv", touches=Changes.NOTHING)
def get_sync(
    tracker: Tracker, context: Context, name: int | None, pname: int, count: int, _: object, __: object
) -> None:
    _sync(context, name)
    if count < 0:
        raise invalid_value(f"count {count}")
    values = {
        gl.GL_OBJECT_TYPE: gl.GL_SYNC_FENCE,
        gl.GL_SYNC_STATUS: gl.GL_SIGNALED,
        gl.GL_SYNC_CONDITION: gl.GL_SYNC_GPU_COMMANDS_COMPLETE,
        gl.GL_SYNC_FLAGS: 0,
    }
    if pname not in values:
        raise invalid_enum(f"pname {pname:#x}")
    written = min(count, 1)
    tracker.outputs["values"] = ints_out([values[pname]][:written])
    tracker.outputs["length"] = ints_out([written])
