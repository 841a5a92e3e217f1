import * as path from "node:path"
import { it } from "@effect/vitest"
import { Effect, Fiber, Schedule } from "effect"
import { uuidv7 } from "uuidv7"
import { describe, expect, vi } from "vitest"
import { EventLog, Exact } from "../../src/events/log/EventLog.ts"
import * as Confirmations from "../../src/kernel/gate/Confirmations.ts"
import * as Hindcast from "../../src/kernel/Hindcast.ts"
import { interpretAnswer } from "../../src/projections/state/ConfirmationAnswer.ts"
import { digest } from "../../src/values/Digest.ts"
import { program } from "../built.ts"
import * as Killable from "../killable.ts"
import { event, place, sha } from "../projections/given.ts"
import { temporaryDirectory } from "../temporary.ts"
import { outside } from "../wrongOptions.ts"
import { about, events, type Sample, seen, writePlugin } from "./given.ts"
import { testKernel } from "./testKernel.ts"

const args = { path: "a.txt" }
const question = (withinMs = 60_000): Confirmations.ConfirmationRequest => ({
  taskId: null,
  commandId: "c1",
  argsDigest: digest(args),
  withinMs,
  causationId: uuidv7(),
  shown: { actuator: "desk/write", args, risk: "high" },
})

/** Asks on a log without a kernel, and waits until the question is there. */
const asking = (withinMs?: number) =>
  Effect.gen(function* () {
    const confirmations = yield* Confirmations.Confirmations
    const settled = yield* Effect.fork(confirmations.ask({ ...question(withinMs), causationId: uuidv7() }))
    const asked = yield* seen(about("ConfirmationRequested"))
    return { settled, asked, id: String(asked.payload.confirmationId), confirmations }
  })

/** Appends what somebody says of a question, past everything that checks it. */
const says = (id: string, type: string, payload: Record<string, unknown>) =>
  Effect.flatMap(EventLog, (log) =>
    log.append({
      stream: `confirmation/${id}`,
      actor: "human:ada",
      expected: Exact(1),
      events: [{ type, payload: JSON.parse(JSON.stringify(payload)) }],
    }),
  )

const decision = (id: string, more: Record<string, unknown> = {}) => ({
  confirmationId: id,
  approved: true,
  by: "ada",
  channel: "program",
  waitedMs: 1,
  argsDigest: digest(args),
  ...more,
})

const types = (id: string) =>
  Effect.flatMap(EventLog, (log) =>
    Effect.map(log.readPage({ stream: `confirmation/${id}` }, 10), (events) => events.map(({ type }) => type)),
  )

const onLog = <A, E, R>(test: Effect.Effect<A, E, R>) =>
  Effect.flatMap(testKernel(), ({ layer }) => Effect.provide(test, layer))

