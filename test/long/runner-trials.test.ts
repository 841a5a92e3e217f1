/** Trials of runners that take long, or need a machine with time: broken connections, outages, stops at each step, clocks. */
import { Effect, type Scope } from "effect"
import { describe, expect, it } from "vitest"
import type { EventLog } from "../../src/events/log/EventLog.ts"
import { TaskQueue } from "../../src/kernel/queue/TaskQueue.ts"
import { control, ownServer } from "../postgres/cluster.ts"
import { all, assertWhole, head, next, submitAll, trial } from "../postgres/runnerTrial.ts"
import { schema, sql, urlOf } from "../postgres/server.ts"

const STEPS = 6

type Given = Effect.Effect.Success<ReturnType<typeof trial>>

/** A test on a log of its own, of whose schema it learns the name. */
const on = (
  takesMs: number,
  test: (given: Given, name: string) => Effect.Effect<void, unknown, EventLog | TaskQueue | Scope.Scope>,
) =>
  Effect.gen(function* () {
    const name = yield* schema
    const given = yield* trial(yield* Effect.promise(() => urlOf(name)), STEPS, takesMs)
    yield* Effect.provide(test(given, name), given.layer)
  }).pipe(Effect.scoped, Effect.runPromise)

/** Ends the connection of a session's heartbeats, as a proxy or an administrator would. Its process goes on. */
const cut = (name: string, session: unknown) =>
  Effect.promise(() =>
    sql(
      `SELECT pg_terminate_backend(l.pid) FROM pg_locks l, ${name}.heartbeats h WHERE h.identity = $1 AND l.locktype = 'advisory'
        AND l.classid::bigint = (h.lock >> 32) & 4294967295 AND l.objid::bigint = h.lock & 4294967295`,
      [session],
    ),
  )

const sessionOf = (runner: string) =>
  Effect.map(
    next(0, ["RunnerStarted"], 1, ({ payload }) => payload.runner === runner),
    ([started]) => started?.payload.session,
  )

describe("runners whose connections break", () => {
  it("connect again in time, and keep their tasks", () =>
    on(200, (given, name) =>
      Effect.gen(function* () {
        const ids = yield* submitAll(8)
        yield* given.runner("one")
        yield* given.runner("two")
        const sessions = [yield* sessionOf("one"), yield* sessionOf("two")]
        for (let closed = 0; closed < 8; closed++) {
          for (const session of sessions) yield* cut(name, session)
          yield* next(0, ["TaskClosed"], closed + 1)
        }
        expect(yield* all(["RunnerLost"])).toEqual([])
        yield* assertWhole(ids, STEPS, given.marks())
      }),
    ))

  it("end themselves before others take their tasks over, if they cannot connect again", () =>
    on(6_000, (given, name) =>
      Effect.gen(function* () {
        const role = `${name}_runner`
        yield* Effect.acquireRelease(
          Effect.promise(() =>
            sql(`CREATE ROLE ${role} LOGIN PASSWORD 'secret'; SELECT ${name}.grant_access('${role}', 'writer')`),
          ),
          () => Effect.promise(() => sql(`DROP OWNED BY ${role}; DROP ROLE ${role}`)),
        )
        const url = new URL(yield* Effect.promise(() => urlOf(name)))
        url.username = role
        url.password = "secret"
        const ids = yield* submitAll(1)
        const cutOff = yield* given.runner("cut-off", 1, { log: url.href })
        yield* next(0, ["CommandDispatched"], 1)
        yield* given.runner("other", 1)
        yield* sessionOf("other")
        yield* Effect.promise(() => sql(`ALTER ROLE ${role} NOLOGIN`))
        yield* cut(name, yield* sessionOf("cut-off"))
        // Its other connections still reach the log, so that it can say so itself.
        const [over] = yield* next(0, ["RunnerStopped", "RunnerLost"], 1)
        yield* next(0, ["TaskResumed"], 1)
        yield* cutOff.kill
        const { lines } = yield* cutOff.ended
        // Others are warnings.
        const news = lines.filter((line) => line.startsWith("{")).map((line) => JSON.parse(line))
        const told = news.find(({ what }) => what === "lost")
        expect(told?.at).toBeLessThanOrEqual(over?.recordedAt ?? 0)
        yield* next(0, ["TaskClosed"], 1)
        const { unknown } = yield* assertWhole(ids, STEPS, given.marks())
        expect(unknown).toBe(1)
      }),
    ))
})

