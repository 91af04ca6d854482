"""Random films through this engine and through that of another commit: all that they make is equal, bit by bit.

usage: python tests/fuzz/run_engine_versions.py COMMIT|TREE STATE [--films 0-1999] [--seconds 540] [--batch 50]

Pictures, all columns and what calls read back of every frame of each film, with one thread. The other engine runs from
a copy of its commit (or from the folder TREE), with a cache of its own below STATE; both digest through their own
``tests/support/engine_digests.py``. Films that were compared are remembered in STATE, so that the command can be given
again until all are done. Exit status 1 when any film differs, 3 when films are left.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Final

_ROOT: Final = Path(__file__).resolve().parents[2]
_FRAMES: Final = 1000


def tree_of(version: str, state: Path) -> Path:
    """Folder with the sources of a commit; a folder is one already."""
    if Path(version).is_dir():
        return Path(version)
    folder = state / f"tree-{version}"
    if not folder.exists():
        made = Path(tempfile.mkdtemp(dir=state))
        archive = subprocess.run(["git", "archive", version], cwd=_ROOT, check=True, stdout=subprocess.PIPE).stdout
        subprocess.run(["tar", "-x", "-C", str(made)], input=archive, check=True)
        made.rename(folder)
    return folder


def _digests(tree: Path, cache: Path | None, films: Path, target: Path) -> subprocess.Popen[bytes]:
    """Start to digest the films of a folder with the engine of a tree."""
    command = [sys.executable, str(tree / "tests" / "support" / "engine_digests.py"), "digest", str(films), str(target)]
    environment = {**os.environ, "PYTHONPATH": str(tree), **({} if cache is None else {"GPUREPLAY_CACHE": str(cache)})}
    return subprocess.Popen(
        [*command, "--threads", "1", "--frames", str(_FRAMES)], cwd=tree, env=environment, stdout=subprocess.DEVNULL
    )


def differences(seeds: range, other: Path, cache: Path | None) -> tuple[dict[str, list[str]], int]:
    """What differs in films of seeds, by run; and how many pictures, columns and results of calls were compared."""
    from random_films import RandomFilm

    with tempfile.TemporaryDirectory() as scratch:
        films = Path(scratch) / "films"
        films.mkdir()
        for seed in seeds:
            RandomFilm(seed).record(films / f"film-{seed}.gltrace")
        files = [Path(scratch) / f"{side}.json" for side in ("own", "other")]
        running = [_digests(_ROOT, None, films, files[0]), _digests(other, cache, films, files[1])]
        if any([process.wait() for process in running]):
            raise SystemExit(f"films {seeds.start} to {seeds.stop - 1}: an engine failed")
        own, before = (json.loads(file.read_text()) for file in files)
    found = {}
    for run in own.keys() | before.keys():
        mine, theirs = own.get(run, {}), before.get(run, {})
        different = sorted(key for key in mine.keys() | theirs.keys() if mine.get(key) != theirs.get(key))
        if different:
            found[run] = different
    return found, sum(len(run) for run in own.values())


def main() -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(description="Random films through two versions of the engine.")
    parser.add_argument("version", help="commit, or folder of sources")
    parser.add_argument("state", type=Path, help="folder of what is done")
    parser.add_argument("--films", default="0-1999", metavar="FIRST-LAST", help="seeds")
    parser.add_argument("--seconds", type=int, default=540, help="after which no batch is begun")
    parser.add_argument("--batch", type=int, default=50, help="films of a batch")
    options = parser.parse_args()
    sys.path[:0] = [str(_ROOT), str(_ROOT / "tests" / "support")]
    options.state.mkdir(parents=True, exist_ok=True)
    kept = options.state / "films.json"
    state = json.loads(kept.read_text()) if kept.exists() else {"done": [], "compared": 0, "different": {}}
    other = tree_of(options.version, options.state)
    first, _, last = options.films.partition("-")
    left = [seed for seed in range(int(first), int(last or first) + 1) if seed not in set(state["done"])]
    end = time.monotonic() + options.seconds
    while left and time.monotonic() < end:
        seeds = range(left[0], min(left[0] + options.batch, left[-1] + 1))
        different, compared = differences(seeds, other, options.state / "cache")
        state["done"] += seeds
        state["compared"] += compared
        state["different"].update(different)
        kept.write_text(json.dumps(state))
        left = [seed for seed in left if seed not in seeds]
        print(f"{len(state['done'])} films, {len(left)} left, {len(state['different'])} runs differ", flush=True)
    for run, columns in sorted(state["different"].items()):
        print(f"{run}: {len(columns)} differ: {columns[:6]}")
    print(f"{len(state['done'])} films, {state['compared']} pictures, columns and results compared")
    return 1 if state["different"] else 3 if left else 0


if __name__ == "__main__":
    sys.exit(main())
