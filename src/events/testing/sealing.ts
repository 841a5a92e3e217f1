/** Conformance tests of personal data whose keys are available. Shredding belongs to the `PersonalData` service. */

import { Effect } from "effect"
import { expect } from "vitest"
import { EventLog } from "../log/EventLog.ts"
import { ID_1, note, readAll, type Test, textOf, withIds } from "./given.ts"

/** Tests of personal fields. */
export const sealing = (test: Test): void => {
  test(
    "personal fields read as they were given while their key is there, and each event says that it has some",
    Effect.gen(function* () {
      const log = yield* EventLog
      const { events } = yield* log.append({ ...note("a", ["Anna lives here", "and Levin there"]), subject: "anna" })
      yield* log.append(note("a", ["the weather is fine"]))
      yield* log.append({ ...note("a", ["x".repeat(300_000)]), subject: "anna" })
      yield* log.append({ ...note("b", ["someone else"]), subject: "levin" })
      const found = yield* readAll(log)
      expect(found.slice(0, 2)).toEqual(events)
      expect(found.map(textOf)).toEqual([
        ...["Anna lives here", "and Levin there", "the weather is fine", "x".repeat(300_000), "someone else"],
      ])
      expect(found.map(({ personal }) => personal?.readable)).toEqual([true, true, undefined, true, true])
      const keys = found.map(({ personal }) => personal?.keyId)
      expect(new Set(keys).size).toBe(3)
      expect([keys[0], keys[0]]).toEqual([keys[1], keys[3]])
      expect(yield* log.verify).toMatchObject({ _tag: "Intact", events: 5 })
    }),
  )

  test(
    "a retry of personal fields is found to be one, and other content is not",
    Effect.gen(function* () {
      const log = yield* EventLog
      const request = (text: string) => ({ ...withIds(note("a", [text]), [ID_1]), subject: "anna" })
      const first = yield* log.append(request("secret"))
      expect(yield* log.append(request("secret"))).toEqual(first)
      expect(yield* Effect.flip(log.append(request("other")))).toMatchObject({ _tag: "IdReused", position: 1 })
      expect((yield* log.head).position).toBe(1)
    }),
  )

  test(
    "a subject is refused where no event of the append has a personal field, for nothing would be encrypted",
    Effect.gen(function* () {
      const log = yield* EventLog
      const tag = { type: "TagAdded" as const, payload: { about: "anna", tag: "novel" } }
      const error = yield* Effect.flip(log.append({ stream: "a", actor: "human:test", subject: "anna", events: [tag] }))
      expect(error._tag).toBe("InvalidEvent")
      expect(error.message).toContain("expected an event whose type declares personal fields, found none")
      expect((yield* log.head).position).toBe(0)
    }),
  )
}
