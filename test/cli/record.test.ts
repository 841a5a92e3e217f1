import * as fs from "node:fs"
import * as http from "node:http"
import type { AddressInfo } from "node:net"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { Database } from "../sqlite.ts"
import { workplace } from "../workplace.ts"
import { asLibraryWrites, document, hindcast, start } from "./hindcast.ts"

const place = workplace()
const KEY = "sk-a-key-that-nobody-may-read"

/** A program that asks a model by the global `fetch`, with a key, prints the answer, and may end by `process.exit`. */
const agent = place.file(
  "agent.mjs",
  `const [asks, exits] = process.argv.slice(2)
const answer = await fetch(process.env.BASE + "/v1/chat/completions", {
  method: "POST",
  headers: { authorization: "Bearer ${KEY}", "content-type": "application/json" },
  body: JSON.stringify({ model: "gpt-5", messages: [{ role: "user", content: asks }] }),
})
console.log((await answer.json()).choices[0].message.content)
if (exits !== undefined) process.exit(Number(exits))
`,
)

/** A provider that repeats what it is told. */
const provider = http.createServer((request, response) => {
  let body = ""
  request.on("data", (piece) => {
    body += piece
  })
  request.on("end", () => {
    if (request.url === "/break") breakLog()
    if (request.url === "/mend") mendLog()
    if (request.method === "GET") return void response.end()
    asked += 1
    const said = JSON.parse(body).messages.at(-1).content
    const message = { role: "assistant", content: `You said: ${said}` }
    response.setHeader("content-type", "application/json")
    response.end(
      JSON.stringify({
        id: "1",
        object: "chat.completion",
        model: "gpt-5",
        choices: [{ index: 0, finish_reason: "stop", message }],
        usage: { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 },
      }),
    )
  })
})
let asked = 0

/** The log that fails for a while, as if its disk were full. */
const faltering = place.file("faltering.db")
const breakLog = () =>
  new Database(faltering).exec(
    "CREATE TRIGGER failing BEFORE INSERT ON events BEGIN SELECT RAISE(ABORT, 'no more events'); END",
  )
const mendLog = () => new Database(faltering).exec("DROP TRIGGER failing")

let BASE = ""

