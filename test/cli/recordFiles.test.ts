import * as fs from "node:fs"
import * as http from "node:http"
import type { AddressInfo } from "node:net"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { is } from "../../src/events/vocabulary/Vocabulary.ts"
import { ContentStore, digestOf } from "../../src/workspace/store/ContentStore.ts"
import { fileOf } from "../../src/workspace/store/StoreFile.ts"
import { eventsOf } from "../record/recorded.ts"
import { workplace } from "../workplace.ts"
import { told } from "../workspace/told.ts"
import { start } from "./hindcast.ts"

const place = workplace()

/** Asks the model again and again, and carries out each of its calls: a few tools. */
const agent = place.file(
  "agent.mjs",
  `import * as fs from "node:fs"
import { execFileSync } from "node:child_process"
const [goal, how] = process.argv.slice(2)
const messages = [{ role: "user", content: goal }]
const tools = {
  write: ({ file, text }) => fs.writeFileSync(file, text),
  shell: ({ line }) => execFileSync("sh", ["-c", line]),
  move: () => fs.renameSync(process.env.PROJECT, process.env.PROJECT + "-gone"),
  quit: ({ file }) => { fs.writeFileSync(file, "left"); process.exit(0) },
}
for (;;) {
  const answer = await fetch((process.env.OPENAI_BASE_URL ?? process.env.BASE) + "/chat/completions", {
    method: "POST",
    headers: { "content-type": "application/json", authorization: "Bearer " + "LEARNED-".repeat(4) + "9" },
    body: JSON.stringify({ model: "gpt-5", messages }),
  })
  const { message } = (await answer.json()).choices[0]
  messages.push(message)
  if (message.tool_calls === undefined) break
  for (const { id, function: { name, arguments: args } } of message.tool_calls) {
    tools[name](JSON.parse(args))
    messages.push({ role: "tool", tool_call_id: id, content: "done" })
  }
}
fs.writeFileSync("by-the-program.txt", "at the end\\n")
`,
)

/** A key that no environment has: only a request tells it. */
const LEARNED = `${"LEARNED-".repeat(4)}9`

/** The calls of each answer of a story, by its goal. */
const STORIES: { readonly [goal: string]: ReadonlyArray<ReadonlyArray<readonly [name: string, args: object]>> } = {
  edits: [
    [["write", { file: "a.txt", text: "two\n" }]],
    [["shell", { line: "cp a.txt copy.txt; echo SECRET=1 > .env" }]],
    [
      ["write", { file: "named.txt", text: "x\n" }],
      ["shell", { line: "echo y > other.txt" }],
    ],
  ],
  quits: [[["write", { file: "a.txt", text: "two\n" }]], [["quit", { file: "left.txt" }]]],
  leaks: [
    [["shell", { line: `echo "key: ${LEARNED}" | tee config.yml > config.yml.bak` }]],
    // The program is killed between the snapshots.
    [["shell", { line: "echo more >> config.yml; cp config.yml.bak again.yml; kill -9 $PPID; wait" }]],
  ],
  moves: [[["move", {}]], [["shell", { line: "true" }]]],
}

const provider = http.createServer(async (request, response) => {
  let body = ""
  for await (const piece of request) body += piece
  const { messages } = JSON.parse(body)
  const turn = messages.filter(({ role }: { readonly role: string }) => role === "assistant").length
  const calls = STORIES[messages[0].content]?.[turn]?.map(([name, args], place) => ({
    id: `${name}-${turn + 1}${place === 0 ? "" : `-${place}`}`,
    type: "function",
    function: { name, arguments: JSON.stringify(args) },
  }))
  const message = { role: "assistant", content: calls === undefined ? "Done" : null, tool_calls: calls }
  response.setHeader("content-type", "application/json")
  const choices = [{ index: 0, finish_reason: calls === undefined ? "stop" : "tool_calls", message }]
  const usage = { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 }
  response.end(JSON.stringify({ id: "1", object: "chat.completion", created: 1, model: "gpt-5", choices, usage }))
})
let BASE = ""

beforeAll(async () => {
  await new Promise<void>((resolve) => provider.listen(0, "127.0.0.1", resolve))
  BASE = `http://127.0.0.1:${(provider.address() as AddressInfo).port}/v1`
})
afterAll(async () => {
  provider.close()
  await place.remove()
})

