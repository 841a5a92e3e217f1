import { Effect, type Scope } from "effect"
import { describe, expect, it } from "vitest"
import { EventLog } from "../../src/events/log/EventLog.ts"
import * as Tenants from "../../src/events/postgres/tenants.ts"
import { TaskQueue } from "../../src/kernel/queue/TaskQueue.ts"
import { control, ownServer } from "./cluster.ts"
import { all, assertWhole, head, killRunners, next, submitAll, trial } from "./runnerTrial.ts"
import { schema, sql, urlOf } from "./server.ts"

const STEPS = 6

/** A test on a log of its own. */
const on = <A, E>(
  test: (
    given: Effect.Effect.Success<ReturnType<typeof trial>>,
  ) => Effect.Effect<A, E, EventLog | TaskQueue | Scope.Scope>,
  url: Effect.Effect<string, never, Scope.Scope> = Effect.flatMap(schema, (name) => Effect.promise(() => urlOf(name))),
) =>
  Effect.runPromise(
    Effect.scoped(
      Effect.gen(function* () {
        const given = yield* trial(yield* url, STEPS)
        return yield* Effect.provide(test(given), given.layer)
      }),
    ),
  )

describe("runners on a server", () => {
  it(
    "continue the tasks of a killed runner, and repeat none of its commands",
    () =>
      on((given) =>
        Effect.gen(function* () {
          const ids = yield* killRunners(given, 10)
          const { resumed } = yield* assertWhole(ids, STEPS, given.marks())
          // Most victims left open tasks behind.
          expect(resumed).toBeGreaterThanOrEqual(5)
          expect((yield* all(["RunnerLost"])).length).toBe(10)
          expect((yield* all(["TaskPoisoned"])).length).toBe(0)
        }),
      ),
    TEN_STARTS_MS,
  )

  it("take the tasks of a frozen runner over, which writes nothing more when it wakes", () =>
    on((given) =>
      Effect.gen(function* () {
        const ids = yield* submitAll(4)
        const frozen = yield* given.runner("frozen")
        const [claimed] = yield* next(0, ["TasksClaimed"], 1)
        yield* next(claimed?.position ?? 0, ["CommandDispatched"], 3)
        yield* frozen.signal("SIGSTOP")
        const at = yield* head
        yield* given.runner("other")
        const [lost] = yield* next(at, ["RunnerLost"], 1)
        yield* next(at, ["TaskClaimLost"], 4)
        yield* frozen.signal("SIGCONT")
        // It begins a new session, once it knows.
        yield* next(lost?.position ?? 0, ["RunnerStarted"], 1, ({ payload }) => payload.runner === "frozen")
        yield* next(0, ["TaskClosed"], 4)
        yield* assertWhole(ids, STEPS, given.marks())
        const session = claimed?.payload.session
        const own = (yield* all(["TasksClaimed", "TaskReleased", "KernelStopped", "RunnerStopped"])).filter(
          ({ payload, position }) => payload.session === session && position > at,
        )
        expect(own).toEqual([])
      }),
    ))

  it("keep limits exactly, though several claim at a time", () =>
    on((given) =>
      Effect.gen(function* () {
        yield* (yield* TaskQueue).limit({ agents: { desk: 3 }, by: "ada" })
        const ids = yield* submitAll(24)
        for (const name of ["a", "b", "c", "d"]) yield* given.runner(name)
        yield* next(0, ["TaskClosed"], 24)
        const events = yield* all(["TasksClaimed", "TaskReleased", "TaskClosed"])
        let [running, most] = [0, 0]
        for (const { type, payload } of events) {
          running += type === "TasksClaimed" ? (payload.claims as ReadonlyArray<unknown>).length : -1
          most = Math.max(most, running)
        }
        expect(most).toBe(3)
        yield* assertWhole(ids, STEPS, given.marks())
      }),
    ))

  it("poison a task that ends its runner three times, and leave the others alone", () =>
    on((given) =>
      Effect.gen(function* () {
        const queue = yield* TaskQueue
        yield* queue.submit({ id: "killer", agent: "desk", goal: "kill" })
        for (let run = 0; run < 3; run++) yield* Effect.flatMap(given.runner(`r${run}`), ({ ended }) => ended)
        const ids = yield* submitAll(3)
        yield* given.runner("stays")
        const [poisoned] = yield* next(0, ["TaskPoisoned"], 1)
        expect(poisoned?.payload).toEqual({
          task: "killer",
          attempts: 3,
          reason: "its runner ended during each of 3 attempts",
        })
        yield* next(0, ["TaskClosed"], 3)
        yield* assertWhole(ids, STEPS, given.marks())
        expect(Object.keys(yield* queue.queued)).toEqual(["killer"])
      }),
    ))

  it("drain at the ends of steps, and others continue", () =>
    on((given) =>
      Effect.gen(function* () {
        const ids = yield* submitAll(4)
        const drained = yield* given.runner("drained")
        const [claimed] = yield* next(0, ["TasksClaimed"], 1)
        yield* next(claimed?.position ?? 0, ["CommandDispatched"], 3)
        yield* (yield* TaskQueue).drain("drained", { by: "ada" })
        const { code } = yield* drained.ended
        expect(code).toBe(0)
        expect((yield* all(["TaskReleased"])).map(({ payload }) => payload.reason)).toContain("its runner stops")
        yield* given.runner("other")
        yield* next(0, ["TaskClosed"], 4)
        const { unknown } = yield* assertWhole(ids, STEPS, given.marks())
        expect(unknown).toBe(0)
      }),
    ))

  it("store the log's snapshots by one of them, and by the next one after its end", () =>
    Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          const name = yield* schema
          const url = yield* Effect.promise(() => urlOf(name))
          const given = yield* trial(url, STEPS)
          const duties = Effect.flatMap(TaskQueue, (queue) =>
            Effect.map(queue.runners, (runners) => runners.map(({ runner, duties }) => [runner, ...duties])),
          )
          yield* Effect.gen(function* () {
            const [one, two] = yield* writers(url, [`${name}_one`, `${name}_two`])
            const first = yield* given.runner("first", 4, { log: one })
            yield* given.runner("second", 4, { log: two })
            expect(yield* duties).toEqual([["first", "snapshots"], ["second"]])
            const stored = yield* snapshotsByRole(name)
            yield* notes(10_000)
            yield* stored([[`${name}_one`]])
            const at = yield* head
            yield* first.kill
            yield* next(at, ["RunnerLost"], 1)
            expect(yield* duties).toEqual([["second", "snapshots"]])
            yield* notes(10_000)
            yield* stored([[`${name}_one`], [`${name}_two`]])
          }).pipe(Effect.provide(given.layer))
        }),
      ),
    ))

  it("go on after the server was restarted", () =>
    on(
      (given) =>
        Effect.gen(function* () {
          const ids = yield* submitAll(8)
          yield* given.runner("one")
          yield* given.runner("two")
          yield* next(0, ["CommandDispatched"], 5)
          yield* Effect.sync(() => control(server?.directory ?? "", "restart"))
          yield* next(0, ["TaskClosed"], 8)
          yield* assertWhole(ids, STEPS, given.marks())
        }),
      Effect.map(
        Effect.tap(ownServer(), (started) =>
          Effect.sync(() => {
            server = started
          }),
        ),
        ({ url }) => url,
      ),
    ))
})

