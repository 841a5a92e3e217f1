"""Writes golden.json: python3 test/plugins/numpy/golden.py > test/plugins/numpy/golden.json (numpy 2.4.6)."""

import json

import numpy as np

SEEDS = [0, 1, 42, 123, 2**32 - 1, 2**32, 2**53 - 1, [7], [1, 2, 3, 4, 5, 6], [2**40, 3]]
P = [0.1, 0.0, 0.25, 0.65]


def state(rng):
    s = rng.bit_generator.state
    return {
        "state": "%032x" % s["state"]["state"],
        "inc": "%032x" % s["state"]["inc"],
        "uint32": s["uinteger"] if s["has_uint32"] else None,
    }


def of(seed):
    rng = np.random.default_rng(seed)
    numbers = lambda values: [x.item() for x in np.ravel(values)]
    steps = []
    add = lambda call, result: steps.append({"call": call, "result": numbers(result)})
    start = state(rng)
    add(["random", 5], rng.random(5))
    add(["uniform", -0.05, 0.05, 4], rng.uniform(-0.05, 0.05, 4))
    add(["integers", 0, 10, 7], rng.integers(0, 10, 7))
    add(["random", 1], rng.random(1))
    add(["integers", -3, 4, 3], [rng.integers(-3, 4) for _ in range(3)])
    add(["integers", 0, 1, 2], rng.integers(0, 1, 2))
    add(["integers", 0, 2**32 - 1, 3], rng.integers(0, 2**32 - 1, 3))
    add(["integers", 0, 2**32, 3], rng.integers(0, 2**32, 3))
    add(["integers", 0, 2**32 + 1, 3], rng.integers(0, 2**32 + 1, 3))
    add(["integers", 0, 3 * 2**30, 20], rng.integers(0, 3 * 2**30, 20))
    add(["integers", -(2**51), 2**52, 5], rng.integers(-(2**51), 2**52, 5))
    add(["integers", 0, 2**53 - 1, 5], rng.integers(0, 2**53 - 1, 5))
    add(["choice", 9], rng.choice(9))
    add(["choice", 4, P], rng.choice(4, p=P))
    add(["categorical", P], np.argmax(np.cumsum(P) > rng.random()))
    add(["permutation", 12], rng.permutation(12))
    listed = list(range(9))
    rng.shuffle(listed)
    add(["shuffle", 9], listed)
    return {"seed": seed, "start": start, "steps": steps, "end": state(rng)}


print(json.dumps([of(seed) for seed in SEEDS], separators=(",", ":")))
