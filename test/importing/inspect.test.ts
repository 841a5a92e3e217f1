import { it } from "@effect/vitest"
import { Effect, TestContext } from "effect"
import * as fc from "fast-check"
import { describe, expect } from "vitest"
import type { Event } from "../../src/events/vocabulary/Event.ts"
import { scoreOf } from "../../src/importing/inspect/Scores.ts"
import * as SetScores from "../../src/projections/comparison/SetScores.ts"
import * as Projector from "../../src/projections/projector/Projector.ts"
import * as EnvironmentState from "../../src/projections/state/EnvironmentState.ts"
import { events, importing, payloads, typesOf, withFiles, write } from "./given.ts"
import { chunks, header, type Part, sample, spec, zip } from "./inspectLog.ts"

const TASK = "inspect-run1.task1.1.1"
const part = (id: string, epoch: number, more: Partial<Part> = {}): Part => ({
  name: `samples/${id}_epoch_${epoch}.json`,
  json: sample(id, epoch),
  ...more,
})
const begun: Part = { name: "_journal/start.json", json: { version: 2, eval: spec } }
const end: Part = { name: "header.json", json: header() }

/** What a sample became, without what tells one event from another. */
const story = (all: ReadonlyArray<Event>) =>
  all
    .filter(({ taskId, type }) => taskId === TASK && type !== "FileImported")
    .map(({ type, payload }) => [type, payload])

