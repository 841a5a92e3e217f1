/** What every way of owning queued tasks promises. A backend names how its sessions begin and die. */
import { Context, Deferred, Effect, Either, Exit, Layer, Option, Ref, Scope } from "effect"
import { describe, expect, it } from "vitest"
import { EventLog } from "../../../src/events/log/EventLog.ts"
import { Lease } from "../../../src/events/log/Lease.ts"
import type { Presence } from "../../../src/events/log/Presence.ts"
import * as RunnerSessions from "../../../src/events/log/RunnerSessions.ts"
import { newId } from "../../../src/events/vocabulary/Event.ts"
import * as ClaimFence from "../../../src/kernel/queue/ClaimFence.ts"
import * as Delivery from "../../../src/kernel/queue/Delivery.ts"
import * as Ownership from "../../../src/kernel/queue/Ownership.ts"
import * as Registration from "../../../src/kernel/queue/Registration.ts"
import * as TaskQueue from "../../../src/kernel/queue/TaskQueue.ts"
import * as Projector from "../../../src/projections/projector/Projector.ts"

/** A log whose tasks several sessions may own. */
export interface OwnershipBackend {
  /** A new log. */
  readonly place: Effect.Effect<string, never, Scope.Scope>
  /** Opens it, as another process would. */
  readonly open: (place: string) => Layer.Layer<EventLog | Lease | Presence, unknown>
  /** Ends the heartbeats of all sessions, as if their processes had died. */
  readonly crash: (place: string) => Effect.Effect<void>
  /** An engine that delivers the tasks to one session. Default: the log's own order. */
  readonly delivery?: (place: string) => Effect.Effect<Delivery.Delivery, never, Scope.Scope>
}

/** A runner's session, opened as by a process of its own. */
export const sessionOn = (
  backend: OwnershipBackend,
  place: string,
  name: string,
  given: Partial<Ownership.Runner> = {},
  after?: string,
) =>
  Effect.gen(function* () {
    const context = yield* Layer.build(Layer.provideMerge(Projector.layer, Layer.orDie(backend.open(place))))
    return yield* Effect.gen(function* () {
      const log = yield* EventLog
      const projector = yield* Projector.Projector
      const several = yield* Effect.serviceOption(RunnerSessions.RunnerSessions)
      const sessions = Option.getOrElse(several, () => RunnerSessions.ofLease(Context.get(context, Lease)))
      const session = yield* sessions.join(name)
      const turns = yield* Ref.make<ReadonlyMap<string, number>>(new Map())
      const runner = { name, slots: 4, agents: ["desk"], labels: [], poisonAfter: 3, ...given }
      const { identity } = session.lease
      yield* Registration.register(log, runner, identity, after)
      const own = ClaimFence.ofSession(log, name, identity)
      const delivery = yield* backend.delivery?.(place) ?? Effect.succeed(undefined)
      const delivering = delivery === undefined ? undefined : Delivery.make(delivery)
      const made = Ownership.make(own, projector, sessions, session, runner, delivering)
      const ownership: Ownership.Ownership = {
        ...made,
        release: (claim, how) =>
          Effect.tap(made.release(claim, how), () =>
            Effect.flatMap(Ref.get(turns), (known) => {
              const turn = known.get(claim.claim)
              return delivering === undefined || turn === undefined
                ? Effect.void
                : delivering.settle({ task: claim.task, turn }, "released")
            }),
          ),
      }
      const refused = yield* Deferred.make<string>()
      return {
        log,
        own,
        identity,
        ownership,
        refused,
        queue: Context.get(
          yield* Layer.build(Layer.provide(TaskQueue.layer, Layer.succeedContext(context))),
          TaskQueue.TaskQueue,
        ),
        claim: (free = 4) =>
          ownership.claim(free).pipe(
            Effect.tap(({ claimed }) =>
              Ref.update(
                turns,
                (known) => new Map([...known, ...claimed.map((one) => [one.claim, one.turn] as const)]),
              ),
            ),
            Effect.provide(context),
          ),
        fenced: (claim: ClaimFence.Claim) =>
          ClaimFence.ofClaim(own, name, claim, Effect.asVoid(Deferred.succeed(refused, claim.task))),
      }
    }).pipe(Effect.provide(context))
  })

const work = (log: EventLog.Service, task: string, goal = "x") =>
  log.append({
    stream: `task/${task}`,
    taskId: task,
    actor: "kernel",
    events: [{ type: "TaskOpened", payload: { goal, measures: [], agent: "desk@1" } }],
  })

