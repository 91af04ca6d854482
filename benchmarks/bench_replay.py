"""Speed of the replay against Mesa's llvmpipe, on the same trace and machine, both with as many threads.

    python benchmarks/bench_replay.py TRACE.gltrace [--threads 1] [--repeat 2] [--frames N] [--pictures]

Each side runs in a process of its own and plays the trace's frames ``repeat`` times in a row; the first round (shader
compilation, caches) is left out. The ratio is llvmpipe's time a frame over ours: above 1 we are faster; on a busy
machine look at the ratio of processor times. Rasterized fragments and quads are printed beside it, because a full
FrameTrace shades what llvmpipe's early depth test kills.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import time


def replay_times(path, threads, repeat, frames, pictures):
    from replay.engine.engine import Engine
    from traceformat.gles.tracker import Tracker
    from traceformat.gltrace.reader import open_trace
    from traceformat.gputrace.frametrace import MODEL_COLUMNS, ColumnSet

    with open_trace(path) as reader:
        bounds = [(f.end_call, f.number, f.rule) for f in reader.frames][:frames]
        calls = list(reader.calls(stop=bounds[-1][0]))
    times, cpu, fragments, quads = [], [], 0, 0
    engine = Engine(ColumnSet(()) if pictures else MODEL_COLUMNS, threads=threads)
    tracker = Tracker(engine, remap=True)
    first_frame_end = 0
    for round_number in range(repeat + 1):
        at = 0 if round_number == 0 else first_frame_end
        for number, (end, frame, rule) in enumerate(bounds):
            if round_number and number == 0:
                continue
            start, busy = time.perf_counter(), time.process_time()
            while at < end:
                tracker.execute(calls[at])
                at += 1
            trace = engine.end_frame(frame, rule)
            took, used = time.perf_counter() - start, time.process_time() - busy
            if number == 0:
                first_frame_end = at
            elif round_number:
                times.append(took)
                cpu.append(used)
                if not pictures:
                    coverage = trace["quads"]["coverage"]
                    fragments += sum(int((coverage >> f & 1).sum()) for f in range(4))
                    quads += len(coverage)
            del trace
    engine.close()
    return {
        "times": times,
        "cpu": cpu,
        "fragments": fragments / max(len(times), 1),
        "quads": quads / max(len(times), 1),
    }


def mesa_times(path, threads, repeat, frames):
    os.environ["LP_NUM_THREADS"] = str(threads if threads > 1 else 0)
    os.environ.setdefault("EGL_PLATFORM", "surfaceless")
    from capture.playback import Playback
    from traceformat.gltrace.reader import open_trace

    with open_trace(path) as reader:
        bounds = [f.end_call for f in reader.frames][:frames]
        calls = list(reader.calls(stop=bounds[-1]))
    playback = Playback(calls)
    times, cpu = [], []
    first_frame_end = 0
    for round_number in range(repeat + 1):
        at = 0 if round_number == 0 else first_frame_end
        for number, end in enumerate(bounds):
            if round_number and number == 0:
                continue
            start, busy = time.perf_counter(), time.process_time()
            while at < end:
                playback.execute(calls[at])
                at += 1
            playback.finish()
            if number == 0:
                first_frame_end = at
            elif round_number:
                times.append(time.perf_counter() - start)
                cpu.append(time.process_time() - busy)
    return {"times": times, "cpu": cpu}


def child(side, options):
    command = [sys.executable, __file__, options.trace, "--side", side, "--threads", str(options.threads)]
    command += ["--repeat", str(options.repeat), "--frames", str(options.frames)]
    command += ["--pictures"] if options.pictures else []
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{side} failed:\n{done.stderr}")
    return json.loads(done.stdout.splitlines()[-1])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("trace")
    parser.add_argument("--threads", type=int, default=1, choices=(1, 2))
    parser.add_argument("--repeat", type=int, default=2)
    parser.add_argument("--frames", type=int, default=10)
    parser.add_argument("--pictures", action="store_true", help="pictures only, no FrameTrace")
    parser.add_argument("--side", choices=("replay", "mesa"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.side == "replay":
        result = replay_times(options.trace, options.threads, options.repeat, options.frames, options.pictures)
        print(json.dumps(result))
    elif options.side == "mesa":
        print(json.dumps(mesa_times(options.trace, options.threads, options.repeat, options.frames)))
    else:
        ours, mesa = child("replay", options), child("mesa", options)
        a, b = statistics.median(ours["times"]), statistics.median(mesa["times"])
        c, d = statistics.median(ours["cpu"]), statistics.median(mesa["cpu"])
        print(
            f"{os.path.basename(options.trace)}: replay {a * 1e3:.1f} ms, llvmpipe {b * 1e3:.1f} ms a frame, "
            f"ratio {b / a:.2f} ({d / c:.2f} by processor time); "
            f"{ours['fragments'] / 1e6:.2f} Mfragments, {ours['quads'] / 1e3:.0f} k quads, "
            f"{ours['fragments'] / a / 1e6:.1f} Mfragments/s, {options.threads} thread(s)"
        )


if __name__ == "__main__":
    sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
    main()
