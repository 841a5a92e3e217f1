/** Exports of single events write each step of a compact episode as they write one that was recorded by itself. */
import { it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { describe, expect } from "vitest"
import { EventLog } from "../../../src/events/log/EventLog.ts"
import * as ExpandedRecords from "../../../src/events/read/ExpandedRecords.ts"
import { type DecodedEvent, Records } from "../../../src/events/read/Records.ts"
import { TYPES } from "../../../src/events/steps/Expansion.ts"
import type { Event } from "../../../src/events/vocabulary/Event.ts"
import * as Generator from "../../../src/plugins/numpy/Generator.ts"
import { sample } from "../../../src/plugins/spaces/Space.ts"
import type { Encoder } from "../../../src/projections/exports/Encoder.ts"
import * as OtlpTraces from "../../../src/projections/exports/OtlpTraces.ts"
import * as PiaAvtLines from "../../../src/projections/exports/PiaAvtLines.ts"
import * as Projector from "../../../src/projections/projector/Projector.ts"
import * as World from "../../../src/worlds/World.ts"
import { testKernel } from "../../kernel/testKernel.ts"
import { inRepository } from "../../repository.ts"
import { temporaryLog } from "../../temporary.ts"
import { appendCompact } from "./compacted.ts"

const exported = (query: Parameters<EventLog["Type"]["readPage"]>[0]) =>
  Effect.gen(function* () {
    const found: Array<DecodedEvent> = []
    const records = yield* Records
    const { name } = yield* EventLog
    const take = (page: ReadonlyArray<DecodedEvent>) => Effect.sync(() => void found.push(...page))
    yield* ExpandedRecords.decoded(records, name, query, { decrypted: false }, take)
    return found
  })

/** An episode in the full form: its events, and as an export reads them. */
const played = (name: string, seed: number) =>
  Effect.gen(function* () {
    const { start } = yield* testKernel({ plugins: [inRepository("packages", "worlds", name)] })
    const { run } = yield* start
    return yield* run(
      Effect.gen(function* () {
        const world = yield* World.open({ world: name })
        yield* world.reset({ seed })
        const random = Generator.seeded(seed)
        for (let step = 0; step < 40; step++) {
          if (World.isLast(yield* world.step(sample(world.spaces().action, random)))) break
        }
        const taskId = yield* world.taskId
        yield* world.close
        const log = yield* EventLog
        const events: ReadonlyArray<Event> = yield* log.readPage({ taskId }, 10_000)
        return { taskId, events, full: yield* exported({ taskId }) }
      }).pipe(Effect.scoped),
    )
  })

/** What differs from log to log: ids, places and times. */
const CHANGING = /id$|position|because|range|time|latency|duration|hash|^(from|to|at)$|parentSpan|message_id|timeline/i

const withoutChanging = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (key, found) => (CHANGING.test(key) ? undefined : found)))

/** The events for which compact ones stand, of the task's own stream. */
const ofSteps = (events: ReadonlyArray<DecodedEvent>) =>
  events.filter(({ link }) => TYPES.has(link.type) && link.stream.startsWith("task/"))

const meaningOf = (events: ReadonlyArray<DecodedEvent>) =>
  ofSteps(events).map(({ link, text }) => [link.type, link.schemaVersion, withoutChanging(JSON.parse(text))])

const encoded = (encoder: Encoder<DecodedEvent>, events: ReadonlyArray<DecodedEvent>) =>
  Effect.promise(async () => {
    const chunks = [await encoder.add(events), await encoder.end()].flat()
    return chunks.map(String).join("").split("\n").slice(0, -1)
  })

const lines = (events: ReadonlyArray<DecodedEvent>) =>
  encoded(
    PiaAvtLines.encoder({ experiment: "e", timestamps: "iso", aliases: false, timeline: null, agents: new Map() }),
    events,
  ).pipe(Effect.map((texts) => texts.map((text) => withoutChanging(JSON.parse(text)))))

const spans = (events: ReadonlyArray<DecodedEvent>) =>
  encoded(OtlpTraces.encoder({ service: "s", version: "1", log: "l" }), events).pipe(
    Effect.map((texts) =>
      texts.flatMap((text) =>
        JSON.parse(text).resourceSpans[0].scopeSpans[0].spans.map(
          ({ name, kind, status }: { name: string; kind: number; status: unknown }) => [name, kind, status],
        ),
      ),
    ),
  )

const compactLog = Projector.layer.pipe(Layer.provideMerge(temporaryLog()))

describe("the export of a compact episode", () => {
  it.scopedLive.each([
    ["cart-pole", 1, 7],
    ["frozen-lake", 2, 3],
    ["minigrid", 3, 40],
  ] as const)("of %s has the events, the lines and the spans of the full form", ([name, seed, size]) =>
    Effect.gen(function* () {
      const { taskId, events, full } = yield* played(name, seed)
      yield* Effect.gen(function* () {
        yield* appendCompact(yield* EventLog, name, events, size)
        const compact = yield* exported({ taskId })
        expect(compact.some(({ link }) => link.type === "StepsRecorded")).toBe(false)
        expect(compact.filter(({ link }) => link.type === "ActuatorCommanded").length).toBeGreaterThan(
          size === 40 ? 1 : size,
        )
        expect(meaningOf(compact)).toEqual(meaningOf(full))
        expect(yield* lines(ofSteps(compact))).toEqual(yield* lines(ofSteps(full)))
        const spansOf = (all: ReadonlyArray<DecodedEvent>) =>
          Effect.map(spans(all), (found) => found.filter(([name]: [string]) => name.includes("/")))
        const found = yield* spansOf(compact)
        expect(found.length).toBeGreaterThan(1)
        expect(found).toEqual(yield* spansOf(full))
        // A selection of types, and of a part of the steps.
        const commands = compact.filter(({ link }) => link.type === "ActuatorCommanded")
        expect(yield* exported({ types: ["ActuatorCommanded"] })).toEqual(commands)
        const [second] = commands.slice(1)
        const until = second?.link.position ?? 0
        const before = compact.filter(({ link }) => link.position <= until)
        expect(yield* exported({ until })).toEqual(before)
      }).pipe(Effect.provide(compactLog))
    }),
  )
})
