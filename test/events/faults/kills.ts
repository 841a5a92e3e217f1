import { Array as Arr, Effect, Layer, Order, Stream } from "effect"
import { expect } from "vitest"
import { EventLog, layerSqlite } from "../../../src/events/index.ts"
import type { Event } from "../../../src/events/vocabulary/Event.ts"
import * as child from "./child.ts"
import { seeded } from "./random.ts"
import { framesOf } from "./wal.ts"

/** What was seen of one kill. */
export interface Kill {
  /** How long it took to open the log afterwards and read its head, in milliseconds. */
  readonly openedInMs: number
  /** Requests that are in the log although nobody was told: the kill came after their commit. */
  readonly unacknowledged: number
  /** Whether a commit was being written: pages of it are in the write-ahead log, and not its end. */
  readonly midCommit: boolean
  readonly events: number
}

/** The longest that a writer is let live after its first acknowledgement, in milliseconds. */
const LONGEST_LIFE_MS = 150

/** The last statement of its kind that a writer comes to. */
const LAST_STATEMENT = 20

/**
 * Kills writers of one log with SIGKILL, one after the other, each at a random moment under load: half of
 * them at any time, and half while the statement runs by which a commit is written. After each kill the log
 * must hold every request that was acknowledged, where it was acknowledged, and none in part or twice; the next writer begins
 * by appending again, with the same ids, the last of what each lane was told and what it was not told.
 *
 * @param attended whether this process has the log open all the time
 */
export const killWriters = (filename: string, seed: number, kills: number, attended: boolean) =>
  Effect.gen(function* () {
    const random = seeded(seed)
    if (attended) yield* Layer.build(layerSqlite({ filename }))
    const lanes = [1, 4, 32][Math.floor(random() * 3)] ?? 1
    const acknowledged = new Map<string, number>()
    const last = Array.from({ length: lanes }, () => -1)
    const seen: Array<Kill> = []

    for (let kill = 0; kill < kills; kill++) {
      const from = last.map((number) => Math.max(0, number - 1))
      const ended = yield* killAtRandom({ filename, seed, from }, random)
      expect(ended).toMatchObject({ signal: "SIGKILL", stderr: "" })
      for (const line of ended.lines) {
        const [lane = 0, number = 0, position = 0] = line.split(" ").map(Number)
        const earlier = acknowledged.get(`${lane} ${number}`)
        if (earlier !== undefined) expect({ line, position }).toEqual({ line, position: earlier })
        acknowledged.set(`${lane} ${number}`, position)
        last[lane] = Math.max(last[lane] ?? -1, number)
      }
      const midCommit = framesOf(filename).at(-1)?.commits === false
      const began = performance.now()
      const looked = yield* Effect.gen(function* () {
        const log = yield* EventLog
        const head = yield* log.head
        const openedInMs = performance.now() - began
        expect(yield* log.verify).toMatchObject({ _tag: "Intact", events: head.position })
        const events = Arr.fromIterable(yield* Stream.runCollect(log.read()))
        return { openedInMs, unacknowledged: checkRequests(events, acknowledged, last), events: events.length }
      }).pipe(Effect.provide(layerSqlite({ filename })))
      seen.push({ ...looked, midCommit })
    }
    return seen
  }).pipe(Effect.scoped)

const killAtRandom = (input: unknown, random: () => number) =>
  Effect.scoped(
    Effect.gen(function* () {
      if (random() < 0.5) {
        const statement = random() < 0.7 ? "INSERT INTO events" : "COMMIT"
        const moment = {
          at: "during",
          statement,
          nth: 1 + Math.floor(random() * LAST_STATEMENT),
          share: 0.4 + 0.6 * random(),
        }
        const writer = yield* child.start("appender", input, { first: { program: "killer", input: moment } })
        return yield* writer.ended
      }
      const writer = yield* child.start("appender", input)
      yield* Effect.raceFirst(writer.speaks, writer.ended)
      // Not to wait for something: the moment of the kill.
      yield* Effect.sleep(random() * LONGEST_LIFE_MS)
      yield* writer.kill
      return yield* writer.ended
    }),
  )

/** Holds what the log has against what was acknowledged. Answers how many requests it has that were not. */
const checkRequests = (
  events: ReadonlyArray<Event>,
  acknowledged: ReadonlyMap<string, number>,
  last: ReadonlyArray<number>,
): number => {
  expect(events.map(({ position }) => position)).toEqual(events.map((_, index) => index + 1))
  const requests = new Map<string, Array<Event>>()
  for (const event of events) {
    const request = markOf(event).slice(0, 2).join(" ")
    requests.set(request, [...(requests.get(request) ?? []), event])
  }
  for (const [request, parts] of requests) {
    const [first] = parts
    if (first === undefined) continue
    const count = markOf(first)[3]
    // All of a request, in its order, at one place.
    expect(parts.map((part) => [part.position - first.position, markOf(part)[2]])).toEqual(
      Array.from({ length: count ?? 0 }, (_, index) => [index, index]),
    )
    const position = acknowledged.get(request)
    if (position !== undefined) expect([request, parts.at(-1)?.position]).toEqual([request, position])
  }
  expect([...acknowledged.keys()].filter((request) => !requests.has(request))).toEqual([])

  let unacknowledged = 0
  for (const [lane, number] of last.entries()) {
    const numbers = [...requests.keys()].flatMap((request) => {
      const [of, found] = request.split(" ").map(Number)
      return of === lane && found !== undefined ? [found] : []
    })
    const sorted = Arr.sort(numbers, Order.number)
    expect(sorted).toEqual(sorted.map((_, index) => index))
    // A lane waits for each acknowledgement, so at most one request is in the log of which it was not told.
    const more = sorted.length - 1 - number
    expect([0, 1]).toContain(more)
    unacknowledged += more
  }
  return unacknowledged
}

/** Lane, number, index and count, as the appender marks each event. */
const markOf = ({ payload }: Event): ReadonlyArray<number> =>
  String(payload.about ?? payload.commandId)
    .split(" ")
    .map(Number)
