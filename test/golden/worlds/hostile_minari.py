"""Writes `hostile-minari/*.hdf5`: data sets that lie. Run with h5py: `python hostile_minari.py`."""

import os
import h5py
import numpy as np

here = os.path.join(os.path.dirname(os.path.abspath(__file__)), "hostile-minari")
os.makedirs(here, exist_ok=True)


def episode(name, steps=3, without=()):
    file = h5py.File(os.path.join(here, name + ".hdf5"), "w")
    group = file.create_group("episode_0")
    columns = {
        "observations": np.arange(steps + 1, dtype="i8"),
        "actions": np.zeros(steps, "i8"),
        "rewards": np.ones(steps),
        "terminations": np.array([False] * (steps - 1) + [True]),
        "truncations": np.array([False] * steps),
    }
    for key, values in columns.items():
        if key not in without:
            group.create_dataset(key, data=values)
    return file, group


file, group = episode("link-to-file", without=["observations"])
group["observations"] = h5py.ExternalLink("sound.hdf5", "/episode_0/observations")
file.close()

file, group = episode("soft-link-to-file", without=["observations"])
file["outside"] = h5py.ExternalLink("sound.hdf5", "/episode_0")
group["observations"] = h5py.SoftLink("/outside/observations")
file.close()

file, group = episode("bytes-of-another-file", without=["observations"])
group.create_dataset("observations", shape=(4,), dtype="i8", external=[("/etc/passwd", 0, 32)])
file.close()

file, group = episode("values-of-another-file", without=["observations"])
layout = h5py.VirtualLayout(shape=(4,), dtype="i8")
layout[:] = h5py.VirtualSource("sound.hdf5", "episode_0/observations", shape=(4,))
group.create_virtual_dataset("observations", layout, fillvalue=7)
file.close()

file, group = episode("billion-steps", without=["observations", "actions", "rewards", "terminations", "truncations"])
for key in ("observations", "actions", "rewards", "terminations", "truncations"):
    rows = 10**9 + (key == "observations")
    group.create_dataset(key, shape=(rows,), dtype="f8" if key == "rewards" else "i8", chunks=(1024,))
file.close()

file, group = episode("bomb", without=["observations"])
group.create_dataset("observations", shape=(4, 4096, 4096), dtype="f4", chunks=(1, 4096, 4096), compression="gzip", data=np.zeros((4, 4096, 4096), "f4"))
file.close()

file, group = episode("rows-that-lie", without=["terminations"])
group.create_dataset("terminations", data=np.array([True]))
file.close()

file, group = episode("pickle", without=["observations"])
group.create_dataset("observations", data=np.array([b"\x80\x04cposix\nsystem\n"] * 4, dtype="V16"))
file.close()

file, group = episode("loop", without=["observations"])
group["observations"] = h5py.SoftLink("/episode_0/observations")
file.close()

file, group = episode("nan-reward", without=["rewards"])
group.create_dataset("rewards", data=np.array([1, np.nan, 1]))
file.close()

file, group = episode("sound")
file.close()
