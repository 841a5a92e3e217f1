import { spawnSync } from "node:child_process"
import { afterAll, describe, expect, it } from "vitest"
import { hindcast } from "../cli/hindcast.ts"
import { python } from "../python/environment.ts"
import { inRepository } from "../repository.ts"
import { workplace } from "../workplace.ts"

const place = workplace()
afterAll(place.remove)

const PROGRAM = `
import json, sys, minari
data = minari.load_dataset(sys.argv[1])
ids = list(minari.list_local_datasets())
episodes = [
    {
        "observations": e.observations.tolist(), "actions": e.actions.tolist(), "rewards": e.rewards.tolist(),
        "terminated": bool(e.terminations[-1]), "truncated": bool(e.truncations[-1]),
        "dtypes": [str(e.observations.dtype), str(e.actions.dtype), str(e.rewards.dtype)],
    }
    for e in data
]
inside = all(data.observation_space.contains(o) for e in data for o in e.observations)
filtered = data.filter_episodes(lambda e: e.rewards.sum() > 0).total_steps
print(json.dumps({"ids": ids, "steps": int(data.total_steps), "filtered": int(filtered), "inside": inside, "episodes": episodes}))
`

describe("a data set that Hindcast wrote", () => {
  it.each(["parquet", "hdf5"])("is loaded by Minari with the same numbers: %s", async (data) => {
    const log = place.file(`log-${data}.db`)
    const policy = inRepository("examples", "policies", "balances.mjs")
    const rollout = ["rollout", "cart-pole", "--policy", policy, "--episodes", "3", "--max-steps", "40", "--log", log]
    expect((await hindcast(rollout)).code).toBe(0)
    const root = place.file(`root-${data}`)
    const set = ["--format", "minari", "--data", data, "--id", "own/cart-v0", "--output", root]
    expect((await hindcast(["export", "trajectories", ...set, "--log", log])).stderr).toBe("")
    const lines = await hindcast(["export", "trajectories", "--output", "-", "--log", log])
    const own = lines.stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line))
    const program = place.file("load.py", PROGRAM)
    const env = { ...process.env, MINARI_DATASETS_PATH: root }
    const { status, stdout, stderr } = spawnSync(python("data"), [program, "own/cart-v0"], { encoding: "utf8", env })
    expect([status, status === 0 ? "" : stderr]).toEqual([0, ""])
    expect(JSON.parse(stdout)).toEqual({
      ...{ ids: ["own/cart-v0"], steps: 120, filtered: 120, inside: true },
      episodes: own.map(({ first, steps }) => ({
        observations: [first, ...steps.map(({ observation }: { readonly observation: unknown }) => observation)],
        actions: steps.map(({ action }: { readonly action: number }) => action),
        rewards: steps.map(({ reward }: { readonly reward: number }) => reward),
        ...{ terminated: false, truncated: true, dtypes: ["float32", "int64", "float64"] },
      })),
    })
  })
})
