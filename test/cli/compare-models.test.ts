/** Two models as the sides of a comparison, and tables of models where no task asked any. */
import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { EventLog } from "../../src/events/log/EventLog.ts"
import * as SqliteEventLog from "../../src/events/sqlite/SqliteEventLog.ts"
import { SHREDDED } from "../../src/events/vocabulary/EventType.ts"
import type { PayloadOf } from "../../src/events/vocabulary/Vocabulary.ts"
import { event, inTask, requestOf, sha, type Unplaced } from "../projections/given.ts"
import { workplace } from "../workplace.ts"
import { document, hindcast } from "./hindcast.ts"

const place = workplace()
const [log, modelless] = [place.file("models.db"), place.file("modelless.db")]

const [GREAT, SMALL] = ["acme/great", "acme/small"]

interface Given extends Partial<Pick<PayloadOf<"TaskOpened">, "agent" | "goal" | "seed" | "environment">> {
  readonly models: ReadonlyArray<string>
  /** The net value; absent where it is not scored. */
  readonly net?: number
}

const task = (
  id: string,
  { models, net, goal = "Answer", agent = "me@1", ...opened }: Given,
): ReadonlyArray<Unplaced> => [
  ...inTask(id, [
    event("TaskOpened", { goal, measures: [], agent, ...opened }),
    ...models.map((model) => {
      const [provider = "", name = ""] = model.split("/")
      return event("ModelCalled", { provider, model: name, requestDigest: sha("q"), request: {} })
    }),
    event("TaskClosed", { outcome: "achieved" }),
  ]),
  ...(net === undefined ? [] : scoring(id, net)),
]

const scoring = (id: string, amount: number): ReadonlyArray<Unplaced> => {
  const scoreSetId = `set-${id}`
  const range = { from: 1, to: 1 }
  const of = { critic: "rule@4", criticDigest: sha("c"), rubric: {}, rubricDigest: sha("r"), label: "live", range }
  const verdict = { scoreSetId, measure: "m", name: "right", weight: 1, amount, because: [] }
  return [
    event("ScoringStarted", { scoreSetId, taskIds: [id], ...of }),
    event("RewardGiven", verdict, { taskId: id }),
    event("ScoringFinished", { scoreSetId, totals: {} }),
  ]
}

const write = (file: string, events: ReadonlyArray<Unplaced>) =>
  Effect.runPromise(
    Effect.flatMap(EventLog, (log) =>
      Effect.forEach(events, (each) => log.append(requestOf(each)), { discard: true }),
    ).pipe(Effect.provide(SqliteEventLog.layer({ filename: file }))),
  )

beforeAll(async () => {
  const pairs = Array.from({ length: 12 }, (_, seed) => [
    ...task(`great-${seed}`, { models: [GREAT], seed, net: 1 + (seed % 3) }),
    ...task(`small-${seed}`, { models: [SMALL], seed, net: 1 }),
  ])
  await write(log, [
    ...pairs.flat(),
    // The same once more, an unlike one, one without a score, and one that asked both.
    ...task("again", { models: [GREAT], seed: 0, net: 5 }),
    ...task("elsewhere", { models: [SMALL], seed: 1, environment: { room: { dark: true } }, net: 5 }),
    ...task("unscored", { models: [SMALL], seed: 3 }),
    ...task("both", { models: [GREAT, SMALL], seed: 4, net: 5 }),
    ...task("drawn-a", { models: ["acme/dear", "acme/dear"], goal: "Draw", seed: 70, net: 3 }),
    ...task("drawn-b", { models: ["other/great"], goal: "Draw", seed: 71, net: 2 }),
    // Two pairs of the same input, of which one has an agent in common with a third pair.
    ...[
      [1, "ann", "bob"],
      [1, "cat", "cat"],
      [2, "bob", "dan"],
      [3, "eve", "eve"],
    ].flatMap(([seed, one, other], index) => [
      ...task(`one-${index}`, { models: ["eu/one"], seed: Number(seed), agent: `${one}@1`, net: 1 }),
      ...task(`two-${index}`, { models: ["eu/two"], seed: Number(seed), agent: `${other}@1`, net: 2 }),
    ]),
    // As `import --redact` leaves them.
    ...task("hidden-a", { models: ["de/one"], goal: SHREDDED, net: 1 }),
    ...task("hidden-b", { models: ["de/two"], goal: SHREDDED, net: 2 }),
    ...task("hidden-c", { models: [GREAT], goal: SHREDDED, net: 1 }),
    ...task("silent", { models: [], seed: 5, net: 9 }),
  ])
  await write(modelless, [...task("one", { models: [], net: 1 }), ...task("two", { models: [] })])
})
afterAll(place.remove)

const models = (a: string, b: string) => ["compare", "--model", a, "--model", b, "--log", log]

const refused = async (args: ReadonlyArray<string>) => {
  const { code, stdout, stderr } = await hindcast([...args, "--json"])
  expect([args, stdout]).toEqual([args, ""])
  const { tag, message } = JSON.parse(stderr).error
  return { code, tag, message }
}

