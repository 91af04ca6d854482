"""Speed of the replay against Mesa's llvmpipe over the apitrace corpus: traces of real programs of several kinds.

    python benchmarks/bench_corpus_replay.py [NAME ...] [--threads 1] [--repeat 3] [--reference apitrace|playback]
                                             [--columns model|none]

Every trace is imported and replayed with the full FrameTrace (``--columns none``: pictures alone, which are read and
nothing encoded) in a process of its own, and played on llvmpipe with as many threads, at its own resolution. The first
frames (uploads, compilation: all up to the last one that links a program) are left out, reading the trace and swaps are
part of a frame, and each side's time is the best of two times ``repeat`` runs by the clock, which the sides take in
turn, since a machine may be half as fast a moment later. The reference is ``apitrace replay -b`` on an X server
(``DISPLAY``, or an Xvfb of its own), which says when each frame began, or ``capture.playback`` without a display, which
adds Python's time a call to Mesa's. Names may be cut short; without names a choice of kinds is run, ``all`` runs
everything.
The last line holds the geometric mean of llvmpipe's time over ours: above 1 we are faster. The first frame that is
measured may be the first one that draws, with what each side does once (llvmpipe compiles its variants of shaders);
``steady`` is the same of each side's median frame.
"""

import argparse
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from itertools import pairwise
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
#: Each side's turns.
_TURNS = 2
#: What apitrace is asked for of each frame: its start, nanoseconds.
_FRAME_TIMES = "--pframes=opengl: [0,0]"


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

    threads, repeat, now = options.threads, options.repeat, time.perf_counter
    wanted = MODEL_COLUMNS if options.columns == "model" else ColumnSet(())
    best, fragments, quads = [], 0, 0
    for number in range(repeat + 1):
        times = []
        with replay.frames(path, columns=wanted, threads=threads) as played:
            start = now()
            # Without enumerate(), which holds a frame until it has the next one.
            for frame in played:
                times.append(now() - start)
                if number == 0 and len(times) > skip and wanted:
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


def apitrace_times(path, repeat, skip):
    """Seconds of each frame from ``skip`` on, best run; none where apitrace shows no frames."""
    best = []
    for _ in range(repeat):
        done = subprocess.run(
            ["apitrace", "replay", "-b", _FRAME_TIMES, path], capture_output=True, text=True, check=False
        )
        starts = [int(start) / 1e9 for start in re.findall(r"^frame\t(\d+)", done.stdout, re.MULTILINE)]
        rendered = re.search(r"Rendered (\d+) frames", done.stdout + done.stderr)
        if rendered is None or len(starts) <= int(rendered[1]):
            print(f"apitrace replay {path.name}: {done.stderr.strip()}", file=sys.stderr)
            return []
        # A frame lasts until the next one; what comes behind the last is a frame for apitrace, too.
        times = [after - start for start, after in pairwise(starts)][skip : int(rendered[1])]
        if not best or sum(times) < sum(best):
            best = times
    return best


def child(side, path, options, skip):
    command = [sys.executable, __file__, "--side", side, str(path), "--threads", str(options.threads)]
    command += ["--repeat", str(options.repeat), "--skip", str(skip), "--columns", options.columns]
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


def take_turn(source, target, options, skip):
    """What both sides' best runs say: ours, and seconds of llvmpipe's frames."""
    ours = child("replay", target, options, skip)
    if options.reference == "apitrace":
        return ours, apitrace_times(source, options.repeat, skip)
    return ours, child("playback", target, options, skip)["times"]


def compare(traces, options):
    from capture.importers import import_trace

    names = ("frames", "ours ms", "llvmpipe", "ratio", "steady", "kfragments", "kquads")
    head = "".join(f"{name:>10}" for name in names)
    print(f"{'trace (a frame)':24}{head}")
    ratios, steady = [], []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for source in traces:
            target = folder / "trace.gltrace"
            import_trace(source, target)
            skip = first_measured(target)
            turns = [take_turn(source, target, options, skip) for _ in range(_TURNS)]
            ours = min((own for own, _ in turns), key=lambda own: sum(own["times"]))
            theirs = min((times for _, times in turns if times), key=sum, default=[])
            num_frames = len(ours["times"])
            if len(theirs) != num_frames:
                print(f"{source.stem:24} {num_frames} frames of ours, {len(theirs)} of the reference: not compared")
                continue
            mine, mesa = sum(ours["times"]) / num_frames, sum(theirs) / len(theirs)
            ratios.append(mesa / mine)
            steady.append(statistics.median(theirs) / statistics.median(ours["times"]))
            print(
                f"{source.stem:24}{num_frames:10}{mine * 1e3:10.2f}{mesa * 1e3:10.2f}"
                f"{ratios[-1]:10.2f}{steady[-1]:10.2f}"
                f"{ours['fragments'] / num_frames / 1e3:10.0f}{ours['quads'] / num_frames / 1e3:10.0f}",
                flush=True,
            )
    if not ratios:
        print("nothing compared")
        return
    what = f"{options.threads} thread(s), columns {options.columns}, {options.reference}"
    means = f"geometric mean {statistics.geometric_mean(ratios):.2f}, steady {statistics.geometric_mean(steady):.2f}"
    print(f"{len(ratios)} traces, {what}: {means}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--reference", choices=("apitrace", "playback"))
    parser.add_argument("--columns", choices=("model", "none"), default="model")
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
