import { it } from "@effect/vitest"
import { Effect } from "effect"
import { describe, expect } from "vitest"
import { EventLog } from "../../src/events/log/EventLog.ts"
import type { RunEvent } from "../../src/importing/runs/RunEvent.ts"
import { MappedRuns } from "../../src/importing/runs/Runs.ts"
import { SOURCES } from "../../src/importing/Sources.ts"
import { WrittenRuns } from "../../src/importing/writing/WrittenRuns.ts"
import * as Prices from "../../src/kernel/pricing/Prices.ts"
import { events, importing, lines, payloads, withFiles } from "./given.ts"

const [format] = SOURCES.filter(({ name }) => name === "messages")

/** Runs of a dry run, which writes nothing. */
const started = Effect.gen(function* () {
  if (format === undefined) throw new Error("no format of this name")
  const runs = new MappedRuns(format, yield* Prices.load())
  const written = new WrittenRuns({ log: yield* EventLog, source: format.name, redact: false, dryRun: true })
  const open = (id: string) => runs.open({ id, goal: id, agent: "a@1", at: null, about: {} })
  const take = (events: ReadonlyArray<RunEvent>) =>
    Effect.forEach(events, (event) => written.take(event) ?? Effect.void, { discard: true })
  const write = Effect.suspend(() => Effect.tap(take(runs.drain()), () => written.releaseEnded()))
  return { written, open, write }
})

describe("the runs of a file", () => {
  it.effect("are released when they end, named up to 10,000, and all counted", () =>
    withFiles({}, () =>
      Effect.gen(function* () {
        const { written, open, write } = yield* started
        const first = open("first")
        for (let number = 0; number < 10_050; number++) open(String(number)).close("end", "achieved", "it ended", null)
        yield* write
        expect([...written.appenders.keys()]).toEqual([first])
        first.close("end", "achieved", "it ended", null)
        yield* write
        expect(written.appenders.size).toBe(0)
        open("last")
        yield* write
        yield* Effect.forEach(written.appenders.values(), ({ flush }) => flush, { discard: true })
        const { named, totals } = written.conclude()
        expect(named).toHaveLength(10_000)
        expect(named.slice(0, 2).map(({ goal, ended }) => [goal, ended])).toEqual([
          ["first", true],
          ["0", true],
        ])
        expect(named.at(-1)?.goal).toBe("9998")
        expect(totals).toMatchObject({ runs: 10_052, changed: 10_052, open: 1, foreign: 0 })
        expect(totals.added).toBe(10_051 * 3 + 2)
        expect(written.added).toBe(totals.added)
      }),
    ),
  )

  it.effect("that say more after their end are one run in the report", () =>
    withFiles({}, () =>
      Effect.gen(function* () {
        const { written, open, write } = yield* started
        const run = open("a")
        run.close("end", "achieved", "it ended", null)
        yield* write
        run.said("later", "And this", { at: null })
        yield* write
        yield* Effect.forEach(written.appenders.values(), ({ flush }) => flush, { discard: true })
        const { named, totals } = written.conclude()
        expect(named).toHaveLength(1)
        expect(totals).toMatchObject({ runs: 1, changed: 1, added: named[0]?.added })
      }),
    ),
  )
})

describe("a file with a run in each line", () => {
  it.effect("is recorded with all of its runs, and known the second time", () => {
    const conversation = (number: number) => ({
      messages: [
        { role: "user", content: `What is ${number}?` },
        { role: "assistant", content: "A number." },
      ],
    })
    const all = Array.from({ length: 300 }, (_, number) => conversation(number))
    return withFiles({ "chat.jsonl": lines(all) }, (directory) =>
      Effect.gen(function* () {
        const report = yield* importing(directory)
        expect(report.files[0]?.counts).toEqual({ runs: 300, changed: 300, open: 0 })
        expect(new Set(report.files[0]?.runs.flatMap(({ taskIds }) => taskIds)).size).toBe(300)
        const [imported] = payloads(yield* events, "FileImported")
        expect(imported).toMatchObject({ finished: true, records: 300 })
        expect(imported).not.toHaveProperty("runs")
        expect((yield* importing(directory)).added).toBe(0)
      }),
    )
  })
})
