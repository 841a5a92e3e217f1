/** Conformance tests of persistence, for backends whose logs can be opened again. */

import { Effect, type Layer, Schema, type Scope, Stream } from "effect"
import { expect } from "vitest"
import { type CaughtUp, EventLog } from "../log/EventLog.ts"
import type { Event } from "../vocabulary/Event.ts"
import { eventType } from "../vocabulary/EventType.ts"
import * as Vocabulary from "../vocabulary/Vocabulary.ts"
import { note, notes, readAll, textOf } from "./given.ts"

/** A new, empty log that can be opened several times in sequence, each time with a given vocabulary. */
export type Reopen = Effect.Effect<
  (vocabulary: Vocabulary.Vocabulary) => Layer.Layer<EventLog, unknown>,
  unknown,
  Scope.Scope
>

export type TestReopened = (
  behaviour: string,
  body: (open: Effect.Effect.Success<Reopen>) => Effect.Effect<void, unknown>,
) => void

export const reopening = (test: TestReopened): void => {
  test("a reopened log contains what was appended, and the next append continues from it", (open) =>
    Effect.gen(function* () {
      const once = <A, E>(body: (log: EventLog.Service) => Effect.Effect<A, E>) =>
        Effect.provide(Effect.flatMap(EventLog, body), open(Vocabulary.core))
      const first = yield* once((log) => log.append(notes("a", 3)))
      const second = yield* once((log) => log.append(note("a", ["4"])))
      expect(second).toMatchObject({ position: 4, version: 4 })
      yield* once((log) =>
        Effect.gen(function* () {
          expect(yield* readAll(log)).toEqual([...first.events, ...second.events])
          expect((yield* readAll(log)).map(textOf)).toEqual(["1", "2", "3", "4"])
          expect(yield* log.head).toEqual({ position: 4, hash: second.events[0]?.hash })
          expect(yield* log.verify).toMatchObject({ _tag: "Intact", events: 4 })
        }),
      )
    }))

  test("an event of a type that the reader does not know is kept, and read unchanged", (open) =>
    Effect.gen(function* () {
      const [written] = yield* Effect.flatMap(EventLog, (log) => log.append(ORDERS)).pipe(
        Effect.map(({ events }) => events),
        Effect.provide(open(Vocabulary.extend(Vocabulary.core, [OrderPlaced], [FROM_1]))),
      )
      yield* Effect.gen(function* () {
        const log = yield* EventLog
        expect(written).toMatchObject({ type: "acme/OrderPlaced", schemaVersion: 2, payload: ORDER })
        expect(yield* readAll(log)).toEqual([written])
        expect(yield* readAll(log, { types: ["acme/OrderPlaced"] })).toEqual([written])
        const followed = yield* Stream.runCollect(Stream.take(log.follow(), 2))
        expect([...followed].filter(isEvent)).toEqual([written])
        expect(yield* log.verify).toMatchObject({ _tag: "Intact", events: 1 })
        const refused = yield* Effect.flip(log.append(ORDERS))
        expect(refused.message).toContain('"acme/OrderPlaced" is not in this log\'s vocabulary')
        expect(yield* log.append(note("orders", ["after it"]))).toMatchObject({ position: 2, version: 2 })
      }).pipe(Effect.provide(open(Vocabulary.core)))
    }))
}

const isEvent = (item: Event | CaughtUp): item is Event => "id" in item

/** A program's event type at the second version of its schema. */
const OrderPlaced = eventType(
  "acme/OrderPlaced",
  "Someone ordered.",
  { items: Schema.Array(Schema.Struct({ name: Schema.String, pieces: Schema.Int })) },
  { version: 2 },
)

const FROM_1 = { type: "acme/OrderPlaced", from: 1, upcast: () => ({ items: [] }) }

const ORDER = { items: [{ name: "Tür, grün \u{1F511}", pieces: 2 }] }

const ORDERS = { stream: "orders", actor: "human:test", events: [{ type: "acme/OrderPlaced", payload: ORDER }] }