// Time stands still here for whoever asks: only what the log says can tell that an answer is late.
describe("an approval", () => {
  it.scoped("an approval that is recorded when the question has expired is no approval, whoever was asleep", () =>
    onLog(
      Effect.gen(function* () {
        const { settled, asked, id, confirmations } = yield* asking(0.1)
        const refused = yield* Effect.flip(confirmations.decide(id, { approved: true, by: "ada", channel: "program" }))
        expect(refused).toMatchObject({ _tag: "NotPending", found: "one that has expired" })
        yield* says(id, "ConfirmationDecided", decision(id, { shownDigest: asked.payload.shownDigest }))
        expect(yield* Fiber.join(settled)).toMatchObject({ kind: "expired", event: { type: "ConfirmationExpired" } })
        expect(yield* types(id)).toEqual(["ConfirmationRequested", "ConfirmationDecided", "ConfirmationExpired"])
        expect(yield* confirmations.pending).toEqual({})
      }),
    ),
  )

  it.scoped(
    "is not approved by a clock that was set back to before it was asked, which says so, and may be rejected",
    () =>
      onLog(
        Effect.gen(function* () {
          const { settled, asked, id, confirmations } = yield* asking()
          const clock = vi.spyOn(Date, "now").mockReturnValue(asked.recordedAt - 3_600_000)
          yield* Effect.addFinalizer(() => Effect.sync(() => clock.mockRestore()))
          const refused = yield* Effect.flip(
            confirmations.decide(id, { approved: true, by: "ada", channel: "program" }),
          )
          expect(refused).toMatchObject({
            _tag: "NotPending",
            found: expect.stringContaining("the clock was set back"),
          })
          expect(yield* types(id)).toEqual(["ConfirmationRequested"])
          yield* confirmations.decide(id, { approved: false, by: "ada", channel: "program" })
          expect(yield* Fiber.join(settled)).toMatchObject({ kind: "rejected" })
        }),
      ),
  )

  it("an approval that is recorded before its question was, for the clock was put back, is none", () => {
    const [asked, decided] = place([
      event("ConfirmationRequested", { ...requested, shownDigest: sha("q") }),
      event("ConfirmationDecided", { ...decidedAs("q1"), shownDigest: sha("q") }),
    ])
    if (asked === undefined || decided === undefined) throw new Error("two events were placed")
    const held = { ...requested, shownDigest: sha("q"), requestedAt: asked.recordedAt }
    expect(interpretAnswer(held, decided)).toEqual({ kind: "approved" })
    expect(interpretAnswer(held, { ...decided, recordedAt: asked.recordedAt - 1 })).toEqual({ kind: "late" })
    expect(interpretAnswer(held, { ...decided, recordedAt: requested.expiresAt - 1 })).toEqual({ kind: "approved" })
    expect(interpretAnswer(held, { ...decided, recordedAt: requested.expiresAt })).toEqual({ kind: "late" })
  })

  it.scoped("counts only with the digest of all that was asked", () =>
    onLog(
      Effect.gen(function* () {
        for (const [more, reason] of [
          [{ shownDigest: sha("another") }, "ada approved something else than this"],
          [{}, "ada approved it with a version of Hindcast that does not say what was shown"],
        ] as const) {
          const { settled, id } = yield* fresh
          yield* says(id, "ConfirmationDecided", decision(id, more))
          expect(yield* Fiber.join(settled)).toMatchObject({ kind: "rejected", reason })
        }
      }),
    ),
  )

  it.scoped("is refused where something else was shown, and taken where it is what was", () =>
    onLog(
      Effect.gen(function* () {
        const { settled, id, confirmations } = yield* asking()
        const answer = { approved: true, by: "ada", channel: "program" }
        const refused = yield* Effect.flip(confirmations.decide(id, { ...answer, shownDigest: sha("old") }))
        expect(refused).toMatchObject({ _tag: "NotAsShown", confirmationId: id })
        const waiting = (yield* confirmations.pending)[id]
        if (waiting === undefined) throw new Error("it waits")
        yield* confirmations.decide(id, { ...answer, shownDigest: Confirmations.digestOf(id, waiting) })
        expect(yield* Fiber.join(settled)).toMatchObject({ kind: "approved" })
      }),
    ),
  )

  it.scoped("is decoded like any input from outside, and nothing is approved by what is misspelt or nearly true", () =>
    onLog(
      Effect.gen(function* () {
        const { id, confirmations } = yield* asking()
        const answer = { approved: true, by: "ada", channel: "program" }
        const wrong: ReadonlyArray<readonly [unknown, string]> = [
          [{ ...answer, approved: "no" }, "approved"],
          [{ ...answer, approved: 1 }, "approved"],
          [{ ...answer, shownDigst: sha("old") }, "shownDigst"],
          [{ ...answer, shownDigest: null }, "shownDigest"],
          [{ ...answer, by: "ada\u202e" }, "by"],
          [{ by: "ada", channel: "program" }, "approved"],
          [null, ""],
        ]
        for (const [given, path] of wrong) {
          // What no type lets pass, as a program in JavaScript gives it.
          const refused = yield* Effect.flip(confirmations.decide(id, given as Confirmations.ConfirmationDecision))
          expect(refused).toMatchObject({ _tag: "InvalidOptions", of: "decide", problems: [{ path }] })
        }
        expect(yield* types(id)).toEqual(["ConfirmationRequested"])
      }),
    ),
  )

  it.scoped("is not given to a question that an earlier version asked: it can only be rejected", () =>
    onLog(
      Effect.gen(function* () {
        const log = yield* EventLog
        const confirmations = yield* Confirmations.Confirmations
        yield* log.append({
          stream: "confirmation/old",
          actor: "kernel",
          events: [
            {
              type: "ConfirmationRequested",
              payload: { ...requested, confirmationId: "old", expiresAt: Date.now() + 60_000 },
            },
          ],
        })
        const by = { by: "ada", channel: "program" }
        const refused = yield* Effect.flip(confirmations.decide("old", { ...by, approved: true }))
        expect(refused).toMatchObject({ _tag: "NotAsShown" })
        expect(refused.message).toContain("an earlier version of Hindcast asked")
        expect(yield* confirmations.decide("old", { ...by, approved: false })).toMatchObject({
          payload: { approved: false },
        })
      }),
    ),
  )
})

const ASKING = program(import.meta.url, "asking")

const lamp: Sample = {
  name: "lamp",
  actuators: [{ name: "light" }],
  entry: `export default { actuators: { light: () => "lit" } }`,
}

