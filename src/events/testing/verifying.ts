/** Conformance tests of the hash chain and its verification. */

import { Effect, Stream } from "effect"
import { expect } from "vitest"
import { InvalidOptions } from "../../values/Options.ts"
import * as Chain from "../integrity/Chain.ts"
import * as EventLog from "../log/EventLog.ts"
import { note, notes, readAll, type Test } from "./given.ts"

export const verifying = (test: Test): void => {
  test(
    "ranges of the chain join at their heads, and a verification continues from the last one",
    Effect.gen(function* () {
      const log = yield* EventLog.EventLog
      yield* log.append(notes("a", 2500))
      const head = yield* log.head
      const walked = (after: number, until: number) =>
        Effect.map(Stream.runCollect(log.verifyRange({ after, until })), (heads) => [...heads])
      const [first, second] = [yield* walked(0, 1700), yield* walked(1700, 2500)]
      expect(first[0]).toEqual({ position: 0, hash: Chain.GENESIS })
      expect(second[0]).toEqual(first.at(-1))
      expect(second.at(-1)).toEqual(head)
      expect(first.length).toBeGreaterThan(2)
      expect(yield* walked(1700, 1700)).toEqual([first.at(-1)])
      expect(yield* walked(2499, 9000)).toMatchObject([{ position: 2499 }, head])
      expect(yield* walked(2501, 9000)).toEqual([])
      const whole = yield* log.verify
      expect(yield* log.verifyWith({ verified: head })).toEqual(whole)
      const anchor = { position: 1700, hash: "f".repeat(64) }
      expect(yield* log.verifyWith({ verified: head, anchor })).toEqual(yield* log.verifyWith({ anchor }))
      for (const wrong of [{ after: -1, until: 2 }, { after: 0 }, { after: 0, until: 1.5 }])
        expect(yield* Effect.flip(Stream.runDrain(log.verifyRange(wrong as EventLog.ChainRange)))).toBeInstanceOf(
          InvalidOptions,
        )
    }),
  )

  test(
    "each hash follows from the previous one",
    Effect.gen(function* () {
      const log = yield* EventLog.EventLog
      yield* log.append({ ...note("a", ["one"]), taskId: "t" })
      yield* log.append(note("b", ["two"]))
      let previous = Chain.GENESIS
      for (const event of yield* readAll(log)) {
        const expected = Chain.link(previous, event, JSON.stringify(event.payload))
        expect(event.hash).toBe(expected)
        previous = event.hash
      }
    }),
  )

  test(
    "verifying reports its progress, and its last report is the head",
    Effect.gen(function* () {
      const log = yield* EventLog.EventLog
      yield* log.append(notes("a", 2500))
      const reports: Array<readonly [verified: number, of: number]> = []
      const onProgress = (verified: number, of: number) => Effect.sync(() => void reports.push([verified, of]))
      const found = yield* log.verifyWith({ onProgress })
      expect(found).toMatchObject({ _tag: "Intact", events: 2500, head: yield* log.head })
      expect(reports.at(-1)).toEqual([2500, 2500])
      expect(reports.length).toBeGreaterThan(1)
      const verified = reports.map(([verified]) => verified)
      expect(verified).toEqual([...new Set(verified)].sort((a, b) => a - b))
      expect(reports.every(([verified, of]) => verified <= of)).toBe(true)
    }),
  )

  test(
    "invalid options of a verification are refused in one error: a misspelt one would otherwise skip a check",
    Effect.gen(function* () {
      const log = yield* EventLog.EventLog
      const { position, hash } = yield* log.head
      const refused = (options: unknown) =>
        Effect.map(Effect.flip(log.verifyWith(options as EventLog.VerifyOptions)), (error) =>
          error instanceof InvalidOptions ? error.problems.map(({ path }) => path) : error,
        )
      expect(yield* refused({ anchro: { position, hash } })).toEqual(["anchro"])
      expect(yield* refused({ anchor: { position, hsah: hash }, quick: "yes" })).toEqual([
        "anchor.hsah",
        "anchor.hash",
        "quick",
      ])
      for (const impossible of [-1, 1.5, Number.NaN]) {
        expect(yield* refused({ anchor: { position: impossible, hash } })).toEqual(["anchor.position"])
      }
      expect(yield* refused({ anchor: position, onProgress: {} })).toEqual(["anchor", "onProgress"])
    }),
  )

  test(
    "a log verifies against every head that it ever had",
    Effect.gen(function* () {
      const log = yield* EventLog.EventLog
      const anchors = [yield* log.head]
      for (const text of ["one", "two", "three"]) {
        yield* log.append(note("a", [text]))
        anchors.push(yield* log.head)
      }
      for (const anchor of anchors) {
        expect(yield* log.verifyWith({ anchor })).toMatchObject({ _tag: "Intact", events: 3 })
      }
    }),
  )

  test(
    "a log other than the anchored one is detected: by another hash at the position, or by too few events",
    Effect.gen(function* () {
      const log = yield* EventLog.EventLog
      yield* log.append(notes("a", 1500))
      const { position, hash } = yield* log.head
      const against = (anchor: EventLog.Head) => log.verifyWith({ anchor })
      const other = "1".padStart(64, "0")
      for (const at of [0, 1, 1000, 1001, position]) {
        expect(yield* against({ position: at, hash: other })).toMatchObject({
          _tag: "Tampered",
          position: at,
          kind: "head changed",
        })
      }
      expect(yield* against({ position: position + 1, hash })).toMatchObject({
        _tag: "Tampered",
        position: position + 1,
        kind: "head changed",
      })
    }),
  )
}
