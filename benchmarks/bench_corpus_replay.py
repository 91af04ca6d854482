"""Speed of the replay against Mesa's llvmpipe over the apitrace corpus: traces of real programs of several kinds.

    python benchmarks/bench_corpus_replay.py [NAME ...] [--threads 1] [--repeat 3] [--reference apitrace|playback]
                                             [--columns model|none] [--processor]

Every trace is imported and replayed with the full FrameTrace (``--columns none``: pictures alone, which are read and
nothing encoded) in a process of its own, and played on llvmpipe with as many threads, at its own resolution. The first
frames (uploads, compilation: all up to the last one that links a program) are left out, reading the trace and swaps are
part of a frame, and each side's time is the best of ``repeat`` runs. The reference is ``apitrace replay -b`` on an X
server (``DISPLAY``, or an Xvfb of its own), whose time for the first frames alone is subtracted, or
``capture.playback`` without a display, which adds Python's time a call to Mesa's. Names may be cut short; without names
a choice of kinds is run, ``all`` runs everything. ``--processor`` compares processor time, for one thread on a busy
machine. The last line holds the geometric mean of llvmpipe's time over ours:
above 1 we are faster.
"""

import argparse
import json
import math
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SHARED = Path(os.environ.get("GPUREPLAY_SHARED") or ROOT.parent / "shared")
#: Benchmarks, games, toolkits, 2D, 3D, off-screen passes, long shaders, many small draws.
CHOICE = (
    "glm_refract_800",
    "glm_terrain",
    "glm_shadow",
    "glm_jellyfish",
    "glm_ideas",
    "kivy_3d",
    "qml_samegame",
    "rl_fog_rendering",
    "rl_loading_gltf",
    "rl_particles_blending",
    "rl_shadowmap_rendering",
    "sdlg_blockattack",
    "web_three",
)
#: Rounds of the reference: most of them, and how many agree within a part of the difference in the end.
_MAX_ROUNDS = 20
_STEADY_ROUNDS = 4
_STEADY = 0.03


def first_measured(path):
    """Number of the first frame after the last one that links a program; the last frame is measured in any case."""
    from traceformat.gltrace.reader import open_trace

    with open_trace(path) as reader:
        ends = [frame.end_call for frame in reader.frames]
        links = [call.number for call in reader.calls(stop=ends[-1]) if call.name == "glLinkProgram"]
    linked = sum(end <= links[-1] for end in ends) if links else 0
    return min(linked + 1, len(ends) - 1)


def replay_times(path, skip, options):
    """Seconds of each frame from ``skip`` on, best run; fragments and quads of all of them."""
    import replay
    from traceformat.gputrace.frametrace import MODEL_COLUMNS, ColumnSet

    threads, repeat = options.threads, options.repeat
    now = time.process_time if options.processor else time.perf_counter
    wanted = MODEL_COLUMNS if options.columns == "model" else ColumnSet(())
    best, fragments, quads = [], 0, 0
    for number in range(repeat + 1):
        times = []
        with replay.frames(path, columns=wanted, threads=threads) as played:
            start = now()
            for at, frame in enumerate(played):
                times.append(now() - start)
                if number == 0 and at >= skip and wanted:
                    coverage = frame["quads"]["coverage"]
                    fragments += sum(int((coverage >> f & 1).sum()) for f in range(4))
                    quads += len(coverage)
                del frame
                start = now()
        if number and (not best or sum(times[skip:]) < sum(best)):
            best = times[skip:]  # the first run filled the caches of compiled shaders
    return {"times": best, "fragments": fragments, "quads": quads}


def playback_times(path, repeat, skip):
    from capture.playback import Playback
    from traceformat.gltrace.reader import open_trace

    with open_trace(path) as reader:
        ends = [frame.end_call for frame in reader.frames]
        calls = list(reader.calls(stop=ends[-1]))
    best = []
    for _ in range(repeat):
        playback, at, times = Playback(calls), 0, []
        for end in ends:
            start = time.perf_counter()
            while at < end:
                playback.execute(calls[at])
                at += 1
            playback.finish()
            times.append(time.perf_counter() - start)
        if not best or sum(times[skip:]) < sum(best):
            best = times[skip:]
    return {"times": best}


