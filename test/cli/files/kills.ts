/** Kills recordings of a directory's files at one of their writes, and checks what each leaves. */
import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import * as http from "node:http"
import type { AddressInfo } from "node:net"
import * as path from "node:path"
import type { Event } from "../../../src/events/vocabulary/Event.ts"
import { is } from "../../../src/events/vocabulary/Vocabulary.ts"
import { treeAfter } from "../../../src/workspace/PastFiles.ts"
import * as RestoreInto from "../../../src/workspace/restore/RestoreInto.ts"
import { ContentStore } from "../../../src/workspace/store/ContentStore.ts"
import { fileOf } from "../../../src/workspace/store/StoreFile.ts"
import { eventsOf, temporary } from "../../record/recorded.ts"
import { hindcast, start } from "../hindcast.ts"

/** Writes files as the model asks, each with a content that its name tells. */
const AGENT = `import * as fs from "node:fs"
const messages = [{ role: "user", content: "write" }]
for (;;) {
  const answer = await fetch(process.env.OPENAI_BASE_URL + "/chat/completions", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ model: "gpt-5", messages }),
  })
  const { message } = (await answer.json()).choices[0]
  messages.push(message)
  if (message.tool_calls === undefined) break
  const [{ id, function: { arguments: args } }] = message.tool_calls
  for (const { file, text } of JSON.parse(args).files) fs.writeFileSync(file, text)
  messages.push({ role: "tool", tool_call_id: id, content: "done" })
}
`

/**
 * Counts the process's writes: calls of node:fs that change the disk, and statements of SQLite but for queries. Kills it,
 * and with it what started it, at the one that KILL_AT names; else says at the end how many there were.
 */
const KILLER = `import * as fs from "node:fs"
import { createRequire, syncBuiltinESMExports } from "node:module"
const { KILL_AT, KILL_IN, KILL_COUNT, MAIN, SQLITE } = process.env
const isWanted = KILL_IN === "recorder" ? process.argv[1]?.endsWith("main.js") : !process.argv[1]?.endsWith("main.js")
let count = 0
const { writeFileSync } = fs
const step = () => {
  count += 1
  if (count !== Number(KILL_AT)) return
  if (KILL_IN === "program") process.kill(process.ppid, "SIGKILL")
  process.kill(process.pid, "SIGKILL")
  for (;;);
}
if (isWanted) {
  const all = createRequire(import.meta.url)("node:fs")
  for (const name of ["openSync", "writeSync", "writeFileSync", "renameSync", "linkSync", "unlinkSync", "rmSync", "mkdirSync"]) {
    const real = all[name]
    all[name] = (...args) => {
      step()
      return real(...args)
    }
  }
  syncBuiltinESMExports()
  const { driver } = await import(SQLITE)
  const isNodes = driver().name === "node:sqlite"
  const { prototype } = isNodes ? process.getBuiltinModule("node:sqlite").DatabaseSync : createRequire(SQLITE)("better-sqlite3")
  const { prepare, exec } = prototype
  prototype.exec = function (sql) {
    step()
    return exec.call(this, sql)
  }
  prototype.prepare = function (sql) {
    const statement = prepare.call(this, sql)
    if (/^\\s*(select|pragma)/i.test(sql)) return statement
    for (const method of ["run", "all"]) {
      const real = statement[method].bind(statement)
      statement[method] = (...args) => {
        step()
        return real(...args)
      }
    }
    return statement
  }
  process.on("exit", () => writeFileSync(KILL_COUNT, String(count)))
}
`

/** Calls of one recording, and files that each writes. */
const CALLS = 4
const FILES = 6

/** The content tells the file's name: half a file, or another one's, is none of these. */
const contentOf = (file: string, run: number, call: number) => `${file} ${run}.${call}\n`.repeat(50)
const CONTENT = /^((\S+) \d+\.\d+\n)\1{49}$/

/** Which process is killed: the proxy that records, or the program that records itself, with its parent. */
export type Means = "recorder" | "program"

export interface Outcome {
  /** Writes of a recording that nobody kills. */
  readonly writes: number
  readonly kills: number
  /** What was wrong after a kill. */
  readonly wrong: ReadonlyArray<string>
  /** Snapshots that were restored after kills. */
  readonly restored: number
  /** Changes of the last recording, which nobody kills. */
  readonly lastChanges: number
}