/** Makes roles that may write to a log. Answers the log's URLs for them. */
const writers = (url: string, roles: readonly [string, string]) =>
  Effect.gen(function* () {
    yield* Effect.addFinalizer(() =>
      Effect.promise(async () => {
        for (const role of roles) await sql(`DROP OWNED BY ${role}; DROP ROLE ${role}`)
      }),
    )
    const made = yield* Tenants.create(
      url,
      roles.map((role) => ({ role, access: "writer" })),
    )
    const [one = "", two = ""] = made.roles.map(({ role, password }) => {
      const own = new URL(url)
      own.username = role
      own.password = password ?? ""
      return own.href
    })
    return [one, two] as const
  })

/** Notes from now on which roles store snapshots. Answers a function that waits until they are certain ones. */
const snapshotsByRole = (schema: string) =>
  Effect.as(
    Effect.promise(() =>
      sql(`CREATE TABLE ${schema}.stored (role text);
        CREATE FUNCTION ${schema}.note_role() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS
          $$ BEGIN INSERT INTO ${schema}.stored VALUES (session_user); RETURN NULL; END $$;
        CREATE TRIGGER note_role AFTER INSERT ON ${schema}.snapshots FOR EACH ROW EXECUTE FUNCTION ${schema}.note_role()`),
    ),
    (roles: ReadonlyArray<ReadonlyArray<string>>) =>
      Effect.promise(() =>
        expect
          .poll(() => sql(`SELECT DISTINCT role FROM ${schema}.stored ORDER BY role`), { timeout: 60_000 })
          .toEqual(roles),
      ),
  )

const notes = (count: number) =>
  Effect.flatMap(EventLog, (log) =>
    log.append({
      stream: "notes",
      actor: "test",
      events: Array.from({ length: count }, () => ({ type: "NoteAdded", payload: { about: "", text: "n" } })),
    }),
  )

/** Each victim is a process of its own. */
const TEN_STARTS_MS = 300_000

let server: { readonly directory: string } | undefined