interface Version {
  readonly kind: string
  readonly cause: string
  readonly timeline: string
}

let projects = 0
const project = (cwd?: string) => {
  const root = place.file(`project-${++projects}`)
  fs.mkdirSync(root)
  fs.writeFileSync(`${root}/a.txt`, "one\n")
  const log = `${root}/hindcast.db`
  const hindcast = (...args: ReadonlyArray<string>) =>
    start(args, { cwd: cwd ?? root, env: { BASE, OPENAI_BASE_URL: BASE, HINDCAST_LOG: log, PROJECT: root } }).ended
  const record = (goal: string, ...options: ReadonlyArray<string>) =>
    hindcast("record", ...options, "--workspace", ".", "--", process.execPath, agent, goal)
  return { root, log, hindcast, record }
}

const MEANS: ReadonlyArray<readonly [name: string, options: ReadonlyArray<string>]> = [
  ["in the program itself", []],
  ["by a proxy", ["--proxy"]],
]

describe.each(MEANS)("hindcast record --workspace, %s", (_, options) => {
  it("records what each call changed, says so at the start, and leaves the log out", async () => {
    const { root, log, record, hindcast } = project()
    const recorded = await record("edits", ...options)
    expect(recorded).toMatchObject({ code: 0 })
    expect(recorded.stderr.replaceAll(/\s+/g, " ")).toContain(`The files of ${root} are recorded as calls change them`)
    const events = await eventsOf(log)
    expect(told(events)).toEqual([
      "changed a.txt by write-1 between-snapshots",
      "added .env by shell-2 between-snapshots",
      "added copy.txt by shell-2 between-snapshots",
      "added named.txt by write-3 named-file",
      "added other.txt by write-3+shell-3-1",
      "added by-the-program.txt by no-call",
    ])
    // The state is known to the request that tells the results.
    const types = events.map(({ type }) => type).filter((type) => /^(ModelCalled|Environment|CommandS)/.test(type))
    expect(types.slice(0, 5)).toEqual([
      "EnvironmentReset",
      "ModelCalled",
      "CommandSucceeded",
      "EnvironmentChanged",
      "ModelCalled",
    ])
    const noted = events.flatMap((event) => (is(event, "CaptureNoted") ? event.payload.unseen : []))
    expect(noted.map(({ target }) => target)).toContain(".env")
    const blame = JSON.parse((await hindcast("files", "blame", "copy.txt", "--json")).stdout)
    expect(blame.versions[0].calls[0]).toMatchObject({ actuator: "program/shell" })
    const replayed = await hindcast("replay", String(events[0]?.taskId), "--", process.execPath, agent, "edits")
    expect(replayed.stderr).toContain("The program repeated task")
  })

  it("records the files of a fork in its own directory, each by the call that changed it", async () => {
    const { root, log, record } = project()
    expect(await record("edits", ...options)).toMatchObject({ code: 0 })
    const [, second] = (await eventsOf(log)).filter(({ type }) => type === "ModelCalled")
    const into = place.file(`fork-${projects}`)
    const program = ["--", process.execPath, agent, "edits"]
    const env = { BASE, OPENAI_BASE_URL: BASE, HINDCAST_LOG: log }
    fs.rmSync(`${root}/copy.txt`)
    const words = ["files", "fork", `@${second?.position}`, "--into", into, ...program]
    const forked = await start(words, { cwd: root, env }).ended
    expect([forked.code, forked.stderr]).toEqual([0, expect.stringContaining("on timeline fork-1")])
    expect(fs.readFileSync(`${into}/copy.txt`, "utf8")).toBe("two\n")
    expect(fs.existsSync(`${root}/copy.txt`)).toBe(false)
    const history = async (file: string) => {
      const asked = ["files", "history", file, "--at", "fork-1@now", "--json"]
      const { versions } = JSON.parse((await start(asked, { cwd: into, env }).ended).stdout)
      return versions.map(({ kind, cause, timeline }: Version) => `${timeline} ${kind} ${cause}`)
    }
    // Nobody watched the calls before the moment when they ran again.
    expect(await history("a.txt")).toEqual(["fork-1 start start", "fork-1 changed not-watched"])
    expect(await history("named.txt")).toEqual(["fork-1 added call"])
    expect(await history("other.txt")).toEqual(["fork-1 added calls"])
  })

  it("goes on without the directory once it is gone, and says so", async () => {
    const { root, log, hindcast } = project(place.directory)
    const away = place.file(`away-${projects}.db`)
    const words = ["--log", away, "--workspace", root, "--", process.execPath, agent, "moves"]
    const ended = await hindcast("record", ...options, ...words)
    expect(ended.stderr).toContain("Recorded 3 model requests")
    expect(fs.existsSync(log)).toBe(false)
    const events = await eventsOf(away)
    const noted = events.flatMap((event) => (is(event, "CaptureNoted") ? event.payload.unseen : []))
    expect(noted).toContainEqual(
      expect.objectContaining({ what: "the workspace's files, from here on", target: expect.stringContaining(root) }),
    )
    expect(events.filter(({ type }) => type === "CommandSucceeded")).toHaveLength(2)
    expect(events.at(-1)?.type).toBe("TaskClosed")
  })

  it("takes the last look for a program that exits at once, and continues with what changed meanwhile", async () => {
    const { root, log, record } = project()
    const continues = [...options, "--continue", "t-1"]
    await record("quits", ...continues, "--keep-open")
    fs.writeFileSync(`${root}/meanwhile.txt`, "x\n")
    await record("quits", ...continues)
    const changes = told(await eventsOf(log))
    expect(changes[0]).toBe("changed a.txt by write-1 between-snapshots")
    expect(changes).toContainEqual(expect.stringMatching(/^added left.txt by (quit-2 between-snapshots|not-watched)$/))
    expect(changes.filter((change) => change.includes("meanwhile"))).toEqual(["added meanwhile.txt by not-watched"])
  })
})

