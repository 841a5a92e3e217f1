import * as fs from "node:fs"
import * as path from "node:path"
import { it } from "@effect/vitest"
import { Effect, Either, Exit, TestContext } from "effect"
import * as fc from "fast-check"
import { describe, expect } from "vitest"
import { EventLog } from "../../src/events/log/EventLog.ts"
import { MAX_LINE_BYTES } from "../../src/importing/files/SourceText.ts"
import type { ImportSoFar } from "../../src/importing/Import.ts"
import type { ImportReport } from "../../src/importing/ImportReport.ts"
import * as HookChecks from "../../src/importing/writing/HookChecks.ts"
import { digest } from "../../src/values/Digest.ts"
import { assistant, call, first, other, result, SESSION, session, text } from "./claudeSession.ts"
import * as Codex from "./codexRollout.ts"
import * as Formats from "./formats.ts"
import { events, importing, lines, payloads, withFiles, write } from "./given.ts"
import { header, sample } from "./inspectLog.ts"

const CLAUDE = `${SESSION}.jsonl`
const head = Effect.flatMap(EventLog, (log) => log.head)
const both = () => ({ [CLAUDE]: lines(session()), [`codex/${Codex.FILE}`]: lines(Codex.rollout()) })

const CHECK = "a check of hooks by Hindcast, which is nobody's session: it is not imported"

const DEEP = "nested as deep as nobody nests"

/** What may stand in a line of a file that somebody else wrote. */
const hostile = fc.oneof(
  fc.constantFrom(
    ..."__proto__ constructor toString \u0000 \u001b[2J \ud800 ../../etc/passwd".split(" "),
    '{"__proto__":{"polluted":true}}',
  ),
  fc.constantFrom({ toString: false }, { toString: null, valueOf: 1 }, DEEP),
  fc.jsonValue({ maxDepth: 4 }),
)

/** The text of a value in which `DEEP` stands for lists in each other, 100,000 of them. */
const json = (value: unknown): string =>
  JSON.stringify(value).replaceAll(JSON.stringify(DEEP), `${"[".repeat(100_000)}${"]".repeat(100_000)}`)

