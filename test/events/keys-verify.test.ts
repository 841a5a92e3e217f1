import * as crypto from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import { it } from "@effect/vitest"
import { Effect } from "effect"
import { describe, expect } from "vitest"
import { EventLog, examine, layerSqlite } from "../../src/events/index.ts"
import { Archive } from "../../src/events/maintenance/Archive.ts"
import { PersonalData } from "../../src/events/payload/PersonalData.ts"
import { Database } from "../sqlite.ts"
import { temporaryDirectory } from "../temporary.ts"

const note = (subject: string) => ({
  stream: "diary",
  actor: "human:test",
  subject,
  events: [{ type: "NoteAdded" as const, payload: { about: "diary", text: `what ${subject} said` } }],
})

/** A log with personal data of three subjects, one of which was shredded; where told so, the first four events are archived. */
const written = (archived: boolean) =>
  Effect.gen(function* () {
    const filename = path.join(yield* temporaryDirectory, "log.db")
    const work = Effect.gen(function* () {
      const log = yield* EventLog
      for (const subject of ["anna", "levin", "kitty"]) yield* log.append(note(subject))
      yield* (yield* PersonalData).shred({ subject: "kitty", reason: "asked", actor: "human:officer" })
      yield* log.append({ ...note("nobody"), subject: "anna" })
      if (archived) yield* (yield* Archive).archive({ until: 4, actor: "human:test" })
    })
    yield* Effect.provide(work, layerSqlite({ filename }))
    return filename
  })

const changeKeys = (filename: string, sql: string, ...parameters: ReadonlyArray<unknown>) => {
  const database = new Database(`${filename}.keys`)
  database.prepare(sql).run(...parameters)
  database.close()
}

const verified = (filename: string) =>
  Effect.provide(
    Effect.flatMap(EventLog, ({ verify }) => verify),
    layerSqlite({ filename, readonly: true }),
  )

const toldOf = ({ looks }: { readonly looks: ReadonlyArray<{ readonly what: string; readonly told: string }> }) =>
  looks.find(({ what }) => what === "keys")?.told

describe.each([
  ["", false],
  [", archived", true],
])("the look at keys%s", (_what, archived) => {
  it.scopedLive("finds those that open their events, and those that were shredded", () =>
    Effect.gen(function* () {
      const found = yield* verified(yield* written(archived))
      expect(found._tag).toBe("Intact")
      expect(toldOf(found)).toBe("3 keys of personal data, 1 shredded")
    }),
  )

  it.scopedLive("finds a key that is another than the one that encrypted its events", () =>
    Effect.gen(function* () {
      const filename = yield* written(archived)
      changeKeys(filename, "UPDATE keys SET secret = ? WHERE subject = 'levin'", crypto.randomBytes(32))
      const found = yield* verified(filename)
      expect(found).toMatchObject({ _tag: "Tampered", kind: "key changed", position: 2 })
      expect(found).toMatchObject({ findings: [{ advice: expect.stringContaining(`Restore ${filename}.keys`) }] })
      const { findings } = yield* examine(filename)
      expect(findings.map(({ what }) => what)).toContainEqual(expect.stringMatching(/^key .* in .*log\.db\.keys$/))
    }),
  )

  it.scopedLive("says how many keys are missing that nobody shredded, and leaves the log intact", () =>
    Effect.gen(function* () {
      const filename = yield* written(archived)
      changeKeys(filename, "DELETE FROM keys WHERE subject = 'levin'")
      const found = yield* verified(filename)
      expect(found._tag).toBe("Intact")
      expect(toldOf(found)).toContain("3 keys of personal data, 1 shredded, 1 missing without being shredded")
      const { findings } = yield* examine(filename)
      expect(findings).toContainEqual(
        expect.objectContaining({
          severity: "warning",
          what: "keys",
          found: expect.stringMatching(/^1 missing, .* which @2 names$/),
        }),
      )
      fs.rmSync(`${filename}.keys`)
      expect(toldOf(yield* verified(filename))).toContain("2 missing without being shredded")
    }),
  )
})

describe("a key file", () => {
  it.scopedLive.each([
    [
      "that is a directory",
      (file: string) => {
        fs.rmSync(file)
        fs.mkdirSync(file)
        fs.writeFileSync(path.join(file, "x"), "")
      },
    ],
    ["that is cut", (file: string) => fs.truncateSync(file, 4500)],
    ["that is no database", (file: string) => fs.writeFileSync(file, "x".repeat(4096))],
  ] as const)("%s is named in the error of a read, and is found by verify and by the doctor", ([, damage]) =>
    Effect.gen(function* () {
      const filename = yield* written(false)
      damage(`${filename}.keys`)
      const reading = Effect.flatMap(EventLog, (log) => log.readPage({}, 10))
      const error = yield* Effect.flip(Effect.provide(reading, layerSqlite({ filename, readonly: true })))
      expect(error).toMatchObject({ _tag: "LogUnavailable", log: `${filename}.keys` })
      expect(yield* verified(filename)).toMatchObject({ _tag: "Tampered", kind: "key changed", position: null })
      const { findings } = yield* examine(filename)
      expect(findings.map(({ what }) => what)).toContain(`key file ${filename}.keys`)
    }),
  )
})