beforeAll(async () => {
  await new Promise<void>((resolve) => provider.listen(0, "127.0.0.1", resolve))
  BASE = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`
})
afterAll(async () => {
  provider.close()
  await place.remove()
})

const run = (args: ReadonlyArray<string>, base = BASE) => start(args, { env: { BASE: base } }).ended

const recorded = async (log: string, ...words: ReadonlyArray<string>) => {
  const ended = await run(["record", "--log", log, "--goal", "Say it", "--", process.execPath, agent, ...words])
  const { tasks } = (await document(["task", "ls", "--log", log])) as { tasks: ReadonlyArray<Record<string, unknown>> }
  return { ...ended, task: tasks.at(-1), id: String(tasks.at(-1)?.id) }
}

describe("hindcast record", () => {
  it("does not call a run achieved of which the end is missing, because the log failed meanwhile", async () => {
    const program = place.file(
      "faltering.mjs",
      `for (const at of ["/break", "/mend"]) await fetch(process.env.BASE + at)`,
    )
    const { code, stderr } = await run(["record", "--log", faltering, "--", process.execPath, program])
    expect(code).toBe(0)
    expect(stderr).toContain("The program continues.")
    const { events } = await document(["log", "ls", "--log", faltering, "--type", "TaskClosed"])
    expect(events).toMatchObject([{ payload: { outcome: "abandoned" } }])
    expect(JSON.stringify(events)).toMatch(/nothing more was recorded \(.*trigger.*; its process exited with 0/)
  })

  it("continues a task that another process left open, until one ends it, and replays a process by its number", async () => {
    const log = place.file("continued.db")
    const recording = (...words: ReadonlyArray<string>) =>
      run(["record", "--log", log, "--continue", "chat-1", ...words])
    const program = (says: string) => ["--", process.execPath, agent, says]
    const first = await recording("--keep-open", ...program("hello"))
    expect(first).toMatchObject({ code: 0, stdout: "You said: hello\n" })
    expect(first.stderr).toContain("record --continue chat-1")
    // It ends by `process.exit`, so that the command closes the task.
    expect(await recording(...program("again"), "0")).toMatchObject({ code: 0, stdout: "You said: again\n" })
    const { tasks } = await document(["task", "ls", "--log", log])
    expect(tasks).toMatchObject([{ id: "chat-1", outcome: "achieved", model: { calls: 2 } }])
    const closed = await recording(...program("more"))
    expect(closed.code).toBe(1)
    expect(closed.stderr).toContain("closed as achieved")
    const replay = (...words: ReadonlyArray<string>) =>
      run(["replay", "chat-1", "--log", log, ...words], "http://127.0.0.1:1")
    expect(await replay("--part", "2", ...program("again"), "0")).toMatchObject({
      code: 0,
      stdout: "You said: again\n",
    })
  })

  it("records a program as it is, and replay plays it without its provider and finds what is otherwise", async () => {
    const log = place.file("whole.db")
    fs.rmSync(log, { force: true })
    const first = await recorded(log, "hello")
    expect(first).toMatchObject({ code: 0, stdout: "You said: hello\n" })
    expect(first.stderr).toContain("Recorded 1 model request and 0 other requests as task")
    expect(first.task).toMatchObject({ goal: "Say it", agent: "agent", outcome: "achieved" })
    const files = fs.readdirSync(place.directory).filter((name) => name.startsWith("whole.db"))
    for (const name of files) expect(fs.readFileSync(`${place.directory}/${name}`).includes(KEY)).toBe(false)
    const named = await run([
      "record",
      "--log",
      log,
      "--",
      process.execPath,
      "--import",
      "data:text/javascript,",
      agent,
      "hi",
    ])
    expect(named.code).toBe(0)
    const { tasks } = (await document(["task", "ls", "--log", log])) as { tasks: ReadonlyArray<{ agent: string }> }
    expect(tasks.map((task) => task.agent)).toEqual(["agent", "agent"])
    const before = asked
    const same = await run(["replay", first.id, "--log", log, "--", process.execPath, agent, "hello"])
    expect(same).toMatchObject({ code: 0, stdout: "You said: hello\n" })
    expect(same.stderr).toContain(`The program repeated task ${first.id}.`)
    const other = await run(["replay", first.id, "--log", log, "--", process.execPath, agent, "good night"])
    expect(other.code).toBe(2)
    expect(other.stderr).toMatch(/diverged @\d+ \(fetch\): in message 1 \(user\), expected \[?hello/)
    // The explanation alone: no stack of Hindcast's code, printed by Node.
    expect(other.stderr.trim().split("\n")).toHaveLength(1)
    const silent = await run(["replay", first.id, "--log", log, "--", process.execPath, "-e", "0"])
    expect(silent.code).toBe(2)
    expect(silent.stderr).toContain("found the end of the program")
    expect(asked).toBe(before)
  })

  it("prints an error of the program's own that a divergence caused, and leaves a divergence to the program's handler", async () => {
    const log = place.file("causes.db")
    fs.rmSync(log, { force: true })
    const asks = `const ask = (content) => fetch(process.env.BASE + "/v1/chat/completions", {
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify({ model: "gpt-5", messages: [{ role: "user", content }] }),
})
`
    const wraps = place.file(
      "wraps.mjs",
      `${asks}await ask(process.argv[2]).catch((cause) => { throw new Error("no answer", { cause }) })`,
    )
    const handles = place.file(
      "handles.mjs",
      `${asks}process.on("uncaughtException", ({ name }) => { console.log("heard", name); process.exit(0) })
await ask(process.argv[2])`,
    )
    for (const program of [wraps, handles]) {
      const { code } = await run(["record", "--log", log, "--", process.execPath, program, "hello"])
      expect(code).toBe(0)
    }
    const { tasks } = await document(["task", "ls", "--log", log])
    const [first, second] = (tasks as ReadonlyArray<{ id: string }>).map(({ id }) => id)
    const replay = (id: string | undefined, program: string) =>
      run(["replay", String(id), "--log", log, "--", process.execPath, program, "bye"])
    const wrapped = await replay(first, wraps)
    expect(wrapped.code).toBe(2)
    expect(wrapped.stderr).toMatch(/^Error: no answer\n {4}at .*wraps\.mjs.*\n(?: {4}at .*\n)*error: .* diverged @/)
    const handled = await replay(second, handles)
    expect(handled).toMatchObject({ code: 2, stdout: "heard Diverged\n" })
    expect(handled.stderr).toMatch(/^error: .* diverged @/)
  })

  it("asks the model anew where a replay is live, and refuses that for an agent of its own", async () => {
    const log = place.file("live.db")
    fs.rmSync(log, { force: true })
    const { id } = await recorded(log, "hello")
    const before = asked
    const program = ["--log", log, "--live", "model", "--", process.execPath, agent, "good night"]
    const live = await run(["replay", id, ...program])
    expect(live).toMatchObject({ code: 0, stdout: "You said: good night\n" })
    expect(live.stderr).toContain("sent again: 1 of its requests")
    expect(live.stderr).toContain(`no request was answered from task ${id}, so nothing was compared`)
    expect(asked).toBe(before + 1)
    const tools = await run(
      ["replay", id, "--log", log, "--live", "tools", "--", process.execPath, agent, "hello"],
      "http://gone.invalid",
    )
    expect(tools).toMatchObject({ code: 0, stdout: "You said: hello\n" })
    expect(tools.stderr).toContain("apart from the requests that were sent again, it repeated task")
    const json = await hindcast(["replay", id, "--log", log, "--json", "--", process.execPath, agent, "hello"])
    expect(json.code).toBe(1)
    expect(json.stderr).toContain("whose output is its own")
    const own = await hindcast(["replay", id, "--log", log, "--live", "model", "--agent", agent])
    expect(own.code).toBe(1)
    expect(own.stderr).toContain("expected a program after --")
  })

  it("passes the program's exit code on, and closes the task of one that calls process.exit", async () => {
    const log = place.file("exits.db")
    fs.rmSync(log, { force: true })
    expect(await recorded(log, "bye", "3")).toMatchObject({
      code: 3,
      task: { outcome: "failed", reason: "its process exited with 3" },
    })
    expect(await recorded(log, "bye", "0")).toMatchObject({ code: 0, task: { outcome: "achieved" } })
    const failed = await run(["record", "--log", log, "--", process.execPath, agent, "hello"], "no address")
    expect(failed.code).toBe(1)
    expect(failed.stderr).toContain("Invalid URL")
    const closing = await run(["record", "--log", log, "--", process.execPath, agent, "bye", "3"])
    expect(closing.stderr).toMatch(/as task [0-9a-f-]{36}\. The program exited with 3\. `.* replay .*` replays it\./)
    expect(await document(["log", "verify", "--log", log])).toMatchObject({ intact: true })
  })

  it("does not record what the program starts itself", async () => {
    const log = place.file("children.db")
    fs.rmSync(log, { force: true })
    const parent = `import { spawnSync } from "node:child_process"
const { stdout } = spawnSync(process.execPath, ["${agent}", "from a child"], { encoding: "utf8" })
process.stdout.write(stdout)`
    const ended = await run(["record", "--log", log, "--", process.execPath, place.file("parent.mjs", parent)])
    expect(ended).toMatchObject({ code: 2, stdout: "You said: from a child\n" })
    expect(ended.stderr).toContain("Nothing was recorded: the program made no request that Hindcast sees in Node")
    expect(ended.stderr).toMatch(/record --proxy .*-- \S+ \S+parent\.mjs/s)
  })

  it("names the failure of a program that made no request, and no other way to record it", async () => {
    const log = place.file("failing.db")
    fs.rmSync(log, { force: true })
    const failing = place.file("failing.mjs", `import "no-such-package"`)
    const ended = await run(["record", "--log", log, "--", process.execPath, failing])
    expect(ended.code).toBe(1)
    expect(ended.stderr).toContain("Nothing was recorded: the program exited with 1 and made no request that Hindcast")
    expect(ended.stderr).not.toContain("--proxy")
  })

  it("says what it expected where it is used otherwise, and starts nothing then", async () => {
    const log = place.file("bad.db")
    fs.rmSync(log, { force: true })
    for (const words of [[], ["--"], ["--", "node"], ["--", "python3", "agent.py"]]) {
      const { code, stderr } = await hindcast(["record", "--log", log, ...words])
      expect(code).toBe(1)
      expect(stderr).toContain("expected node and a program after it, such as -- node agent.js")
    }
    for (const before of [["npx"], ["npx", "-y"], []]) {
      const { stderr } = await hindcast(["record", "--log", log, "--", ...before, "tsx", "agent one.ts", "--fast"])
      expect(asLibraryWrites(stderr)).toContain("hindcast record -- node --import tsx 'agent one.ts' --fast")
    }
    const { code, stdout, stderr } = await run([
      "record",
      "--log",
      `${agent}/x.db`,
      "--",
      process.execPath,
      agent,
      "hello",
    ])
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" })
    expect(stderr).toContain("expected a possible path of a file, found ENOTDIR")
    const foreign = await run([
      "record",
      "--log",
      place.file("notes.db", "no log"),
      "--",
      process.execPath,
      agent,
      "hello",
    ])
    expect(foreign).toMatchObject({ code: 1, stdout: "" })
    expect(foreign.stderr).toContain("hindcast: the program was not started:")
    expect(fs.existsSync(log)).toBe(false)
    const missing = await hindcast(["replay", "no-such-task", "--log", log, "--", process.execPath, agent])
    expect(missing.code).toBe(3)
  })
})
