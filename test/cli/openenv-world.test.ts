/** A world of an OpenEnv server by the program: `hindcast serve --openenv` is the server. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import * as fs from "node:fs"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { MAIN } from "../built.ts"
import { workplace } from "../workplace.ts"
import { document, hindcast } from "./hindcast.ts"

const place = workplace()
afterAll(place.remove)
const at = { cwd: place.directory }
const log = place.file("world.db")
let url: string
let end: () => Promise<void>

beforeAll(async () => {
  const words = ["serve", "--openenv", "cart-pole", "--port", "0", "--log", place.file("server.db")]
  const server = spawn(process.execPath, [MAIN, ...words], { stdio: ["ignore", "ignore", "pipe"] })
  const closed = once(server, "close")
  end = async () => {
    server.kill("SIGTERM")
    await closed
  }
  const [line] = await once(server.stderr.setEncoding("utf8"), "data")
  url = /http:\/\/127\.0\.0\.1:\d+/.exec(String(line))?.[0] ?? ""
  expect((await hindcast(["plugin", "new", "cart", "--openenv", url], at)).code).toBe(0)
  const grants = ["--grant-net", new URL(url).host, "--sandbox", "flags"]
  expect((await hindcast(["plugin", "add", "cart", ...grants, "--log", log], at)).code).toBe(0)
}, 240_000)
afterAll(() => end())

const eventsOf = async (task: string, type: string) => {
  const { stdout } = await hindcast(["task", "show", task, "--log", log, "--json"])
  expect(stdout).toContain(task)
  const exported = await hindcast(["export", "events", "--task", task, "--type", type, "--output", "-", "--log", log])
  const lines = exported.stdout.split("\n").filter((line) => line !== "")
  return lines.map((line) => JSON.parse(line).payload)
}

describe("a world of hindcast serve --openenv", () => {
  it("passes the checks of a world", async () => {
    const checked = await document(
      ["plugin", "check", "cart", "--run", "--sandbox", "flags", "--grant-net", new URL(url).host],
      at,
    )
    expect(checked).toMatchObject({ name: "cart", problems: [] })
  }, 240_000)

  it("plays the episode that the server's world plays here, to the last bit", async () => {
    fs.writeFileSync(place.file("policy.mjs"), "export default ({ observation: [, , a, b] }) => (a + b > 0 ? 1 : 0)\n")
    const readings = async (world: string) => {
      const words = [
        "rollout",
        world,
        "--policy",
        "policy.mjs",
        "--record",
        "full",
        "--seed",
        "42",
        "--max-steps",
        "25",
        "--gate",
        "allow",
      ]
      const { stdout } = await hindcast([...words, "--log", log, "--json"], at)
      const { taskId } = JSON.parse(stdout.split("\n")[0] ?? "")
      return (await eventsOf(taskId, "SensorRead")).map(({ reading }) => reading)
    }
    const remote = await readings("cart")
    expect(remote).toHaveLength(26)
    expect(remote).toEqual(await readings("cart-pole"))
  }, 240_000)

  it("goes on after kill -9 by the same actions again, with the result of one that was not killed", async () => {
    const agent = place.file("balances.mjs")
    const source = (death: string) => `
let steps = 0
export default {
  name: "balances", version: "1",
  decide: ({ readings }) => {
    ${death}
    const [, , angle, speed] = readings["cart/observation"]
    return { act: "cart/step", args: { action: angle + speed > 0 ? 1 : 0 } }
  },
}`
    const words = [
      "run",
      "--agent",
      agent,
      "--goal",
      "Balance",
      "--seed",
      "5",
      "--max-steps",
      "12",
      "--gate",
      "allow",
      "--log",
      log,
    ]
    fs.writeFileSync(agent, source(""))
    const whole = await hindcast([...words, "--json"], at)
    const { taskId: first } = JSON.parse(whole.stdout)
    fs.writeFileSync(agent, source("if (++steps === 6) process.kill(process.pid, 'SIGKILL')"))
    const killed = spawn(process.execPath, [MAIN, ...words], { stdio: "ignore", cwd: place.directory })
    expect(await once(killed, "close")).toEqual([null, "SIGKILL"])
    fs.writeFileSync(agent, source(""))
    const { stdout } = await hindcast(["task", "ls", "--log", log, "--json"])
    const last = JSON.parse(stdout).tasks.at(-1)
    const resumed = await hindcast(["resume", last.id, "--agent", agent, "--gate", "allow", "--log", log], at)
    expect([resumed.code, resumed.stderr]).toEqual([0, ""])
    const results = async (task: string) => (await eventsOf(task, "CommandSucceeded")).map(({ result }) => result)
    expect(await results(last.id)).toEqual(await results(first))
    const [restored] = await eventsOf(last.id, "EnvironmentRestored")
    expect(restored).toMatchObject({ plugin: "cart", by: "re-execution", checked: { document: true, outcomes: 5 } })
  }, 240_000)

  it("is refused by name for an address that is none, and for a server that is down", async () => {
    for (const [address, said] of [
      ["ftp://127.0.0.1", "--openenv: expected the address of a server of OpenEnv"],
      ["http://127.0.0.1:1", "expected an answer of OpenEnv, found connect ECONNREFUSED"],
    ] as const) {
      const { code, stderr } = await hindcast(["plugin", "new", "vain", "--openenv", address], at)
      expect([code, stderr]).toEqual([1, expect.stringContaining(said)])
      expect(fs.existsSync(place.file("vain"))).toBe(false)
    }
    const both = await hindcast(["plugin", "new", "vain", "--openenv", url, "--python", "a:B"], at)
    expect(both.stderr).toContain("--openenv: expected it without --python, found both")
    const again = await hindcast(["plugin", "new", "cart", "--openenv", url], at)
    expect(again.stderr).toContain("Nothing was written")
  }, 120_000)
})