describe("compare of two models", () => {
  it("pairs their tasks on the same goal, environment and seed, and counts those that it leaves", async () => {
    const compared = await document(models(GREAT, "small"))
    expect(compared).toMatchObject({
      a: { name: GREAT, mean: 2 },
      b: { name: SMALL, mean: 1 },
      difference: -1,
      groups: 12,
      descriptive: false,
      onlyInA: ["again"],
      onlyInB: ["elsewhere"],
      scoring: "live",
      models: {
        a: { model: GREAT, tasks: 14, paired: 12, unpaired: 1, unscored: 0, unreadable: 1 },
        b: { model: SMALL, tasks: 14, paired: 12, unpaired: 1, unscored: 1, unreadable: 0 },
        askedBoth: 1,
        sameSeed: true,
      },
    })
    const { pairs } = compared.models as { pairs: ReadonlyArray<unknown> }
    expect(pairs).toHaveLength(12)
    expect(pairs[3]).toEqual({ a: "great-3", b: "small-3" })
    const { stdout } = await hindcast(models(GREAT, SMALL))
    for (const line of [
      "Tasks by model, scored by live",
      "A          acme/great: 14 tasks, 12 paired, 1 without a counterpart, 1 whose goal cannot be read",
      "B          acme/small: 14 tasks, 12 paired, 1 without a counterpart, 1 without a score",
      "both       1 task used both models, and counts for neither",
      "acme/great (A",
      "this difference is between these runs only.",
    ]) {
      expect(stdout).toContain(line)
    }
    const page = await hindcast([...models(GREAT, SMALL), "--html", "-"])
    expect(page.stdout).toContain("Two models on tasks that both worked on")
    expect(page.stdout).toContain("<code>great-3</code> and <code>small-3</code>")
    expect(page.stdout).toContain("Tasks of B: 14 tasks, 12 paired, 1 without a counterpart, 1 without a score")
  })

  it("pairs tasks whose seeds were drawn only if asked to, and says so where nothing pairs", async () => {
    const none = await refused(models("dear", "other/great"))
    expect(none).toMatchObject({ code: 3, tag: "NoTaskOfBoth" })
    expect(none.message).toContain("--any-seed pairs 1 task with different seeds.")
    expect(await document([...models("dear", "other/great"), "--any-seed"])).toMatchObject({
      models: { sameSeed: false, pairs: [{ a: "drawn-a", b: "drawn-b" }] },
      difference: -1,
      descriptive: true,
    })
    const hidden = await refused(models("de/one", "de/two"))
    expect(hidden).toMatchObject({ code: 3, tag: "NoTaskOfBoth" })
    expect(hidden.message).toContain("de/one: 1 task, 0 without a match, 1 unreadable")
    const unlike = await refused(models("dear", SMALL))
    expect(unlike).toMatchObject({ code: 3, tag: "NoTaskOfBoth" })
    expect(unlike.message).toContain("acme/dear: 1 task, 1 without a match; acme/small: 15 tasks, 14 without")
  })

  it("takes pairs for one group that were given the same, also where families are asked for", async () => {
    for (const [options, groups] of [
      [[], 3],
      [["--cluster", "agent"], 2],
      [["--cluster", "goal"], 1],
    ] as const) {
      const compared = await document([...models("eu/one", "eu/two"), ...options])
      expect([options, compared.groups, compared.pairs]).toEqual([
        options,
        groups,
        expect.objectContaining({ length: 4 }),
      ])
    }
  })

  it("refuses models that were never asked, names of several, and options that contradict each other", async () => {
    const cases: ReadonlyArray<readonly [ReadonlyArray<string>, number, string, string]> = [
      [
        models("acme/grate", SMALL),
        3,
        "ModelNotFound",
        "(acme/dear, acme/great, acme/small, de/one, de/two, eu/one, eu/two, other/great)",
      ],
      [models("acme/grate", SMALL), 3, "ModelNotFound", "Did you mean acme/great"],
      [models("great", SMALL), 3, "ModelNotFound", '"great", which matches several: acme/great, other/great'],
      [models(SMALL, "small"), 1, "BadInput", "found acme/small twice"],
      [["compare", "--model", GREAT, "--log", log], 1, "BadInput", "expected two models, found 1"],
      [[...models(GREAT, SMALL), "live"], 1, "BadInput", 'found "live"'],
      [[...models(GREAT, SMALL), "--scores", "nobody"], 3, "ScoringNotFound", "live"],
      [["compare", "live", "live", "--any-seed", "--log", log], 1, "BadInput", "--model A --model B"],
      [["compare", "live", "--log", log], 1, "BadInput", "expected two scorings, or --model twice"],
      [["compare", "--model", GREAT, "--model", SMALL, "--log", modelless], 3, "ModelNotFound", "no task of this log"],
    ]
    for (const [args, code, tag, says] of cases) {
      const found = await refused(args)
      expect([args, found.code, found.tag]).toEqual([args, code, tag])
      expect(found.message).toContain(says)
    }
  })
})

describe("a table of groups", () => {
  it.each(["model", "plugin"])(
    "is refused where no task used a %s: that is no empty log, and no success",
    async (by) => {
      const found = await refused(["audit", "--all", "--group", by, "--log", modelless])
      expect(found).toMatchObject({ code: 3, tag: "NothingGrouped" })
      expect(found.message).toContain(`--group ${by}: expected tasks that used a ${by}, found none among 2.`)
    },
  )

  it("counts the tasks that are in none", async () => {
    expect(await document(["audit", "--all", "--group", "model", "--log", log])).toMatchObject({ ungrouped: 1 })
    const { stdout } = await hindcast(["audit", "--all", "--group", "model", "--log", log])
    expect(stdout).toContain("1 task used no model, and is in no group.")
  })

  it("and exports say where nothing has a score", async () => {
    const scoreless = place.file("scoreless.db")
    await write(scoreless, task("one", { models: [] }))
    for (const [kind, file] of [
      ["audits", "audits.csv"],
      ["html", "report.html"],
    ] as const) {
      const { stdout } = await hindcast(["export", kind, "--output", place.file(file), "--log", scoreless])
      expect(stdout.replaceAll(/\s+/g, " ")).toContain("None of them is scored")
    }
  })
})
