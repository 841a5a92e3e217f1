import { spawn } from "node:child_process"
import * as path from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { describe, expect } from "vitest"
import { EventLog, layerSqlite } from "../../src/events/index.ts"
import { temporaryDirectory } from "../temporary.ts"

const built = pathToFileURL(fileURLToPath(new URL("../../dist/index.js", import.meta.url))).href

/**
 * A program that appends to a log: so many events to a stream of its own, each with a retry under the same id, and as many
 * to a stream that all programs contend for, each expecting the version it saw last.
 */
const program = (filename: string, name: string, count: number) => `
  import { Effect } from "effect"
  import { EventLog } from ${JSON.stringify(built)}
  const note = (stream, text) => ({ stream, actor: "human:${name}", events: [{ type: "NoteAdded", payload: { about: stream, text } }] })
  const uuid = (index) => "00000000-0000-7000-8000-" + ${JSON.stringify(name)}.charCodeAt(0).toString(16).padStart(4, "0") + String(index).padStart(8, "0")
  const contend = (log, version, text) =>
    log.append({ ...note("contested", text), expected: version === 0 ? EventLog.NoStream : EventLog.Exact(version) }).pipe(
      Effect.map((appended) => appended.version),
      Effect.catchTag("VersionConflict", (conflict) => contend(log, conflict.actual, text)),
    )
  const work = Effect.gen(function* () {
    const log = yield* EventLog.EventLog
    let version = 0
    for (let index = 0; index < ${count}; index++) {
      const own = note(${JSON.stringify(name)}, String(index))
      const request = { ...own, events: own.events.map((event) => ({ ...event, id: uuid(index) })) }
      const [first, again] = yield* Effect.all([log.append(request), log.append(request)], { concurrency: 2 })
      if (first.position !== again.position) throw new Error("a retry was doubled")
      version = yield* contend(log, version, "${name} " + index)
    }
  })
  await Effect.runPromise(Effect.provide(work, EventLog.layerSqlite({ filename: ${JSON.stringify(filename)} })))
`

const run = (source: string) =>
  Effect.async<{ readonly code: number | null; readonly stderr: string }>((resume) => {
    const root = fileURLToPath(new URL("../..", import.meta.url))
    const child = spawn(process.execPath, ["--input-type=module", "-e", source], { cwd: root })
    let stderr = ""
    child.stderr.on("data", (chunk) => {
      stderr += chunk
    })
    child.once("close", (code) => resume(Effect.succeed({ code, stderr })))
    return Effect.sync(() => child.kill("SIGKILL"))
  })

describe("three processes that append to one log at once", () => {
  it.scopedLive("lose nothing, double nothing, and leave no gap; who follows sees each event once", () =>
    Effect.gen(function* () {
      const filename = path.join(yield* temporaryDirectory, "log.db")
      const count = 150
      const names = ["a", "b", "c"]
      yield* Effect.gen(function* () {
        const log = yield* EventLog
        const followed = yield* Effect.fork(
          Stream.runCollect(
            log.follow().pipe(
              Stream.filter((item) => "id" in item),
              Stream.take(2 * count * names.length),
            ),
          ),
        )
        const ended = yield* Effect.forEach(names, (name) => run(program(filename, name, count)), {
          concurrency: "unbounded",
        })
        expect(ended).toEqual(names.map(() => ({ code: 0, stderr: "" })))
        expect(yield* log.verify).toMatchObject({ _tag: "Intact", events: 2 * count * names.length })
        const positions = [...(yield* followed)].map(({ position }) => position)
        expect(positions).toEqual(Array.from({ length: 2 * count * names.length }, (_, index) => index + 1))
        for (const name of names) {
          const own = yield* log.readPage({ stream: name, timeline: "main" }, 1000)
          expect(own.map(({ payload }) => payload.text)).toEqual(
            Array.from({ length: count }, (_, index) => String(index)),
          )
        }
        const contested = yield* log.readPage({ stream: "contested", timeline: "main" }, 1000)
        expect(contested.map(({ version }) => version)).toEqual(
          Array.from({ length: count * names.length }, (_, index) => index + 1),
        )
        expect(new Set(contested.map(({ payload }) => payload.text)).size).toBe(count * names.length)
      }).pipe(Effect.provide(layerSqlite({ filename })))
    }),
  )
})
