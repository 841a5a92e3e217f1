import { it } from "@effect/vitest"
import { Effect } from "effect"
import fc from "fast-check"
import { describe, expect } from "vitest"
import type { Event } from "../../src/events/vocabulary/Event.ts"
import { event, FILE, ID, message, meta, other, output, rollout } from "./codexRollout.ts"
import { events, importing, lines, payloads, withFiles } from "./given.ts"

const total = (input: number, outputTokens: number) =>
  event({
    type: "token_count",
    info: {
      total_token_usage: { input_tokens: input, output_tokens: outputTokens },
      last_token_usage: { input_tokens: 1_000, output_tokens: 100 },
    },
  })

/** A rollout that says its totals twice. */
const totals = () => [
  meta(),
  other("turn_context", { model: "gpt-5" }),
  message("user", "Write a note"),
  other("response_item", { type: "function_call", name: "shell", call_id: "c1", arguments: "{}" }),
  total(1_000, 100),
  total(1_000, 100),
  output("c1", "done"),
  message("assistant", "It is written."),
  total(2_000, 210),
  total(2_000, 210),
]

const CLOCK_SET_BACK = "times that go back: the order is the file's"

/** Lines of the rollout that begin with its metadata, and go back only twice among those by which a file is known. */
const LIKE_SET_BACK = [0, 4, 7, 15, 16, 17, 9, 18, 1, 14, 19, 12, 8, 3, 13, 10, 2, 11, 5, 6]

/** What a log has of runs, without what the import says of their files. */
const runsIn = (all: ReadonlyArray<Event>) =>
  all
    .filter(({ type }) => type !== "FileImported")
    .map(({ id, type, payload, occurredAt }) => ({ id, type, payload, occurredAt }))

const imported = (records: ReadonlyArray<unknown>, file = FILE) =>
  withFiles({ [file]: lines(records) }, (directory) =>
    Effect.map(importing(directory), ({ files }) => files[0]?.remarks ?? {}).pipe(
      Effect.flatMap((remarks) => Effect.map(events, (all) => ({ all: runsIn(all), remarks }))),
    ),
  )

const used = (all: ReadonlyArray<{ readonly type: string; readonly payload: unknown }>) =>
  payloads(all as ReadonlyArray<Event>, "ModelResponded").reduce(
    (sum: number, { usage }) => sum + (usage as { inputTokens: number }).inputTokens,
    0,
  )

describe("a rollout of Codex whose lines stand in another order", () => {
  it.effect("reversed is what it is in its own order, its tokens counted once, and that is remarked on", () =>
    Effect.gen(function* () {
      for (const records of [totals(), rollout()]) {
        const straight = yield* imported(records)
        const reversed = yield* imported(records.toReversed())
        expect(reversed.all).toEqual(straight.all)
        expect(Object.keys(reversed.remarks)).toContain(
          "lines that are not in the order in which they were written: they are read in the order of their times",
        )
      }
      expect(used((yield* imported(totals().toReversed())).all)).toBe(2_000)
    }),
  )

  it.effect("shuffled is so too, whatever the order and the file's name", () =>
    Effect.gen(function* () {
      const straight = yield* imported(rollout())
      const orders = fc.sample(fc.shuffledSubarray(rollout(), { minLength: rollout().length }), 10)
      for (const records of orders) {
        const { all, remarks } = yield* imported(records)
        // One order in some hundreds begins like a rollout whose clock was set back: then the import says so.
        if (remarks[CLOCK_SET_BACK] === undefined) expect(all).toEqual(straight.all)
        else expect(all.filter(({ type }) => type === "TaskOpened")).toHaveLength(1)
      }
      const [some = []] = orders
      const ids = (all: ReadonlyArray<{ readonly id: string }>) => all.map(({ id }) => id)
      expect(ids((yield* imported(some, "copy.jsonl")).all)).toEqual(
        ids((yield* imported(rollout(), "copy.jsonl")).all),
      )
    }),
  )

  it.effect(
    "shuffled so that it begins like one whose clock was set back keeps the file's order, and that is remarked on",
    () =>
      Effect.gen(function* () {
        const records = rollout()
        const { all, remarks } = yield* imported(LIKE_SET_BACK.flatMap((index) => records.slice(index, index + 1)))
        expect(Object.keys(remarks)).toContain(CLOCK_SET_BACK)
        expect(all.filter(({ type }) => type === "ActuatorCommanded")).toHaveLength(3)
      }),
  )

  it.effect("and that is there in its own order too is one run, nothing of it twice", () =>
    Effect.gen(function* () {
      const straight = yield* imported(totals())
      const { report, all } = yield* withFiles(
        { [`a/${FILE}`]: lines(totals()), [`b/${FILE}`]: lines(totals().toReversed()) },
        (directory) =>
          Effect.gen(function* () {
            const report = yield* importing(directory)
            return { report, all: runsIn(yield* events) }
          }),
      )
      expect(report.files.map(({ parts }) => parts.length)).toEqual([2])
      expect(used(all)).toBe(used(straight.all))
      expect(all.map(({ id }) => id).sort()).toEqual(straight.all.map(({ id }) => id).sort())
    }),
  )

  it.effect("is not one whose clock was set back: its order is the file's", () =>
    Effect.gen(function* () {
      const records = totals().map((record, index) =>
        index < 4 ? record : { ...record, timestamp: new Date(Date.parse(record.timestamp) - 3_600_000).toISOString() },
      )
      const { all, remarks } = yield* imported(records)
      expect(used(all)).toBe(2_000)
      expect(Object.keys(remarks)).toEqual([CLOCK_SET_BACK])
      expect(all.find(({ type }) => type === "TaskOpened")?.payload).toMatchObject({
        environment: { codex: { session: ID } },
      })
    }),
  )
})
