import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { layerSqlite } from "../../src/events/index.ts"
import { event, inTask, type Unplaced } from "../projections/given.ts"
import { read } from "../projections/onLog.ts"
import { appendAll } from "../projections/timetravel/naive.ts"
import { inRepository } from "../repository.ts"
import { workplace } from "../workplace.ts"
import { document, hindcast, keysOf, playLostKey } from "./hindcast.ts"

vi.setConfig({ testTimeout: 120_000 })

const place = workplace()
const log = place.file("log.db")
let [first, second] = ["", ""]

beforeAll(async () => {
  first = await playLostKey(log)
  const wandered = await document([
    "run",
    ...["--log", log, "--agent", inRepository("examples", "agents", "wanderer.mjs"), "--max-steps", "5"],
    ...["--goal", "Find the document", "--plugin", inRepository("plugins", "text-room"), "--seed", "7"],
  ])
  second = String(wandered.taskId)
}, 120_000)
afterAll(place.remove)

const on = (...args: ReadonlyArray<string>) => document([...args, "--log", log])
const page = async (...args: ReadonlyArray<string>) => {
  const { code, stdout, stderr } = await hindcast([...args, "--log", log])
  expect({ args, code, stderr }).toEqual({ args, code: 0, stderr: "" })
  return stdout
}
const room = (task: string) => `/tasks/${task}/environment/text-room`

const opened = event("TaskOpened", { goal: "g", measures: [], agent: "me" })

const onTimeline = (timeline: string, events: ReadonlyArray<Unplaced>): ReadonlyArray<Unplaced> =>
  events.map((each) => ({ ...each, envelope: { ...each.envelope, timeline } }))

interface Listed {
  readonly position: number
  readonly type: string
  readonly id: string
}
const eventsOf = async (...args: ReadonlyArray<string>) =>
  (await on("log", "ls", "--limit", "1000", ...args)).events as ReadonlyArray<Listed>

describe("history", () => {
  it("shows every value of a path with its event, and of an object what changed in it", async () => {
    const won = await page("history", `${room(first)}/won`)
    expect(won).toMatch(
      /^ *@\d+ {2}\S+ {2}false {2}EnvironmentReset +\S+\n *@\d+ {2}\S+ {2}true +EnvironmentChanged +\S+\n$/,
    )
    expect(await page("history", room(first))).toContain('/room "study" → "hallway"')
    const { path, turns, more } = await on("history", `${room(first)}/room`)
    expect({ path, more }).toEqual({ path: `${room(first)}/room`, more: false })
    expect(turns).toMatchObject([
      { existed: false, before: null, exists: true, value: "study" },
      { before: "study", value: "hallway" },
      { before: "hallway", value: "study" },
    ])
  })

  it("shows the last ones, with --since the first ones, and says where the others are", async () => {
    const path = `${room(first)}/steps`
    expect(await page("history", path, "--limit", "2")).toMatch(/\n7 earlier; --limit N shows more\.\n$/)
    const [opened] = await eventsOf("--task", first)
    const since = await page("history", path, "--since", String(opened?.id), "--limit", "2")
    expect(since).toMatch(
      /EnvironmentReset[^\n]*\n[^\n]*0 → 1|0 {2}EnvironmentReset[^\n]*\n[^\n]*1 {2}EnvironmentChanged/,
    )
    expect(since).toMatch(/\nLater ones follow; --limit N shows more\.\n$/)
    expect(await page("history", path, "--since", "now")).toBe(`Nothing changed at ${path} in that time.\n`)
  })
})

describe("effects", () => {
  it("draws what came of an event as a tree, and says where it stopped", async () => {
    const [commanded] = await eventsOf("--task", first, "--type", "ActuatorCommanded")
    const tree = (await page("effects", `@${commanded?.position}`)).trimEnd().split("\n")
    expect(tree.map((line) => line.replaceAll(/@\d+ (\w+).*/g, "$1"))).toEqual([
      "ActuatorCommanded",
      "└─ CommandAllowed",
      "   └─ CommandDispatched",
      "      └─ CommandFailed",
      "         └─ EnvironmentChanged",
    ])
    const [opened] = await eventsOf("--task", first, "--type", "TaskOpened")
    const some = await page("effects", String(opened?.id), "--limit", "4")
    expect(some).toMatch(/\n4 events up to @\d+; more may follow: --limit N shows more\.\n$/)
    const { events, more } = await on("effects", String(opened?.id), "--limit", "4")
    expect(more).toBe(true)
    expect(events).toMatchObject([{ depth: 0 }, { depth: 1 }, { depth: 1 }, { depth: 1 }, { depth: 1 }])
  })
})

