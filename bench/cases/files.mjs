/** Questions about recorded files in a log of 1,000,000 events, and in one of 2,000 sessions, against Git's with the same files as commits. */
import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { Effect } from "effect"
import { open } from "../../dist/files.js"
import { EventLog } from "../../dist/index.js"
import * as Changes from "../../dist/workspace/model/Changes.js"
import * as Document from "../../dist/workspace/model/Document.js"
import { Snapshots } from "../../dist/workspace/Snapshots.js"
import { ContentStore } from "../../dist/workspace/store/ContentStore.js"
import { fileOf } from "../../dist/workspace/store/StoreFile.js"
import { EVENTS_OF_TASK, history } from "../history.mjs"
import { median, spend, timed } from "../measure.mjs"

const EVENTS = 1_000_000
const TASKS = EVENTS / EVENTS_OF_TASK
const FILES = 200
const EDITS = 200
const SESSIONS = 2_000
const FILE = "src/d1/f1.ts"

/** A start of the command takes long on a busy machine. */
const MAX_STARTS = 7

const MAIN = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url))

export const run = async (directory, rounds, say) => {
  say(`recording ${EVENTS.toLocaleString("en")} events, and ${EDITS} edits among them`)
  const million = await recorded(directory, "million", [TASKS / 2, TASKS / 2], [EDITS])
  const shown = await measured(million, rounds, "show")
  say(`recording ${SESSIONS.toLocaleString("en")} sessions of one edit each`)
  const many = await recorded(directory, "sessions", [], Array(SESSIONS).fill(1))
  const shownOfMany = await measured(many, rounds, "show")
  const listed = await measured(many, rounds, "history")
  const show = "git show COMMIT:FILE, a process"
  const log = "git log --follow -- FILE, a process"
  return [
    row("show FILE --at in 1,000,000 events, in a process that has the log open", shown.ours, shown.git, show),
    row("the same, with the command's start", shown.command, shown.git, show),
    row("show FILE --at in a log of 2,000 sessions, in a process", shownOfMany.ours, shownOfMany.git, show),
    row("history FILE of 2,000 sessions, in a process", listed.ours, listed.git, log),
  ]
}

const row = (what, ours, floor, floorIs) => ({
  ...{ what, unit: "ms", ours, floor, ratio: ours / floor, floorIs },
  bound: { at: "most", value: 5 },
})

const measured = async ({ root, log, at, text, count }, rounds, question) => {
  const files = await open({ log })
  const asked = {
    show: async () => {
      const { content } = await files.read(FILE, { at })
      if (content.kind !== "text" || content.text !== text) throw new Error("expected the content of the moment")
    },
    history: async () => {
      const { versions } = await files.history(FILE)
      if (versions.length < count) throw new Error(`expected ${count} versions, found ${versions.length}`)
    },
  }
  const gits = {
    show: async () => {
      if (git(root, "show", `middle:${FILE}`) !== text) throw new Error("expected the content of the commit")
    },
    history: async () => {
      if (git(root, "log", "--format=%H", "--follow", "--", FILE).trim().split("\n").length < count)
        throw new Error(`expected ${count} commits`)
    },
  }
  const spent = await spend({ ours: asked[question], git: gits[question] }, rounds)
  const words = ["files", "show", FILE, "--at", `@${at}`, "--log", log]
  const starts = []
  for (let start = 0; question === "show" && start < Math.min(rounds, MAX_STARTS); start++)
    starts.push(await timed(async () => execFileSync(process.execPath, [MAIN, ...words], { cwd: root })))
  await files.close()
  return { ours: spent.ours.ms, git: spent.git.ms, command: median(starts) }
}

/**
 * A log with `others` tasks before and after sessions with so many edits each, and a repository with a commit for each
 * edit; `middle` is the one halfway.
 */
const recorded = async (directory, name, [before = 0, after = 0], sessions) => {
  const root = path.join(fs.realpathSync(directory), name)
  fill(root)
  const log = path.join(root, "..", `${name}.db`)
  const commits = [stateOf(root)]
  let middle
  const all = sessions.reduce((sum, edits) => sum + edits, 0)
  const recording = Effect.gen(function* () {
    const events = yield* EventLog.EventLog
    yield* others(events, before)
    const store = ContentStore.open(fileOf(log))
    const snapshots = new Snapshots({ root, store })
    let tree = snapshots.take().tree
    let edits = 0
    for (const [index, count] of sessions.entries()) {
      const task = `session-${index}`
      const append = (...told) =>
        events.append({ stream: `task/${task}`, taskId: task, actor: "recorder", events: told })
      yield* append(
        { type: "TaskOpened", payload: { goal: "Edit", measures: [], agent: "coder" } },
        {
          type: "EnvironmentReset",
          payload: {
            plugin: Document.PLUGIN,
            seed: 0,
            options: {},
            state: Document.initial(root, snapshots.keep(tree)),
          },
        },
      )
      for (let edit = 0; edit < count; edit++) {
        const text = `export const edited = ${++edits}\n`.repeat(40)
        fs.writeFileSync(path.join(root, FILE), text)
        const changed = snapshots.take().tree
        const patch = Changes.between(tree, changed).flatMap((change) => Document.operations(change, {}))
        tree = changed
        yield* append({
          type: "EnvironmentChanged",
          payload: { plugin: Document.PLUGIN, patch, unattributed: "no-call" },
        })
        commits.push(text)
        if (edits === Math.ceil(all / 2)) middle = { at: (yield* events.head).position, text, commit: commits.length }
      }
      yield* append({ type: "TaskClosed", payload: { outcome: "achieved" } })
    }
    store.close()
    yield* others(events, after)
  })
  await Effect.runPromise(Effect.provide(recording, EventLog.layerSqlite({ filename: log })))
  commitAll(root, commits, middle.commit)
  return { root, log, at: middle.at, text: middle.text, count: all }
}

function* others(log, tasks) {
  for (const requests of history(tasks))
    yield* Effect.all(
      requests.map((request) => log.append(request)),
      { concurrency: "unbounded", discard: true },
    )
}

const fill = (root) => {
  for (let index = 0; index < FILES; index++) {
    const within = path.join(root, "src", `d${index % 20}`)
    fs.mkdirSync(within, { recursive: true })
    fs.writeFileSync(path.join(within, `f${index}.ts`), `export const value${index} = ${index}\n`.repeat(40))
  }
}

const stateOf = (root) => fs.readFileSync(path.join(root, FILE), "utf8")

/** A commit for each content of the file, the first with all other files; packed as Git packs them. */
const commitAll = (root, contents, middle) => {
  git(root, "init", "--quiet")
  git(root, "add", "-A")
  git(root, "-c", "user.name=A", "-c", "user.email=a@example.org", "commit", "--quiet", "-m", "others")
  const stream = contents.map(
    (content, index) =>
      `commit refs/heads/edits\ncommitter A <a@example.org> ${1_700_000_000 + index} +0000\ndata 1\nx\n${
        index === 0 ? `from ${git(root, "rev-parse", "HEAD").trim()}\n` : ""
      }M 644 inline ${FILE}\ndata ${Buffer.byteLength(content)}\n${content}\n${
        index + 1 === middle ? "reset refs/tags/middle\nfrom refs/heads/edits\n\n" : ""
      }`,
  )
  execFileSync("git", ["fast-import", "--quiet"], { cwd: root, input: stream.join("") })
  git(root, "symbolic-ref", "HEAD", "refs/heads/edits")
  git(root, "gc", "--quiet")
}

const git = (cwd, ...args) =>
  execFileSync("git", args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"], maxBuffer: 64 * 1024 * 1024 })