describe("an import", () => {
  it.effect("does not change the log a second time, not even by its own record", () =>
    withFiles(both(), (directory) =>
      Effect.gen(function* () {
        const report = yield* importing(directory)
        const before = yield* head
        expect(report.added).toBe(before.position)
        const again = yield* importing(directory)
        expect(again.files.map(({ known }) => known)).toEqual([true, true])
        expect(yield* head).toEqual(before)
      }),
    ),
  )

  it.effect("knows its events again also in a file of another content", () =>
    withFiles(both(), (directory) =>
      Effect.gen(function* () {
        yield* importing(directory)
        const before = (yield* events).filter(({ type }) => type !== "FileImported").length
        write(directory, { [CLAUDE]: `\n${lines(session())}\n` })
        const { added } = yield* importing(directory)
        expect(added).toBe(1)
        expect((yield* events).filter(({ type }) => type !== "FileImported")).toHaveLength(before)
      }),
    ),
  )

  it.effect("leaves out a session in which Hindcast checked its hooks", () =>
    withFiles({ [CLAUDE]: lines([first(HookChecks.make("019fffff")), ...session().slice(1)]) }, (directory) =>
      Effect.gen(function* () {
        const { files } = yield* importing(directory)
        expect(files[0]).toMatchObject({ runs: [], remarks: { [CHECK]: 1 } })
        expect(yield* events).toEqual([])
      }),
    ),
  )

  it.effect("of an older copy of a session beside it is of one run", () =>
    withFiles({ [`a/${CLAUDE}`]: lines(session()), [`b/${CLAUDE}`]: lines(session().slice(0, 8)) }, (directory) =>
      Effect.gen(function* () {
        const { files } = yield* importing(directory)
        expect(files.map(({ parts, runs }) => [parts.length, runs.map(({ taskIds }) => taskIds.length)])).toEqual([
          [2, [1]],
        ])
        expect(payloads(yield* events, "TaskOpened")).toHaveLength(1)
        expect(payloads(yield* events, "TaskClosed")).toHaveLength(1)
      }),
    ),
  )

  it.effect("that is interrupted says what was done, and the next one goes on from there", () =>
    withFiles({ ...both(), "last.jsonl": lines(session()) }, (directory) =>
      Effect.gen(function* () {
        const told: Array<ImportSoFar> = []
        const interrupted = yield* Effect.exit(
          importing(directory, {
            onInterrupt: (done) => Effect.sync(() => told.push(done)),
            onProgress: (bytes, of) => (bytes === of ? Effect.interrupt : Effect.void),
          }),
        )
        expect(Exit.isInterrupted(interrupted)).toBe(true)
        const [{ files, of, added } = { files: 0, of: 0, added: 0 }] = told
        expect(files).toBeLessThan(of)
        expect(added).toBe((yield* events).length)
        expect(added).toBeGreaterThan(0)
        yield* importing(directory)
        expect((yield* importing(directory)).added).toBe(0)
      }),
    ),
  )

  it.effect("in a dry run promises what comes, also where files have runs in common", () => {
    const records = session()
    const files = {
      [`a/${CLAUDE}`]: lines(records.slice(0, 8)),
      "b.jsonl": lines([...records.slice(4), { ...records.at(-1), uuid: "other", sessionId: "another" }]),
    }
    return withFiles(files, (directory) =>
      Effect.gen(function* () {
        const promised = yield* importing(directory, { dryRun: true })
        const done = yield* importing(directory)
        const runs = (of: ImportReport) =>
          new Set(of.files.flatMap((file) => file.runs.flatMap((run) => (run.added > 0 ? run.taskIds : [])))).size
        expect([promised.added, runs(promised)]).toEqual([done.added, runs(done)])
      }),
    )
  })

  it.effect("closes a task that failed because of what failed last", () => {
    const failed = other("assistant", {
      isApiErrorMessage: true,
      message: { content: [{ type: "text", text: "API Error: 529" }] },
    })
    return withFiles({ [CLAUDE]: lines([...session(), failed]) }, (directory) =>
      Effect.gen(function* () {
        yield* importing(directory)
        const all = yield* events
        const closed = all.find(({ type }) => type === "TaskClosed")
        expect(closed?.payload).toMatchObject({ outcome: "failed" })
        expect(all.find(({ id }) => id === closed?.causationId)?.type).toBe("ModelFailed")
      }),
    )
  })

  it.effect("of an older copy of a session later adds nothing, and no task", () =>
    withFiles({ [`a/${CLAUDE}`]: lines(session()), [`b/${CLAUDE}`]: lines(session().slice(0, 8)) }, (directory) =>
      Effect.gen(function* () {
        for (const name of ["a", "b"]) yield* importing(`${directory}/${name}`)
        expect(payloads(yield* events, "TaskOpened")).toHaveLength(1)
        expect(payloads(yield* events, "TaskClosed")).toHaveLength(1)
      }),
    ),
  )

  it.effect("of a session in several files is one run, in the order of time and not of their names", () => {
    const all = session()
    const files = { "a.jsonl": all.slice(8), "b.jsonl": all.slice(5, 8), "c.jsonl": all.slice(1, 5) }
    return withFiles(Object.fromEntries(Object.entries(files).map(([name, of]) => [name, lines(of)])), (directory) =>
      Effect.gen(function* () {
        const report = yield* importing(directory)
        expect(report.files.map(({ parts }) => parts.map((part) => part.slice(-7)))).toEqual([
          ["c.jsonl", "b.jsonl", "a.jsonl"],
        ])
        const log = yield* events
        expect(payloads(log, "TaskOpened")).toMatchObject([{ goal: "Fix the sum in sum.ts" }])
        expect(payloads(log, "CommandSucceeded")).toHaveLength(3)
        expect(payloads(log, "TaskClosed")).toHaveLength(1)
        expect((yield* importing(directory)).added).toBe(0)
      }),
    )
  })

  it.effect("beside another of the same files into one log writes every event once", () =>
    withFiles(both(), (directory) =>
      Effect.gen(function* () {
        yield* Effect.all([importing(directory), importing(directory), importing(directory)], {
          concurrency: "unbounded",
        })
        const all = yield* events
        expect(payloads(all, "TaskClosed")).toHaveLength(2)
        const before = yield* head
        expect((yield* importing(directory)).added).toBe(0)
        expect(yield* head).toEqual(before)
        expect(new Set(all.map(({ id }) => id)).size).toBe(all.length)
      }),
    ),
  )

  it.effect("writes a run in one transaction, and says which file it came from, by its digest", () =>
    withFiles(both(), (directory) =>
      Effect.gen(function* () {
        const { files } = yield* importing(directory)
        expect(files.flatMap(({ runs }) => runs.map(({ commits }) => commits))).toEqual([1, 1])
        const imported = payloads(yield* events, "FileImported")
        expect(imported.map(({ name }) => name)).toEqual([CLAUDE, Codex.FILE])
        expect(imported.map(({ digest }) => digest)).toEqual(files.map(({ digest }) => digest))
      }),
    ),
  )

  it.effect("writes nothing in a dry run, and reports what it would write", () =>
    withFiles(both(), (directory) =>
      Effect.gen(function* () {
        const dry = yield* importing(directory, { dryRun: true })
        expect((yield* head).position).toBe(0)
        expect((yield* importing(directory)).added).toBe(dry.added)
      }),
    ),
  )

  it.effect("keeps times that are nonsense or go back out of the order", () =>
    withFiles(
      {
        [CLAUDE]: lines([
          first("Go", { timestamp: "2026-01-01T12:00:10Z" }),
          assistant("a", text("1"), { timestamp: "yesterday" }),
          assistant("b", text("2"), { timestamp: "2026-01-01T12:00:05Z" }),
          assistant("c", text("3"), { timestamp: "+275760-09-13T00:00:00Z" }),
        ]),
      },
      (directory) =>
        Effect.gen(function* () {
          const { files } = yield* importing(directory)
          const all = yield* events
          expect(payloads(all, "MessageSent").map(({ content }) => content)).toEqual(["1", "2", "3"])
          expect(files[0]?.remarks).toEqual({
            "times that cannot be read: such a record has the time of the one before it": 2,
            "times that go back: the order is the file's": 1,
          })
        }),
    ),
  )

  it.effect("encrypts for a subject what is personal", () =>
    withFiles(both(), (directory) =>
      Effect.gen(function* () {
        yield* importing(directory, { subject: "ada" })
        const all = yield* events
        expect(
          all
            .filter(({ type }) => type === "InputReceived" || type === "FileImported")
            .every(({ personal }) => personal?.readable === true),
        ).toBe(true)
        const before = yield* head
        expect((yield* importing(directory, { subject: "ada" })).added).toBe(0)
        expect(yield* head).toEqual(before)
      }),
    ),
  )

  it.effect("leaves out what was said and done, if told so, and keeps structure and tokens", () =>
    withFiles(both(), (directory) =>
      Effect.gen(function* () {
        yield* importing(directory, { redact: true })
        const all = yield* events
        expect(JSON.stringify(all)).not.toMatch(/sum\.ts|Write a note|It adds now|notes\.md/)
        // Short arguments could be guessed, and known by their digests.
        for (const { argsDigest } of payloads(all, "ActuatorCommanded")) expect(argsDigest).toBe(digest(null))
        for (const { requestDigest } of payloads(all, "ModelCalled")) expect(requestDigest).toBe(digest(null))
        expect(payloads(all, "ModelResponded")).toHaveLength(8)
        expect(payloads(all, "ActuatorCommanded").map(({ actuator }) => actuator)).toContain("claude-code/Edit")
      }),
    ),
  )

  it.effect("leaves no digest of a short system prompt either", () =>
    withFiles({ "t.json": JSON.stringify(Formats.trajectory()) }, (directory) =>
      Effect.gen(function* () {
        yield* importing(directory, { redact: true })
        const all = yield* events
        expect(payloads(all, "GuideApplied")).toMatchObject([{ digest: digest(null) }])
      }),
    ),
  )
})