describe("bisect", () => {
  it("finds the first moment, names its event, and says how it was found", async () => {
    const [, closed] = await eventsOf("--type", "TaskClosed")
    const when = `state.tasks["${second}"].open == false`
    const told = await page("bisect", "--when", when)
    expect(told).toContain(`${when} first holds at @${closed?.position}.\n`)
    expect(told).toContain("TaskClosed")
    expect(told).toContain("Certain: every event that can matter was examined.")
    const found = await on("bisect", "--when", when)
    expect(keysOf(found)).toEqual(
      ["certain", "event", "first", "from", "method", "predicate", "probes", "timeline", "to"].sort(),
    )
    expect(found).toMatchObject({ first: closed?.position, method: "scanned", certain: true })
    expect(await page("bisect", "--when", "size(state.tasks) > 5")).toMatch(/ holds at no moment from @0 to @\d+\.\n/)
    expect(await page("bisect", "--when", "size(state.tasks) > 0", "--from", "now")).toMatch(
      /already holds at @\d+, where/,
    )
  })
})

describe("watch", () => {
  it("lists every event at which something came true, of a path or of all", async () => {
    const failed = await eventsOf("--type", "CommandFailed")
    const { events } = await on("watch", "--when", 'event.type == "CommandFailed"')
    expect((events as ReadonlyArray<Listed>).map(({ position }) => position)).toEqual(
      failed.map(({ position }) => position),
    )
    expect(await page("watch", `${room(first)}/room`, "--when", 'value == "study"')).toMatch(
      /^ *@\d+ .*EnvironmentReset.*\n *@\d+ .*EnvironmentChanged.*\n$/,
    )
    expect(await page("watch", "--when", "size(state.tasks) > 9")).toBe(
      "The predicate never became true in that range.\n",
    )
  })
})

describe("align", () => {
  it("counts what two tasks have in common, and shows where they part first", async () => {
    const told = await page("align", first.slice(-8), second)
    const [sentence, counted] = told.split("\n")
    expect(sentence).toMatch(/A \(knows-the-way\) called \S+.* \(@\d+\) and B \(wanderer\) called \S+.* \(@\d+\)\.$/)
    expect(counted).toMatch(/^\d+ the same, \d+ changed, \d+ only in A, \d+ only in B\.$/)
    expect(told).toMatch(new RegExp(`\nA: ${first}, knows-the-way, .+\nB: ${second}, wanderer, .+\n`))
    expect(told).toMatch(/\n *@\d+ +@\d+ +◆ +DecisionMade .*← the first decision that differs\n/)
    // The line of the split is shown even if it lies beyond the limit.
    const few = await page("align", first, second, "--limit", "2")
    expect(few).toMatch(/\n\d+ lines? before these; /)
    expect(few).toContain("← the first decision that differs")
    expect(told).toMatch(/\n *@\d+ +@\d+ +~ +TaskOpened +.*\/agent "knows-the-way@1\.0\.0" → "wanderer@1\.0\.0"/)
    expect(await page("align", first, first)).toMatch(/^Nothing differs: \d+ events of each\.\n$/)
    const { a, b, divergence, pairs, decisions, names, sentence: same, ...counts } = await on("align", first, second)
    expect(same).toBe(sentence)
    expect(names).toMatchObject([{ agent: "knows-the-way" }, { agent: "wanderer" }])
    const { split } = decisions as { readonly split: { readonly a: number; readonly b: number } }
    expect(sentence).toContain(`(@${split.a}) and `)
    expect(sentence).toContain(`(@${split.b}).`)
    expect([a, b]).toEqual([{ taskId: first }, { taskId: second }])
    expect(divergence).toMatchObject({ kind: "changed", type: "TaskOpened" })
    expect(keysOf(counts)).toEqual(["changed", "onlyInA", "onlyInB", "same", "shared"])
    expect(keysOf(pairs)).toEqual(["a", "b", "kind", "type"])
  })
})

describe("align of more than two tasks", () => {
  it("is a table, with the first decision that differs from the first task's, and refuses timelines", async () => {
    const table = (await on("align", first, second, first)) as unknown as {
      readonly runs: ReadonlyArray<{ readonly label: string; readonly split: { readonly sentence: string } | null }>
      readonly verdicts: ReadonlyArray<string>
    }
    expect(table.runs.map(({ label }) => label)).toEqual(["A1 (knows-the-way)", "B (wanderer)", "A2 (knows-the-way)"])
    const { sentence } = (await on("align", first, second)) as unknown as { readonly sentence: string }
    expect(table.runs[1]?.split?.sentence.replace("A1", "A")).toBe(sentence)
    const told = await page("align", first, second, first)
    expect(told).toMatch(/^run +outcome +score +cost +tokens +time +steps +first decision that differs\n/)
    for (const verdict of table.verdicts) expect(told).toContain(verdict)
    const { code, stderr } = await hindcast(["align", first, "main", second, "--log", log])
    expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining("found the timeline main") })
    const two = await hindcast(["align", first, second, "--scores", "live", "--log", log])
    expect(two).toMatchObject({ code: 1, stderr: expect.stringContaining("expected more than two tasks") })
  })
})