/** Kills recordings of one directory in one log, spread evenly over the writes of a whole one. */
export const killRecordings = async (means: Means, kills: number): Promise<Outcome> => {
  const directory = temporary("kills")
  const root = path.join(directory, "project")
  fs.mkdirSync(root, { recursive: true })
  const [agent, killer] = [path.join(directory, "agent.mjs"), path.join(directory, "killer.mjs")]
  fs.writeFileSync(agent, AGENT)
  fs.writeFileSync(killer, KILLER)
  const git = (...words: ReadonlyArray<string>) =>
    execFileSync("git", ["-c", "user.name=x", "-c", "user.email=x@example.com", ...words], { cwd: root })
  git("init", "--quiet")
  fs.writeFileSync(path.join(root, "start"), contentOf("start", 0, 0))
  git("add", ".")
  git("commit", "--quiet", "-m", "start")
  const repository = bytesIn(path.join(root, ".git"))
  let run = 0
  const model = http.createServer(async (request, response) => {
    let body = ""
    for await (const piece of request) body += piece
    const call = JSON.parse(body).messages.filter(({ role }: { readonly role: string }) => role === "assistant").length
    const named = Array.from({ length: FILES }, (_, index) => `f${(call + index) % (CALLS + 1)}`)
    const files = named.map((file) => ({ file, text: contentOf(file, run, call) }))
    const asked = { name: "write", arguments: JSON.stringify({ files }) }
    const calls = call < CALLS ? { tool_calls: [{ id: `c-${call}`, type: "function", function: asked }] } : {}
    const message = { role: "assistant", content: call < CALLS ? null : "Done", ...calls }
    response.setHeader("content-type", "application/json")
    const choices = [{ index: 0, finish_reason: call < CALLS ? "tool_calls" : "stop", message }]
    const usage = { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 }
    response.end(JSON.stringify({ id: "1", object: "chat.completion", created: 1, model: "gpt-5", choices, usage }))
  })
  await new Promise<void>((resolve) => model.listen(0, "127.0.0.1", resolve))
  const log = path.join(directory, "log.db")
  const counted = path.join(directory, "count")
  const record = async (at: number) => {
    run += 1
    fs.rmSync(counted, { force: true })
    const env = {
      OPENAI_BASE_URL: `http://127.0.0.1:${(model.address() as AddressInfo).port}/v1`,
      NODE_OPTIONS: `--import=${killer}`,
      SQLITE: new URL("../../../dist/events/sqlite/driver/choice.js", import.meta.url).href,
      ...{ KILL_AT: String(at), KILL_IN: means, KILL_COUNT: counted },
    }
    const options = means === "recorder" ? ["--proxy"] : []
    const words = ["record", ...options, "--log", log, "--workspace", ".", "--", process.execPath, agent]
    return start(words, { cwd: root, env }).ended
  }
  const wrong: Array<string> = []
  const check = (what: string, isRight: boolean) => {
    if (!isRight) wrong.push(`run ${run}: ${what}`)
  }
  const whole = await record(0)
  if (whole.code !== 0) throw new Error(`the whole recording ended with ${whole.code}: ${whole.stderr}`)
  // The first one also creates the log: the later ones write less.
  await record(0)
  const writes = Number(fs.readFileSync(counted, "utf8"))
  let [killed, restored, last] = [0, 0, 0]
  for (let kill = 0; kill < kills; kill++) {
    const at = 1 + Math.floor(((kill + 0.5) * writes) / kills)
    if ((await record(at)).code === null) killed += 1
    const found = bytesIn(path.join(root, ".git"))
    check(`write ${at}: .git changed: ${[...found.keys()].join(" ")}`, isSame(found, repository))
    const verified = await hindcast(["log", "verify", "--log", log])
    check(`write ${at}: ${verified.stderr || verified.stdout}`, verified.stdout.includes("Intact"))
    const events = await eventsOf(log)
    const fresh = events.filter(({ position }) => position > last)
    last = events.at(-1)?.position ?? 0
    restored += restoredOf(fresh, log, (why) => check(`write ${at}: ${why}`, false))
  }
  const ended = await record(0)
  check(`the last recording ended with ${ended.code}: ${ended.stderr}`, ended.code === 0)
  const after = (await eventsOf(log)).filter(({ position }) => position > last)
  restored += restoredOf(after, log, (why) => check(why, false))
  model.close()
  const lastChanges = after.filter((event) => is(event, "EnvironmentChanged")).length
  return { writes, kills: killed, wrong, restored, lastChanges }
}

/** Restores the files at each look that the log has, into a directory of its own. Returns how many those are. */
const restoredOf = (events: ReadonlyArray<Event>, log: string, say: (why: string) => void): number => {
  const looks = events.filter((event) => is(event, "EnvironmentReset") || is(event, "EnvironmentChanged"))
  if (looks.length === 0) return 0
  const store = ContentStore.open(fileOf(log))
  try {
    for (const look of looks) {
      const until = events.filter(({ taskId, position }) => taskId === look.taskId && position <= look.position)
      const tree = treeAfter(until, store)
      const into = temporary("restored")
      if (tree === undefined) say(`@${look.position}: the store lacks the tree`)
      else
        for (const { path, why } of RestoreInto.into(into, tree, store).left) say(`@${look.position} ${path}: ${why}`)
      for (const [file, bytes] of tree === undefined ? [] : bytesIn(into)) {
        const [, , name] = CONTENT.exec(Buffer.from(bytes, "hex").toString()) ?? []
        // The program was killed while it wrote: then an empty file is what was there.
        if (name !== file && bytes !== "") say(`@${look.position} ${file}: ${bytes.slice(0, 40)}`)
      }
    }
  } finally {
    store.close()
  }
  return looks.length
}

const bytesIn = (directory: string): ReadonlyMap<string, string> => {
  const found = new Map<string, string>()
  for (const entry of fs.readdirSync(directory, { recursive: true, withFileTypes: true })) {
    const file = path.join(entry.parentPath, entry.name)
    found.set(path.relative(directory, file), entry.isFile() ? fs.readFileSync(file).toString("hex") : "")
  }
  return found
}

const isSame = (one: ReadonlyMap<string, string>, other: ReadonlyMap<string, string>): boolean =>
  one.size === other.size && [...one].every(([name, bytes]) => other.get(name) === bytes)