describe("a kernel's process that is stopped by SIGSTOP while a person is asked", () => {
  it.scopedLive("executes nothing on an approval that came after the time was up", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const plugin = writePlugin(path.join(directory, "lamp"), lamp)
      const within = 1_500
      const child = yield* Killable.start([ASKING], {
        input: JSON.stringify({ directory, plugin, actuator: "lamp/light", confirmWithinMs: within }),
      })
      const said = Effect.map(child.ended, ({ stdout }) => stdout)
      yield* Effect.gen(function* () {
        const asked = yield* seen(about("ConfirmationRequested"))
        yield* child.signal("SIGSTOP")
        const id = String(asked.payload.confirmationId)
        const expiresAt = Number(asked.payload.expiresAt)
        yield* Effect.repeat(
          Effect.sync(() => Date.now() >= expiresAt),
          { until: (past) => past, schedule: Schedule.spaced("5 millis") },
        )
        const payload = { argsDigest: asked.payload.argsDigest, shownDigest: asked.payload.shownDigest }
        yield* says(id, "ConfirmationDecided", decision(id, payload))
        yield* child.signal("SIGCONT")
        expect(yield* said).toBe("expired\n")
        expect(yield* events("CommandAllowed", "CommandDispatched")).toEqual([])
        const [denied] = yield* events("CommandDenied")
        expect(denied).toMatchObject({ payload: { reason: "nobody decided in time" } })
      }).pipe(Effect.provide(Hindcast.layerLog({ log: path.join(directory, "log.db"), workspace: directory })))
    }),
  )
})

describe("a question whose stream somebody else writes to", () => {
  it.scoped("is settled by a foreign event, for whoever asked and for whoever looks, and never approved", () =>
    onLog(
      Effect.gen(function* () {
        const { settled, id, confirmations } = yield* asking()
        yield* says(id, "NoteAdded", { about: id, text: "hello" })
        expect(yield* confirmations.pending).toEqual({})
        expect(yield* Fiber.join(settled)).toMatchObject({
          kind: "rejected",
          reason: expect.stringMatching(/^the first word on it, NoteAdded at @\d+, is no answer$/),
        })
        expect(yield* types(id)).toEqual(["ConfirmationRequested", "NoteAdded", "ConfirmationWithdrawn"])
        const refused = yield* Effect.flip(confirmations.decide(id, { approved: true, by: "ada", channel: "program" }))
        expect(refused).toMatchObject({ _tag: "NotPending" })
      }),
    ),
  )

  it.scoped("shows what was asked, whatever is said of it in another stream", () =>
    onLog(
      Effect.gen(function* () {
        const { asked, id, confirmations } = yield* asking()
        const log = yield* EventLog
        yield* log.append({
          stream: "confirmation/another",
          actor: "human:eve",
          events: [
            { type: "ConfirmationRequested", payload: { ...requested, confirmationId: id, shown: { nothing: 1 } } },
          ],
        })
        yield* log.append({
          stream: "note",
          actor: "human:eve",
          events: [{ type: "ConfirmationExpired", payload: { confirmationId: id } }],
        })
        expect(yield* confirmations.pending).toMatchObject({ [id]: { shown: asked.payload.shown } })
        expect(Object.keys(yield* confirmations.pending)).toEqual([id])
      }),
    ),
  )

  it.scoped("is the caller's own copy: what becomes of that changes nothing for anybody else", () =>
    onLog(
      Effect.gen(function* () {
        const { settled, asked, id, confirmations } = yield* asking()
        const mine = outside((yield* confirmations.pending)[id])
        const shownDigest = Confirmations.digestOf(id, mine)
        mine.shown.args.path = "/etc/passwd"
        mine.argsDigest = digest(mine.shown.args)
        mine.shownDigest = Confirmations.digestOf(id, mine)
        mine.expiresAt = 0
        expect((yield* confirmations.pending)[id]).toMatchObject({
          shown: asked.payload.shown,
          argsDigest: digest(args),
          shownDigest,
          expiresAt: asked.payload.expiresAt,
        })
        const decided = yield* confirmations.decide(id, { approved: true, by: "ada", channel: "program" })
        expect(decided.payload).toMatchObject({ argsDigest: digest(args), shownDigest })
        expect(yield* Fiber.join(settled)).toMatchObject({ kind: "approved" })
      }),
    ),
  )
})

const requested = {
  confirmationId: "q1",
  commandId: "c1",
  argsDigest: digest(args),
  shown: {},
  expiresAt: Date.UTC(2026, 0, 1, 1),
}

const decidedAs = (confirmationId: string) => ({
  confirmationId,
  approved: true,
  by: "ada",
  channel: "program",
  argsDigest: digest(args),
  waitedMs: 1,
})

/** Another question on the same log. */
const fresh = Effect.gen(function* () {
  const log = yield* EventLog
  const { position } = yield* log.head
  const confirmations = yield* Confirmations.Confirmations
  const settled = yield* Effect.fork(confirmations.ask({ ...question(), causationId: uuidv7() }))
  const asked = yield* seen((found) => found.position > position && about("ConfirmationRequested")(found))
  return { settled, id: String(asked.payload.confirmationId) }
})
