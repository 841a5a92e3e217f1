"""Writes the golden episodes beside this file, which test/worlds holds our worlds to, with the original Gymnasium.

It needs Gymnasium 1.4 and numpy 2, neither of which is part of this repository. From a clone of
github.com/Farama-Foundation/Gymnasium, without installing it, where STUBS has a `farama_notifications.py` that says
`notifications = {}`:

    PYTHONPATH=PATH-TO/Gymnasium:STUBS python3 test/golden/worlds/gymnasium.py

An episode has the id and the arguments in Gymnasium, the options of our world, the seed, the first observation, and a
column each for actions, observations and rewards. Both flags are false before its last step; `end` has those of the
last step. Numbers of float32 are written with the fewest digits that a float32 needs.
"""

import json
import sys
from pathlib import Path

# Python puts this directory first, where this file hides the package of the same name.
here = Path(__file__).parent
sys.path = [path for path in sys.path if Path(path).resolve() != here.resolve()]

import gymnasium  # noqa: E402
import numpy as np  # noqa: E402


def plain(value):
    """A number or an array as JSON has it."""
    if isinstance(value, (np.ndarray, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, np.float32):
        return float(str(value))
    if isinstance(value, (np.integer, bool, np.bool_)):
        return int(value)
    return float(value) if isinstance(value, np.floating) else value


def episode(id, seed, policy, arguments=None, reset=None, steps=10_000, info=()):
    """One episode, up to its end or to a number of steps. `info` names what is kept of the information."""
    env = gymnasium.make(id, **(arguments or {}))
    observation, known = env.reset(seed=seed, options=reset)
    chance = np.random.default_rng(1000 + seed)
    columns = {name: [plain(known[name])] for name in info}
    actions, observations, rewards, end = [], [], [], (False, False)
    first = plain(observation)
    while not any(end) and len(actions) < steps:
        action = policy(env.unwrapped, observation, chance)
        observation, reward, terminated, truncated, known = env.step(action)
        end = (bool(terminated), bool(truncated))
        actions.append(plain(action))
        observations.append(plain(observation))
        rewards.append(plain(reward))
        for name in info:
            columns[name].append(plain(known[name]))
    return {
        "id": id,
        "options": {**(arguments or {}), **(reset or {})},
        "seed": seed,
        "first": first,
        "actions": actions,
        "observations": observations,
        "rewards": rewards,
        "end": {"terminated": end[0], "truncated": end[1]},
        **({"info": columns} if info else {}),
    }


def chance(env, observation, rng):
    """Any action."""
    space = env.action_space
    if isinstance(space, gymnasium.spaces.Discrete):
        return int(rng.integers(space.n))
    return rng.uniform(space.low, space.high).astype(np.float32)


def optimum(env):
    """The best action of each state, by value iteration over the transitions that Gymnasium has in a table."""
    table = env.P
    values = np.zeros(len(table))

    def worth(state, action):
        return sum(p * (r + 0.999 * values[s] * (not end)) for p, s, r, end in table[state][action])

    for _ in range(400):
        values = np.array([max(worth(state, action) for action in table[state]) for state in table])
    return {state: max(table[state], key=lambda action: worth(state, action)) for state in table}


best = {}


def optimal(env, observation, rng):
    """The best action."""
    if env not in best:
        best[env] = optimum(env)
    return best[env][observation]


def write(name, episodes):
    head = {"gymnasium": gymnasium.__version__, "numpy": np.__version__}
    lines = ",\n".join("    " + json.dumps(each, separators=(",", ":")) for each in episodes)
    text = json.dumps(head)[:-1] + ', "episodes": [\n' + lines + "\n]}\n"
    (here / f"{name}.json").write_text(text)
    print(name, [(len(each["actions"]), round(sum(each["rewards"]), 3), each["end"]) for each in episodes])


def balance(env, observation, rng):
    return int(observation[2] + observation[3] > 0)


def with_velocity(env, observation, rng):
    return 2 if observation[1] > 0 else 0


def swing(env, observation, rng):
    return 2 if observation[4] < 0 else 0


write(
    "cart-pole",
    [
        episode("CartPole-v1", 42, balance),
        episode("CartPole-v1", 123, chance),
        episode("CartPole-v1", 7, chance, reset={"low": -0.1, "high": 0.2}),
        episode("CartPole-v1", 8, lambda *_: 1),
    ],
)
write(
    "mountain-car",
    [
        episode("MountainCar-v0", 42, with_velocity),
        episode("MountainCar-v0", 123, chance),
        episode("MountainCar-v0", 7, with_velocity, arguments={"goal_velocity": 0.01}, reset={"low": -0.9, "high": -0.8}),
        episode("MountainCar-v0", 8, lambda *_: 0, reset={"low": -1.1, "high": -1.1}, steps=60),
    ],
)

def push_with_velocity(env, observation, rng):
    return np.array([1 if observation[1] >= 0 else -1], dtype=np.float32)


write(
    "mountain-car-continuous",
    [
        episode("MountainCarContinuous-v0", 42, push_with_velocity),
        episode("MountainCarContinuous-v0", 123, chance, steps=200),
        episode(
            "MountainCarContinuous-v0",
            7,
            push_with_velocity,
            arguments={"goal_velocity": 0.06},
            reset={"low": -0.9, "high": -0.8},
            steps=300,
        ),
        episode(
            "MountainCarContinuous-v0",
            8,
            lambda *_: np.array([-1], dtype=np.float32),
            reset={"low": -1.1, "high": -1.1},
            steps=60,
        ),
    ],
)
write(
    "pendulum",
    [
        episode("Pendulum-v1", 42, chance),
        episode("Pendulum-v1", 123, chance, arguments={"g": 9.81}, reset={"x_init": 1.5, "y_init": 0.5}),
    ],
)
write(
    "acrobot",
    [
        episode("Acrobot-v1", 42, swing),
        episode("Acrobot-v1", 123, chance, steps=150),
        episode("Acrobot-v1", 7, swing, reset={"low": -0.5, "high": 0.2}),
    ],
)
lake = dict(info=("prob",))
write(
    "frozen-lake",
    [
        *(episode("FrozenLake-v1", seed, optimal, **lake) for seed in (42, 123)),
        *(episode("FrozenLake-v1", seed, chance, **lake) for seed in (1, 2, 3, 4)),
        episode("FrozenLake-v1", 5, lambda *_: 0, arguments={"is_slippery": False}, **lake),
        episode("FrozenLake-v1", 6, optimal, arguments={"is_slippery": False}, **lake),
        episode("FrozenLake-v1", 7, optimal, arguments={"success_rate": 0.75, "reward_schedule": [10, -5, -0.5]}, **lake),
        episode("FrozenLake8x8-v1", 42, optimal, arguments={"map_name": "8x8"}, **lake),
        episode("FrozenLake8x8-v1", 8, chance, arguments={"map_name": "8x8"}, **lake),
        episode("FrozenLake-v1", 9, optimal, arguments={"desc": ["FSF", "SFH", "FFG"]}, **lake),
    ],
)


def hit_below(total):
    return lambda env, observation, rng: int(observation[0] < total)


write(
    "blackjack",
    [
        *(episode("Blackjack-v1", seed, hit_below(17)) for seed in range(40)),
        *(episode("Blackjack-v1", seed, chance) for seed in range(40, 60)),
        *(episode("Blackjack-v1", seed, hit_below(18), arguments={"sab": False}) for seed in range(60, 80)),
        *(
            episode("Blackjack-v1", seed, hit_below(18), arguments={"sab": False, "natural": True})
            for seed in range(80, 160)
        ),
    ],
)
taxi = dict(info=("prob", "action_mask"))
write(
    "taxi",
    [
        *(episode("Taxi-v4", seed, optimal, **taxi) for seed in (42, 123, 7)),
        episode("Taxi-v4", 8, chance, **taxi),
        episode("Taxi-v4", 9, optimal, arguments={"is_rainy": True}, **taxi),
        episode("Taxi-v4", 10, chance, arguments={"is_rainy": True, "rainy_probability": 0.5}, steps=100, **taxi),
        *(episode("Taxi-v4", seed, optimal, arguments={"fickle_passenger": True}, **taxi) for seed in range(11, 17)),
        episode(
            "Taxi-v4",
            17,
            optimal,
            arguments={"is_rainy": True, "fickle_passenger": True, "fickle_probability": 1.0},
            **taxi,
        ),
    ],
)
cliff = dict(info=("prob",))
write(
    "cliff-walking",
    [
        episode("CliffWalking-v1", 42, optimal, **cliff),
        episode("CliffWalking-v1", 123, chance, steps=200, **cliff),
        episode("CliffWalkingSlippery-v1", 7, optimal, arguments={"is_slippery": True}, steps=200, **cliff),
    ],
)
