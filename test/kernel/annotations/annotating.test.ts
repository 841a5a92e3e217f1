import * as path from "node:path"
import { it } from "@effect/vitest"
import { Effect, Either, Layer } from "effect"
import { describe, expect } from "vitest"
import { type CoreNewEvent, EventLog } from "../../../src/events/index.ts"
import { PersonalData } from "../../../src/events/payload/PersonalData.ts"
import * as Timelines from "../../../src/events/read/Timelines.ts"
import { Annotating, type LabelOptions } from "../../../src/kernel/annotations/Annotating.ts"
import * as Hindcast from "../../../src/kernel/Hindcast.ts"
import type { Rubric } from "../../../src/kernel/rules/Rubric.ts"
import { Scoring } from "../../../src/kernel/scoring/Scoring.ts"
import * as AnnotationList from "../../../src/projections/annotations/AnnotationList.ts"
import * as TaskAudit from "../../../src/projections/audit/TaskAudit.ts"
import * as Comparison from "../../../src/projections/comparison/Comparison.ts"
import * as SetScores from "../../../src/projections/comparison/SetScores.ts"
import { Projector } from "../../../src/projections/projector/Projector.ts"
import * as Unfinished from "../../../src/projections/unfinished/Unfinished.ts"
import { temporaryDirectory } from "../../temporary.ts"

const layer = Layer.unwrapScoped(
  Effect.map(temporaryDirectory, (directory) => Hindcast.layerLog({ log: path.join(directory, "log.db") })),
)

const opened: CoreNewEvent = { type: "TaskOpened", payload: { goal: "Tidy up", measures: [], agent: "a@1" } }
const closed = (outcome: "achieved" | "failed"): CoreNewEvent => ({ type: "TaskClosed", payload: { outcome } })
const read: CoreNewEvent = {
  type: "SensorRead",
  payload: { sensor: "room/lamp", reading: true, priority: 0, latencyMs: 1 },
}

const say = (taskId: string, events: ReadonlyArray<CoreNewEvent>, more: { subject?: string; timeline?: string } = {}) =>
  Effect.flatMap(EventLog, (log) => log.append({ stream: `task/${taskId}`, taskId, actor: "test", events, ...more }))

const annotations = Effect.flatMap(Annotating, ({ list }) => list)

/** What a caller may know of a task besides its annotations. */
const known = Effect.gen(function* () {
  const { environment, tasks, confirmations } = yield* (yield* Projector).current(Unfinished.projection)
  return { audit: yield* TaskAudit.load("t1"), environment, tasks, confirmations }
})

