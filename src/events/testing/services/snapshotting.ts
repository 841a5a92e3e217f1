/**
 * Conformance tests of snapshots: a cache that may lose everything, but never returns another value than the stored
 * one.
 */

import { Context, Effect, Option } from "effect"
import { expect } from "vitest"
import { sha256 } from "../../../values/Digest.ts"
import { EventLog } from "../../log/EventLog.ts"
import { MAX_SERIES_OF_PROJECTION, type Series, type Snapshot, Snapshots } from "../../log/Snapshots.ts"
import { PersonalData } from "../../payload/PersonalData.ts"
import { note } from "../given.ts"
import { type Backend, type BackendTest, newLog, twoOpen } from "./backend.ts"

/** Snapshots of one position that two programs store concurrently. */
const AT_ONCE = 20

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

const textIn = (content: Uint8Array | undefined): string | undefined =>
  content === undefined ? undefined : new TextDecoder().decode(content)

const at = (position: number, text = `state at ${position}`): Snapshot => ({
  position,
  eventHash: sha256(`event ${position}`),
  stateHash: sha256(text),
  root: bytes(text),
})

const part = (text: string): readonly [string, Uint8Array] => [sha256(text), bytes(text)]

const seriesIn = (epoch: string, change: Partial<Series> = {}): Series => ({
  projection: "counts",
  fingerprint: "f1",
  timeline: "main",
  epoch,
  ...change,
})

const found = (snapshots: Snapshots.Service, series: Series, position: number) =>
  Effect.map(snapshots.nearest(series, position), (nearest) => {
    const { value } = Option.match(nearest, { onNone: () => ({ value: undefined }), onSome: (value) => ({ value }) })
    return value === undefined ? undefined : [value.position, textIn(value.root), value.authentic]
  })

