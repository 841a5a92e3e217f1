import { it } from "@effect/vitest"
import { Effect } from "effect"
import { describe, expect } from "vitest"
import { z } from "zod"
import { EventLog } from "../../src/events/log/EventLog.ts"
import { fromSchema } from "../../src/events/vocabulary/EventType.ts"
import * as Vocabulary from "../../src/events/vocabulary/Vocabulary.ts"
import { temporaryLog } from "../temporary.ts"
import { outside } from "../wrongOptions.ts"

const Counted = z.object({ shelf: z.string().min(1), pieces: z.int().max(99).default(0) })
const counted = fromSchema("acme/ShelfCounted", "The pieces on a shelf were counted.", Counted, {
  personal: { shelf: "[shredded]" },
})
const vocabulary = Vocabulary.extend(Vocabulary.core, [counted])

const append = (payload: unknown) =>
  Effect.flatMap(EventLog, (log) =>
    log.append(
      outside({ stream: "acme/tea", actor: "program:shop", events: [{ type: "acme/ShelfCounted", payload }] }),
    ),
  )

describe("an event type that a schema of zod describes", () => {
  it.scopedLive("records payloads as they are given, and refuses others by path", () =>
    Effect.gen(function* () {
      const written = Effect.gen(function* () {
        yield* append({ shelf: "tea", pieces: 40 })
        // The schema's default is not recorded: payloads are never transformed.
        yield* append({ shelf: "tea" })
        const wrong = yield* Effect.flip(append({ shelf: "", pieces: 100 }))
        const log = yield* EventLog
        return { wrong, found: yield* log.readPage({ types: ["acme/ShelfCounted"] }, 10) }
      })
      const { wrong, found } = yield* Effect.provide(written, temporaryLog({ vocabulary }))
      expect(found.map(({ payload }) => payload)).toEqual([{ shelf: "tea", pieces: 40 }, { shelf: "tea" }])
      expect(String(wrong)).toMatch(
        /payload\/shelf: Too small: .*; payload\/pieces: Too big: expected number to be <=99/,
      )
    }),
  )

  it.scopedLive("fails with the reason where the schema throws, and never accepts a promise", () =>
    Effect.gen(function* () {
      const throwing = outside({
        "~standard": {
          ...{ version: 1, vendor: "mine", jsonSchema: { input: () => ({}) } },
          validate: () => JSON.parse("{"),
        },
      })
      const slow = z.object({ n: z.number().refine(async () => true) })
      // A promise of another library.
      const later = outside({
        "~standard": {
          ...{ version: 1, vendor: "mine", jsonSchema: { input: () => ({}) } },
          // biome-ignore lint/suspicious/noThenProperty: it is what makes a promise
          validate: () => ({ then: (resolve: (value: unknown) => void) => resolve({ value: 1 }) }),
        },
      })
      const types = [
        fromSchema("acme/Threw", "Threw.", throwing),
        fromSchema("acme/Slow", "Is slow.", slow),
        fromSchema("acme/Later", "Comes later.", later),
      ]
      const tried = Effect.flatMap(EventLog, (log) =>
        Effect.forEach(types, ({ name }) =>
          Effect.flip(
            log.append(outside({ stream: "acme/x", actor: "program:x", events: [{ type: name, payload: { n: 1 } }] })),
          ),
        ),
      )
      const log = temporaryLog({ vocabulary: Vocabulary.extend(Vocabulary.core, types) })
      const [threw, promised, thenable] = yield* Effect.provide(tried, log)
      expect(String(threw)).toMatch(/the schema threw SyntaxError/)
      expect(String(promised)).toMatch(/validates synchronously/)
      expect(String(thenable)).toMatch(/validates synchronously/)
    }),
  )

  it("is refused where JSON Schema cannot express it", () => {
    expect(() => fromSchema("acme/Dated", "Dated.", z.object({ at: z.date() }))).toThrow(
      /Event type "acme\/Dated": expected a schema .* found a schema of zod: Date cannot be represented/,
    )
  })
})
