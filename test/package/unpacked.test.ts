import * as fs from "node:fs"
import * as path from "node:path"
import { afterAll, beforeAll, expect, it } from "vitest"
import { PACKAGE } from "../built.ts"
import { PYTHON } from "../python/interpreter.ts"
import { inRepository } from "../repository.ts"
import { makeProject, run } from "./consumer.ts"

const project = makeProject()
afterAll(project.remove)

const modules = path.join(project.directory, "node_modules")
const main = path.join(modules, "hindcast", "dist", "cli", "main.js")

/** Unpacks what npm would publish, beside links to the packages that npm would install with it. */
beforeAll(() => {
  const packing = ["pack", "--json", "--ignore-scripts", "--pack-destination", project.directory]
  const [{ filename }] = JSON.parse(run(PACKAGE, "npm", ...packing))
  fs.mkdirSync(path.join(modules, "hindcast"), { recursive: true })
  const tarball = path.join(project.directory, filename)
  run(project.directory, "tar", "-xzf", tarball, "-C", path.join(modules, "hindcast"), "--strip-components=1")
  for (const name of fs.readdirSync(inRepository("node_modules"))) {
    if (name !== "hindcast" && name !== ".bin")
      fs.symlinkSync(inRepository("node_modules", name), path.join(modules, name))
  }
  fs.chmodSync(main, 0o755)
  fs.mkdirSync(path.join(modules, ".bin"))
  fs.symlinkSync(main, path.join(modules, ".bin", "hindcast"))
})

const hindcast = (...args: ReadonlyArray<string>): string => run(project.directory, process.execPath, main, ...args)

it("an installed package has the worlds that its pages name, and plays them", () => {
  const policy = path.join("node_modules", "hindcast", "examples", "policies", "balances.mjs")
  const rollout = ["rollout", "cart-pole", "--policy", policy, "--episodes", "2", "--seed", "1", "--log", "worlds.db"]
  expect(hindcast(...rollout)).toMatch(/^Rollout .*: 2 episodes/m)
  expect(hindcast("plugin", "check", "physics")).toContain("asks for no permission")
  const vendored = path.join(modules, "hindcast", "packages", "worlds", "physics", "vendor")
  expect(fs.readdirSync(vendored).sort()).toEqual(["LICENSE", "NOTICE", "rapier.d.mts", "rapier.mjs"])
})

it("an installed package runs environments that are written in Python", () => {
  const climb = path.join(project.directory, "climb")
  fs.mkdirSync(climb)
  fs.writeFileSync(path.join(climb, "climb.py"), CLIMB)
  hindcast("plugin", "new", "climb", "--python", "climb:Climb")
  expect(hindcast("plugin", "check", "climb", "--run")).toMatch(/conformance: \d+ checks passed, 0 failed/)
})

it("an installed package has the Python package, which acts in its worlds", () => {
  const wheel = hindcast("python").trim().split(" ").at(-1) ?? ""
  fs.writeFileSync(path.join(project.directory, "act.py"), ACT)
  const printed = run(project.directory, "env", `PYTHONPATH=${wheel}`, PYTHON, "act.py")
  expect(printed).toContain("[0.02739560417830944, -0.006112155970185995, 0.03585979342460632, 0.019736802205443382]")
})

const CLIMB = `from hindcast.spaces import Box, Discrete


class Climb:
    """Climb to the top."""

    observation_space = Box({"dtype": "float64", "shape": [1], "low": 0, "high": 10})
    action_space = Discrete({"n": 2})

    def reset(self, *, seed=None, options=None):
        self.at = 0
        return [self.at], {}

    def step(self, action):
        self.at = max(0, self.at + (1 if action == 1 else -1))
        return [self.at], -1.0, self.at == 3, False, {}
`

const ACT = `import hindcast

with hindcast.make("cart-pole", log="python.db", seed=42) as env:
    observation, info = env.reset()
    print(list(observation))
`
