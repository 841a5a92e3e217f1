import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { afterAll, describe, expect, it } from "vitest"
import { MAIN } from "../built.ts"
import { python } from "../python/environment.ts"
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
