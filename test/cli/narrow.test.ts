import { stripVTControlCharacters } from "node:util"
import { Effect } from "effect"
import * as fc from "fast-check"
import stringWidth from "string-width"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { PATHS } from "../../src/cli/catalogue/Catalogue.ts"
import * as Style from "../../src/cli/terminal/Style.ts"
import * as Table from "../../src/cli/terminal/Table.ts"
import * as Wrap from "../../src/cli/terminal/Wrap.ts"
import { EventLog } from "../../src/events/log/EventLog.ts"
import * as SqliteEventLog from "../../src/events/sqlite/SqliteEventLog.ts"
import { shippedPlugin } from "../built.ts"
import { copyOfDemoLog } from "../demoLog.ts"
import { event, inTask, requestOf, sha } from "../projections/given.ts"
import { inRepository } from "../repository.ts"
import { workplace } from "../workplace.ts"
import { runInProcess } from "./inProcess.ts"

const COLUMNS = 60

/** The lines that are too wide, but for those of a word alone that is no list of choices, or of a command in backticks: what people copy. */
const tooWide = (text: string): ReadonlyArray<string> =>
  text
    .split("\n")
    .filter((line) => stringWidth(line) > COLUMNS)
    .filter((line) => !/^(?:[^\s|]+|`[^`]*`\S*)$/.test(stripVTControlCharacters(line).trim()))

const place = workplace()
afterAll(place.remove)

/** A log of a task all of whose names are long. */
const writeLongNames = (filename: string) => {
  const long = (name: string) => `${name}-${"of-the-house-at-the-end-of-the-lane-".repeat(3)}`
  const [sensor, actuator] = [`${long("plugin")}/look`, `${long("plugin")}/open`]
  const events = inTask(long("task"), [
    event("TaskOpened", { goal: "Go on, and on, ".repeat(20), measures: [], agent: `${long("agent")}@1.0.0` }),
    event("SensorRead", {
      sensor,
      reading: { "a very long name of a thing that is there": 1 },
      priority: 0,
      latencyMs: 2,
    }),
    event("ActuatorCommanded", { commandId: "c", actuator, args: {}, argsDigest: sha("a"), priority: 0 }),
    event("CommandFailed", {
      commandId: "c",
      error: { code: "locked", message: "日本語の長い文 ".repeat(12) },
      latencyMs: 2,
    }),
    event("TaskClosed", { outcome: "failed", reason: "It caused no events. ".repeat(9) }),
  ])
  return Effect.gen(function* () {
    const log = yield* EventLog
    for (const each of events) yield* log.append(requestOf(each))
  }).pipe(Effect.provide(SqliteEventLog.layer({ filename })), Effect.runPromise)
}

let [season, long] = ["", place.file("long.db")]

beforeAll(async () => {
  season = await copyOfDemoLog(23, 7, place.file("season"))
  await writeLongNames(long)
})

const hindcast = (...args: ReadonlyArray<string>) =>
  runInProcess(args, { cwd: place.directory, env: { COLUMNS: String(COLUMNS), NO_COLOR: "1" } })

const RUBRIC = inRepository("examples", "rubrics", "plain.yaml")
const WANDERER = inRepository("examples", "agents", "wanderer.mjs")

/** Command lines on the demo's log, by command. What ends in a mistake has an error to show. */
const LOOKS: ReadonlyArray<ReadonlyArray<string>> = [
  ["log", "ls"],
  ["log", "ls", "--type", "SensorReed"],
  ["log", "show", "@12"],
  ["log", "info"],
  ["log", "reprice"],
  ["log", "verify"],
  ["log", "verify", "--quick"],
  ["log", "doctor"],
  ["log", "segments"],
  ["log", "subjects"],
  ["log", "shred", "nobody", "--reason", "They asked for it", "--yes"],
  ["log", "archive", "--until", "@40"],
  ["log", "backup", "backup.db"],
  ["log", "restore", "backup.db"],
  ["log", "upgrade"],
  ["log", "import", "none.jsonl"],
  ["log", "anchor", "--key", "key.pem", "--out", "anchor.json"],
  ["log", "list"],
  ["task", "ls"],
  ["task", "show", "task-0001"],
  ["task", "watch", "task-0001"],
  ["task", "bundle", "task-0002", "--out", "bundle.db"],
  ["task", "pause", "task-0001"],
  ["task", "continue", "task-0001"],
  ["task", "cancel", "task-0001"],
  [
    "task",
    "submit",
    "--agent",
    "desk",
    "--goal",
    "Tidy up, and answer the letters of the week before last",
    "--id",
    "queued",
  ],
  ["task", "queue"],
  ["task", "requeue", "queued"],
  ["runner", "start"],
  ["runner", "ls"],
  ["runner", "drain", "nobody"],
  ["runner", "limit", "--agent", "desk=2", "--plugin", "browser=1"],
  ["stop"],
  ["state", "--path", "/nope"],
  ["state", "--at", "yesterday"],
  ["state", "--view"],
  ["search", "boiler", "no"],
  ["search", "nothing-like-this"],
  ["memory", "recall", "tea"],
  ["memory", "ls"],
  ["memory", "ls", "--agent", "nobody"],
  ["memory", "rebuild"],
  ["diff", "@40", "@100"],
  ["history", "/tasks/task-0001/outcome"],
  ["history", "/shared/readings"],
  ["blame", "/tasks/task-0001/outcome"],
  ["blame", "/shared/nope"],
  ["why", "@412"],
  ["effects", "@100"],
  ["saw", "@100"],
  ["bisect", "--when", "size(state.tasks) >= 5"],
  ["bisect", "--when", "state.nope >"],
  ["watch", "--when", 'event.type == "CommandFailed"'],
  ["align", "task-0001", "task-0002"],
  ["timeline", "ls"],
  ["confirm", "ls"],
  ["confirm", "show", "x"],
  ["confirm", "approve", "x"],
  ["confirm", "reject", "x"],
  ["note", "task-0001", "Here it gave up too early, and it did not say why"],
  ["star", "@40"],
  ["star", "@40"],
  ["tag", "task-0001", "regression"],
  ["label", "task-0001", "pass", "--comment", "It does what the goal asks for"],
  ["label", "task-0001", "nope"],
  ["notes"],
  ["notes", "@1"],
  ["audit", "task-0001"],
  ["audit", "nope"],
  ["audit"],
  ["audit", "--all"],
  ["audit", "--all", "--group", "agent"],
  ["audit", "--all", "--group", "goal"],
  ["audit", "--trend"],
  ["rescore", "--rubric", RUBRIC, "--dry-run"],
  ["rescore", "--rubric", RUBRIC],
  ["rescore", "--rubric", "none.yaml"],
  ["score", "ls"],
  ["score", "show", "live"],
  ["score", "show", "plain"],
  ["score", "show", "nope"],
  ["score", "promote", "official", "plain"],
  ["compare", "live", "plain"],
  ["compare", "live", "nope"],
  ["plugin", "ls"],
  ["plugin", "list"],
  ["plugin", "show", "text-room"],
  ["plugin", "show", "nope"],
  ["init", "desk"],
  ["plugin", "new", "greenhouse"],
  ["plugin", "check", shippedPlugin("plugins", "workspace")],
  ["plugin", "check", "nowhere"],
  ["plugin", "add", shippedPlugin("plugins", "workspace"), "--yes"],
  ["plugin", "add", "nowhere"],
  ["plugin", "grant", "workspace", "--grant-run", "pwd"],
  ["plugin", "revoke", "workspace", "--grant-run", "pwd"],
  ["plugin", "deactivate", "workspace"],
  ["plugin", "activate", "workspace"],
  ["plugin", "priority", "workspace/git", "7"],
  ["plugin", "meta", "workspace", "room", '"north"'],
  ["plugin", "remove", "workspace"],
  ["replay", "task-0001", "--agent", WANDERER],
  ["replay", "task-0001", "--live", "model"],
  ["fork", "@12"],
  ["resume", "task-0001", "--agent", WANDERER],
  ["run", "--agent", "none.mjs", "--goal", "x"],
  ["cassette", "record", "answers.json"],
  ["chat"],
  ["play", "nowhere"],
  ["curriculum", "run", "none.yaml", "--agent", WANDERER],
  ["curriculum", "show"],
  ["curriculum", "replay", "none.yaml"],
  ["rollout", "nowhere", "--policy", "none.mjs"],
  ["export", "events", "--output", "events.jsonl"],
  ["export", "audits", "--output", "audits.csv"],
  ["export", "partitioned", "--directory", "lake"],
  ["export", "transitions", "--output", "steps.jsonl"],
  ["export", "trajectories", "--output", "episodes.jsonl"],
  ["export", "dataset", "--output", "examples.jsonl"],
  ["export", "otlp", "--output", "traces.jsonl"],
  ["export", "mcap", "--output", "tasks.mcap"],
  ["export", "piaavt", "--output", "lines.jsonl"],
  ["export", "agent-trace", "--output", "traces.jsonl"],
  ["export", "git-ai"],
  ["export", "harbor", "task-0001", "--test", "true", "--output", "harbor-task"],
  ["export", "git", "--branch", "session"],
  ["export", "studio", "task-0001", "--output", "shared.html"],
  ["export", "html", "--output", "report.html"],
  ["doctor"],
  ["python"],
  ["log", "snapshot"],
  ["hooks", "install", "--dry-run"],
  ["hooks", "uninstall", "vim"],
  ["hooks", "status"],
  ["hooks", "check", "vim"],
  ["acp", "record"],
  ["gate", "try", "--rules", "none.yaml"],
  ["gate", "try", "--rules", inRepository("examples", "gate", "hindcast.gate.yaml")],
  ["gate", "suggest", "--at-least", "1"],
  ["files", "ls"],
  ["files", "show", "src/main.ts"],
  ["files", "diff", "@40", "@100", "--stat"],
  ["files", "diff", "@40", "@100", "--word"],
  ["files", "history", "src/main.ts"],
  ["files", "history", "src/main.ts", "--limit", "1"],
  ["files", "blame", "src/main.ts:12", "--read"],
  ["files", "why", "src/main.ts"],
  ["files", "purge", "src/main.ts", "--reason", "test", "--yes"],
  ["files", "bisect", "--run", "! grep -q broken src/main.ts"],
  ["files", "compare", "task-0001", "task-0002"],
  ["files", "fork", "@40", "--into", "forked"],
  ["files", "restore", "@40", "--into", "restored"],
  ["files", "restore", "@40", "--in-place"],
  ["import", "nothing.jsonl"],
  ["record"],
  ["record", "doctor"],
  ["record", "doctor", "--task", "nope"],
]

/** What is not run here: the screens of `step` fit any terminal (`step.test.ts`), the demos tell stories (`demo.test.ts`, `demo-world.test.ts`), servers run until they are stopped, a password is typed (`password.test.ts`), Prometheus reads `metrics`, and `log create` needs a server (`test/postgres/tenants.test.ts`). */
const ELSEWHERE = [
  "demo",
  "listen",
  "proxy",
  "serve",
  "hooks serve",
  "mcp",
  "mcp gate",
  "log create",
  "log copy",
  "step",
  "studio",
  "password",
  "metrics",
  "export live",
]

describe("a terminal of 60 columns", () => {
  it("is asked with every command", () => {
    const asked = new Set(LOOKS.map((words) => words.join(" ")))
    const missing = PATHS.map((path) => path.join(" ")).filter(
      (path) => ![...asked].some((words) => words === path || words.startsWith(`${path} `)),
    )
    expect([...new Set(missing)]).toEqual(ELSEWHERE)
  })

  it.each(LOOKS.map((words) => [words.join(" "), words] as const))("is enough for hindcast %s", async (_, words) => {
    const { both } = await hindcast(...words, "--log", season)
    expect(both.trim()).not.toBe("")
    expect(tooWide(both)).toEqual([])
  })

  it("is enough for names that are longer than it", async () => {
    for (const words of [
      ["task", "ls"],
      ["audit", "lane-"],
      ["audit", "--all"],
      ["log", "ls"],
      ["log", "info"],
      ["why", "@4"],
      ["task", "watch", "lane-"],
    ]) {
      const { code, both } = await hindcast(...words, "--log", long)
      expect([words.join(" "), code, tooWide(both)]).toEqual([words.join(" "), 0, []])
    }
  })

  it("is enough for all help texts", async () => {
    for (const path of [[], ["log"], ["plugin"], ...PATHS]) {
      const { both } = await hindcast(...path, "--help")
      expect([path.join(" "), tooWide(both)]).toEqual([path.join(" "), []])
    }
  })
})

describe("documents for programs", () => {
  it("are not wrapped: JSON, Markdown, and what goes to a pipe", async () => {
    const wide = (text: string) => text.split("\n").some((line) => line.length > COLUMNS)
    const { stdout: state } = await hindcast("state", "--at", "@100", "--log", season)
    expect([wide(state), typeof JSON.parse(state)]).toEqual([true, "object"])
    expect(wide((await hindcast("audit", "task-0001", "--markdown", "--log", season)).stdout)).toBe(true)
    const { stderr } = await hindcast("audit", "nope", "--json", "--log", season)
    expect(JSON.parse(stderr).error.tag).toBe("TaskNotFound")
    const { stdout } = await runInProcess(["log", "verify", "--log", season], { env: { COLUMNS: undefined } })
    expect(wide(stdout)).toBe(true)
  })

  it("a COLUMNS that is no number counts as none", async () => {
    for (const COLUMNS of ["", "wide", "-3", "0"]) {
      const { stdout } = await runInProcess(["log", "verify", "--log", season], { env: { COLUMNS } })
      expect(stdout.split("\n").some((line) => line.length > 100)).toBe(true)
    }
  })
})

describe("lines that are wrapped", () => {
  const words = fc.array(fc.stringMatching(/^[a-z日é]{1,12}$/), { minLength: 1, maxLength: 40 })

  it("have all their words, in their order, and no more columns than there are", () => {
    fc.assert(
      fc.property(words, fc.integer({ min: 0, max: 12 }), fc.integer({ min: 40, max: 90 }), (all, indent, columns) => {
        const lines = Wrap.line(" ".repeat(indent) + all.join(" "), columns)
        expect(lines.flatMap((line) => line.trim().split(" "))).toEqual(all)
        for (const line of lines) expect(stringWidth(line)).toBeLessThanOrEqual(columns)
      }),
    )
  })

  it("keep a command in backticks whole, and branches of a tree before their event", () => {
    expect(Wrap.line("No task of that id. `hindcast task ls --log some.db` lists them all.", 30)).toEqual([
      "No task of that id.",
      "  `hindcast task ls --log some.db`",
      "  lists them all.",
    ])
    expect(Wrap.line("   └─ @12 TaskOpened  a goal that is long", 26)).toEqual([
      "   └─ @12 TaskOpened  a",
      "        goal that is long",
    ])
  })

  it("cells of a table have their colours on each line, and every cell is there", () => {
    const style = { ...Style.plain, columns: 44, dim: (text: string) => `\u001b[2m${text}\u001b[22m` }
    const cells = [["text-room/room", style.dim("a small study that is lit by one window"), "12"]]
    expect(Table.lines(style, ["name", "what it is", ...Table.right("n")], cells)).toEqual([
      "\u001b[2mname\u001b[22m            \u001b[2mwhat it is\u001b[22m                 \u001b[2mn\u001b[22m",
      "text-room/room  \u001b[2ma small study that is\u001b[22m     12",
      "                \u001b[2mlit by one window\u001b[22m",
    ])
    fc.assert(
      fc.property(fc.array(fc.tuple(words, words, fc.nat()), { minLength: 1, maxLength: 4 }), (rows) => {
        const lines = Table.lines(
          { ...Style.plain, columns: 60 },
          ["first", "second", ...Table.right("n")],
          rows.map(([first, second, n]) => [first.join(" "), second.join(" "), String(n)]),
        )
        for (const line of lines) expect(stringWidth(line)).toBeLessThanOrEqual(60)
        const shown = lines.join(" ").split(/\s+/)
        for (const word of rows.flatMap(([first, second]) => [...first, ...second])) expect(shown).toContain(word)
      }),
    )
  })
})
