import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import * as fs from "node:fs"
import { afterAll, describe, expect, it } from "vitest"
import { MAIN } from "../built.ts"
import { document, hindcast } from "../cli/hindcast.ts"
import { python } from "../python/environment.ts"
import { inRepository } from "../repository.ts"
import { workplace } from "../workplace.ts"

const place = workplace()
afterAll(place.remove)

const CLIENT = `
import sys
from openenv.core.generic_client import GenericEnvClient

with GenericEnvClient(base_url=sys.argv[1]).sync() as env:
    result = env.reset(seed=42)
    print(result.observation["observation"])
    steps = 0
    while not result.done:
        result = env.step({"action": 1})
        steps += 1
    print(steps, env.state()["step_count"], result.observation["terminated"], result.reward)
`

describe("the package openenv, with hindcast serve --openenv", () => {
  it("finds nothing wrong with the server, and plays an episode", async () => {
    const words = ["serve", "--openenv", "cart-pole", "--port", "0", "--log", place.file("worlds.db")]
    const server = spawn(process.execPath, [MAIN, ...words], { stdio: ["ignore", "ignore", "pipe"] })
    try {
      const [line] = await once(server.stderr.setEncoding("utf8"), "data")
      const url = /http:\/\/[\d.:]+/.exec(String(line))?.[0] ?? ""
      const run = (...args: ReadonlyArray<string>) => spawnSync(python("openenv"), args, { encoding: "utf8" })
      const validated = run("-m", "openenv.cli", "validate", "--url", url)
      expect([validated.stdout.match(/PASS/g)?.length, validated.status]).toEqual([7, 0])
      const { stdout, stderr } = run("-c", CLIENT, url)
      const first = "[0.02739560417830944, -0.006112155970185995, 0.03585979342460632, 0.019736802205443382]"
      expect([stdout.split("\n"), stderr]).toEqual([[first, "10 10 True 1", ""], ""])
    } finally {
      server.kill("SIGTERM")
      await once(server, "close")
    }
  }, 600_000)
})

describe("a server of the package openenv, as a world", () => {
  it("is found, checked, played and recorded", async () => {
    const server = spawn(python("openenv"), [inRepository("test", "long", "openenv_corridor.py")], {
      stdio: ["ignore", "pipe", "inherit"],
    })
    try {
      const [line] = await once(server.stdout.setEncoding("utf8"), "data")
      const host = `127.0.0.1:${String(line).trim()}`
      const at = { cwd: place.directory }
      const made = await hindcast(["plugin", "new", "lane", "--openenv", `http://${host}`], at)
      expect([made.code, made.stderr]).toEqual([0, ""])
      const { peas } = JSON.parse(fs.readFileSync(place.file("lane/looper-plugin.json"), "utf8"))
      expect(peas.environment.spaces).toEqual({
        observation: { type: "Discrete", n: 10 },
        action: { type: "Discrete", n: 2 },
      })
      const grants = ["--grant-net", host, "--sandbox", "flags"]
      expect(await document(["plugin", "check", "lane", "--run", ...grants], at)).toMatchObject({ problems: [] })
      const log = ["--log", place.file("lane.db")]
      expect((await hindcast(["plugin", "add", "lane", ...grants, ...log], at)).code).toBe(0)
      fs.writeFileSync(place.file("east.mjs"), "export default () => 1\n")
      const words = ["--policy", "east.mjs", "--episodes", "2", "--seed", "3", "--record", "full", "--gate", "allow"]
      const { stdout } = await hindcast(["rollout", "lane", ...words, ...log, "--json"], at)
      const [one, other] = stdout
        .split("\n")
        .slice(0, 2)
        .map((text) => JSON.parse(text))
        .sort((a, b) => a.seed - b.seed)
      expect(one).toMatchObject({ seed: 3, steps: 6, return: 0.5, outcome: "achieved" })
      expect(other).toMatchObject({ seed: 4, steps: 5, return: 0.6, outcome: "achieved" })
    } finally {
      server.kill("SIGTERM")
      await once(server, "close")
    }
  }, 600_000)
})