describe("a directory", () => {
  it.effect("with a file that cannot be read is imported without it, and the file is named", () =>
    withFiles(
      { [CLAUDE]: lines(session()), "x.jsonl": lines([...session().slice(0, 3), ...Codex.rollout()]) },
      (directory) =>
        Effect.gen(function* () {
          fs.symlinkSync(".", path.join(directory, "loop"))
          fs.symlinkSync("elsewhere.jsonl", path.join(directory, "linked.jsonl"))
          fs.symlinkSync("nowhere", path.join(directory, "other"))
          const { files, refused, links } = yield* importing(directory)
          expect(links.map((link) => path.basename(link))).toEqual(["linked.jsonl", "loop"])
          expect(files.map(({ file }) => path.basename(file))).toEqual([CLAUDE])
          expect(refused).toEqual([
            {
              file: path.join(directory, "x.jsonl"),
              reason: expect.stringContaining("a file of one format"),
              added: 0,
            },
          ])
        }),
    ),
  )
})

describe("a file that is named to be of a format", () => {
  it.effect("is refused where it is plainly of another one, and taken where it is of none that is known", () =>
    withFiles({ [CLAUDE]: lines(session()), "odd.jsonl": lines([{ payload: { odd: true } }]) }, (directory) =>
      Effect.gen(function* () {
        const { message } = yield* Effect.flip(importing(path.join(directory, CLAUDE), { from: "codex" }))
        expect(message).toContain("expected a rollout of Codex, found a session of Claude Code")
        expect((yield* importing(path.join(directory, "odd.jsonl"), { from: "codex" })).files).toHaveLength(1)
      }),
    ),
  )
})

