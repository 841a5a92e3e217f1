import * as fs from "node:fs"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { PATHS } from "../../src/cli/catalogue/Catalogue.ts"
import { PACKAGE } from "../built.ts"
import { inRepository } from "../repository.ts"
import { workplace } from "../workplace.ts"
import { playLostKey } from "./hindcast.ts"
import { runInProcess } from "./inProcess.ts"

const place = workplace()
const log = place.file("log.db")
const rubric = inRepository("examples", "rubrics", "mending.yaml")
const source = place.file("agent.mjs", "export default { name: 'a', version: '1.0.0', decide: () => null }\n")

beforeAll(async () => {
  await playLostKey(log)
})
afterAll(place.remove)

/** Options that select among what a log holds, with a value that selects nothing. */
const SELECTING: Readonly<Record<string, string>> = {
  "--agent": "nobody",
  "--plugin": "nobody",
  "--task": "nobody",
  "--timeline": "nowhere",
  "--scores": "nothing",
  "--stream": "nothing",
  "--type": "acme/NothingLikeIt",
  "--measure": "nothing",
}

/** Options that name a file to read. */
const FILES: Readonly<Record<string, string>> = Object.fromEntries(
  ["--rubric", "--mapping", "--anchor", "--studio", "--agent", "--plugin", "--workspace", "--cassette", "--guide"].map(
    (option) => [option, place.file("gone.yaml")],
  ),
)

const lessons = place.file(
  "lessons.yaml",
  'curriculum: C\nversion: "1"\nstages: [{ stage: s, world: text-room, complete: attempt > 1 }]\n',
)

fs.mkdirSync(place.file("node_modules"))
fs.symlinkSync(PACKAGE, place.file("node_modules/hindcast"))
const hook = place.file(
  "hook.mjs",
  'import { Listener } from "hindcast"\nexport default Listener.webhook({ name: "hook" })\n',
)

const output = ["--output", "-"]
const PROGRAM = ["--agent", source, "--goal", "g", "--log", place.file("begun.db")]
const MODEL = ["--model", "ollama/small", "--goal", "g", "--log", place.file("begun.db")]
const LISTENER = ["--listener", hook, "--log", place.file("begun.db")]

/** The options of a command that select or name a file, and the words that it needs beside them. Those of others are named where they are tried. */
const NEEDS: Readonly<Record<string, Readonly<Record<string, ReadonlyArray<string>>>>> = {
  "log ls": { "--type": [], "--task": [], "--stream": [], "--timeline": [] },
  "log verify": { "--anchor": [] },
  audit: {
    "--task": ["--all"],
    "--agent": ["--trend"],
    "--plugin": ["--all"],
    "--scores": ["--all"],
    "--timeline": ["--all"],
    "--measure": ["--trend"],
  },
  rescore: {
    "--task": ["--rubric", rubric],
    "--agent": ["--rubric", rubric],
    "--plugin": ["--rubric", rubric],
    "--timeline": ["--rubric", rubric],
    "--rubric": [],
  },
  "gate try": { "--task": ["--rules", inRepository("examples", "gate", "hindcast.gate.yaml")] },
  "gate suggest": { "--task": [] },
  search: { "--task": ["word"] },
  "memory recall": { "--agent": ["word"] },
  "memory ls": { "--agent": [] },
  effects: { "--timeline": ["@5"] },
  why: { "--timeline": ["some"] },
  "score ls": { "--timeline": [] },
  "score show": { "--timeline": ["live"] },
  compare: { "--timeline": ["live", "live"], "--scores": ["--model", "a/b", "--model", "a/c"] },
  note: { "--timeline": ["@5", "a note"] },
  star: { "--timeline": ["@5"] },
  tag: { "--timeline": ["some", "a-tag"] },
  label: { "--timeline": ["@5", "error=none"] },
  notes: { "--timeline": [] },
  align: { "--task": ["main", "main"], "--scores": ["some", "some", "some"] },
  state: { "--task": ["--view"] },
  "task watch": { "--timeline": ["some"] },
  "files ls": { "--task": [] },
  "files show": { "--task": ["a.txt"] },
  "files diff": { "--task": ["@1", "@2"] },
  "files history": { "--task": ["a.txt"] },
  "files blame": { "--task": ["a.txt"] },
  "files why": { "--task": ["a.txt"] },
  "files bisect": { "--task": ["--run", "true"] },
  "files fork": { "--task": ["@1"] },
  "files restore": { "--task": ["@1", "--into", "restored"] },
  "export agent-trace": { "--task": output },
  "export git-ai": { "--task": [] },
  "export git": { "--task": ["--branch", "session"] },
  import: { "--mapping": [rubric] },
  "export events": { "--task": output, "--timeline": output, "--type": output },
  "export audits": { "--scores": output, "--timeline": output },
  "export transitions": { "--timeline": output, "--scores": output },
  "export trajectories": { "--timeline": output, "--plugin": output },
  "export dataset": { "--timeline": output },
  "export otlp": { "--task": output, "--timeline": output },
  "export mcap": { "--task": output, "--timeline": output },
  "export piaavt": { "--task": output, "--timeline": output, "--type": output },
  "export studio": { "--timeline": ["some", ...output] },
  "export html": { "--task": output, "--timeline": output, "--scores": output, "--studio": output },
  run: {
    "--agent": PROGRAM.slice(2),
    "--plugin": PROGRAM,
    "--workspace": PROGRAM,
    "--cassette": MODEL,
    "--guide": MODEL,
    "--rubric": [...MODEL, "--judge", "ollama/small"],
  },
  serve: {
    "--agent": LISTENER,
    "--plugin": [...LISTENER, "--agent", source],
    "--workspace": [...LISTENER, "--agent", source],
    "--cassette": [...LISTENER, "--model", "ollama/small"],
    "--guide": [...LISTENER, "--model", "ollama/small"],
    "--rubric": [...LISTENER, "--model", "ollama/small", "--judge", "ollama/small"],
  },
  "curriculum run": {
    "--agent": [lessons],
    "--plugin": [lessons, "--agent", source],
    "--workspace": [lessons, "--agent", source],
    "--cassette": [lessons, "--model", "ollama/small"],
    "--guide": [lessons, "--model", "ollama/small"],
  },
}