describe("annotations", () => {
  it.effect("change neither their task, open or closed, nor anything that is folded from the log", () =>
    Effect.gen(function* () {
      yield* say("t1", [opened, read, closed("achieved")])
      yield* say("t2", [opened, read])
      const before = yield* known
      const service = yield* Annotating
      for (const about of [{ task: "t1" }, { task: "t2" }, { moment: 2 }, { moment: "@5" }]) {
        yield* service.note({ ...about, by: "ada", text: "look here" })
        yield* service.star({ ...about, by: "ada" })
        yield* service.label({ ...about, by: "ada", measure: "error", value: "wrong tool" })
      }
      yield* service.tag({ task: "t2", by: "ada", tags: ["slow", "odd"] })
      expect(yield* known).toEqual(before)
      expect(
        (yield* annotations).map(({ kind, by, subject, text, value }) => [
          kind,
          by,
          subject.task,
          subject.moment,
          text ?? value,
        ]),
      ).toEqual([
        ...[
          ["t1", null],
          ["t2", null],
          ["t1", 2],
          ["t2", 5],
        ].flatMap(([task, moment]) => [
          ["note", "human:ada", task, moment, "look here"],
          ["star", "human:ada", task, moment, undefined],
          ["label", "human:ada", task, moment, "wrong tool"],
        ]),
        ["tag", "human:ada", "t2", null, "slow"],
        ["tag", "human:ada", "t2", null, "odd"],
      ])
    }).pipe(Effect.provide(layer)),
  )

  it.effect("are corrected and removed by later events, and stay in the log", () =>
    Effect.gen(function* () {
      yield* say("t1", [opened, closed("achieved")])
      const { note, star, tag, label, remove } = yield* Annotating
      const [first] = yield* note({ task: "t1", by: "ada", text: "frist" })
      const [second] = yield* note({ task: "t1", by: "ada", text: "first", replaces: first?.position ?? 0 })
      const [starred] = yield* star({ moment: 1, by: "ada" })
      expect(yield* star({ moment: "@1", by: "ada" })).toEqual([])
      yield* tag({ task: "t1", by: "ada", tags: ["a", "b", "a"] })
      expect(yield* tag({ task: "t1", by: "bob", tags: ["b"] })).toEqual([])
      yield* tag({ task: "t1", by: "bob", tags: ["a", "never"], remove: true })
      yield* label({ task: "t1", by: "ada", value: true })
      const [fail] = yield* label({ task: "t1", by: "ada", value: false, comment: "too slow" })
      yield* label({ task: "t1", by: "bob", value: true })
      expect(
        (yield* annotations).map(({ kind, by, text, value, corrects }) => [kind, by, text, value, corrects]),
      ).toEqual([
        ["note", "human:ada", "first", undefined, first?.position],
        ["star", "human:ada", undefined, undefined, undefined],
        ["tag", "human:ada", "b", undefined, undefined],
        ["label", "human:ada", "too slow", false, undefined],
        ["label", "human:bob", undefined, true, undefined],
      ])
      for (const of of [second, starred, fail]) yield* remove({ annotation: of?.position ?? 0, by: "bob" })
      expect((yield* annotations).map(({ kind, by }) => [kind, by])).toEqual([
        ["tag", "human:ada"],
        ["label", "human:bob"],
      ])
      const log = yield* EventLog
      const texts = (yield* log.readPage({ types: ["NoteAdded"] }, 10)).map(({ payload }) => payload.text)
      expect(texts).toEqual(["frist", "first"])
      expect(yield* log.verify).toMatchObject({ _tag: "Intact" })
    }).pipe(Effect.provide(layer)),
  )

  it.effect("hold on a fork where it shares the moment, even if they are later than the fork", () =>
    Effect.gen(function* () {
      yield* say("done", [opened, closed("achieved")])
      yield* say("t1", [opened, read, closed("failed")])
      const log = yield* EventLog
      yield* log.append({
        ...{ timeline: "fork-1", stream: "timeline/fork-1", taskId: "t1", actor: "test" },
        events: [{ type: "TimelineForked", payload: { timeline: "fork-1", parent: "main", at: 4, overrides: {} } }],
      })
      yield* say("t1", [read], { timeline: "fork-1" })
      const { note, tag } = yield* Annotating
      yield* note({ moment: 4, by: "ada", text: "shared" })
      yield* note({ moment: 5, by: "ada", text: "main only" })
      yield* note({ moment: "fork-1@7", by: "ada", text: "fork only" })
      yield* tag({ task: "done", by: "ada", tags: ["done"] })
      yield* tag({ task: "t1", by: "ada", tags: ["of main"] })
      yield* tag({ task: "t1", timeline: "fork-1", by: "ada", tags: ["of fork"] })
      const texts = (of: EventLog.Service) =>
        Effect.map(AnnotationList.load(of), (all) => all.map(({ text }) => text).sort())
      expect(yield* texts(log)).toEqual(["done", "main only", "of main", "shared"])
      const fork = Timelines.view(log, yield* Timelines.named(log, "fork-1"))
      expect(yield* texts(fork)).toEqual(["done", "fork only", "of fork", "shared"])
    }).pipe(Effect.provide(layer)),
  )

  it.effect("are sealed with their task, and go when its subject's key is destroyed", () =>
    Effect.gen(function* () {
      yield* say("t1", [opened, closed("achieved")], { subject: "anna" })
      const { note, label, tag } = yield* Annotating
      yield* note({ moment: 1, by: "ada", text: "Anna lives in Petersburg" })
      yield* label({ task: "t1", by: "ada", value: true, comment: "Anna said so", target: "Anna" })
      yield* tag({ task: "t1", by: "ada", tags: ["good"] })
      expect((yield* annotations).map(({ text }) => text)).toEqual(["Anna lives in Petersburg", "Anna said so", "good"])
      yield* (yield* PersonalData).shred({ subject: "anna", reason: "asked", actor: "human:ada" })
      expect((yield* annotations).map(({ text, target, value }) => [text, target, value])).toEqual([
        ["[shredded]", undefined, undefined],
        ["[shredded]", "[shredded]", true],
        ["good", undefined, undefined],
      ])
    }).pipe(Effect.provide(layer)),
  )

  it.effect("refuse what is not there or does not fit, and record nothing", () =>
    Effect.gen(function* () {
      yield* say("t1", [opened])
      yield* say("t2", [opened, closed("failed")])
      const { note, star, tag, label, remove } = yield* Annotating
      const log = yield* EventLog
      const before = yield* log.head
      const by = "ada"
      const tries = [
        [star({ by }), "NotAnnotated", "either a task or a moment"],
        [star({ by, task: "t1", moment: 1 }), "NotAnnotated", "found both"],
        [star({ by, moment: 0 }), "NotAnnotated", "an event at @0"],
        [star({ by, moment: 99 }), "PositionOutOfRange", "@99"],
        [star({ by, task: "__proto__" }), "TaskNotFound", "__proto__"],
        [note({ by, task: "t1", text: " \n" }), "InvalidOptions", "text"],
        [note({ by, task: "t1", text: "x", replaces: 1 }), "NotAnnotated", "a note about t1 at @1"],
        [tag({ by, task: "t1", tags: ["a\u202eb"] }), "InvalidOptions", "tags"],
        [tag({ by, task: "t1", tags: [" a"] }), "InvalidOptions", "tags"],
        [label({ by, task: "t1", value: true }), "NotAnnotated", "a closed task"],
        [label({ by, task: "t2", value: Number.NaN }), "InvalidOptions", "value"],
        [label({ by, task: "t2", measure: "a\nb", value: 1 }), "InvalidOptions", "measure"],
        [remove({ by, annotation: 1 }), "NotAnnotated", "a note, a star or a label"],
      ] as const
      for (const [attempt, tag, message] of tries) {
        const error = yield* Effect.flip<unknown, { readonly _tag: string; readonly message: string }, never>(attempt)
        expect([error._tag, error.message]).toEqual([tag, expect.stringContaining(message)])
      }
      expect(yield* log.head).toEqual(before)
    }).pipe(Effect.provide(layer)),
  )

  it.scoped("of several writers at once are each there once", () =>
    Effect.gen(function* () {
      const file = path.join(yield* temporaryDirectory, "log.db")
      const open = Layer.build(Hindcast.layerLog({ log: file }))
      const [one, other] = [yield* open, yield* open]
      yield* Effect.provide(say("t1", [opened, closed("achieved")]), one)
      const write = (tag: string) =>
        Effect.flatMap(Annotating, (service) => service.tag({ task: "t1", by: "ada", tags: [tag] }))
      const writes = Array.from({ length: 20 }, (_, index) =>
        Effect.provide(write(`tag ${index % 5}`), index % 2 === 0 ? one : other),
      )
      yield* Effect.all(writes, { concurrency: "unbounded" })
      const log = yield* Effect.provide(EventLog, other)
      const tags = yield* log.readPage({ types: ["TagAdded"] }, 100)
      expect(tags.map(({ payload }) => payload.tag).sort()).toEqual(["tag 0", "tag 1", "tag 2", "tag 3", "tag 4"])
    }),
  )
})

