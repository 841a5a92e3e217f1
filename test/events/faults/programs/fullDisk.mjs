/**
 * Appends to a log until there is no room for it, once by small requests and once by a large one; then makes room and appends
 * again. Tells, as a line of JSON, what it was acknowledged and what it was refused with.
 *
 * Input: { filename, by: "limit" | "disk" }: by a limit on the size of files, or on a small disk that other data fill.
 */
import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { Effect, Either } from "effect"
import { EventLog, layerSqlite } from "../../../../dist/events/index.js"

const { filename, by } = JSON.parse(fs.readFileSync(0, "utf8"))

/** Bytes that are left when room gets short. */
const ROOM = 400_000

const limitFiles = (limit) => execFileSync("prlimit", ["--pid", String(process.pid), `--fsize=${limit}:`])

const ballast = path.join(path.dirname(filename), "ballast")

const fillDisk = () => {
  const { bavail, bsize } = fs.statfsSync(path.dirname(filename))
  fs.writeFileSync(ballast, Buffer.alloc(bavail * bsize - ROOM))
}

const WAYS = {
  limit: { leaveLittle: () => limitFiles(ROOM), makeRoom: () => limitFiles("unlimited") },
  disk: { leaveLittle: fillDisk, makeRoom: () => fs.rmSync(ballast) },
}

const request = (count, length) => ({
  stream: "a",
  actor: "human:test",
  events: Array.from({ length: count }, () => ({
    type: "NoteAdded",
    payload: { about: "", text: "x".repeat(length) },
  })),
})

const work = Effect.gen(function* () {
  const log = yield* EventLog
  const told = { refusals: [], acknowledged: [] }
  const append = (count, length) =>
    Effect.map(Effect.either(log.append(request(count, length))), (answer) => {
      if (Either.isRight(answer))
        told.acknowledged.push(...answer.right.events.map(({ position, hash }) => [position, hash]))
      else told.refusals.push([answer.left._tag, answer.left.message])
      return Either.isRight(answer)
    })

  yield* append(10, 100)
  WAYS[by].leaveLittle()
  // As one request it takes several statements, and far more room than there is.
  yield* append(200, 5000)
  while (yield* append(1, 2000));
  const inBetween = yield* log.verify
  const readable = (yield* log.readPage({}, 10_000)).length

  WAYS[by].makeRoom()
  yield* append(200, 5000)
  yield* append(1, 100)
  return { ...told, inBetween, readable, after: yield* log.verify }
})
const told = await Effect.runPromise(Effect.provide(work, layerSqlite({ filename })))
fs.writeSync(1, `${JSON.stringify(told)}\n`)
