import * as fs from "node:fs"
import * as path from "node:path"
import { it } from "@effect/vitest"
import { Effect } from "effect"
import { describe, expect } from "vitest"
import { EventLog } from "../../src/events/log/EventLog.ts"
import * as Detection from "../../src/importing/files/Detection.ts"
import * as Records from "../../src/importing/files/Records.ts"
import { examineLines, examineWhole } from "../../src/importing/files/SourceText.ts"
import { SOURCES } from "../../src/importing/Sources.ts"
import { SESSION, session, user } from "./claudeSession.ts"
import { events, importing, lines, withFiles, write } from "./given.ts"
import { header, sample, zip } from "./inspectLog.ts"

const part = (id: string, more: object = {}) => ({ name: `samples/${id}_epoch_1.json`, json: sample(id, 1), ...more })
const end = { name: "header.json", json: header() }

describe("an archive", () => {
  it.effect("whose content is not what its checksum says is refused whole", () =>
    withFiles({ "a.eval": zip([part("1"), part("2", { crc: 1 }), end]) }, (directory) =>
      Effect.gen(function* () {
        const { refused } = yield* importing(directory)
        expect(refused.map(({ reason }) => reason)).toEqual([
          expect.stringContaining("samples/2_epoch_1.json is damaged: its checksum does not match"),
        ])
        expect(yield* events).toEqual([])
      }),
    ),
  )

  it.effect("whose entries lie in each other, or beyond its end, is refused whole", () =>
    withFiles(
      {
        "a.eval": zip([part("1"), part("2", { at: 0 }), end]),
        "b.eval": zip([part("1"), part("2", { at: 1_000_000 }), end]),
      },
      (directory) =>
        Effect.gen(function* () {
          const { refused } = yield* importing(directory)
          expect(refused.map(({ reason }) => reason)).toEqual([
            expect.stringContaining("lies within another entry"),
            expect.stringContaining("is cut off"),
          ])
          expect(yield* events).toEqual([])
        }),
    ),
  )

  it.effect("that would be larger than 16 GiB expanded is refused before it is", () =>
    withFiles(
      { "a.eval": zip([...Array.from({ length: 9 }, (_, n) => part(String(n), { stated: 2_000_000_000 })), end]) },
      (directory) =>
        Effect.gen(function* () {
          const { refused } = yield* importing(directory)
          expect(refused[0]?.reason).toMatch(/has 180\d+ bytes expanded, more than/)
        }),
    ),
  )
})

describe("a file that is rewritten while it is read", () => {
  const name = `${SESSION}.jsonl`
  const changed = (directory: string, file: string, content: string | Buffer) =>
    Effect.gen(function* () {
      const { found } = yield* Detection.find([path.join(directory, file)], SOURCES)
      const [one] = found
      if (one === undefined) return yield* Effect.dieMessage("nothing was found")
      const extent = yield* one.source.form === "lines" && !one.zipped
        ? examineLines(one.file)
        : examineWhole(one.file, Number.POSITIVE_INFINITY)
      write(directory, { [file]: content })
      let taken = 0
      const failure = yield* Effect.flip(
        Records.read(one, extent, {
          record: () => (taken += 1),
          noObject: () => {},
          noText: () => {},
          onRecords: () => Effect.void,
        }),
      )
      return { message: failure.message, taken }
    })

  it.effect("is refused, whichever form it has", () =>
    withFiles(
      {
        [name]: lines(session()),
        "a.json": JSON.stringify({ ...header(), samples: [sample("1", 1)] }),
        "b.eval": zip([part("1"), end]),
      },
      (directory) =>
        Effect.gen(function* () {
          const rewritten = expect.stringContaining("one that was rewritten while it was read; import it again")
          expect(yield* changed(directory, name, lines(session()).replaceAll("sum", "sun"))).toMatchObject({
            message: rewritten,
          })
          expect(yield* changed(directory, "a.json", "{}")).toEqual({ message: rewritten, taken: 0 })
          expect(yield* changed(directory, "b.eval", zip([part("2"), end]))).toEqual({ message: rewritten, taken: 0 })
        }),
    ),
  )

  it.effect("is read as far as it was examined if it only grew", () =>
    withFiles({ [name]: lines(session()) }, (directory) =>
      Effect.gen(function* () {
        const file = path.join(directory, name)
        const { found } = yield* Detection.find([file], SOURCES)
        const extent = yield* examineLines(file)
        fs.appendFileSync(file, lines(session()))
        let taken = 0
        for (const one of found)
          yield* Records.read(one, extent, {
            record: () => (taken += 1),
            noObject: () => {},
            noText: () => {},
            onRecords: () => Effect.void,
          })
        expect(taken).toBe(session().length)
      }),
    ),
  )

  it.effect("says how many events of it were imported before that", () =>
    withFiles({}, (directory) =>
      Effect.gen(function* () {
        const file = path.join(directory, name)
        // As many lines as are read at once, and more.
        const many = Array.from({ length: 12_000 }, (_, at) => user(`${at} ${"said ".repeat(20)}`))
        fs.writeFileSync(file, lines(many))
        const rewrite = () => Effect.sync(() => fs.writeFileSync(file, lines(many).replaceAll("said", "sang")))
        let reads = 0
        const onProgress = () => (reads++ === 0 ? rewrite() : Effect.void)
        const report = yield* importing(directory, { onProgress })
        const { position } = yield* Effect.flatMap(EventLog, (log) => log.head)
        expect(position).toBeGreaterThan(0)
        expect(report.added).toBe(position)
        expect(report.refused).toEqual([
          { file, reason: expect.stringContaining("one that was rewritten while it was read"), added: position },
        ])
      }),
    ),
  )
})

describe("a file whose import fails half way", () => {
  it.effect.skipIf(!fs.existsSync("/proc/self/fd"))("is closed", () =>
    withFiles({ "a.jsonl": `${"{}\n".repeat(800_000)}` }, (directory) =>
      Effect.gen(function* () {
        const file = path.join(directory, "a.jsonl")
        const extent = yield* examineLines(file)
        const source = SOURCES.find(({ name }) => name === "claude-code")
        if (source === undefined) return yield* Effect.dieMessage("there is no such source")
        const found = { file, source, form: "lines", zipped: false } as const
        const onRecords = () => Effect.fail("full")
        yield* Effect.flip(
          Records.read(found, extent, { record: () => {}, noObject: () => {}, noText: () => {}, onRecords }),
        )
        const open = fs.readdirSync("/proc/self/fd").flatMap((fd) => {
          const name = `/proc/self/fd/${fd}`
          return fs.existsSync(name) ? [fs.readlinkSync(name)] : []
        })
        expect(open).not.toContain(file)
      }),
    ),
  )
})