describe("a log of Inspect", () => {
  it.effect("has a task for each epoch of a sample, and a score set for each scorer over all of them", () =>
    withFiles({ "log.eval": zip([part("1", 1), part("1", 2), end]) }, (directory) =>
      Effect.gen(function* () {
        const { files } = yield* importing(directory)
        const all = yield* events
        expect(files[0]?.scorers).toEqual(["match", "detail"])
        expect(typesOf(all, TASK)).toEqual([
          ...[
            "TaskOpened",
            "InputReceived",
            "EnvironmentReset",
            "GuideApplied",
            "ModelCalled",
            "ModelResponded",
            "ActuatorCommanded",
          ],
          ...[
            "ConfirmationRequested",
            "ConfirmationDecided",
            "SourceRecordKept",
            "CommandAllowed",
            "CommandDispatched",
          ],
          ...[
            "CommandSucceeded",
            "EnvironmentChanged",
            "ModelCalled",
            "ModelResponded",
            "MessageSent",
            "SourceRecordKept",
            "TaskClosed",
          ],
          ...["RewardGiven", "RewardGiven", "MeasureUnscored"],
        ])
        expect(payloads(all, "TaskOpened")[0]).toMatchObject({ goal: "What is 2 + 2?", agent: "sums@openai/gpt-5" })
        expect(payloads(all, "MessageSent")[0]).toMatchObject({ content: "It is 4." })
        expect(payloads(all, "ModelResponded")[0]).toMatchObject({
          usage: { inputTokens: 17, outputTokens: 5, cachedTokens: 7 },
          latencyMs: 2000,
        })
        expect(payloads(all, "ConfirmationDecided")[0]).toMatchObject({ approved: true, by: "human", reason: "Fine." })
        expect(payloads(all, "ScoringStarted").map(({ taskIds, critic }) => [taskIds, critic])).toEqual([
          [[TASK, TASK.replace(/1$/, "2")], "inspect/match"],
          [[TASK, TASK.replace(/1$/, "2")], "inspect/detail"],
        ])
        const { scores } = yield* SetScores.load("match").pipe(Effect.provide(Projector.layer))
        expect([...scores.values()].map(({ net, possible }) => [net, possible])).toEqual([
          [1, 1],
          [1, 1],
        ])
        expect(payloads(all, "ScoringFinished")[1]?.totals).toMatchObject({
          [TASK]: { earned: 0.25, lost: 0, net: 0.25, unscored: 1 },
        })
      }),
    ),
  )

  it.effect("tells the same of a sample, however its messages are pooled and its parts divided and compressed", () =>
    Effect.gen(function* () {
      const stories = []
      for (const files of [
        { "a.json": JSON.stringify({ ...header(), samples: [sample("1", 1)] }) },
        { "a.eval": zip([part("1", 1, { method: 0 }), end]) },
        { "a.eval": zip([part("1", 1, { method: 93 }), { ...end, method: 93 }]) },
        { "a.eval": zip([part("1", 1, { json: sample("1", 1, "message_pool") }), end]) },
        { "a.eval": zip([part("1", 1, { json: sample("1", 1, "events_data") }), end]) },
        { "a.eval": zip([...chunks("1", 1), end]) },
        {
          "a.json": JSON.stringify({
            ...header(),
            samples: [{ ...sample("1", 1), events: undefined, transcript: { events: sample("1", 1).events } }],
          }),
        },
      ])
        stories.push(
          yield* withFiles(files, (directory) => Effect.flatMap(importing(directory), () => Effect.map(events, story))),
        )
      expect(stories[0]?.length).toBeGreaterThan(15)
      for (const other of stories) expect(other).toEqual(stories[0])
    }),
  )

  it.effect("with a prompt of megabytes has the beginning of it as its goal, in the report too", () => {
    const input = "a".repeat(9_000_000)
    const parts = [
      { name: "header.json", json: header() },
      { name: "samples/1_epoch_1.json", json: sample(1, 1, "inline", { input }) },
    ]
    return withFiles({ "a.eval": zip(parts) }, (directory) =>
      Effect.gen(function* () {
        const { files } = yield* importing(directory)
        const goal = `${"a".repeat(8_192)}… (9000000 characters)`
        expect(files[0]?.runs[0]?.goal).toBe(goal)
        const all = yield* events
        expect(payloads(all, "TaskOpened")).toMatchObject([{ goal }])
        expect(String(payloads(all, "InputReceived")[0]?.content)).toMatch(/^a{1048476}… \[7951524 more characters/)
      }),
    )
  })

  it.effect("shows the store as the environment's state", () =>
    withFiles({ "log.eval": zip([part("1", 1), end]) }, (directory) =>
      Effect.gen(function* () {
        yield* importing(directory)
        const state = yield* Effect.flatMap(Projector.Projector, (projector) =>
          projector.current(EnvironmentState.projection),
        ).pipe(Effect.provide(Projector.layer))
        expect(EnvironmentState.taskScope(state, TASK).environment).toEqual({ inspect: { n: 4 } })
      }),
    ),
  )

  it.effect("that was not finished has the samples that it has; the last of two headers counts", () =>
    withFiles(
      {
        "started.eval": zip([{ name: "_journal/start.json", json: { version: 2, eval: spec } }, part("1", 1)]),
        "twice.eval": zip([
          { name: "header.json", json: { ...header(), eval: { ...spec, run_id: "other" } } },
          part("1", 1),
          { ...end, json: { ...header(), eval: { ...spec, run_id: "last" } } },
        ]),
      },
      (directory) =>
        Effect.gen(function* () {
          const { files } = yield* importing(directory)
          expect(files.map(({ runs }) => runs[0]?.taskIds[0])).toEqual([TASK, "inspect-last.task1.1.1"])
          expect(Object.keys(files[0]?.remarks ?? {})).toEqual([
            "a log that was not finished: the samples that it has are imported",
          ])
          expect(Object.keys(files[1]?.remarks ?? {})).toEqual([])
        }),
    ),
  )

  it.effect(
    "has samples that failed or met a limit as tasks that did, refusals as denials, and NaN as no number",
    () => {
      const changed = sample("1", 1).events.map((event) =>
        "decision" in event ? { ...event, decision: "reject" } : event,
      )
      const refused = sample("1", 1, "inline", { events: changed, limit: { type: "token", limit: 100 } })
      const failed = sample("2", 1, "inline", { error: { message: "boom" }, scores: { match: { value: 0.5 } } })
      const json = JSON.stringify(failed).replace('"value":0.5', '"value":NaN, "answer": "NaN \\" NaN"')
      return withFiles(
        { "log.eval": zip([part("1", 1, { json: refused }), part("2", 1, { json }), end]) },
        (directory) =>
          Effect.gen(function* () {
            yield* importing(directory)
            const all = yield* events
            expect(payloads(all, "TaskClosed").map(({ outcome, reason }) => [outcome, reason])).toEqual([
              ["truncated", "limit: token 100"],
              ["failed", "boom"],
            ])
            expect(payloads(all, "CommandDenied").map(({ reason }) => reason)).toEqual(["Fine."])
            expect(payloads(all, "ConfirmationDecided")[0]).toMatchObject({ approved: false })
            expect(payloads(all, "MeasureUnscored")).toContainEqual(
              expect.objectContaining({ measure: "match", reason: 'NaN " NaN' }),
            )
          }),
      )
    },
  )

  it.effect("adds only what is new when it has grown, and a score set for the scores as they are then", () =>
    withFiles({ "log.eval": zip([begun, part("1", 1)]) }, (directory) =>
      Effect.gen(function* () {
        yield* importing(directory)
        write(directory, { "log.eval": zip([begun, part("1", 1), part("2", 1)]) })
        yield* importing(directory)
        const all = yield* events
        expect(payloads(all, "TaskOpened")).toHaveLength(2)
        expect(payloads(all, "ScoringStarted").map(({ taskIds }) => (taskIds as ReadonlyArray<string>).length)).toEqual(
          [1, 1, 2, 2],
        )
      }),
    ),
  )

  it.effect("that is cut off, damaged, of another compression or larger than it says is refused whole", () =>
    withFiles(
      {
        "a-cut.eval": zip([part("1", 1), end]).subarray(0, 400),
        "b-size.eval": zip([part("1", 1, { stated: 10 }), end]),
        "c-zstd.eval": zip([part("1", 1, { method: 93, stated: 10 }), end]),
        "d-huge.eval": zip([part("1", 1, { stated: 2_000_000_000 }), end]),
        "e-json.eval": zip([part("1", 1, { json: "{" }), end]),
        "f-second.eval": zip([part("1", 1), part("2", 1, { stated: 10 }), end]),
        // No checksum protects the list of entries, and a part of another name would be passed over.
        "g-name.eval": misnamed(zip([part("1", 1), part("2", 1), end]), "samples/2_epoch_1.json"),
      },
      (directory) =>
        Effect.gen(function* () {
          const { refused, files } = yield* importing(directory)
          expect(files).toEqual([])
          expect(refused.map(({ reason }) => reason)).toEqual([
            expect.stringContaining("no directory of its entries"),
            expect.stringContaining("does not expand to the 10 bytes that the archive states"),
            expect.stringContaining("larger than the archive says"),
            expect.stringContaining("2000000000 bytes, more than"),
            expect.stringContaining("expected a log of Inspect"),
            expect.stringContaining("does not expand to the 10 bytes that the archive states"),
            expect.stringContaining(
              "its directory lists samplet/2_epoch_1.json, and the entry there is named samples/2_epoch_1.json",
            ),
          ])
          expect(yield* events).toEqual([])
        }),
    ),
  )
})

/** An archive in whose list the name of an entry has another letter. */
const misnamed = (archive: Buffer, name: string): Buffer => {
  const at = archive.lastIndexOf(name)
  archive[at + 6] = "t".charCodeAt(0)
  return archive
}

describe("any log of Inspect", () => {
  const hostile = fc.oneof(
    fc.constantFrom("__proto__", "\ud800", "\u0000", "", "attachment://__proto__", [], {}),
    fc.jsonValue({ maxDepth: 3 }),
  )
  const place = fc.record({
    event: fc.nat(8),
    key: fc.constantFrom(
      "event",
      "timestamp",
      "id",
      "arguments",
      "changes",
      "output",
      "input",
      "call",
      "approver",
      "state",
      "function",
    ),
    inSample: fc.constantFrom("id", "epoch", "input", "scores", "attachments", "error", "limit", "target", "uuid"),
  })

  it.live("with hostile values anywhere is imported or refused, and never half or with a defect", () =>
    Effect.promise(() =>
      fc.assert(
        fc.asyncProperty(place, hostile, hostile, ({ event, key, inSample }, value, other) => {
          const plain = sample("1", 1)
          const changed = plain.events.map((one, index) => (index === event ? { ...one, [key]: value } : one))
          const json = { ...plain, events: changed, scores: { [JSON.stringify(value)]: { value } }, [inSample]: other }
          return Effect.runPromise(
            withFiles({ "log.eval": zip([begun, part("1", 1, { json }), end]) }, (directory) =>
              Effect.gen(function* () {
                yield* importing(directory)
                const all = yield* events
                expect(payloads(all, "TaskClosed")).toHaveLength(1)
                expect((yield* importing(directory)).added).toBe(0)
              }),
            ).pipe(Effect.provide(TestContext.TestContext)),
          )
        }),
        { numRuns: 15 },
      ),
    ),
  )
})

describe("a score", () => {
  it("is the number that Inspect's metrics read it as, or none", () => {
    expect(["C", "P", "I", "N", "yes", "FALSE", "0.5", true, 3, "", "tall", null, [1], {}].map(scoreOf)).toEqual([
      ...[1, 0.5, 0, 0, 1, 0, 0.5, 1, 3, null, null, null, null, null],
    ])
  })
})