describe("a file", () => {
  it.effect("that is a device is refused before it is opened", () =>
    withFiles({}, () =>
      Effect.gen(function* () {
        const { message } = yield* Effect.flip(importing("/dev/null"))
        expect(message).toContain("expected a file or a directory, found a pipe, socket or device")
      }),
    ),
  )

  const refusal = (directory: string, file: string, from?: string) =>
    Effect.map(
      Effect.either(importing(path.join(directory, file), from === undefined ? {} : { from })),
      Either.match({ onLeft: ({ message }) => message, onRight: () => "" }),
    )

  it.effect("of no format is refused by what was expected and found; in a directory it is passed over", () =>
    withFiles({ "a.jsonl": '{"a":1}\n', "b.json": "", [CLAUDE]: lines(session()), "c.txt": "x" }, (directory) =>
      Effect.gen(function* () {
        expect(yield* refusal(directory, "a.jsonl")).toMatch(
          /expected a session of Claude Code, a rollout of Codex.*found a file that begins with "\{\\"a\\":1\}/,
        )
        expect(yield* refusal(directory, "b.json")).toContain("found an empty file")
        expect(yield* refusal(directory, "nowhere")).toContain("expected a readable file")
        expect((yield* head).position).toBe(0)
        const { unknown } = yield* importing(directory)
        expect(unknown.map((file) => path.basename(file))).toEqual(["a.jsonl", "b.json"])
      }),
    ),
  )

  it.effect("of a format in which there is no run says so", () => {
    const files = { "empty.json": JSON.stringify({ ...header(), samples: [] }), "other.json": JSON.stringify({ a: 1 }) }
    return withFiles(files, (directory) =>
      Effect.gen(function* () {
        const { files } = yield* importing(directory, { from: "inspect" })
        for (const file of files) {
          expect(file.runs).toEqual([])
          expect(file.remarks).toMatchObject({ "there is no run in it, or none yet": 1 })
        }
        expect(files).toHaveLength(2)
      }),
    )
  })

  it.effect("of events that Hindcast exported is refused with the command that takes them", () =>
    withFiles({ "events.jsonl": '{"position":1,"hash":"00"}\n' }, (directory) =>
      Effect.map(refusal(directory, "events.jsonl"), (message) =>
        expect(message).toContain("hindcast log import FILE"),
      ),
    ),
  )

  it.effect("that may be of two formats is refused until one is named", () =>
    withFiles({ "two.jsonl": lines([...session().slice(0, 3), ...Codex.rollout()]) }, (directory) =>
      Effect.gen(function* () {
        expect(yield* refusal(directory, "two.jsonl")).toContain("--from claude-code or --from codex")
        expect(yield* refusal(directory, "two.jsonl", "claude-code")).toBe("")
      }),
    ),
  )

  it.effect("with a line above the limit is refused, whole, and the others are imported", () =>
    withFiles({ [CLAUDE]: lines(session()) }, (directory) =>
      Effect.gen(function* () {
        const long = path.join(directory, Codex.FILE)
        fs.writeFileSync(long, lines(Codex.rollout()))
        fs.appendFileSync(long, '{"type":"event_msg","payload":{"type":"x","message":"')
        for (let mebibytes = 0; mebibytes <= MAX_LINE_BYTES / 1024 / 1024; mebibytes++)
          fs.appendFileSync(long, "x".repeat(1024 * 1024))
        fs.appendFileSync(long, '"}}\n')
        const { refused, files } = yield* importing(directory)
        expect(refused).toEqual([
          { added: 0, file: long, reason: "expected lines of at most 32 MiB, found a longer one, line 21" },
        ])
        expect(files.map(({ source }) => source)).toEqual(["claude-code"])
        expect((yield* events).every(({ actor }) => actor === "import:claude-code")).toBe(true)
      }),
    ),
  )

  it.effect("is recognized also by a first line of megabytes, such as a prompt with a picture", () =>
    withFiles({ [CLAUDE]: lines([first("x".repeat(3_000_000)), assistant("a", text("Nice."))]) }, (directory) =>
      Effect.gen(function* () {
        const { files, unknown } = yield* importing(directory)
        expect([files.map(({ source }) => source), unknown]).toEqual([["claude-code"], []])
      }),
    ),
  )

  it.effect("with a text of 9 MB has it shortened, and is imported", () =>
    withFiles(
      { [CLAUDE]: lines([first("Go"), assistant("a", call("c", "Bash", {})), result("c", "y".repeat(9_000_000))]) },
      (directory) =>
        Effect.gen(function* () {
          yield* importing(directory)
          expect(String(payloads(yield* events, "CommandSucceeded")[0]?.result)).toMatch(
            /^y{1048476}… \[\d+ more characters were left out by the import\]$/,
          )
        }),
    ),
  )
})