def apitrace_seconds(path, processor):
    """Frames and seconds of ``apitrace replay -b``; those of the processor by the account of processes that ended."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(["apitrace", "replay", "-b", str(path)], capture_output=True, text=True, check=False)
    found = re.search(r"Rendered (\d+) frames in ([0-9.]+) secs", done.stdout + done.stderr)
    if found is None:
        print(f"apitrace replay {path.name}: {done.stderr.strip()}", file=sys.stderr)
        return 0, 0.0
    if processor:
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return int(found[1]), after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return int(found[1]), float(found[2])


def apitrace_frame(path, options, folder, skip):
    """Seconds a frame from ``skip`` on: the least of all runs less the least of those of the first frames alone.

    Both take half a second before the first frame; five frames behind it may take 10 ms. So runs are added until the
    difference has stood for three rounds.
    """
    first = folder / "first.trace"
    subprocess.run(["apitrace", "trim", f"--frames=0-{skip - 1}", "-o", first, path], capture_output=True, check=True)
    whole = before = math.inf
    found = []
    for number in range(_MAX_ROUNDS):
        frames, seconds = apitrace_seconds(path, options.processor)
        if frames <= skip:
            return 0.0
        whole, before = min(whole, seconds), min(before, apitrace_seconds(first, options.processor)[1])
        found.append((whole - before) / (frames - skip))
        last = found[-_STEADY_ROUNDS:]
        if number + 1 >= max(options.repeat, _STEADY_ROUNDS) and max(last) - min(last) <= _STEADY * abs(last[-1]):
            break
    return found[-1]


def child(side, path, options, skip):
    command = [sys.executable, __file__, "--side", side, str(path), "--threads", str(options.threads)]
    command += ["--repeat", str(options.repeat), "--skip", str(skip), "--columns", options.columns]
    command += ["--processor"] * options.processor
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{side} of {path} failed:\n{done.stderr}")
    return json.loads(done.stdout.splitlines()[-1])


def start_display():
    """An X server where there is none."""
    if os.environ.get("DISPLAY") or shutil.which("Xvfb") is None:
        return None
    read, write = os.pipe()
    command = ["Xvfb", "-displayfd", str(write), "-screen", "0", "1920x1200x24", "-noreset"]
    server = subprocess.Popen(command, pass_fds=(write,), stderr=subprocess.DEVNULL)
    os.close(write)
    with os.fdopen(read) as pipe:
        os.environ["DISPLAY"] = f":{pipe.readline().strip()}"
    return server


def compare(traces, options):
    from capture.importers import import_trace

    head = "".join(f"{name:>10}" for name in ("frames", "ours ms", "llvmpipe", "ratio", "kfragments", "kquads"))
    print(f"{'trace (a frame)':24}{head}")
    ratios = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for source in traces:
            target = folder / "trace.gltrace"
            import_trace(source, target)
            skip = first_measured(target)
            ours = child("replay", target, options, skip)
            num_frames = len(ours["times"])
            mine = sum(ours["times"]) / num_frames
            if options.reference == "apitrace":
                mesa = apitrace_frame(source, options, folder, skip)
            else:
                played = child("playback", target, options, skip)["times"]
                mesa = sum(played) / len(played)
            if mesa <= 0:
                print(f"{source.stem:24} too short to measure")
                continue
            ratios.append(mesa / mine)
            print(
                f"{source.stem:24}{num_frames:10}{mine * 1e3:10.2f}{mesa * 1e3:10.2f}{ratios[-1]:10.2f}"
                f"{ours['fragments'] / num_frames / 1e3:10.0f}{ours['quads'] / num_frames / 1e3:10.0f}",
                flush=True,
            )
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
    what = f"{options.threads} thread(s), columns {options.columns}, {options.reference}"
    print(f"{len(ratios)} traces, {what}: geometric mean {mean:.2f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--reference", choices=("apitrace", "playback"))
    parser.add_argument("--columns", choices=("model", "none"), default="model")
    parser.add_argument("--processor", action="store_true", help="compare processor time (apitrace alone)")
    parser.add_argument("--side", choices=("replay", "playback"), help=argparse.SUPPRESS)
    parser.add_argument("--skip", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    os.environ["LP_NUM_THREADS"] = str(options.threads if options.threads > 1 else 0)
    if options.side == "replay":
        found = replay_times(options.names[0], options.skip, options)
        print(json.dumps(found))
        return
    if options.side == "playback":
        print(json.dumps(playback_times(options.names[0], options.repeat, options.skip)))
        return
    corpus = SHARED / "corpus"
    if not corpus.is_dir():
        print(f"no {corpus}: set GPUREPLAY_SHARED to the folder with the corpus; nothing measured")
        return
    names = options.names or list(CHOICE)
    traces = [
        path for path in sorted(corpus.glob("*.trace")) if any(n == "all" or path.stem.startswith(n) for n in names)
    ]
    server = start_display() if options.reference != "playback" and shutil.which("apitrace") else None
    if options.reference is None:
        options.reference = "apitrace" if shutil.which("apitrace") and os.environ.get("DISPLAY") else "playback"
    try:
        compare(traces, options)
    finally:
        if server is not None:
            server.terminate()


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    main()