const TASKS = 40

const rubric: Rubric = {
  name: "critic",
  measures: [
    {
      name: "m",
      description: "d",
      rewards: [{ name: "achieved", when: "w", weight: 1, rule: "task.outcome == 'achieved'" }],
      punishments: [],
    },
  ],
}

describe("labels", () => {
  it.effect("are score sets, so that compare measures a critic against people", () =>
    Effect.gen(function* () {
      // The critic passes t4 … t27; Ada t0 … t23, Bob t0 … t29, Carl all.
      const { label, remove } = yield* Annotating
      for (let index = 0; index < TASKS; index++) {
        const task = `t${index}`
        yield* say(task, [opened, closed(index >= 4 && index < 28 ? "achieved" : "failed")])
        const says = (by: string, value: LabelOptions["value"]) => label({ task, by, value })
        yield* says("ada", index < 24)
        yield* says("bob", index < 30)
        yield* says("carl", true)
        yield* label({ task, by: "ada", measure: "helpful", value: index - 5 })
      }
      yield* (yield* Scoring).rescore({ rubric, label: "critic" })
      const compared = (a: string, b: string) =>
        Effect.gen(function* () {
          return Either.getOrThrow(Comparison.compare(yield* SetScores.load(a), yield* SetScores.load(b)))
        })
      const ofCritic = yield* compared("human:ada", "critic")
      expect(ofCritic.a.critics).toEqual(["human:ada"])
      // 20 + 12 of 40 agree; by chance 0.6 · 0.6 + 0.4 · 0.4 = 0.52; κ = 0.28 / 0.48.
      expect(ofCritic.agreement).toEqual({
        ...{ tasks: 40, undecided: 0, bothPass: 20, onlyA: 4, onlyB: 4, bothFail: 12 },
        ...{ share: 0.8, rateA: 0.6, rateB: 0.6, chance: 0.52, kappa: 0.583333333, noKappa: null },
      })
      // 24 + 10 of 40 agree; by chance 0.6 · 0.75 + 0.4 · 0.25 = 0.55; κ = 0.3 / 0.45.
      expect((yield* compared("human:ada", "human:bob")).agreement).toEqual({
        ...{ tasks: 40, undecided: 0, bothPass: 24, onlyA: 0, onlyB: 6, bothFail: 10 },
        ...{ share: 0.85, rateA: 0.6, rateB: 0.75, chance: 0.55, kappa: 0.666666667, noKappa: null },
      })
      expect((yield* compared("human:ada", "human:carl")).agreement).toMatchObject({
        ...{ share: 0.6, chance: 0.6, kappa: null, noKappa: "b-is-constant" },
      })
      expect((yield* compared("human:carl", "human:carl")).agreement).toMatchObject({
        ...{ share: 1, chance: 1, kappa: null, noKappa: "both-are-constant" },
      })
      const helpful = yield* SetScores.load("human:ada/helpful")
      expect([helpful.scores.get("t0")?.net, helpful.scores.get("t5")?.net, helpful.scores.get("t39")?.net]).toEqual([
        -5, 0, 34,
      ])

      // A later label replaces the earlier one; a withdrawn one leaves the task unlabelled, not failed.
      yield* label({ task: "t0", by: "ada", value: false })
      const labels = (yield* annotations).filter(({ by, measure }) => by === "human:ada" && measure === "pass")
      const ofT1 = labels.find(({ subject }) => subject.task === "t1")
      yield* remove({ annotation: ofT1?.at ?? 0, by: "ada" })
      const after = yield* SetScores.load("human:ada")
      expect([after.scores.get("t0")?.net, after.scores.has("t1"), after.scores.size]).toEqual([0, false, 39])
    }).pipe(Effect.provide(layer)),
  )
})