describe("hindcast record --workspace", () => {
  it("stores no key that only the killed program knew, though its file changed once more", async () => {
    const { root, log, record } = project()
    await record("leaks")
    const changes = told(await eventsOf(log))
    expect(changes.map((change) => change.replace(/ by .*/, ""))).toEqual(
      expect.arrayContaining(["added config.yml", "changed config.yml", "added again.yml"]),
    )
    const store = ContentStore.open(fileOf(log))
    const kept = ["config.yml", "config.yml.bak", "again.yml", "a.txt"].map(
      (file) => store.get(digestOf(fs.readFileSync(`${root}/${file}`))) !== undefined,
    )
    store.close()
    expect(kept).toEqual([false, false, false, true])
  })

  it("refuses a directory that it cannot record, and starts nothing", async () => {
    const { hindcast, log, root } = project()
    for (const [workspace, found] of [
      ["no-such", "no such file or directory"],
      ["a.txt", "is no directory"],
      ["/", "a whole file system"],
    ] as const) {
      for (const options of [[], ["--proxy"]]) {
        const words = ["record", ...options, "--workspace", workspace, "--", process.execPath, "-e", "process.exit(7)"]
        const { code, stderr } = await hindcast(...words)
        expect(code).toBe(1)
        expect(stderr).toContain("--workspace")
        expect(stderr).toContain(found)
      }
    }
    const doctor = await hindcast("record", "--workspace", root, "doctor", "--", process.execPath, agent, "edits")
    expect(doctor.stderr).toContain("record doctor")
    expect(fs.existsSync(log)).toBe(false)
  })

  it("says of calls that a child process makes that it does not see them", async () => {
    const { log, hindcast } = project()
    const parent = place.file(
      "parent.mjs",
      `import { spawn } from "node:child_process"
import { once } from "node:events"
await once(spawn(process.execPath, [${JSON.stringify(agent)}, "edits"], { stdio: "inherit" }), "exit")`,
    )
    await hindcast("record", "--workspace", ".", "--", process.execPath, parent)
    const events = await eventsOf(log)
    expect(told(events)).toContain("changed a.txt by not-watched")
    const noted = events.flatMap((event) => (is(event, "CaptureNoted") ? event.payload.unseen : []))
    expect(noted.map(({ what }) => what)).toContainEqual(expect.stringContaining("a child's calls"))
  })

  it("records no files without it", async () => {
    const { log, hindcast } = project()
    await hindcast("record", "--", process.execPath, agent, "edits")
    const events = await eventsOf(log)
    expect(events.filter(({ type }) => type.startsWith("Environment"))).toEqual([])
    expect(fs.existsSync(fileOf(log))).toBe(false)
  })
})
