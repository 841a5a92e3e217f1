import { execFile } from "node:child_process"
import * as http from "node:http"
import type { AddressInfo } from "node:net"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { record } from "../../src/record/index.ts"
import { MUTATIONS, RECORDED } from "../record/mutations.ts"
import { workplace } from "../workplace.ts"
import { document, hindcast, start } from "./hindcast.ts"

const place = workplace()
const log = place.file("mutated.db")

/** A program that asks for the steps it is given, and does not care for what fails. */
const program = place.file(
  "steps.mjs",
  `const [steps, ending] = process.argv.slice(2)
for (const step of JSON.parse(steps)) await fetch(process.env.BASE + "/" + step).then((response) => response.text(), String)
if (ending === "exits") process.exit(0)
if (ending === "fails") process.exitCode = 3
if (ending === "vanishes") process.reallyExit(0)
`,
)

const asked: Array<string> = []
const service = http.createServer((request, response) => {
  asked.push(request.url ?? "")
  response.end(request.url)
})
const env = { BASE: "" }

interface Listed {
  readonly position: number
  readonly type: string
  readonly payload: { readonly outcome?: string; readonly reason?: string }
}

const events = async (...filters: ReadonlyArray<string>) => {
  const { events } = await document(["log", "ls", "--log", log, ...filters])
  return events as ReadonlyArray<Listed>
}

let task = ""
/** The position of the second answer. */
let second = 0

beforeAll(async () => {
  await new Promise<void>((resolve) => service.listen(0, "127.0.0.1", resolve))
  env.BASE = `http://127.0.0.1:${(service.address() as AddressInfo).port}`
  const { stderr } = await hindcast(["record", "--log", log, "--", ...does(RECORDED)], { env })
  task = /as task (\S+)\./.exec(stderr)?.[1] ?? ""
  second = (await events("--type", "IoAnswered"))[1]?.position ?? 0
  asked.length = 0
})
afterAll(async () => {
  service.close()
  await place.remove()
})

const does = (steps: ReadonlyArray<string>, ...ending: ReadonlyArray<string>) => [
  ...[process.execPath, program, JSON.stringify(steps), ...ending],
]

const replay = (...words: ReadonlyArray<string>) => hindcast(["replay", task, "--log", log, "--", ...words], { env })
const fork = (timeline: string, ...words: ReadonlyArray<string>) =>
  hindcast(["fork", `@${second}`, "--timeline", timeline, "--log", log, "--", ...words], { env })

const closedIn = async (timeline: string) =>
  (await events("--timeline", timeline, "--type", "TaskClosed")).map(({ payload }) => payload)

/** Runs the command that a message names before some words, as a person does who pastes it into a shell. */
const pasted = async (message: string, before: string) => {
  const [command = ""] = new RegExp(`(?<=\`)node .*(?=\` ${before})`, "s").exec(message) ?? []
  return new Promise<{ code: number; stdout: string; stderr: string }>((resolve) => {
    const options = { env: { ...process.env, ...env } }
    execFile("/bin/sh", ["-c", command], options, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr })
    })
  })
}

