/**
 * Appends without end: so many lanes at once, each one request after the other, of one to some hundred events, small and
 * large, some of which are flushed to the disk. Every request is always the same for its seed, lane and number, its ids
 * included. Tells each acknowledgement as a line before the lane goes on: lane, number, position.
 *
 * Input: { filename, seed, from }, where `from` says for each lane at which number it begins.
 */
import * as fs from "node:fs"
import { Effect } from "effect"
import { EventLog, layerSqlite } from "../../../../dist/events/index.js"

const { filename, seed, from } = JSON.parse(fs.readFileSync(0, "utf8"))

/** A number from 0 up to 1 for a request and a purpose: a hash, so that no request depends on another. */
const draw = (lane, number, purpose) => {
  let mixed = Math.imul(seed ^ Math.imul(lane + 1, 0x9e3779b1) ^ Math.imul(number + 1, 0x85ebca6b), purpose * 2 + 1)
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x2c1b3c6d)
  mixed = Math.imul(mixed ^ (mixed >>> 12), 0x297a2d39)
  return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32
}

const pick = (drawn, choices) => choices.find(([share]) => drawn < share)[1]

const requestOf = (lane, number) => {
  const count = pick(draw(lane, number, 1), [
    [0.7, 1],
    [0.9, 5],
    [0.97, 40],
    [1, 150],
  ])
  const length = pick(draw(lane, number, 2), [
    [0.5, 100],
    [0.8, 2000],
    [0.98, count < 150 ? 30_000 : 2000],
    [1, count === 1 ? 400_000 : 2000],
  ])
  const synced = draw(lane, number, 3) < 0.2
  return {
    stream: draw(lane, number, 4) < 0.3 ? "shared" : `lane/${lane}`,
    actor: "human:test",
    events: Array.from({ length: count }, (_, index) => {
      const mark = `${lane} ${number} ${index} ${count}`
      return {
        id: `00000000-0000-7000-8000-${hex(lane, 2)}${hex(number, 6)}${hex(index, 4)}`,
        ...(synced
          ? { type: "CommandDispatched", payload: { commandId: mark } }
          : { type: "NoteAdded", payload: { about: mark, text: "x".repeat(length) } }),
      }
    }),
  }
}

const hex = (number, digits) => number.toString(16).padStart(digits, "0")

const appendForEver = (log, lane) =>
  Effect.gen(function* () {
    for (let number = from[lane]; ; number++) {
      const { position } = yield* log.append(requestOf(lane, number))
      // Not by `process.stdout`, which may keep it in memory: what is told is in the pipe, whatever becomes of this process.
      fs.writeSync(1, `${lane} ${number} ${position}\n`)
    }
  })

const work = Effect.flatMap(EventLog, (log) =>
  Effect.forEach(from.keys(), (lane) => appendForEver(log, lane), { concurrency: "unbounded" }),
)
await Effect.runPromise(Effect.provide(work, layerSqlite({ filename })))