export const ownershipSuite = (name: string, backend: OwnershipBackend, isShared: boolean) => {
  const run = <A, E>(test: (place: string) => Effect.Effect<A, E, Scope.Scope>) =>
    Effect.runPromise(Effect.scoped(Effect.flatMap(backend.place, test)))

  describe(`ownership: ${name}`, () => {
    it("claims by priority, then by age, and only for suitable runners", () =>
      run((place) =>
        Effect.gen(function* () {
          const one = yield* sessionOn(backend, place, "one", { labels: ["gpu"] })
          for (const [id, more] of [
            ["first", {}],
            ["second", {}],
            ["urgent", { priority: 9 }],
            ["other", { agent: "nobody" }],
            ["labelled", { labels: ["gpu"] }],
            ["elsewhere", { labels: ["tpu"] }],
            ["later", { notBefore: Date.now() + 3_600_000 }],
          ] as const)
            yield* one.queue.submit({ id, agent: "desk", goal: "x", ...more })
          const { claimed, dueInMs } = yield* one.claim(3)
          expect(claimed.map(({ task }) => task)).toEqual(["urgent", "first", "second"])
          expect(dueInMs).toBeGreaterThan(3_000_000)
          expect((yield* one.claim(9)).claimed.map(({ task }) => task)).toEqual(["labelled"])
          expect((yield* one.claim(9)).claimed).toEqual([])
        }),
      ))

    it("refuses appends under a claim that was given back, and writes nothing", () =>
      run((place) =>
        Effect.gen(function* () {
          const one = yield* sessionOn(backend, place, "one")
          yield* one.queue.submit({ id: "t", agent: "desk", goal: "x" })
          const [first] = (yield* one.claim()).claimed
          if (first === undefined) throw new Error("nothing was claimed")
          const fenced = one.fenced(first)
          yield* work(fenced, "t")
          expect(yield* one.ownership.release(first, { reason: "test" })).toBe(true)
          expect(yield* one.ownership.release(first, { reason: "test" })).toBe(false)
          const { position } = yield* one.log.head
          const late = yield* Effect.either(
            fenced.append({
              stream: "task/t",
              taskId: "t",
              actor: "kernel",
              events: [{ type: "TaskClosed", payload: { outcome: "achieved" } }],
            }),
          )
          expect(Either.isLeft(late) && late.left).toMatchObject({ _tag: "LeaseLost", owner: "one", claimed: "t" })
          expect((yield* one.log.head).position).toBe(position)
          expect(yield* Deferred.await(one.refused)).toBe("t")
          const [second] = (yield* one.claim()).claimed
          expect(second).toMatchObject({ task: "t", attempts: 1 })
          expect(second?.claim).not.toBe(first.claim)
          const claims = yield* one.log.readPage({ types: ["TaskClaimed"] }, 10)
          expect(claims.map(({ payload }) => payload.epoch)).toEqual([1, 2])
        }),
      ))

    it("refuses appends under a claim that the log does not have, as after a server lost its last commits", () =>
      run((place) =>
        Effect.gen(function* () {
          const one = yield* sessionOn(backend, place, "one")
          yield* one.queue.submit({ id: "t", agent: "desk", goal: "x" })
          yield* one.claim()
          const { position } = yield* one.log.head
          const unknown = one.fenced({ task: "t", claim: "0198a0b1-0000-7000-8000-00000000abcd" })
          const late = yield* Effect.either(work(unknown, "t"))
          expect(Either.isLeft(late) && late.left).toMatchObject({ _tag: "LeaseLost", claimed: "t" })
          expect((yield* one.log.head).position).toBe(position)
        }),
      ))

    it("takes tasks of a dead session over, and shuts that session out", () =>
      run((place) =>
        Effect.gen(function* () {
          const scope = yield* Scope.make()
          const one = yield* Scope.extend(sessionOn(backend, place, "one"), scope)
          yield* one.queue.submit({ id: "t", agent: "desk", goal: "x" })
          const [first] = (yield* one.claim()).claimed
          if (first === undefined) throw new Error("nothing was claimed")
          yield* backend.crash(place)
          // On a file, a dead holder's lease is free; a session that lives would keep it.
          if (!isShared) yield* Scope.close(scope, Exit.void)
          const two = yield* sessionOn(backend, place, "two")
          const [taken] = (yield* two.claim()).claimed
          expect(taken).toMatchObject({ task: "t", attempts: 2, takenFrom: "one" })
          yield* work(two.fenced(taken ?? first), "t")
          if (isShared) {
            const { position } = yield* two.log.head
            const late = yield* Effect.either(work(one.fenced(first), "t"))
            expect(Either.isLeft(late) && late.left).toMatchObject({ _tag: "LeaseLost", owner: "one", claimed: "t" })
            const claiming = yield* Effect.either(one.claim())
            const submitted = yield* two.queue.submit({ agent: "desk", goal: "x" })
            const again = yield* Effect.either(one.claim())
            expect(Either.isRight(claiming) ? claiming.right.claimed : []).toEqual([])
            expect(Either.isLeft(again) && again.left).toMatchObject({ _tag: "LeaseLost", owner: "one" })
            expect(submitted.position).toBe(position + 1)
            expect((yield* two.log.head).position).toBe(submitted.position)
            yield* Scope.close(scope, Exit.void)
          }
          expect(Object.values(yield* Effect.map(two.ownership.queue, ({ runners }) => runners))).toMatchObject([
            { runner: "two" },
          ])
        }),
      ))

    it("poisons a task after three attempts without progress, and lets people give it back", () =>
      run((place) =>
        Effect.gen(function* () {
          const one = yield* sessionOn(backend, place, "one")
          yield* one.queue.submit({ id: "t", agent: "desk", goal: "x" })
          for (const attempts of [1, 2, 3]) {
            const [claimed] = (yield* one.claim()).claimed
            expect(claimed).toMatchObject({ task: "t", attempts })
            if (claimed !== undefined) yield* one.ownership.release(claimed, { reason: "no model", failedForMs: 0 })
          }
          expect((yield* one.claim()).claimed).toEqual([])
          const [poisoned] = yield* one.log.readPage({ types: ["TaskPoisoned"] }, 2)
          expect(poisoned?.payload).toEqual({ task: "t", attempts: 3, reason: "no model" })
          expect((yield* one.claim()).claimed).toEqual([])
          yield* one.queue.requeue("t", { by: "ada" })
          expect((yield* one.claim()).claimed).toMatchObject([{ task: "t", attempts: 1 }])
          const refused = yield* Effect.either(one.queue.requeue("t", { by: "ada" }))
          expect(Either.isLeft(refused) && refused.left.message).toContain('one that runner "one" works on')
        }),
      ))

    it("shuts a dead session out of a task that was poisoned meanwhile, and given back", () =>
      run((place) =>
        Effect.gen(function* () {
          if (!isShared) return
          const one = yield* sessionOn(backend, place, "one", { poisonAfter: 1 })
          yield* one.queue.submit({ id: "t", agent: "desk", goal: "x" })
          const [first] = (yield* one.claim()).claimed
          if (first === undefined) throw new Error("nothing was claimed")
          yield* backend.crash(place)
          const two = yield* sessionOn(backend, place, "two", { poisonAfter: 1 })
          expect((yield* two.claim()).claimed).toEqual([])
          expect(yield* two.log.readPage({ types: ["TaskPoisoned"] }, 2)).toHaveLength(1)
          yield* two.queue.requeue("t", { by: "ada" })
          expect((yield* two.claim()).claimed).toMatchObject([{ task: "t" }])
          const { position } = yield* two.log.head
          const late = yield* Effect.either(work(one.fenced(first), "t"))
          expect(Either.isLeft(late) && late.left).toMatchObject({ _tag: "LeaseLost", owner: "one", claimed: "t" })
          expect((yield* two.log.head).position).toBe(position)
        }),
      ))

    it("does not blame a task that only waits for a person for the end of its runners", () =>
      run((place) =>
        Effect.gen(function* () {
          if (!isShared) return
          const first = yield* sessionOn(backend, place, "first", { poisonAfter: 2 })
          for (const id of ["waits", "works"]) yield* first.queue.submit({ id, agent: "desk", goal: "x" })
          const claims = (yield* first.claim()).claimed
          expect(claims.map(({ task, attempts }) => [task, attempts])).toEqual([
            ["waits", 1],
            ["works", 1],
          ])
          for (const claim of claims) yield* work(first.fenced(claim), claim.task)
          const confirmationId = newId()
          yield* first.log.append({
            stream: `confirmation/${confirmationId}`,
            taskId: "waits",
            actor: "kernel",
            events: [
              {
                type: "ConfirmationRequested",
                payload: {
                  confirmationId,
                  commandId: newId(),
                  argsDigest: "0".repeat(64),
                  shown: {},
                  expiresAt: Date.now() + 3_600_000,
                },
              },
            ],
          })
          const seen: Array<ReadonlyArray<unknown>> = []
          for (const name of ["second", "third"]) {
            yield* backend.crash(place)
            const next = yield* sessionOn(backend, place, name, { poisonAfter: 2 })
            seen.push((yield* next.claim()).claimed.map(({ task, attempts }) => [task, attempts]))
          }
          expect(seen).toEqual([
            [
              ["waits", 1],
              ["works", 2],
            ],
            [["waits", 1]],
          ])
        }),
      ))

    it("shuts a session out of its tasks as soon as it is lost, before anybody takes them over", () =>
      run((place) =>
        Effect.gen(function* () {
          if (!isShared) return
          const one = yield* sessionOn(backend, place, "one")
          yield* one.queue.submit({ id: "t", agent: "desk", goal: "x" })
          const [first] = (yield* one.claim()).claimed
          if (first === undefined) throw new Error("nothing was claimed")
          yield* backend.crash(place)
          // It declares the session lost, and has no agent for the task.
          const two = yield* sessionOn(backend, place, "two", { agents: ["other"] })
          expect((yield* two.claim()).claimed).toEqual([])
          const { position } = yield* two.log.head
          const late = yield* Effect.either(work(one.fenced(first), "t"))
          expect(Either.isLeft(late) && late.left).toMatchObject({ _tag: "LeaseLost", owner: "one", claimed: "t" })
          expect((yield* two.log.head).position).toBe(position)
          const three = yield* sessionOn(backend, place, "three")
          expect((yield* three.claim()).claimed).toMatchObject([{ task: "t", takenFrom: "one", attempts: 2 }])
          expect(yield* two.log.readPage({ types: ["TaskClaimLost"] }, 9)).toHaveLength(1)
        }),
      ))

    it("blames no task for a session that ended while its process went on, as in an outage of the server", () =>
      run((place) =>
        Effect.gen(function* () {
          if (!isShared) return
          const given = { poisonAfter: 2 }
          const other = yield* sessionOn(backend, place, "other", { agents: ["nobody"] })
          for (const id of ["kept", "taken"]) yield* other.queue.submit({ id, agent: "desk", goal: "x" })
          let session = yield* sessionOn(backend, place, "one", given)
          const seen: Array<ReadonlyArray<unknown>> = []
          const claim = (from: typeof session, free: number) =>
            Effect.map(from.claim(free), ({ claimed }) => {
              seen.push(claimed.map(({ task, attempts }) => [task, attempts]))
            })
          yield* claim(session, 2)
          for (const name of ["first", "second", "third"]) {
            const { identity } = session
            yield* backend.crash(place)
            if (name === "second") yield* claim(yield* sessionOn(backend, place, "takes", given), 1)
            session = yield* sessionOn(backend, place, "one", given, identity)
            yield* claim(session, 2)
          }
          const [kept, taken] = [
            ["kept", 1],
            ["taken", 1],
          ]
          // A claim counts the end of a session whose process may have died, until that process says that it lives. The
          // process of "takes" never does.
          expect(seen).toEqual([[kept, taken], [kept, taken], [["kept", 2]], [taken], [["kept", 2], taken]])
          expect(yield* other.log.readPage({ types: ["TaskPoisoned"] }, 1)).toEqual([])
        }),
      ))

    it("takes a cancelled task out of the queue, unless a runner has begun it", () =>
      run((place) =>
        Effect.gen(function* () {
          const one = yield* sessionOn(backend, place, "one")
          for (const id of ["waits", "claimed", "begun"])
            yield* one.queue.submit({ id, agent: "desk", goal: "x", priority: id === "waits" ? 0 : 1 })
          const claims = (yield* one.claim(2)).claimed
          const [claimed, begun] = claims
          if (claimed === undefined || begun === undefined) throw new Error("nothing was claimed")
          yield* work(one.fenced(begun), "begun")
          yield* one.queue.cancel("waits", { by: "ada", reason: "no need" })
          yield* one.queue.cancel("claimed", { by: "ada" })
          expect(Object.keys(yield* one.queue.queued)).toEqual(["begun"])
          const late = yield* Effect.either(work(one.fenced(claimed), "claimed"))
          expect(Either.isLeft(late) && late.left).toMatchObject({ _tag: "LeaseLost", claimed: "claimed" })
          for (const [id, found] of [
            ["begun", "one that a runner has begun"],
            ["waits", "one that was never submitted, or is closed"],
            ["unknown", "one that was never submitted, or is closed"],
          ] as const) {
            const refused = yield* Effect.flip(one.queue.cancel(id, { by: "ada" }))
            expect(refused.message).toBe(
              `Task ${id}: expected a queued task that no runner has begun, found ${found}. Nothing was recorded.`,
            )
          }
          const wrong = yield* Effect.flip(one.queue.cancel("begun", { by: "", reason: "x" }))
          expect(wrong._tag).toBe("InvalidOptions")
          expect((yield* one.claim()).claimed).toEqual([])
        }),
      ))

    it("claims, gives back and cancels past events of others on the queue's stream", () =>
      run((place) =>
        Effect.gen(function* () {
          const one = yield* sessionOn(backend, place, "one")
          const foreign = one.log.append({
            stream: "queue",
            actor: "human:eve",
            events: [{ type: "NoteAdded", payload: { about: "queue", text: "means nothing" } }],
          })
          for (const id of ["goes", "waits"]) yield* one.queue.submit({ id, agent: "desk", goal: "x" })
          yield* foreign
          const [claimed] = (yield* one.claim(1)).claimed
          if (claimed === undefined) throw new Error("nothing was claimed")
          yield* one.ownership.release(claimed, { reason: "no model", failedForMs: 60_000 })
          yield* foreign
          yield* one.queue.requeue("goes", { by: "ada" })
          yield* foreign
          yield* one.queue.cancel("waits", { by: "ada" })
          expect((yield* one.claim()).claimed).toMatchObject([{ task: "goes" }])
        }),
      ))

    it("claims a task whose submission another program put elsewhere, far from the next one", () =>
      run((place) =>
        Effect.gen(function* () {
          const one = yield* sessionOn(backend, place, "one")
          yield* one.queue.submit({ id: "near", agent: "desk", goal: "x" })
          const note = { type: "NoteAdded" as const, payload: { about: "s", text: "between" } }
          yield* one.log.append({ stream: "s", actor: "human:eve", events: Array.from({ length: 40 }, () => note) })
          yield* one.log.append({
            stream: "elsewhere",
            actor: "human:eve",
            events: [{ type: "TaskSubmitted", payload: { task: "far", agent: "desk", goal: "y", priority: 0 } }],
          })
          const { claimed } = yield* one.claim(2)
          expect(claimed.map(({ task, submission }) => [task, submission.goal])).toEqual([
            ["near", "x"],
            ["far", "y"],
          ])
        }),
      ))

    it("counts attempts from the last progress", () =>
      run((place) =>
        Effect.gen(function* () {
          const one = yield* sessionOn(backend, place, "one")
          yield* one.queue.submit({ id: "t", agent: "desk", goal: "x" })
          for (const attempts of [1, 1, 2]) {
            const [claimed] = (yield* one.claim()).claimed
            expect(claimed).toMatchObject({ attempts })
            if (claimed === undefined) continue
            if (attempts === 1 && claimed.attempts === 1 && !(yield* hasOutcome(one.log))) {
              yield* one.fenced(claimed).append({
                stream: "task/t",
                taskId: "t",
                actor: "plugin:p@1",
                events: [
                  {
                    type: "CommandFailed",
                    payload: { commandId: "c", error: { code: "e", message: "m" }, latencyMs: 1 },
                  },
                ],
              })
            }
            yield* one.ownership.release(claimed, { reason: "no model", failedForMs: 0 })
          }
        }),
      ))

    it("keeps limits of agents and plugins", () =>
      run((place) =>
        Effect.gen(function* () {
          const one = yield* sessionOn(backend, place, "one", { agents: ["desk", "other"] })
          yield* one.queue.limit({ agents: { desk: 1 }, plugins: { browser: 1 }, by: "ada" })
          for (const [id, agent, plugins] of [
            ["a", "desk", []],
            ["b", "desk", []],
            ["c", "other", ["browser"]],
            ["d", "other", ["browser", "other"]],
            ["e", "other", []],
          ] as const)
            yield* one.queue.submit({ id, agent, goal: "x", plugins })
          const first = (yield* one.claim(9)).claimed
          expect(first.map(({ task }) => task)).toEqual(["a", "c", "e"])
          const [a] = first
          if (a !== undefined) yield* one.ownership.release(a, { reason: "test", failedForMs: 3_600_000 })
          expect((yield* one.claim(9)).claimed.map(({ task }) => task)).toEqual(["b"])
          yield* one.queue.limit({ by: "ada" })
          expect((yield* one.claim(9)).claimed.map(({ task }) => task)).toEqual(["d"])
        }),
      ))
  })
}

const hasOutcome = (log: EventLog.Service) =>
  Effect.map(log.readPage({ types: ["CommandFailed"] }, 1), ({ length }) => length > 0)