describe("a recorded program on the command line that", () => {
  it("does as was recorded is replayed, and goes on in a fork", async () => {
    expect(await replay(...does(RECORDED))).toMatchObject({
      code: 0,
      stderr: expect.stringContaining("repeated task"),
    })
    expect(asked).toEqual([])
    const forked = await fork("faithful", ...does(RECORDED))
    expect(forked).toMatchObject({ code: 0, stderr: expect.stringContaining(`continued from @${second}`) })
    expect(asked).toEqual(["/three", "/four"])
    expect(await closedIn("faithful")).toMatchObject([{ outcome: "achieved" }])
  })

  it.each(Object.entries(MUTATIONS))("%s fails a replay and a fork, which asks nobody", async (name, steps) => {
    asked.length = 0
    const [found, done] = steps.length === 0 ? ["compared nothing", "found the end"] : ["diverged @", ", expected "]
    const replayed = await replay(...does(steps))
    const timeline = name.replaceAll(" ", "-")
    const forked = await fork(timeline, ...does(steps))
    for (const { code, stderr } of [replayed, forked]) {
      expect(code).toBe(2)
      expect(stderr).toContain(found)
      expect(stderr).toContain(done)
      expect(stderr).not.toMatch(/repeated task|continued from/)
    }
    if (steps.length === 0) {
      const again = /`node \S+main\.js record --log \S+mutated\.db -- \S+node \S+steps\.mjs '\[\]'` records it/
      expect(replayed.stderr.replaceAll(/\s+/g, " ")).toMatch(again)
    }
    expect(await closedIn(timeline)).toMatchObject([{ outcome: "failed", reason: expect.stringContaining(found) }])
    expect(asked).toEqual([])
  })

  it("ends otherwise than when it was recorded is named, whichever of the two failed", async () => {
    const failed = await replay(...does(RECORDED, "fails"))
    expect(failed).toMatchObject({ code: 2 })
    expect(failed.stderr.replaceAll(/\s+/g, " ")).toContain(
      `The replay of ${task} diverged at its end: expected a program that exits with 0, as when it was recorded, found one that exits with 3.`,
    )
    const other = place.file("failing.db")
    const first = await start(["record", "--log", other, "--", ...does(["one"], "fails")], { env }).ended
    expect(first.code).toBe(3)
    const id = /as task (\S+)\./.exec(first.stderr)?.[1] ?? ""
    const again = (...words: ReadonlyArray<string>) =>
      start(["replay", id, "--log", other, "--", ...words], { env }).ended
    expect(await again(...does(["one"], "fails"))).toMatchObject({
      code: 3,
      stderr: expect.stringContaining("repeated task"),
    })
    const succeeded = await again(...does(["one"]))
    expect(succeeded).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("expected a program that exits with 3"),
    })
    // A run that a program ended by the library does not say how its process ended.
    const unknown = place.file("unknown.db")
    const run = await record({ log: unknown, goal: "One", agent: "steps" })
    await (await run.fetch(`${env.BASE}/one`)).text()
    await run.end("achieved")
    const told = await hindcast(["replay", run.taskId, "--log", unknown, "--", ...does(["one"])], { env })
    expect(told.code).toBe(0)
    expect(told.stderr.replaceAll(/\s+/g, " ")).toContain("its exit code was not compared")
    asked.length = 0
  })

  it("has arguments like Hindcast's own is replayed, and compared with its fork, by the commands that are printed", async () => {
    const other = place.file("another log.db")
    const words = does(RECORDED, "--log", "other.db", "--log-level", "it's `all`")
    const first = await hindcast(["record", "--log", other, "--", ...words], { env })
    expect(await pasted(first.stderr, "replays it")).toMatchObject({
      code: 0,
      stderr: expect.stringContaining("repeated task"),
    })
    const forked = await hindcast(["fork", "@1", "--log", other, "--", ...words], { env })
    expect(await pasted(forked.stderr, "shows where")).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("fork-1"),
    })
  })

  it("is a text is recorded under a name that a log can hold", async () => {
    const script = "await fetch(process.env.BASE)\n// `several` lines"
    const first = await hindcast(
      ["record", "--log", log, "--", process.execPath, "--input-type=module", "-e", script],
      { env },
    )
    expect(await pasted(first.stderr, "replays it")).toMatchObject({ code: 0 })
    const { tasks } = await document(["task", "ls", "--log", log])
    expect(tasks).toContainEqual(expect.objectContaining({ agent: "program" }))
  })

  it("exits by itself before it did all is found, and one that ends unseen is not taken for faithful", async () => {
    const exits = await fork("exits", ...does(["one"], "exits"))
    expect(exits).toMatchObject({ code: 2, stderr: expect.stringContaining("diverged @") })
    expect(await closedIn("exits")).toMatchObject([
      { outcome: "failed", reason: expect.stringContaining("diverged @") },
    ])
    const [replayed, forked] = [
      await replay(...does(RECORDED, "vanishes")),
      await fork("vanishes", ...does(["one"], "vanishes")),
    ]
    for (const { code, stderr } of [replayed, forked]) {
      expect(code).toBe(2)
      expect(stderr).toContain("before it was compared with its recording")
    }
    expect(await closedIn("vanishes")).toMatchObject([{ outcome: "abandoned" }])
  })
})
