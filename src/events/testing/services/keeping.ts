/** Conformance tests of personal data: it reads as long as its key exists, and never again. */

import { Context, Effect, Either, Fiber } from "effect"
import { expect } from "vitest"
import { EventLog } from "../../log/EventLog.ts"
import type { Snapshots } from "../../log/Snapshots.ts"
import { PersonalData } from "../../payload/PersonalData.ts"
import { note, readAll, textOf } from "../given.ts"
import { type Backend, type BackendTest, newLog, twoOpen } from "./backend.ts"

/** Concurrent appends of one subject's data per connection. */
const AT_ONCE = 10

type Services = EventLog | PersonalData | Snapshots

const shredding = (subject: string) => ({ subject, reason: "asked", actor: "human:test" })

/** The text of each note, and whether its personal fields were readable: null if none is encrypted. */
const texts = (log: EventLog.Service, stream = "diary") =>
  Effect.map(readAll(log, { stream }), (events) =>
    events.map((event) => [textOf(event), event.personal === undefined ? null : event.personal.readable]),
  )

const servicesOf = (context: Context.Context<Services>) => ({
  log: Context.get(context, EventLog),
  personal: Context.get(context, PersonalData),
})

export const keeping = <At>(test: BackendTest, backend: Backend<Services, At>): void => {
  const opened = Effect.map(twoOpen(backend), ({ one, two }) => ({ here: servicesOf(one), there: servicesOf(two) }))

  test(
    "personal data reads as it was given, over any connection, and says that it is under a key of its subject",
    Effect.gen(function* () {
      const { here, there } = yield* opened
      yield* here.log.append({ ...note("diary", ["of anna"]), subject: "anna" })
      yield* there.log.append({ ...note("diary", ["of levin"]), subject: "levin" })
      yield* here.log.append(note("diary", ["of nobody"]))
      for (const { log, personal } of [here, there]) {
        expect(yield* texts(log)).toEqual([
          ...[["of anna", true] as const, ["of levin", true] as const, ["of nobody", null] as const],
        ])
        const subjects = yield* personal.subjects
        expect(subjects.map(({ subject, shredding }) => [subject, shredding]).toSorted()).toEqual([
          ...[["anna", false] as const, ["levin", false] as const],
        ])
        const [first, second] = yield* readAll(log)
        expect(subjects.map(({ keyId }) => keyId).toSorted()).toEqual(
          [first?.personal?.keyId, second?.personal?.keyId].toSorted(),
        )
        expect(yield* log.verify).toMatchObject({ _tag: "Intact", events: 3 })
      }
    }),
  )

  test(
    "data of a destroyed key is unreadable and says so, for good and over any connection; other subjects' stays",
    Effect.gen(function* () {
      const { open } = yield* newLog(backend)
      const [here, there] = [servicesOf(yield* open), servicesOf(yield* open)]
      yield* here.log.append({ ...note("diary", ["of anna"]), subject: "anna" })
      yield* here.log.append({ ...note("diary", ["of levin"]), subject: "levin" })
      // A connection may have cached earlier reads.
      yield* texts(there.log)
      const before = yield* readAll(there.log)
      const recorded = yield* there.personal.shred(shredding("anna"))
      expect(recorded).toMatchObject({ type: "PayloadShredded", actor: "human:test", payload: { reason: "asked" } })
      expect(recorded.payload.keyId).toBe(before[0]?.personal?.keyId)
      const later = servicesOf(yield* open)
      for (const { log, personal } of [here, there, later]) {
        const [anna, levin] = yield* texts(log)
        expect([anna?.[1], levin]).toEqual([false, ["of levin", true]])
        expect(anna?.[0]).not.toBe("of anna")
        expect((yield* personal.subjects).map(({ subject }) => subject)).toEqual(["levin"])
        const after = yield* readAll(log)
        expect(after.map(({ hash }) => hash)).toEqual([...before.map(({ hash }) => hash), recorded.hash])
        expect(yield* log.verify).toMatchObject({ _tag: "Intact", events: 3 })
      }
    }),
  )

  test(
    "new data of a subject whose key was destroyed is under a new key, and the old stays unreadable",
    Effect.gen(function* () {
      const { here, there } = yield* opened
      yield* here.log.append({ ...note("diary", ["before"]), subject: "anna" })
      yield* there.personal.shred(shredding("anna"))
      yield* here.log.append({ ...note("diary", ["after"]), subject: "anna" })
      for (const { log } of [here, there]) {
        const [before, after] = yield* readAll(log, { stream: "diary" })
        expect([before?.personal?.readable, after?.personal?.readable]).toEqual([false, true])
        expect(after?.payload.text).toBe("after")
        expect(before?.personal?.keyId).not.toBe(after?.personal?.keyId)
      }
      yield* there.personal.shred(shredding("anna"))
      for (const { log } of [here, there]) {
        expect((yield* texts(log)).map(([, readable]) => readable)).toEqual([false, false])
      }
    }),
  )

  test(
    "a subject that two programs name at once gets one key",
    Effect.gen(function* () {
      const { here, there } = yield* opened
      const appends = Array.from({ length: 2 * AT_ONCE }, (_, index) => {
        const { log } = index % 2 === 0 ? here : there
        return log.append({ ...note("diary", [String(index)]), subject: "anna" })
      })
      yield* Effect.all(appends, { concurrency: "unbounded" })
      expect(yield* here.personal.subjects).toHaveLength(1)
      const events = yield* readAll(there.log)
      expect(new Set(events.map(({ personal }) => personal?.keyId)).size).toBe(1)
      expect(events.map(textOf).toSorted()).toEqual(appends.map((_, index) => String(index)).toSorted())
    }),
  )

  test(
    "data that is appended while its subject's key is destroyed is under the destroyed key, under a new one, or refused",
    Effect.gen(function* () {
      const { here, there } = yield* opened
      yield* here.log.append({ ...note("diary", ["first"]), subject: "anna" })
      const underWay = yield* Effect.fork(
        Effect.forEach(
          Array.from({ length: AT_ONCE }, (_, index) => String(index)),
          (text) => Effect.either(here.log.append({ ...note("diary", [text]), subject: "anna" })),
          { concurrency: 3 },
        ),
      )
      const { payload } = yield* there.personal.shred(shredding("anna"))
      const answers = yield* Fiber.join(underWay)
      // Until the destruction is recorded, an append may be refused.
      const refusals = answers.filter(Either.isLeft).map(({ left }) => left._tag)
      expect(refusals).toEqual(refusals.map(() => "InvalidEvent"))
      for (const { personal } of yield* readAll(there.log, { stream: "diary" })) {
        expect(personal?.readable).toBe(personal?.keyId !== payload.keyId)
      }
    }),
  )

  test(
    "a subject that nobody knows, or whose key was destroyed before, is not shredded, and nothing is recorded",
    Effect.gen(function* () {
      const { here, there } = yield* opened
      yield* here.log.append({ ...note("diary", ["of anna"]), subject: "anna" })
      yield* here.personal.shred(shredding("anna"))
      const head = yield* here.log.head
      for (const [subject, { personal }] of [
        ["anna", here],
        ["anna", there],
        ["nobody", there],
      ] as const) {
        const error = yield* Effect.flip(personal.shred(shredding(subject)))
        expect(error).toMatchObject({ _tag: "NoSuchSubject", subject })
      }
      expect(yield* there.log.head).toEqual(head)
    }),
  )
}
