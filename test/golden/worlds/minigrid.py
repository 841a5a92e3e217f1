"""Writes `minigrid.json` beside this file, which test/worlds holds our `minigrid` to, with the original MiniGrid.

It needs MiniGrid and Gymnasium, of which none is part of this repository: clones of github.com/Farama-Foundation/Minigrid
(commit 9092872) and Gymnasium 1.4, and numpy 2, without installing them. STUBS has a `farama_notifications.py` that says
`notifications = {}`, and an empty `pygame/__init__.py` and `pygame/freetype.py`:

    PYTHONPATH=PATH-TO/Minigrid:PATH-TO/Gymnasium:STUBS python3 test/golden/worlds/minigrid.py

`resets` are first views, `episodes` steps of [action, view, direction, reward, terminated, truncated]. A view is a text of
49 cells, column by column: object, colour and state of each, the object in hexadecimal. `grid` is MiniGrid's own print.
"""

import json
import random
import sys
from pathlib import Path

# Python puts this directory first, where this file hides packages of the same names.
here = Path(__file__).parent
sys.path = [path for path in sys.path if Path(path).resolve() != here.resolve()]

from minigrid.core.world_object import Door, Goal, Key  # noqa: E402
from minigrid.envs.doorkey import DoorKeyEnv  # noqa: E402
from minigrid.envs.empty import EmptyEnv  # noqa: E402

def make(level):
    kind, size, start = level
    if kind == "DoorKey": return DoorKeyEnv(size=size)
    return EmptyEnv(size=size, agent_start_pos=None) if start == "random" else EmptyEnv(size=size)

def text(image):
    return "".join("%x%d%d" % tuple(int(v) for v in image[i][j]) for i in range(7) for j in range(7))

def rows(env):
    return env.pprint_grid().split("\n")

levels = [("Empty", 5, "corner"), ("Empty", 16, "corner"), ("Empty", 5, "random"), ("Empty", 6, "random")] + [("DoorKey", s, "random") for s in (5, 6, 8, 16)]
out = {"resets": [], "episodes": []}
for level in levels:
    env = make(level)
    for seed in ([42] if level[2] == "corner" else [0, 1, 2, 3, 42, 123, 2**31]):
        obs, _ = env.reset(seed=seed)
        out["resets"].append({"level": level[0], "size": level[1], "start": level[2], "seed": seed, "grid": rows(env),
            "direction": int(obs["direction"]), "image": text(obs["image"])})
for level, seed, many in [(("Empty",5,"corner"),1,20), (("Empty",6,"random"),7,60), (("DoorKey",5,"random"),3,80), (("DoorKey",6,"random"),5,120), (("DoorKey",8,"random"),11,120), (("DoorKey",16,"random"),9,40), (("Empty",5,"random"),8,100)]:
    env = make(level); rnd = random.Random(seed)
    obs, _ = env.reset(seed=seed)
    steps = []
    for t in range(many):
        front = env.grid.get(*env.front_pos)
        x = rnd.random()
        if x < 0.06: a = rnd.randrange(7)
        elif isinstance(front, Key) and x < 0.9: a = 3
        elif isinstance(front, Door) and front.is_locked and env.carrying: a = 5
        elif isinstance(front, Goal) and x < 0.6: a = 2
        else: a = rnd.choice([0, 1, 2, 2, 2, 2])
        if level == ("Empty",5,"random"): a = [0, 1, 3, 4, 5, 6][rnd.randrange(6)]
        obs, r, te, tr, _ = env.step(a)
        steps.append([a, text(obs["image"]), int(obs["direction"]), float(r), bool(te), bool(tr)])
        if te or tr: break
    if level == ("Empty",5,"random"):
        # what matters of this one is that it is truncated at its 100th step: its views are kept for the last steps only
        for s in steps[:-3]: s[1] = None
    out["episodes"].append({"level": level[0], "size": level[1], "start": level[2], "seed": seed, "steps": steps})
lines = ['{"resets":[']
lines.append(",\n".join(json.dumps(r, separators=(",", ":")) for r in out["resets"]))
lines.append('],"episodes":[')
lines.append(",\n".join(json.dumps({k: v for k, v in e.items() if k != "steps"}, separators=(",", ":"))[:-1] + ',"steps":[\n' + ",\n".join(json.dumps(s, separators=(",", ":")) for s in e["steps"]) + "]}" for e in out["episodes"]))
lines.append("]}")
(here / "minigrid.json").write_text("\n".join(lines) + "\n")
