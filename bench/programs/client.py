"""Measures the Python client against newline JSON over a pipe between two Pythons, in turns.

Usage: client.py LOG ROUNDS. Writes JSON: microseconds of a round trip, and milliseconds of steps of a cart pole.
"""

import json
import os
import statistics
import subprocess
import sys
import time

import hindcast

LOG, ROUNDS = sys.argv[1], int(sys.argv[2])

TRIPS = 2000
STEPS = 60
#: Of a vector.
EPISODES = 64
VECTOR_STEPS = 300
#: Short turns, so that other load on the machine affects both alike.
TURN = 100

ECHO = """
import json, sys
for line in sys.stdin.buffer:
    request = json.loads(line)
    sys.stdout.buffer.write(json.dumps({"id": request["id"], "result": request["params"]}).encode() + b"\\n")
    sys.stdout.buffer.flush()
"""



def processor(pid):
    """Seconds of processor time of another process; None where the system does not say."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            fields = file.read().rsplit(")", 1)[1].split()
    except OSError:
        return None
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


echo = subprocess.Popen([sys.executable, "-c", ECHO], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
connection = hindcast.Connection()


def ours():
    connection.request("ping", {"world": 1, "action": 1})


def floor():
    request = {"id": 1, "method": "ping", "params": {"world": 1, "action": 1}}
    echo.stdin.write(json.dumps(request).encode() + b"\n")
    echo.stdin.flush()
    if json.loads(echo.stdout.readline())["result"] != request["params"]:
        raise SystemExit("the echo answered something else")


def timed(call, times):
    began = time.perf_counter()
    for _ in range(times):
        call()
    return (time.perf_counter() - began) / times


trips = {"ours": [], "floor": []}
for turn in range(ROUNDS * TRIPS // TURN):
    for name, call in (("ours", ours), ("floor", floor)):
        spent = timed(call, TURN)
        # The first round is a warm-up.
        if turn >= TRIPS // TURN:
            trips[name].append(spent * 1e6)


def processor_of(call, pid, times):
    """Processor time of both ends, in microseconds a trip. Other load on the machine hardly affects it."""
    own, other = time.process_time(), processor(pid)
    if other is None:
        return None
    for _ in range(times):
        call()
    return (time.process_time() - own + processor(pid) - other) / times * 1e6


spent = {
    "oursCpu": processor_of(ours, connection.request("hello")["pid"], ROUNDS * TRIPS),
    "floorCpu": processor_of(floor, echo.pid, ROUNDS * TRIPS),
}
connection.close()
echo.stdin.close()
echo.wait()

steps = []
with hindcast.make("cart-pole", log=LOG, seed=7) as env:
    for round_ in range(ROUNDS):
        env.reset(seed=round_)
        action = 1
        for _ in range(STEPS):
            began = time.perf_counter()
            observation, _, terminated, truncated, _ = env.step(action)
            if round_ > 0:
                steps.append((time.perf_counter() - began) * 1e3)
            action = 1 if observation[2] + observation[3] > 0 else 0
            if terminated or truncated:
                break

#: Steps of a second, of all episodes together.
vector = []
with hindcast.make_vec("cart-pole", EPISODES, log=LOG, seed=7) as envs:
    for round_ in range(ROUNDS):
        observations, _ = envs.reset(seed=round_)
        began = time.perf_counter()
        for _ in range(VECTOR_STEPS):
            actions = [1 if observation[2] + observation[3] > 0 else 0 for observation in observations]
            observations = envs.step(actions)[0]
        if round_ > 0:
            vector.append(EPISODES * VECTOR_STEPS / (time.perf_counter() - began))

#: The fastest turn of each: what is above it is other work of the machine, which waits for a processor longer than a trip takes.
fastest = {name: min(all_) for name, all_ in trips.items()}
medians = {f"{name}Median": statistics.median(all_) for name, all_ in trips.items()}
json.dump({**fastest, **medians, **spent, "step": statistics.median(steps), "vector": statistics.median(vector)}, sys.stdout)