describe("any file", () => {
  const property = <A>(arbitrary: fc.Arbitrary<A>, test: (value: A) => Effect.Effect<unknown, unknown>) =>
    Effect.promise(() =>
      fc.assert(
        fc.asyncProperty(arbitrary, (value) =>
          Effect.runPromise(Effect.asVoid(Effect.provide(test(value), TestContext.TestContext))),
        ),
        { numRuns: 12 },
      ),
    )

  const RECORDS = {
    [CLAUDE]: session,
    [Codex.FILE]: Codex.rollout,
    "events.jsonl": Formats.openHands,
    "avt.jsonl": Formats.piaAvt,
    "traces.jsonl": () => Formats.genAi().map((span) => Formats.exported(span)),
  }
  const formats = fc.constantFrom(
    ...Object.entries(RECORDS).map(([name, records]) => ({ name, records: records(), toString: () => name })),
  )

  it.live("that was cut at any line, or within one, is completed by a later import, without doubles", () =>
    property(fc.record({ format: formats, cut: fc.double({ min: 0.1, max: 1, noNaN: true }) }), ({ format, cut }) =>
      withFiles({}, (directory) =>
        Effect.gen(function* () {
          const whole = lines(format.records)
          write(directory, { [format.name]: whole })
          const parts = yield* importing(directory)
          expect(parts.refused).toEqual([])
          const expected = (yield* events)
            // Each task of the run has an end of its own, and what was left out until then.
            .filter(({ type, payload }) => type !== "CaptureNoted" || payload.lacks !== undefined)
            .filter(({ type }) => !["FileImported", "TaskClosed"].includes(type))
            .map(({ id }) => id)
          yield* withFiles({ [format.name]: whole.slice(0, Math.floor(cut * whole.length)) }, (other) =>
            Effect.gen(function* () {
              // A file of which only a part of the first line is there is of no format yet.
              yield* importing(other)
              const soFar = yield* events
              expect(new Set(soFar.map(({ id }) => id)).size).toBe(soFar.length)
              write(other, { [format.name]: whole })
              yield* importing(other)
              const found = (yield* events).map(({ id }) => id)
              expect(expected.filter((id) => !found.includes(id))).toEqual([])
              expect(new Set(found).size).toBe(found.length)
              const before = yield* head
              yield* importing(other)
              expect(yield* head).toEqual(before)
            }),
          )
        }),
      ),
    ),
  )

  it.live("with doubled lines has the events that it has without", () =>
    property(fc.record({ format: formats, doubled: fc.array(fc.nat(30), { maxLength: 8 }) }), ({ format, doubled }) => {
      const plain = format.records
      const twice = plain.flatMap((record, index) => (doubled.includes(index) ? [record, record] : [record]))
      const typesIn = (records: ReadonlyArray<unknown>) =>
        withFiles({ [format.name]: lines(records) }, (directory) =>
          Effect.gen(function* () {
            yield* importing(directory)
            // A record of Claude Code without an id, such as a summary, is as often there as in the file.
            return (yield* events)
              .map(({ type }) => type)
              .filter((type) => type !== "FileImported" && type !== "SourceRecordKept")
          }),
        )
      return Effect.gen(function* () {
        expect(yield* typesIn(twice)).toEqual(yield* typesIn(plain))
      })
    }),
  )

  it.live("with hostile values anywhere is imported or refused, and never half or with a defect", () =>
    property(
      fc.record({
        format: formats,
        place: fc.nat(30),
        key: fc.constantFrom(
          "message",
          "payload",
          "uuid",
          "timestamp",
          "type",
          "sessionId",
          "isSidechain",
          "toolUseResult",
        ),
        value: hostile,
        lone: hostile,
      }),
      ({ format, place, key, value, lone }) => {
        const records = format.records.map((record, index) => (index === place ? { ...record, [key]: value } : record))
        return withFiles(
          {
            [format.name]: `${records.map(json).join("\n")}\n${json(lone)}\n${json({ [typeof value === "string" ? value : "key"]: lone, type: value })}\n`,
          },
          (directory) =>
            Effect.gen(function* () {
              yield* importing(directory)
              const all = yield* events
              expect(all.filter(({ type }) => type === "TaskOpened").length).toBeGreaterThan(0)
              expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false)
              const before = yield* head
              yield* importing(directory)
              expect(yield* head).toEqual(before)
            }),
        )
      },
    ),
  )

  const documents = fc.constantFrom(
    ...Object.entries({
      "trajectory.json": Formats.trajectory(),
      "repo-1.traj": Formats.sweAgent(),
      "log.json": { ...header(), samples: [sample("one", 1)] },
      "trace.json": Formats.exported(...Formats.genAi()),
    }).map(([name, document]) => ({ name, places: placesIn(document), document, toString: () => name })),
  )

  it.live("of one document with hostile values anywhere is imported or refused, and never half or with a defect", () =>
    property(fc.record({ format: documents, place: fc.nat(), value: hostile }), ({ format, place, value }) => {
      const changed = structuredClone(format.document)
      const [parent, key] = placesIn(changed)[place % format.places.length] ?? []
      if (parent === undefined || key === undefined) throw new Error("the document is empty")
      parent[key] = value
      return withFiles({ [format.name]: json(changed) }, (directory) =>
        Effect.gen(function* () {
          yield* importing(directory)
          const before = yield* head
          yield* importing(directory)
          expect(yield* head).toEqual(before)
          expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false)
        }),
      )
    }),
  )
})

type Place = readonly [parent: { [key: string]: unknown }, key: string]

/** Every place in a document that has a value, the innermost ones too. */
function placesIn(document: unknown): ReadonlyArray<Place> {
  if (typeof document !== "object" || document === null) return []
  const parent: { [key: string]: unknown } = Object(document)
  return Object.entries(document).flatMap(([key, inner]): ReadonlyArray<Place> => [[parent, key], ...placesIn(inner)])
}