describe("runners that are frozen right after", () => {
  for (const type of ["TasksClaimed", "TaskOpened", "CommandDispatched", "CommandSucceeded", "TaskClosed"] as const)
    it(`${type} write nothing more, and no command is repeated`, () =>
      on(50, (given) =>
        Effect.gen(function* () {
          const ids = yield* submitAll(2)
          const frozen = yield* given.runner("frozen", 1)
          const [seen] = yield* next(0, [type], 1)
          yield* frozen.signal("SIGSTOP")
          yield* given.runner("other")
          yield* next(seen?.position ?? 0, ["RunnerLost"], 1)
          const at = yield* head
          yield* frozen.signal("SIGCONT")
          yield* next(0, ["TaskClosed"], 2)
          yield* next(at, ["RunnerStarted"], 1, ({ payload }) => payload.runner === "frozen")
          yield* assertWhole(ids, STEPS, given.marks())
        }),
      ))
})

it("runners whose clocks are an hour apart take over, wait and count as the server's clock says", () =>
  on(30, (given) =>
    Effect.gen(function* () {
      const hour = 3_600_000
      const queue = yield* TaskQueue
      const ids = yield* submitAll(8)
      yield* queue.submit({ id: "later", agent: "desk", goal: "mark", notBefore: Date.now() + hour / 2 })
      const ahead = yield* given.runner("ahead", 2, { clockMs: hour })
      yield* given.runner("behind", 2, { clockMs: -hour })
      const claims = yield* next(0, ["TasksClaimed"], 1, ({ payload }) => payload.runner === "ahead")
      yield* next(claims[0]?.position ?? 0, ["CommandDispatched"], 3)
      yield* ahead.kill
      yield* given.runner("ahead-again", 2, { clockMs: hour })
      yield* next(0, ["TaskClosed"], 8)
      expect((yield* all(["RunnerLost"])).map(({ payload }) => payload.runner)).toEqual(["ahead"])
      // The runner ahead does not begin early.
      expect(Object.keys(yield* queue.queued)).toEqual(["later"])
      const times = (yield* all(["TasksClaimed", "TaskOpened", "TaskClosed"])).map(({ recordedAt }) => recordedAt)
      expect(times).toEqual([...times].sort((one, other) => one - other))
      yield* assertWhole(ids, STEPS, given.marks())
    }),
  ))

it("an outage of the server is no attempt at a task", () =>
  Effect.gen(function* () {
    const server = yield* ownServer()
    // One step takes longer than all outages.
    const given = yield* trial(server.url, STEPS, 90_000)
    yield* Effect.gen(function* () {
      yield* submitAll(1)
      yield* given.runner("one")
      yield* next(0, ["CommandDispatched"], 1)
      for (let outage = 1; outage <= 4; outage++) {
        const at = yield* head
        control(server.directory, "stop")
        // Longer than a session lives without a heartbeat.
        yield* Effect.sleep(6_000)
        control(server.directory, "start")
        yield* next(at, ["TaskResumed"], 1)
      }
      const claims = yield* all(["TasksClaimed"])
      expect(claims.map(({ payload }) => (payload.claims as ReadonlyArray<{ attempts: number }>)[0]?.attempts)).toEqual(
        [1, 1, 1, 1, 1],
      )
      expect(yield* all(["TaskPoisoned"])).toEqual([])
    }).pipe(Effect.provide(given.layer))
  }).pipe(Effect.scoped, Effect.runPromise))