export const snapshotting = <At>(
  test: BackendTest,
  backend: Backend<EventLog | Snapshots | PersonalData, At>,
): void => {
  /** Two connections to a log without personal data, and a series in it. */
  const cached = Effect.map(twoOpen(backend), ({ at, one, two }) => ({
    at,
    here: Context.get(one, Snapshots),
    there: Context.get(two, Snapshots),
  }))

  test(
    "the nearest snapshot is the newest that is not newer than the position, over any connection",
    Effect.gen(function* () {
      const { here, there } = yield* cached
      const series = seriesIn(yield* here.epoch)
      expect(yield* found(here, series, 99)).toBeUndefined()
      for (const position of [10, 30, 20]) yield* here.save(series, at(position), new Map())
      for (const cache of [here, there]) {
        expect(yield* found(cache, series, 9)).toBeUndefined()
        expect(yield* found(cache, series, 10)).toEqual([10, "state at 10", true])
        expect(yield* found(cache, series, 29)).toEqual([20, "state at 20", true])
        expect(yield* found(cache, series, Number.MAX_SAFE_INTEGER)).toEqual([30, "state at 30", true])
      }
      const nearest = yield* there.nearest(series, 20)
      expect(Option.getOrUndefined(nearest)).toMatchObject({
        eventHash: sha256("event 20"),
        stateHash: sha256("state at 20"),
      })
    }),
  )

  test(
    "a snapshot of another fold, of another version of it, of another timeline or of another epoch is not found",
    Effect.gen(function* () {
      const { here, there } = yield* cached
      const series = seriesIn(yield* here.epoch)
      yield* here.save(series, at(10), new Map([part("a")]))
      const [digest] = part("a")
      for (const change of [{ fingerprint: "f2" }, { fingerprint: "f" }, { epoch: "earlier" }]) {
        const other = { ...series, ...change }
        expect(yield* found(there, other, 99)).toBeUndefined()
        expect(yield* there.parts(other, [digest])).toEqual(new Map())
        expect(yield* there.missing(other, [digest])).toEqual(new Set([digest]))
      }
      expect(yield* found(there, { ...series, timeline: "fork" }, 99)).toBeUndefined()
      yield* there.save({ ...series, epoch: "earlier" }, at(11), new Map())
      expect(yield* found(here, { ...series, epoch: "earlier" }, 99)).toBeUndefined()
      expect(yield* found(here, series, 99)).toEqual([10, "state at 10", true])
    }),
  )

  test(
    "parts are what was stored with any snapshot of the series; parts that are not stored are reported missing and omitted",
    Effect.gen(function* () {
      const { here, there } = yield* cached
      const series = seriesIn(yield* here.epoch)
      yield* here.save(series, at(10), new Map([part("a"), part("b")]))
      yield* there.save(series, at(20), new Map([part("c")]))
      const [[a], [b], [c], [d]] = [part("a"), part("b"), part("c"), part("d")]
      for (const cache of [here, there]) {
        const parts = yield* cache.parts(series, [a, c, d])
        expect([...parts.keys()].toSorted()).toEqual([a, c].toSorted())
        expect([textIn(parts.get(a)), textIn(parts.get(c))]).toEqual(["a", "c"])
        expect(yield* cache.missing(series, [a, b, d])).toEqual(new Set([d]))
        expect(yield* cache.parts(series, [])).toEqual(new Map())
      }
    }),
  )

  test(
    "a snapshot replaces the one at its position, and a forgotten one takes its damaged parts with it",
    Effect.gen(function* () {
      const { here, there } = yield* cached
      const series = seriesIn(yield* here.epoch)
      yield* here.save(series, at(10), new Map([part("a")]))
      yield* here.save(series, at(20), new Map([part("b")]))
      yield* there.save(series, at(20, "another state"), new Map())
      expect(yield* found(here, series, 99)).toEqual([20, "another state", true])
      const [[a], [b]] = [part("a"), part("b")]
      yield* there.forget(series, 20, [b])
      expect(yield* found(here, series, 99)).toEqual([10, "state at 10", true])
      expect(yield* here.missing(series, [a, b])).toEqual(new Set([b]))
      yield* here.save(series, at(20), new Map([part("b")]))
      expect(textIn((yield* there.parts(series, [b])).get(b))).toBe("b")
    }),
  )

  test(
    "what a caller does with bytes that it passed or received changes nothing that is stored",
    Effect.gen(function* () {
      const { here, there } = yield* cached
      const series = seriesIn(yield* here.epoch)
      const [snapshot, [digest, content]] = [at(10), part("a")]
      yield* here.save(series, snapshot, new Map([[digest, content]]))
      snapshot.root.fill(0)
      content.fill(0)
      for (const cache of [here, there, here]) {
        const nearest = Option.getOrThrow(yield* cache.nearest(series, 99))
        const parts = yield* cache.parts(series, [digest])
        expect([textIn(nearest.root), textIn(parts.get(digest))]).toEqual(["state at 10", "a"])
        nearest.root.fill(0)
        parts.get(digest)?.fill(0)
      }
    }),
  )

  test(
    "a snapshot that two programs store at once is whole: the one's or the other's, with all its parts",
    Effect.gen(function* () {
      const { here, there } = yield* cached
      const series = seriesIn(yield* here.epoch)
      const storing = Array.from({ length: AT_ONCE }, (_, index) => {
        const text = `state ${index} of part ${sha256(`part ${index}`)}`
        const cache = index % 2 === 0 ? here : there
        // A program that finds another writing gives up: snapshots are not worth waiting for.
        return Effect.ignore(cache.save(series, at(10, text), new Map([part(`part ${index}`)])))
      })
      yield* Effect.all(storing, { concurrency: "unbounded" })
      const nearest = Option.getOrThrow(yield* there.nearest(series, 10))
      const root = textIn(nearest.root) ?? ""
      expect(sha256(root)).toBe(nearest.stateHash)
      const named = root.slice(-64)
      expect(sha256(textIn((yield* here.parts(series, [named])).get(named)) ?? "")).toBe(named)
    }),
  )

  test(
    "dropping leaves nothing, over any connection, and later snapshots are found",
    Effect.gen(function* () {
      const { here, there } = yield* cached
      const series = seriesIn(yield* here.epoch)
      yield* here.save(series, at(10), new Map([part("a")]))
      yield* there.drop
      const [a] = part("a")
      expect(yield* found(here, series, 99)).toBeUndefined()
      expect(yield* here.missing(series, [a])).toEqual(new Set([a]))
      yield* here.save(series, at(10), new Map([part("a")]))
      expect(yield* found(there, series, 99)).toEqual([10, "state at 10", true])
      expect(yield* there.missing(series, [a])).toEqual(new Set())
    }),
  )

  test(
    "the series of a projection that newer ones replaced are dropped, other projections keep theirs",
    Effect.gen(function* () {
      const { here, there } = yield* cached
      const epoch = yield* here.epoch
      const other = seriesIn(epoch, { projection: "others", fingerprint: "o" })
      yield* here.save(other, at(1), new Map())
      const fingerprints = Array.from({ length: MAX_SERIES_OF_PROJECTION + 1 }, (_, index) => `f${index}`)
      for (const fingerprint of fingerprints) yield* here.save(seriesIn(epoch, { fingerprint }), at(10), new Map())
      const positions = yield* Effect.forEach(fingerprints, (fingerprint) =>
        Effect.map(there.nearest(seriesIn(epoch, { fingerprint }), 99), Option.isSome),
      )
      expect(positions).toEqual([false, ...fingerprints.slice(1).map(() => true)])
      expect(yield* found(there, other, 99)).toEqual([1, "state at 1", true])
    }),
  )

  test(
    "snapshots from before a key was destroyed are neither found nor stored",
    Effect.gen(function* () {
      const { open } = yield* newLog(backend)
      const [one, two] = [yield* open, yield* open]
      const [here, there] = [Context.get(one, Snapshots), Context.get(two, Snapshots)]
      yield* Context.get(one, EventLog).append({ ...note("a", ["of anna"]), subject: "anna" })
      const before = yield* here.epoch
      expect(yield* there.epoch).toBe(before)
      const series = seriesIn(before)
      yield* here.save(series, at(1), new Map())
      expect(yield* found(there, series, 99)).toEqual([1, "state at 1", true])
      yield* Context.get(two, PersonalData).shred({ subject: "anna", reason: "asked", actor: "human:test" })
      const after = yield* here.epoch
      expect(after).not.toBe(before)
      expect(yield* there.epoch).toBe(after)
      yield* here.save(series, at(2), new Map())
      expect(yield* found(here, series, 99)).toBeUndefined()
      expect(yield* found(there, seriesIn(after), 99)).toBeUndefined()
      yield* here.save(seriesIn(after), at(2), new Map())
      expect(yield* found(there, seriesIn(after), 99)).toEqual([2, "state at 2", true])
    }),
  )

  const { alterSnapshots } = backend
  if (alterSnapshots === undefined) return
  test(
    "a snapshot that was altered where it is stored is not found, or is not what its hash or its seal says",
    Effect.gen(function* () {
      const { at: place, here, there } = yield* cached
      const series = seriesIn(yield* here.epoch)
      yield* here.save(series, at(10), new Map([part("a")]))
      yield* alterSnapshots(place)
      const [a] = part("a")
      for (const cache of [here, there]) {
        const nearest = Option.getOrUndefined(yield* cache.nearest(series, 99))
        const isSound = nearest?.authentic === true && sha256(textIn(nearest.root) ?? "") === nearest.stateHash
        expect(isSound).toBe(false)
        const altered = textIn((yield* cache.parts(series, [a])).get(a))
        if (altered !== undefined) expect(sha256(altered)).not.toBe(a)
      }
    }),
  )
}
