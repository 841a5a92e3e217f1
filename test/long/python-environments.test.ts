import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import { afterAll, describe, expect, it } from "vitest"
import { document, hindcast } from "../cli/hindcast.ts"
import { python } from "../python/environment.ts"
import { workplace } from "../workplace.ts"

const place = workplace()
afterAll(place.remove)

/** Plays episodes in Gymnasium itself, by the same actions: what each returns, and in how many steps. */
const GYMNASIUM = `
import json, sys
import gymnasium
arguments, seeds = json.loads(sys.argv[1]), json.loads(sys.argv[2])
found = []
for seed in seeds:
    env = gymnasium.make(**arguments)
    env.reset(seed=seed)
    total, steps, done = 0, 0, False
    while not done:
        _, reward, terminated, truncated, _ = env.step(steps % 2)
        total, steps, done = total + reward, steps + 1, terminated or truncated
    found.append([steps, float(total)])
print(json.dumps(found))
`

const SEEDS = [4, 5, 6, 7]

/** Gymnasium is imported by each process of the world. */
describe("environments of Gymnasium as plugins", () => {
  const program = python("worlds")
  const at = { cwd: place.directory, env: { HINDCAST_PYTHON: program } }
  place.file("policy.mjs", "export default ({ step }) => step % 2\n")

  it.each([
    ["cart", { id: "CartPole-v1" }],
    ["lake", { id: "FrozenLake-v1", is_slippery: true }],
    ["taxi", { id: "Taxi-v4" }],
    ["cliff", { id: "CliffWalking-v1", max_episode_steps: 50 }],
    ["car", { id: "MountainCar-v0" }],
  ])("%s passes the conformance checks, and plays the episodes that Gymnasium plays", async (name, given) => {
    const making = ["plugin", "new", name, "--python", "gymnasium:make", "--arguments", JSON.stringify(given)]
    expect((await hindcast(making, at)).code).toBe(0)
    const checked = await document(["plugin", "check", name, "--run"], at)
    expect(checked).toMatchObject({ name, problems: [] })
    const log = ["--log", `${name}.db`]
    expect((await hindcast(["plugin", "add", name, ...log], at)).code).toBe(0)
    const options = ["--policy", "policy.mjs", "--episodes", `${SEEDS.length}`, "--seed", `${SEEDS[0]}`, "--json"]
    const { stdout, stderr, code } = await hindcast(["rollout", name, ...options, ...log], at)
    expect([code, stderr]).toEqual([0, ""])
    const episodes = stdout
      .trim()
      .split("\n")
      .map((line): { readonly seed?: number; readonly steps: number; readonly return: number } => JSON.parse(line))
      .filter(({ seed }) => seed !== undefined)
      .sort((one, other) => (one.seed ?? 0) - (other.seed ?? 0))
    expect(episodes.map(({ seed }) => seed)).toEqual(SEEDS)
    const played = spawnSync(program, ["-c", GYMNASIUM, JSON.stringify(given), JSON.stringify(SEEDS)], {
      encoding: "utf8",
    })
    expect([played.status, played.status === 0 ? "" : played.stderr]).toEqual([0, ""])
    expect(episodes.map(({ steps, return: sum }) => [steps, sum])).toEqual(JSON.parse(played.stdout))
  })

  it("with arrays, dicts and texts as spaces are described by their manifests", async () => {
    fs.mkdirSync(place.file("kinds"))
    fs.writeFileSync(
      place.file("kinds/kinds.py"),
      `
import gymnasium, numpy as np
from gymnasium import spaces

class Kinds(gymnasium.Env):
    observation_space = spaces.Dict({
        "image": spaces.Box(0, 255, (4, 4, 3), np.uint8),
        "pair": spaces.Tuple([spaces.Discrete(3, start=1), spaces.MultiBinary(2)]),
        "counts": spaces.MultiDiscrete([2, 5]),
        "word": spaces.Text(5, min_length=1, charset="abc"),
    })
    action_space = spaces.Dict({"push": spaces.Box(-1, 1, (2,), np.float32), "mode": spaces.Discrete(2)})

    def _look(self):
        image = self.np_random.integers(0, 256, (4, 4, 3), dtype=np.uint8)
        return {"image": image, "pair": (np.int64(2), np.array([0, 1], np.int8)), "counts": np.array([1, 4]), "word": "ab"}

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        return self._look(), {"when": np.float32(0.5)}

    def step(self, action):
        assert isinstance(action["push"], np.ndarray) and action["push"].dtype == np.float32
        return self._look(), np.float64(action["push"].sum()), np.bool_(action["mode"] == 1), False, {}
`,
    )
    expect((await hindcast(["plugin", "new", "kinds", "--python", "kinds:Kinds"], at)).code).toBe(0)
    expect(await document(["plugin", "check", "kinds", "--run"], at)).toMatchObject({ problems: [] })
  })
})