/** What is nothing to be found in this log: names of what is begun, or is asked for before anything is read. */
const OTHERS =
  /^(?:demo|chat|cassette|listen|acp|mcp gate|record|proxy|resume|fork|replay|step|play|rollout|studio|password|plugin|runner|task (?!watch)|stop|confirm|log (?!ls|verify))/

describe("what a command's option names and is not there", () => {
  const tried = Object.entries(NEEDS).flatMap(([command, options]) =>
    Object.entries(options).map(([option, words]) => ({ command, option, words })),
  )

  it.each(tried)("hindcast $command $option: exit 3", async ({ command, option, words }) => {
    const isFile = FILES[option] !== undefined && (SELECTING[option] === undefined || /run$|^serve$/.test(command))
    const value = isFile ? FILES[option] : SELECTING[option]
    const own = words.includes("--log") ? [] : ["--log", log]
    const ended = await runInProcess([...command.split(" "), ...words, option, value ?? "", ...own])
    expect([ended.code, ended.stderr]).toEqual([3, expect.stringMatching(/^error: .*(?:nobody|no|none|nothing)/is)])
  })

  it("is tried for every option of this kind", async () => {
    const missing: Array<string> = []
    for (const path of new Set(PATHS.map((words) => words.join(" ")))) {
      if (path === "" || OTHERS.test(path)) continue
      const { stdout } = await runInProcess([...path.split(" "), "--help"])
      const options = [...stdout.matchAll(/^(--[a-z-]+) (?!and )/gm)].map(([, option]) => option ?? "")
      for (const option of [...Object.keys(SELECTING), ...Object.keys(FILES)]) {
        if (options.includes(option) && NEEDS[path]?.[option] === undefined) missing.push(`${path} ${option}`)
      }
    }
    expect([...new Set(missing)]).toEqual([])
  }, 60_000)
})

describe("what a command's argument names and is not there", () => {
  const gone = place.file("gone")

  it.each([
    [["import", gone]],
    [["import", "--follow", gone]],
    [["log", "import", gone, "--log", place.file("new.db")]],
    [["log", "restore", gone, "--log", place.file("new.db")]],
    [["log", "doctor", "--log", gone]],
    [["plugin", "check", gone]],
    [["plugin", "add", gone]],
    [["play", gone]],
    [["curriculum", "run", gone, "--agent", inRepository("examples", "agents", "wanderer.mjs")]],
    [["curriculum", "show"]],
    [["curriculum", "show", "no-such-run"]],
    [["curriculum", "replay", gone]],
    [["runner", "start", "--agent", gone]],
    [["runner", "drain", "nobody"]],
    [["rollout", gone, "--policy", gone]],
    [["rollout", "--continue", "none", "--policy", inRepository("examples", "policies", "balances.mjs")]],
    [["state", "--view", "--at", "@0"]],
    [["state", "--view", "text-rom"]],
    [["align", "main", "fork-9"]],
    [["task", "ls", "--outcome", "failed"]],
    [["memory", "ls", "--user", "nobody"]],
    [["memory", "recall", "tea", "--subject", "nobody"]],
    [["memory", "ls", "--at", "fork-9@now"]],
    [["files", "ls"]],
    [["files", "show", "a.txt"]],
    [["files", "blame", "a.txt:1"]],
    [["files", "purge", "a.txt", "--reason", "r", "--yes"]],
    [["files", "bisect", "--run", "true"]],
    [["files", "compare", "nobody", "no-one"]],
    [["files", "restore", "now", "--into", "restored"]],
    [["files", "restore", "--undo", "--dry-run"]],
    [["export", "studio", "nobody", "--output", "-"]],
    [["export", "harbor", "nobody", "--test", "true", "--output", gone]],
  ])("hindcast %j: exit 3", async (words) => {
    const ended = await runInProcess([...words, ...(words.includes("--log") ? [] : ["--log", log])])
    expect([ended.code, ended.stderr]).toEqual([3, expect.stringMatching(/^error: /)])
    expect(fs.existsSync(place.file("new.db"))).toBe(false)
  })

  it("is named as what it may have been: a timeline that does not exist, a task that another timeline has", async () => {
    const aligned = await runInProcess(["align", "main", "fork-9", "--log", log])
    expect(aligned.stderr).toContain('No timeline and no task "fork-9" is in this log. Timelines: main.')
    const near = await runInProcess(["align", "mian", "main", "--log", log])
    expect(near.stderr).toContain("Did you mean main?")
  })

  it("leaves the list that a program asked for empty, and whole", async () => {
    const tasks = await runInProcess(["task", "ls", "--outcome", "failed", "--json", "--log", log])
    expect([tasks.code, JSON.parse(tasks.stdout)]).toEqual([3, { tasks: [], earlier: false }])
    const events = await runInProcess(["log", "ls", "--stream", "nothing", "--json", "--log", log])
    expect([events.code, JSON.parse(events.stdout)]).toEqual([3, { events: [], more: false }])
  })
})
