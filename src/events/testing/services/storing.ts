/** Conformance tests of blobs: large payloads, stored once under their digests, outside their events. */

import { Context, Effect } from "effect"
import { expect } from "vitest"
import { sha256 } from "../../../values/Digest.ts"
import { EventLog, Exact } from "../../log/EventLog.ts"
import { MAX_INLINE_BYTES } from "../../payload/Blob.ts"
import { note, readAll, textOf } from "../given.ts"
import { type Backend, type BackendTest, twoOpen } from "./backend.ts"

/** Concurrent appends of one large payload per connection. */
const AT_ONCE = 4

const large = (letter: string): string => letter.repeat(MAX_INLINE_BYTES)

/** The digest of a note's payload, as a log stores it. */
const digestOf = (about: string, text: string): string => sha256(JSON.stringify({ about, text }))

export const storing = <At>(test: BackendTest, backend: Backend<EventLog, At>): void => {
  test(
    "large payloads read as they were given, over any connection, among small ones",
    Effect.gen(function* () {
      const { one, two } = yield* twoOpen(backend)
      const [here, there] = [Context.get(one, EventLog), Context.get(two, EventLog)]
      const texts = [large("x"), "small", large("ü"), large("x")]
      const { events } = yield* here.append(note("a", texts))
      expect(events.map(textOf)).toEqual(texts)
      for (const log of [here, there]) {
        expect((yield* readAll(log)).map(textOf)).toEqual(texts)
        expect(yield* log.verify).toMatchObject({ _tag: "Intact", events: 4 })
      }
      // Equal bytes have equal digests, which reveal a retry.
      const [first] = events
      const again = {
        ...note("a", []),
        events: [{ type: "NoteAdded", id: first?.id ?? "", payload: first?.payload ?? {} }],
      }
      expect(yield* there.append(again)).toMatchObject({ position: 1 })
      const other = {
        ...again,
        events: [{ type: "NoteAdded", id: first?.id ?? "", payload: { about: "a", text: large("y") } }],
      }
      expect(yield* Effect.flip(there.append(other))).toMatchObject({ _tag: "IdReused", position: 1 })
    }),
  )

  const { blobs, damageBlob } = backend
  if (blobs !== undefined) storedApart(test, { ...backend, blobs })
  if (damageBlob !== undefined) damaged(test, { ...backend, damageBlob })
}

/** How large payloads are stored. */
const storedApart = <At>(
  test: BackendTest,
  backend: Backend<EventLog, At> & Required<Pick<Backend<EventLog, At>, "blobs">>,
): void => {
  const stored = Effect.map(twoOpen(backend), ({ at, one, two }) => ({
    here: Context.get(one, EventLog),
    there: Context.get(two, EventLog),
    digests: backend.blobs(at),
  }))

  test(
    "a large payload is stored once under its digest, however many append it at once",
    Effect.gen(function* () {
      const { here, there, digests } = yield* stored
      const appends = Array.from({ length: 2 * AT_ONCE }, (_, index) =>
        (index % 2 === 0 ? here : there).append(note("a", [large("x")])),
      )
      yield* Effect.all(appends, { concurrency: "unbounded" })
      expect(yield* digests).toEqual([digestOf("a", large("x"))])
      expect((yield* readAll(there)).map(textOf)).toEqual(appends.map(() => large("x")))
    }),
  )

  test(
    "a payload becomes a blob by its bytes, not its characters, and a refused append leaves none",
    Effect.gen(function* () {
      const { here, digests } = yield* stored
      const room = MAX_INLINE_BYTES - Buffer.byteLength(JSON.stringify({ about: "a", text: "" }))
      const text = "x".repeat(room % 2) + "ü".repeat(Math.floor(room / 2))
      yield* here.append(note("a", [text]))
      expect(yield* Effect.flip(here.append({ ...note("a", [large("x")]), expected: Exact(7) }))).toMatchObject({
        _tag: "VersionConflict",
      })
      expect(yield* digests).toEqual([])
      yield* here.append(note("a", [`${text}x`]))
      expect(yield* digests).toEqual([digestOf("a", `${text}x`)])
    }),
  )
}

/** Large payloads changed past the log. */
const damaged = <At>(
  test: BackendTest,
  backend: Backend<EventLog, At> & Required<Pick<Backend<EventLog, At>, "damageBlob">>,
): void => {
  for (const { how, text } of [
    { how: "is missing", text: null },
    { how: "was altered", text: JSON.stringify({ about: "a", text: "y" }) },
  ]) {
    test(
      `a blob that ${how} is said, with its position and digest, and no other payload is returned for it`,
      Effect.gen(function* () {
        const { at, one, two } = yield* twoOpen(backend)
        const [here, there] = [Context.get(one, EventLog), Context.get(two, EventLog)]
        for (const given of ["before", large("x"), "after"]) yield* here.append(note("a", [given]))
        const digest = digestOf("a", large("x"))
        yield* backend.damageBlob(at, digest, text)
        const error = yield* Effect.flip(there.readPage({}, 10))
        expect(error).toMatchObject({ _tag: "LogCorrupt", position: 2 })
        expect(error.message).toContain(digest)
        expect((yield* there.readPage({ after: 2 }, 10)).map(textOf)).toEqual(["after"])
        expect(yield* there.verify).toMatchObject({ _tag: "Tampered", position: 2 })
      }),
    )
  }
}
