import * as path from "node:path"
import { it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { describe, expect } from "vitest"
import { EventLog, layerSqlite } from "../../src/events/index.ts"
import { eventType } from "../../src/events/vocabulary/EventType.ts"
import * as Upcaster from "../../src/events/vocabulary/Upcaster.ts"
import * as Vocabulary from "../../src/events/vocabulary/Vocabulary.ts"
import { temporaryDirectory } from "../temporary.ts"

const order = eventType(
  "acme/Ordered",
  "An order, third version.",
  { items: Schema.Array(Schema.String) },
  { version: 3 },
)
const types = new Map([[order.name, order]])

const first: Upcaster.Upcaster = {
  type: "acme/Ordered",
  from: 1,
  upcast: ({ item, ...rest }) => ({ ...rest, items: item ?? null }),
}
const second: Upcaster.Upcaster = {
  type: "acme/Ordered",
  from: 2,
  upcast: ({ items }) => ({ items: [items ?? ""] }),
}

describe("a chain of upcasters", () => {
  it("brings a payload from any earlier version to the present one", () => {
    const upcast = Upcaster.chain(types, [second, first])
    expect(upcast("acme/Ordered", 1, { item: "pen" })).toEqual({ items: ["pen"] })
    expect(upcast("acme/Ordered", 2, { items: "pen" })).toEqual({ items: ["pen"] })
    expect(upcast("acme/Ordered", 3, { items: ["pen"] })).toEqual({ items: ["pen"] })
  })

  it("leaves alone what is unknown, and what a newer program wrote", () => {
    const upcast = Upcaster.chain(types, [first, second])
    expect(upcast("else/Where", 7, { a: 1 })).toEqual({ a: 1 })
    expect(upcast("acme/Ordered", 4, { b: 1 })).toEqual({ b: 1 })
  })

  it("a chain of upcasters with a gap, a double or a step that leads nowhere is refused, all of it at once", () => {
    const wrong = [second, second, { ...first, type: "acme/Unheard" }, { ...first, from: 3 }]
    expect(() => Upcaster.chain(types, wrong)).toThrow(
      [
        "The upcasters do not fit the vocabulary:",
        "  - acme/Ordered has two upcasters from version 2 to 3; expected one",
        "  - acme/Unheard is not in the vocabulary, yet has an upcaster from version 1 to 2",
        "  - acme/Ordered is at version 3, yet has an upcaster from version 3 to 4",
        "  - acme/Ordered has no upcaster from version 1 to 2",
      ].join("\n"),
    )
  })
})

describe("a log that an earlier version of a program wrote", () => {
  it.scopedLive("is read by the present version, upcast at one place, and still verifies", () =>
    Effect.gen(function* () {
      const filename = path.join(yield* temporaryDirectory, "log.db")
      const old = eventType("acme/Ordered", "An order, first version.", { item: Schema.String })
      const written = yield* Effect.flatMap(EventLog, (log) =>
        log.append({
          stream: "orders",
          actor: "import:shop",
          events: [{ type: "acme/Ordered", payload: { item: "pen" } }],
        }),
      ).pipe(Effect.provide(layerSqlite({ filename, vocabulary: Vocabulary.extend(Vocabulary.core, [old]) })))
      expect(written.events[0]).toMatchObject({ schemaVersion: 1, payload: { item: "pen" } })

      const vocabulary = Vocabulary.extend(Vocabulary.core, [order], [first, second])
      yield* Effect.gen(function* () {
        const log = yield* EventLog
        yield* log.append({
          stream: "orders",
          actor: "import:shop",
          events: [{ type: "acme/Ordered", payload: { items: ["ink"] } }],
        })
        const events = yield* log.readPage({ stream: "orders" }, 10)
        expect(events.map(({ schemaVersion, payload }) => [schemaVersion, payload])).toEqual([
          [1, { items: ["pen"] }],
          [3, { items: ["ink"] }],
        ])
        expect(yield* log.verify).toMatchObject({ _tag: "Intact", events: 2 })
      }).pipe(Effect.provide(layerSqlite({ filename, vocabulary })))
    }),
  )

  it.scopedLive("keeps and shows the types that a program does not know", () =>
    Effect.gen(function* () {
      const filename = path.join(yield* temporaryDirectory, "log.db")
      yield* Effect.flatMap(EventLog, (log) =>
        log.append({
          stream: "orders",
          actor: "import:shop",
          events: [{ type: "acme/Ordered", payload: { items: ["pen"] } }],
        }),
      ).pipe(
        Effect.provide(
          layerSqlite({ filename, vocabulary: Vocabulary.extend(Vocabulary.core, [order], [first, second]) }),
        ),
      )
      const [event] = yield* Effect.flatMap(EventLog, (log) => log.readPage({}, 10)).pipe(
        Effect.provide(layerSqlite({ filename })),
      )
      expect(event).toMatchObject({ type: "acme/Ordered", schemaVersion: 3, payload: { items: ["pen"] } })
    }),
  )
})
