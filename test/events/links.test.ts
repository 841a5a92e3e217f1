import * as fs from "node:fs"
import * as path from "node:path"
import { it } from "@effect/vitest"
import { Context, Effect, Layer, Stream } from "effect"
import { describe, expect } from "vitest"
import { EventLog, layerSqlite, measureSpace } from "../../src/events/index.ts"
import { Archive } from "../../src/events/maintenance/Archive.ts"
import { PersonalData } from "../../src/events/payload/PersonalData.ts"
import { temporaryDirectory } from "../temporary.ts"

const note = (text: string, subject?: string) => ({
  stream: "diary",
  actor: "human:test",
  ...(subject === undefined ? {} : { subject }),
  events: [{ type: "NoteAdded" as const, payload: { about: "diary", text } }],
})

/** A link in one directory to a log in another: by way of a second link, and not there yet. */
const linked = Effect.gen(function* () {
  const directory = yield* temporaryDirectory
  for (const name of ["here", "there"]) fs.mkdirSync(path.join(directory, name))
  const filename = path.join(directory, "there", "log.db")
  const link = path.join(directory, "here", "current.db")
  fs.symlinkSync("latest.db", link)
  fs.symlinkSync(path.join("..", "there", "log.db"), path.join(directory, "here", "latest.db"))
  return { directory, filename, link }
})

const open = (filename: string) => Layer.build(layerSqlite({ filename }))

describe("a log that is opened by a link", () => {
  it.scopedLive("has its keys where it has them without: what is shredded by one path is by the other", () =>
    Effect.gen(function* () {
      const { directory, filename, link } = yield* linked
      const byLink = yield* open(link)
      yield* Context.get(byLink, EventLog).append(note("Levin mows", "levin"))
      const direct = yield* open(filename)
      const read = Effect.map(Context.get(direct, EventLog).readPage({}, 1), ([event]) => event?.payload.text)
      expect(yield* read).toBe("Levin mows")
      yield* Context.get(byLink, PersonalData).shred({ subject: "levin", reason: "", actor: "human:test" })
      expect(yield* read).toBe("[shredded]")
      expect(fs.readdirSync(path.join(directory, "here"))).toEqual(["current.db", "latest.db"])
    }),
  )

  it.scopedLive("is archived beside the file, where whoever opens it without the link finds it", () =>
    Effect.gen(function* () {
      const { filename, link } = yield* linked
      const byLink = yield* open(link)
      for (const text of ["one", "two", "three"]) yield* Context.get(byLink, EventLog).append(note(text))
      yield* Context.get(byLink, Archive).archive({ until: 2, actor: "human:test" })
      for (const path of [filename, link]) {
        const log = Context.get(yield* open(path), EventLog)
        expect([...(yield* Stream.runCollect(log.read()))].slice(0, 3).map(({ payload }) => payload.text)).toEqual([
          "one",
          "two",
          "three",
        ])
        expect((yield* measureSpace(path)).segmentBytes).toBeGreaterThan(0)
      }
    }),
  )

  it.scopedLive("a log that is opened by a link in a circle is not available, and that is said", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const link = path.join(directory, "log.db")
      fs.symlinkSync("log.db", link)
      expect(yield* Effect.flip(Effect.scoped(open(link)))).toMatchObject({ _tag: "LogUnavailable" })
    }),
  )
})
