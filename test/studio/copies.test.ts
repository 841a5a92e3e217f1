import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Hindcast, open } from "../../src/promise.ts"
import { OVERVIEW, visit } from "../../src/studio/page/model/Address.ts"
import { callOf, commandOf } from "../../src/studio/page/model/copies.ts"
import { MAIN } from "../built.ts"
import { document, hindcast, playLostKey } from "../cli/hindcast.ts"
import { inRepository } from "../repository.ts"

// A task that was played, and a fork of it.
let [directory, log, task] = ["", "", ""]
let position = 0
beforeAll(async () => {
  directory = fs.mkdtempSync(path.join(os.tmpdir(), "hindcast-copies-"))
  log = path.join(directory, "log.db")
  task = await playLostKey(log)
  const { events } = await document(["log", "ls", "--log", log])
  position =
    (events as ReadonlyArray<{ type: string; position: number }>).find(({ type }) => type === "SensorRead")?.position ??
    0
  await document([
    ...["fork", `@${position}`, "--log", log],
    ...["--agent", inRepository("examples", "agents", "knows-the-way.mjs")],
  ])
  // What a reader types begins with `npx hindcast`: this program, without a registry.
  fs.writeFileSync(path.join(directory, "npx"), `#!/bin/sh\nshift\nexec "${process.execPath}" "${MAIN}" "$@"\n`, {
    mode: 0o755,
  })
})

afterAll(() => fs.rmSync(directory, { recursive: true, force: true }))

const views = () => {
  const path = `/tasks/${task}/readings/text-room~1room`
  return [
    ["an event", visit({ timeline: "main", task }, position)],
    ["an event of a fork", visit({ timeline: "fork-1", task }, position)],
    ["its causes", visit({ timeline: "main", task }, position, { pane: "why" })],
    ["rewards", visit({ timeline: "main", task }, position, { pane: "rewards" })],
    ["rewards of a fork", visit({ timeline: "fork-1", task }, position, { pane: "rewards" })],
    ["a value", visit({ timeline: "main", task }, position, { pane: "value", path })],
    ["all values", visit({ timeline: "fork-1", task }, position, { pane: "value" })],
    ["a difference", visit({ timeline: "main", task }, position, { pane: "diff" })],
    ["a difference of a fork", visit({ timeline: "fork-1", task }, position, { pane: "diff", vs: "@3" })],
    ["what was said", visit({ timeline: "main", task }, position, { view: "conversation" })],
    ["a capture", visit({ timeline: "main", task }, position, { pane: "capture" })],
    ["a capture of a fork", visit({ timeline: "fork-1", task }, position, { pane: "capture" })],
    ["two runs", visit({ timeline: "main", task }, position, { vs: `fork-1/${task}` })],
    ["all events", visit({ timeline: "main", task: null }, position)],
    ["tasks", OVERVIEW],
    ["some tasks", { ...OVERVIEW, where: 'task.outcome != "it\'s failed"', order: "newest" }],
    ["groups of tasks", { ...OVERVIEW, timeline: "fork-1", by: "outcome" }],
    ["plugins", { screen: "plugins" }],
    ["questions", { screen: "questions" }],
    ["a search", { screen: "search", text: "Find the document" }],
  ] as const
}

describe("a view that is taken elsewhere", () => {
  it("is a command line that runs", async () => {
    for (const [name, address] of views()) {
      const command = commandOf(address, "log.db", position)
      const { code, stdout, stderr } = await run(command)
      // Nobody said anything.
      const expected = name === "what was said" ? 3 : 0
      expect({ name, command, code, stderr: code === 0 ? "" : stderr }).toMatchObject({ code: expected })
      expect(expected === 0 ? stdout : stderr, command).not.toBe("")
    }
  })

  it("is a call that the library answers", async () => {
    await using library = await open({ log })
    for (const [name, address] of views()) {
      const call = callOf(address, position)
      await expect(answered(library, call), `${name}: ${call}`).resolves.toBeDefined()
    }
  })
})

/** Runs a command line as a shell takes it apart; the program in this process, unless it is only one of several. */
const run = async (command: string): Promise<{ code: number | null; stdout: string; stderr: string }> => {
  const env = { ...process.env, PATH: `${directory}:${process.env.PATH}`, HINDCAST_LOG: undefined }
  const shell = (text: string) => spawnSync("sh", ["-c", text], { cwd: directory, env, encoding: "utf8" })
  if (command.includes(" | ")) {
    const { status, ...said } = shell(command)
    return { code: status, ...said }
  }
  const words = shell(`npx() { shift; printf '%s\\0' "$@"; }; ${command}`).stdout.split("\0")
  return hindcast(words.slice(0, -1), { cwd: directory })
}

/** The answer of a call, whole where it comes in parts. */
const answered = async (library: Hindcast, call: string): Promise<unknown> => {
  const answer = new Function("hindcast", `return ${call}`)(library)
  if (!(Symbol.asyncIterator in answer)) return answer
  const parts = []
  for await (const part of answer) parts.push(part)
  return parts
}
