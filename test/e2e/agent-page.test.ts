import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import * as fs from "node:fs"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { PACKAGE } from "../built.ts"
import { document } from "../cli/hindcast.ts"
import { runInProcess } from "../cli/inProcess.ts"
import { inRepository } from "../repository.ts"
import { workplace } from "../workplace.ts"
import { blocksOf, followed } from "./page.ts"

const page = inRepository("docs", "tutorials", "first-agent.md")
const blocks = blocksOf(fs.readFileSync(page, "utf8"))
const place = workplace()

/** What the commands of the second terminal wrote, while the program of the first one waited. */
const said = new Map<string, string>()
let agent: ChildProcess | undefined
let printed = ""

beforeAll(async () => {
  fs.mkdirSync(place.file("node_modules"))
  fs.symlinkSync(PACKAGE, place.file("node_modules/hindcast"))
  place.file("package.json", '{ "type": "module" }\n')
  place.file("publish.mjs", blocks.find(({ note }) => note === "publish.mjs")?.lines.join("\n"))
  agent = spawn(process.execPath, ["publish.mjs"], { cwd: place.directory, stdio: ["ignore", "pipe", "inherit"] })
  agent.stdout?.on("data", (piece) => {
    printed += piece
  })
  const log = ["--log", place.file("publish.db")]
  const ended = once(agent, "exit")
  let waiting: ReadonlyArray<{ readonly id: string }> = []
  while (waiting.length === 0) {
    if (agent.exitCode !== null) expect.fail(`it ended before it asked: ${printed}`)
    await new Promise(setImmediate)
    if (!fs.existsSync(place.file("publish.db"))) continue
    const listed = await document(["confirm", "ls", ...log]).catch(() => ({ confirmations: [] }))
    waiting = listed.confirmations as ReadonlyArray<{ readonly id: string }>
  }
  const id = waiting[0]?.id ?? ""
  const approve = ["confirm", "approve", id, "--yes", "--reason", "I looked at it"]
  for (const words of [["confirm", "ls"], approve]) {
    const { both } = await runInProcess([...words, ...log], { cwd: place.directory })
    said.set(words.slice(0, 2).join(" "), both)
  }
  await ended
}, 60_000)

afterAll(async () => {
  agent?.kill()
  await place.remove()
})

describe("docs/tutorials/first-agent.md, followed word by word", () => {
  followed(page, place.directory, {
    before: (command) => said.get(command.split(" ").slice(1, 3).join(" ")),
  })

  it("prints what the page says once it is approved", () => {
    const shown = blocks.find(({ language }) => language === "text")
    expect(printed).toBe(`${shown?.lines.join("\n")}\n`)
  })
})
