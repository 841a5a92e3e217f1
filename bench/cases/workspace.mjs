/** Snapshots of a workspace, against Git's `add` and `write-tree` with an index of its own. */
import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { driver } from "../../dist/events/sqlite/driver/choice.js"
import * as ClaudeCode from "../../dist/hooks/clients/ClaudeCode.js"
import * as Sessions from "../../dist/hooks/Sessions.js"
import { Snapshots } from "../../dist/workspace/Snapshots.js"
import { ContentStore } from "../../dist/workspace/store/ContentStore.js"
import { median, spend } from "../measure.mjs"

export const run = async (directory, rounds) => {
  const root = path.join(fs.realpathSync(directory), "workspace")
  fill(root, 20_000)
  const store = ContentStore.open(path.join(directory, "workspace.files"))
  const snapshots = new Snapshots({ root, store })
  const git = gitOf(root)
  snapshots.take()
  git()
  let changes = 0
  const change = () => fs.writeFileSync(path.join(root, "d1/e1/f1.ts"), `export const changed = ${++changes}\n`)
  let [before, after] = [undefined, undefined]
  const spent = await spend(
    {
      ours: async () => {
        before = after
        change()
        after = (await snapshots.takeInTurns()).tree.get("d1/e1/f1.ts")?.digest
        if (after === undefined || after === before) throw new Error("expected a snapshot with the change")
      },
      git: async () => {
        change()
        git()
      },
    },
    rounds,
  )
  const turns = []
  for (let round = 0; round < rounds; round++) {
    change()
    turns.push(await longestTurn(() => snapshots.takeInTurns()))
  }
  store.close()
  return [
    {
      what: "the longest that it keeps its thread from others, in processor time",
      unit: "ms",
      ours: median(turns),
      bound: { at: "most", value: 20, of: "ours" },
    },
    {
      what: "snapshot after one change among 20,000 files",
      unit: "ms",
      ours: spent.ours.ms,
      floor: spent.git.ms,
      ratio: spent.ours.ms / spent.git.ms,
      bound: { at: "most", value: 2 },
      floorIs: "git add -A && git write-tree with an index of its own",
    },
    bytes(directory),
    await edit(directory, rounds),
  ]
}

/** The most processor time between two turns of the event loop while something runs, in milliseconds. */
const longestTurn = async (run) => {
  let [isOn, longest, last] = [true, 0, process.cpuUsage()]
  const turn = () => {
    const { user, system } = process.cpuUsage(last)
    longest = Math.max(longest, (user + system) / 1000)
    last = process.cpuUsage()
    if (isOn) setImmediate(turn)
  }
  setImmediate(turn)
  await run()
  await new Promise(setImmediate)
  await new Promise(setImmediate)
  isOn = false
  return longest
}

/** The wait of an edit for its two snapshots among 2,000 files: its hooks with recorded files, minus the same hooks alone. */
const edit = async (directory, rounds) => {
  const root = path.join(fs.realpathSync(directory), "edits")
  fill(root, 2_000)
  const git = gitOf(root)
  const sessionWith = async (recordsFiles) => {
    const log = path.join(directory, `edits-${recordsFiles}.db`)
    return Sessions.open({ log, gate: async () => undefined, recordsFiles: async () => recordsFiles })
  }
  const [recording, plain] = [await sessionWith(true), await sessionWith(false)]
  let edits = 0
  const edited = () => fs.writeFileSync(path.join(root, "d1/e1/f1.ts"), `export const edited = ${++edits}\n`)
  const hooked = async (sessions) => {
    const id = `call-${edits}`
    const take = async (hook_event_name, more) => {
      const call = { tool_use_id: id, tool_name: "Edit", tool_input: { file_path: path.join(root, "d1/e1/f1.ts") } }
      const payload = { session_id: "s-1", cwd: root, hook_event_name, ...call, ...more }
      await sessions.take(ClaudeCode.client, ClaudeCode.client.read(payload))
    }
    await take("PreToolUse", {})
    edited()
    await take("PostToolUse", { tool_response: "done" })
  }
  const spent = await spend(
    {
      recording: () => hooked(recording),
      plain: () => hooked(plain),
      git: async () => {
        git()
        edited()
        git()
      },
    },
    rounds,
  )
  await recording.close()
  const told = changesIn(path.join(directory, "edits-true.db"))
  if (told < rounds) throw new Error(`expected a change recorded for each of ${rounds} edits, found ${told}`)
  await plain.close()
  const ours = Math.max(0, spent.recording.ms - spent.plain.ms)
  return {
    what: "what an edit waits for two snapshots of 2,000 files",
    unit: "ms",
    ours,
    floor: spent.git.ms,
    ratio: ours / spent.git.ms,
    bound: { at: "most", value: 1.2 },
    floorIs: "the same two by git add -A && git write-tree",
  }
}

/** The number of recorded changes of files. */
const changesIn = (log) => {
  const database = driver().open(log, { readonly: true, busyTimeoutMs: 1_000 })
  try {
    const [row] = database
      .prepare("SELECT count(*) FROM events WHERE type = (SELECT id FROM names WHERE text = 'EnvironmentChanged')")
      .rows([])
    return Number(row[0])
  } finally {
    database.close()
  }
}

/** What 200 edits of a file among 200 take, against the objects of the same trees in Git. */
const bytes = (directory) => {
  const root = path.join(fs.realpathSync(directory), "edited")
  fill(root, 200)
  const file = path.join(directory, "edited.files")
  const store = ContentStore.open(file)
  const snapshots = new Snapshots({ root, store })
  const git = gitOf(root)
  snapshots.keep(snapshots.take().tree)
  git()
  const edited = path.join(root, "d1/e1/f1.ts")
  const lines = Array.from({ length: 300 }, (_, line) => `export const value${line} = compute(${line})`)
  for (let edit = 0; edit < 200; edit++) {
    lines[(edit * 37) % lines.length] = `export const edited${edit} = "${edit * 7919}"`
    fs.writeFileSync(edited, lines.join("\n"))
    snapshots.take()
    git()
  }
  store.close()
  const floor = sizeOf(path.join(root, ".git/objects"))
  const ours = fs.statSync(file).size
  return {
    what: "bytes for 200 edits among 200 files",
    unit: "kB",
    ours: ours / 1000,
    floor: floor / 1000,
    ratio: ours / floor,
    bound: { at: "most", value: 1.3 },
    floorIs: "Git's loose objects for the same trees",
  }
}

const fill = (root, count) => {
  for (let index = 0; index < count; index++) {
    const within = path.join(root, `d${index % 40}`, `e${index % 400}`)
    fs.mkdirSync(within, { recursive: true })
    fs.writeFileSync(path.join(within, `f${index}.ts`), `export const value${index} = ${index}\n`.repeat(20))
  }
  fs.writeFileSync(path.join(root, ".gitignore"), "node_modules\n*.log\ndist/\n/build\n**/tmp/\n")
  execFileSync("git", ["init", "-q"], { cwd: root })
}

const gitOf = (root) => {
  const env = { ...process.env, GIT_INDEX_FILE: path.join(root, ".git/own-index") }
  return () => {
    execFileSync("git", ["add", "-A"], { cwd: root, env })
    execFileSync("git", ["write-tree"], { cwd: root, env })
  }
}

/** The bytes of the files below a directory. */
const sizeOf = (directory) =>
  fs.readdirSync(directory, { withFileTypes: true }).reduce((sum, entry) => {
    const file = path.join(directory, entry.name)
    return sum + (entry.isDirectory() ? sizeOf(file) : fs.statSync(file).size)
  }, 0)
