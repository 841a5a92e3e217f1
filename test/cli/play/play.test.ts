import { spawn } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import { MAIN } from "../../built.ts"
import { inRepository } from "../../repository.ts"
import { document, type Ended, hindcast, start } from "../hindcast.ts"
import { inTerminal } from "../terminal.ts"

const directory = fs.mkdtempSync(path.join(os.tmpdir(), "hindcast-play-"))
afterAll(() => fs.rmSync(directory, { recursive: true }))

const world = (name: string) => inRepository("packages", "worlds", name)
const logOf = (name: string) => path.join(directory, `${name}.db`)

/** The command `play` on a log of its own, with what decides nothing here. */
const playing = (log: string, name: string, ...options: ReadonlyArray<string>) => [
  ...["play", world(name), "--log", logOf(log), "--sandbox", "flags", "--seed", "7", ...options],
]

/** Plays with these lines as the input. */
const piped = (args: ReadonlyArray<string>, lines: ReadonlyArray<string>): Promise<Ended> =>
  new Promise((resolve) => {
    const child = spawn(process.execPath, [MAIN, ...args], { env: { ...process.env, HINDCAST_LOG: undefined } })
    let [stdout, stderr] = ["", ""]
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      stdout += text
    })
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      stderr += text
    })
    child.on("close", (code) => resolve({ code, stdout, stderr }))
    child.stdin.end(lines.map((line) => `${line}\n`).join(""))
  })

const onlyTask = async (log: string) => {
  const { tasks } = await document(["task", "ls", "--log", logOf(log)])
  const [task] = Array.isArray(tasks) ? tasks : []
  return task
}

describe("hindcast play", () => {
  it("is played to the end by keys in a terminal, and is followed live from another process", async () => {
    const dry = ["--options", JSON.stringify({ is_slippery: false })]
    const terminal = inTerminal(playing("keys", "frozen-lake", ...dry), { columns: 100 })
    try {
      await terminal.shows(/Frozen lake\n +step 0|Frozen lake\nstep 0/)
      expect(terminal.isOwnScreen()).toBe(true)
      expect(terminal.screen().at(-1)).toBe("←/0 left  ↓/1 down  →/2 right  ↑/3 up   q ends")
      terminal.type("x")
      await terminal.shows("The key x is not an action.")
      const { id } = await onlyTask("keys")
      const watching = start(["task", "watch", id, "--log", logOf("keys")])
      const following = start(["task", "watch", id, "--log", logOf("keys"), "--json"])
      // By an arrow, and by numbers: down, down, right, right, down, right.
      for (const [index, key] of ["\u001b[B", "1", "2", "\u001b[C", "1", "2"].entries()) {
        await terminal.shows(`step ${index} `)
        terminal.type(key)
      }
      expect(await terminal.ended).toBe(0)
      expect(terminal.isOwnScreen()).toBe(false)
      const shown = terminal.screen().join("\n")
      expect(shown).toContain("Frozen lake: achieved after 6 steps, return 1")
      expect(shown).toContain(`Task ${id}`)

      const watched = await watching.ended
      expect(watched).toMatchObject({ code: 0, stderr: "" })
      expect(watched.stdout).toContain("Step 6, return 1.00, terminated")
      expect(watched.stdout.trimEnd()).toMatch(/is closed: achieved$/)
      const events = (await following.ended).stdout
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line))
      expect(events.at(0).type).toBe("TaskOpened")
      expect(events.filter(({ type }) => type === "CommandSucceeded")).toHaveLength(6)
      expect(events.at(-1)).toMatchObject({ type: "TaskClosed", payload: { outcome: "achieved" } })
      expect(events[0].payload.agent).toMatch(/^human:.+@1$/)
    } finally {
      terminal.kill("SIGKILL")
    }
  })

  it("restores the terminal and closes the task whichever way it is left", () =>
    Promise.all(
      ["q", "\u0003", "SIGTERM", "SIGHUP"].map(async (way, index) => {
        const log = `left-${index}`
        const terminal = inTerminal(playing(log, "corridor"))
        await terminal.shows("step 0")
        if (way.startsWith("SIG")) terminal.kill(way)
        else terminal.type(way)
        expect(await terminal.ended).toBe(way.startsWith("SIG") ? 130 : 0)
        expect(terminal.isOwnScreen()).toBe(false)
        expect(await onlyTask(log)).toMatchObject({ outcome: "abandoned" })
      }),
    ))

  it("reads an action a line from a pipe: names, numbers, and the end of the input", async () => {
    const short = ["--options", JSON.stringify({ length: 4 })]
    const played = await piped(playing("pipe", "corridor", ...short), ["forward", "1", "forward"])
    expect(played).toMatchObject({ code: 0, stderr: "" })
    expect(played.stdout).toContain("At 3 of 4 positions")
    expect(played.stdout).toContain("Corridor: achieved after 3 steps, return −3")
    const told = await piped(["play", "corridor", ...playing("pipe", "corridor", "--json").slice(2)], ["forward"])
    const lines = told.stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line))
    expect(lines).toMatchObject([
      { step: 0, action: null, return: 0, observation: 0 },
      { step: 1, action: 1, reward: -1, return: -1, terminated: false, observation: 1 },
      { step: 1, status: "active", observation: null },
    ])
    expect(lines.every((line) => Object.keys(line).join() === Object.keys(lines[0]).join())).toBe(true)
  })

  it("plays a world for several agents alone, and says why an action is not carried out", async () => {
    const { code, stdout } = await piped(playing("alone", "grid-world"), ["stay", "q"])
    expect(code).toBe(0)
    expect(stdout).toMatch(/abandoned after 1 step,/)
  })

  it("says what is wrong with the world, the options and the input", async () => {
    const bad = logOf("bad")
    const told = async (expected: number, ...args: ReadonlyArray<string>) => {
      const { code, stderr } = await hindcast(["play", ...args, "--log", bad, "--sandbox", "flags"])
      expect(code).toBe(expected)
      return stderr
    }
    expect(await told(3, "nowhere")).toContain(
      'WORLD: expected a plugin\'s directory, or the name of an imported plugin or of a world that comes with Hindcast, found "nowhere"',
    )
    expect(await told(1, inRepository("plugins", "text-room"))).toContain(
      "expected a world: a plugin whose environment",
    )
    expect(await told(1, world("corridor"), "--options", '{"length": 1}')).toContain("length")
    const outside = await piped(playing("outside", "corridor"), ["forward", "2"])
    expect(outside.code).toBe(1)
    expect(outside.stderr).toMatch(/line 2 of the input: expected an action: back, forward, or its number, found 2\./)
    expect(await onlyTask("outside")).toMatchObject({ outcome: "abandoned" })
  })
})
