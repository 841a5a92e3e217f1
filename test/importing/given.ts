import * as fs from "node:fs"
import * as path from "node:path"
import { Chunk, Effect, Stream, TestClock } from "effect"
import { EventLog } from "../../src/events/log/EventLog.ts"
import type { Event } from "../../src/events/vocabulary/Event.ts"
import * as Import from "../../src/importing/Import.ts"
import { temporaryDirectory, temporaryLog } from "../temporary.ts"

/** Runs a test in 2027 with a directory of files and an empty log. */
export const withFiles = <A, E>(
  files: Readonly<Record<string, string | Buffer>>,
  test: (directory: string) => Effect.Effect<A, E, EventLog>,
) =>
  Effect.scoped(
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      write(directory, files)
      // Long after the times of the files: what they hold has ended.
      yield* TestClock.setTime(Date.UTC(2027, 0, 1))
      return yield* Effect.provide(test(directory), temporaryLog())
    }),
  )

/** Writes files into a directory. */
export const write = (directory: string, files: Readonly<Record<string, string | Buffer>>): void => {
  for (const [name, content] of Object.entries(files)) {
    const file = path.join(directory, name)
    fs.mkdirSync(path.dirname(file), { recursive: true })
    fs.writeFileSync(file, content)
  }
}

export const importing = (directory: string, options: Omit<Import.ImportOptions, "paths"> = {}) =>
  Import.importFiles({ paths: [directory], ...options })

/** All events of the log. */
export const events: Effect.Effect<ReadonlyArray<Event>, unknown, EventLog> = Effect.flatMap(EventLog, (log) =>
  Effect.map(Stream.runCollect(log.read()), Chunk.toReadonlyArray),
)

/** The types of the events of a task, in order, without what is said of the capture: `captures.test.ts` holds that. */
export const typesOf = (all: ReadonlyArray<Event>, taskId: string): ReadonlyArray<string> =>
  all.filter((event) => event.taskId === taskId && event.type !== "CaptureNoted").map(({ type }) => type)

/** The payloads of the events of a type. */
export const payloads = (all: ReadonlyArray<Event>, type: string): ReadonlyArray<Event["payload"]> =>
  all.filter((event) => event.type === type).map(({ payload }) => payload)

export const lines = (records: ReadonlyArray<unknown>): string =>
  records.map((record) => `${JSON.stringify(record)}\n`).join("")