describe("moments in all their forms", () => {
  it("name the same moment in every command that takes one", async () => {
    const [opened] = await eventsOf("--task", first)
    const forms = [`@${opened?.position}`, `main@${opened?.position}`, String(opened?.position), String(opened?.id)]
    const path = `/tasks/${first}/open`
    const blamed = await Promise.all(forms.map((form) => on("blame", path, "--at", form)))
    for (const blame of blamed) expect(blame).toMatchObject({ at: opened?.position, value: true, timeline: "main" })
    const id = String(opened?.id)
    expect(await on("state", "--path", path, "--at", id)).toMatchObject({ at: opened?.position, state: true })
    expect(await on("bisect", "--when", "true", "--from", id)).toMatchObject({ from: opened?.position })
    expect(await on("state", "--at", "2999-01-01T00:00:00Z")).toMatchObject(await on("state", "--at", "now"))
  })
})

describe("across timelines", () => {
  const forked = place.file("forked.db")
  const told = (...args: ReadonlyArray<string>) => hindcast([...args, "--log", forked])

  beforeAll(() =>
    Effect.runPromise(
      Effect.provide(
        appendAll([
          ...inTask("walk", [opened, read("hall"), read("study")]),
          ...onTimeline("fork-1", [
            event("TimelineForked", { timeline: "fork-1", parent: "main", at: 2, overrides: {} }),
            ...inTask("walk", [read("cellar")]),
          ]),
          ...inTask("walk", [read("garden")]),
        ]),
        layerSqlite({ filename: forked }),
      ),
    ),
  )

  it("states, diffs, histories and alignments are of the timeline that a moment names", async () => {
    const look = "/tasks/walk/readings/room~1look"
    const [state, diff, history, aligned, task, elsewhere] = await Promise.all([
      told("state", "--at", "fork-1@now", "--path", look),
      told("diff", "main@now", "fork-1@now"),
      told("history", look, "--until", "fork-1@now", "--json"),
      told("align", "main", "fork-1"),
      told("align", "walk", "fork-1@walk"),
      told("blame", look, "--at", "main@5"),
    ])
    expect(state).toMatchObject({ code: 0, stdout: '"cellar"\n' })
    expect(diff).toMatchObject({ code: 0, stdout: `~ ${look} "garden" → "cellar"  @5\n` })
    const { turns } = JSON.parse(history.stdout)
    expect(turns).toMatchObject([{ value: "hall" }, { value: "cellar" }])
    expect(aligned.stdout.split("\n").slice(0, 3)).toEqual([
      "Both share their history up to @2.",
      "Neither records a decision.",
      "0 the same, 1 changed, 1 only in A, 1 only in B.",
    ])
    expect(task.stdout).toMatch(/\nA: walk, .+\nB: fork-1@walk, .+\n/)
    expect(elsewhere).toMatchObject({ code: 3, stderr: expect.stringContaining("@5 is not on timeline main") })
  })
})

describe("bad input", () => {
  const refused = async (...args: ReadonlyArray<string>) => {
    const { code, stdout, stderr } = await hindcast([...args, "--log", log])
    expect({ args, stdout }).toEqual({ args, stdout: "" })
    return { code, stderr }
  }

  const mistakes = [
    [["bisect", "--when", "size(state.tasks)"], 1, /column 1: it gives a value of type int, and not true or false/],
    [["bisect", "--when", "state.tasks["], 1, /line 1, column 13/],
    [["bisect", "--when", "state.shared.readings == 3 && value"], 1, /Unknown variable: value/],
    [["bisect", "--when", "position"], 1, /it gives a value of type int/],
    [["bisect"], 1, /--when/],
    [["bisect", "--when", "true", "--to", "@99999"], 3, /There is no position @99999/],
    [["bisect", "--when", "true", "--from", "@3", "--to", "@2"], 1, /starts at @3 but ends at @2/],
    [["watch", "--when", "true", "--since", "@3", "--until", "@2"], 1, /starts at @3 but ends at @2/],
    [["bisect", "--when", "true", "--from", "fork-9@1"], 3, /There is no timeline "fork-9"/],
    [["history", "/tasks/none/open"], 3, /There never was a value at \/tasks\/none\/open/],
    [["history", "tasks"], 1, /"tasks" is not a path/],
    [["history", "/tasks", "--since", "yesterday"], 1, /"yesterday" is not a moment/],
    [["history", "/tasks", "--limit", "0"], 1, /--limit/],
    [["watch", "/tasks/none", "--when", "true"], 3, /There never was a value at \/tasks\/none/],
    [["effects", "@0"], 3, /has no event @0/],
    [["align", "none", "none"], 3, /No timeline and no task "none" is in this log\. Timelines: main\./],
    [["align", "fork-9@none", "none"], 3, /There is no timeline "fork-9"/],
    [["bisect", "--when", "state.tasks.exists(id, state.tasks[id].goal > 3)"], 1, /failed at @\d+: no such overload/],
  ] as const

  it("is refused with what was expected, what was found and where, and nothing is answered", async () => {
    const ended = await Promise.all(mistakes.map(([args]) => refused(...args)))
    for (const [index, [args, code, message]] of mistakes.entries()) {
      expect({ args, ...ended[index] }).toEqual({ args, code, stderr: expect.stringMatching(message) })
    }
  })
})
