/** Conformance tests of the lease: one holder at a time, which cannot append after losing it. */

import { Context, Duration, Effect, Either, Exit, Fiber, Scope, TestContext } from "effect"
import { expect } from "vitest"
import { type AppendError, EventLog, Exact, type VersionConflict } from "../../log/EventLog.ts"
import { type HeldLease, Lease } from "../../log/Lease.ts"
import { isEventId } from "../../vocabulary/Event.ts"
import { note, readAll, textOf } from "../given.ts"
import { type Backend, type BackendTest, type Elsewhere, newLog, twoOpen } from "./backend.ts"

/** Concurrent kernels per connection. */
const ASKING = 10

/** Appends in progress during a takeover. */
const UNDER_WAY = 40

/** Time for a heartbeat to reach another connection, in milliseconds. */
const BEATS_WITHIN_MS = 10_000

type Services = EventLog | Lease

export const leasing = <At>(test: BackendTest, backend: Backend<Services, At>): void => {
  test(
    "of many kernels that ask at once, over two connections, one gets the lease, and all others learn which",
    Effect.gen(function* () {
      const { one, two } = yield* twoOpen(backend)
      const asking = [one, two].flatMap((context) =>
        Array.from({ length: ASKING }, () => Effect.either(Context.get(context, Lease).acquire("same"))),
      )
      const answers = yield* Effect.all(asking, { concurrency: "unbounded" })
      expect(answers.filter(Either.isRight)).toHaveLength(1)
      const refusals = answers.filter(Either.isLeft).map(({ left }) => left)
      expect(refusals.map(({ _tag }) => _tag)).toEqual(refusals.map(() => "LeaseHeld"))
      for (const context of [one, two]) {
        expect(yield* Context.get(context, Lease).holder).toMatchObject({ owner: "same" })
      }
    }),
  )

  test(
    "a kernel that is refused learns who has the lease, and its end changes nothing",
    Effect.gen(function* () {
      const { one, two } = yield* twoOpen(backend)
      const first = yield* Context.get(one, Lease).acquire("first # of two")
      const refused = yield* Effect.flip(Effect.scoped(Context.get(two, Lease).acquire("second")))
      expect(refused).toMatchObject({ _tag: "LeaseHeld", holder: { owner: "first # of two" } })
      expect(refused.message).toContain('found "first # of two"')
      yield* first.check
      yield* first.held
      expect(yield* Context.get(two, Lease).holder).toMatchObject({ owner: "first # of two" })
      expect(yield* Effect.flip(Effect.scoped(Context.get(one, Lease).acquire("third")))).toMatchObject({
        _tag: "LeaseHeld",
      })
    }),
  )

  test(
    "a released lease is free at once, without a takeover, and each acquisition has an identity of its own",
    Effect.gen(function* () {
      const { one, two } = yield* twoOpen(backend)
      expect(yield* Context.get(one, Lease).holder).toBeUndefined()
      expect(yield* Context.get(one, Lease).silent).toBeUndefined()
      // The same owner, of the same process on the same machine.
      const identities: Array<string> = []
      for (const context of [one, two, one]) {
        const lease = yield* Effect.scoped(
          Effect.tap(Context.get(context, Lease).acquire("kernel"), ({ check }) => check),
        )
        expect(lease).toMatchObject({ takenFrom: null, lostBy: null })
        identities.push(lease.identity)
        expect(yield* Context.get(two, Lease).holder).toBeUndefined()
      }
      expect(identities.every(isEventId)).toBe(true)
      expect(new Set(identities).size).toBe(3)
    }),
  )

  test(
    "an append under way when another kernel takes over is refused over any connection: nothing is stored after the takeover",
    Effect.gen(function* () {
      const { one, two } = yield* twoOpen(backend)
      const [log, other] = [Context.get(one, EventLog), Context.get(two, EventLog)]
      yield* log.append(note("kernel", ["first"]))
      const fence = { stream: "kernel", version: 1 }
      const append = (text: string) => Effect.either(log.append({ ...note(`s${text}`, [text]), fence }))
      const underWay = yield* Effect.fork(
        Effect.forEach(
          Array.from({ length: UNDER_WAY }, (_, index) => String(index)),
          (text) => Effect.yieldNow().pipe(Effect.zipRight(append(text))),
          { concurrency: 4 },
        ),
      )
      const taken = yield* other.append({ ...note("kernel", ["second"]), expected: Exact(1) })
      const answers = yield* Fiber.join(underWay)
      expect(yield* append("late")).toMatchObject({
        left: { _tag: "VersionConflict", stream: "kernel", actual: 2 },
      })
      const late = answers.filter(Either.isLeft).map(({ left }) => left)
      expect(late.every(isOfFence)).toBe(true)
      const events = yield* readAll(other)
      const stored = events.filter(({ stream }) => stream !== "kernel")
      expect(stored.map(textOf).toSorted()).toEqual(
        answers.flatMap((answer) => (Either.isRight(answer) ? answer.right.events.map(textOf) : [])).toSorted(),
      )
      expect(stored.every(({ position }) => position < taken.position)).toBe(true)
    }),
  )

  if (backend.crash !== undefined) crashing(test, { ...backend, crash: backend.crash })
  if (backend.elsewhere !== undefined) silence(test, { ...backend, elsewhere: backend.elsewhere })
}

const isOfFence = (error: AppendError): error is VersionConflict =>
  error._tag === "VersionConflict" && error.stream === "kernel"

/** Takes over a dead kernel's lease. A heartbeat on its way may delay it. */
const takeOver = (context: Context.Context<Lease>) =>
  Effect.retry(Context.get(context, Lease).acquire("same"), { times: 3 })

/** Holders that died without releasing the lease. */
const crashing = <At>(
  test: BackendTest,
  backend: Backend<Services, At> & { readonly crash: (at: At) => Effect.Effect<void, unknown> },
): void => {
  test(
    "the lease of a dead kernel goes to one kernel that asks, which learns whose it was, although all share a name and a process",
    Effect.gen(function* () {
      const { at, one, two } = yield* twoOpen(backend)
      const dead = yield* Context.get(one, Lease).acquire("same")
      yield* backend.crash(at)
      const asking = Array.from({ length: ASKING }, () => Effect.either(takeOver(two)))
      const answers = yield* Effect.all(asking, { concurrency: "unbounded" })
      const [taken, ...others] = answers.filter(Either.isRight).map(({ right }) => right)
      expect(others).toEqual([])
      expect(taken).toMatchObject({ takenFrom: "same", lostBy: dead.identity })
      expect(taken?.identity).not.toBe(dead.identity)
    }),
  )

  test(
    "a kernel that lost the lease learns it for good, and its end takes nothing from the new holder",
    Effect.gen(function* () {
      const { at, one, two } = yield* twoOpen(backend)
      const life = yield* Scope.make()
      const zombie = yield* Scope.extend(Context.get(one, Lease).acquire("same"), life)
      yield* zombie.check
      yield* backend.crash(at)
      const taken = yield* takeOver(two)
      expect(yield* Effect.flip(zombie.check)).toMatchObject({ _tag: "LeaseLost", owner: "same" })
      expect(yield* Effect.flip(zombie.held)).toMatchObject({ _tag: "LeaseLost" })
      yield* Scope.close(life, Exit.void)
      yield* taken.check
      expect(yield* Effect.flip(Context.get(one, Lease).acquire("third"))).toMatchObject({ _tag: "LeaseHeld" })
      expect(yield* Effect.flip(zombie.check)).toMatchObject({ _tag: "LeaseLost" })
    }),
  )

  test(
    "a holder sends heartbeats that others see over another connection",
    Effect.gen(function* () {
      const { one, two } = yield* twoOpen(backend)
      yield* Context.get(one, Lease).acquire("first")
      const { holder } = Context.get(two, Lease)
      const before = yield* holder
      yield* holder.pipe(
        Effect.delay("100 millis"),
        Effect.repeat({ while: (now) => now !== undefined && now.heartbeatAt <= (before?.heartbeatAt ?? 0) }),
        Effect.timeout(BEATS_WITHIN_MS),
      )
      expect(yield* holder).toMatchObject({ owner: "first", acquiredAt: before?.acquiredAt })
    }),
    BEATS_WITHIN_MS * 3,
  )
}

/** A holder known only by its heartbeats. Time passes as the backend says. */
const silence = <At>(
  test: BackendTest,
  backend: Backend<Services, At> & { readonly elsewhere: (at: At) => Elsewhere },
): void => {
  /** Asks for the lease of a kernel elsewhere with a given wall clock, and returns the outcome. */
  const asked = (
    clock: number,
    body: (
      elsewhere: Elsewhere,
      asking: Fiber.RuntimeFiber<Either.Either<HeldLease, unknown>>,
    ) => Effect.Effect<void, unknown>,
  ) =>
    Effect.gen(function* () {
      const { at, open } = yield* newLog(backend)
      const context = yield* open
      const elsewhere = backend.elsewhere(at)
      yield* elsewhere.hold(clock)
      const asking = yield* Effect.fork(Effect.either(Context.get(context, Lease).acquire("here")))
      yield* body(elsewhere, asking)
    }).pipe(Effect.provide(TestContext.TestContext), Effect.scoped)

  const passing = (elsewhere: Elsewhere, ms: number) =>
    Effect.gen(function* () {
      for (let passed = 0; passed < ms; passed += 100) yield* elsewhere.pass(100)
    })

  const clocks = [
    ["in 1970", 0],
    ["far in the future", Duration.toMillis("4000 days") + 1.9e12],
  ] as const
  for (const [when, clock] of clocks) {
    test(
      `a silent kernel elsewhere, whose clock is ${when}, keeps the lease for a while, and then loses it`,
      asked(clock, (elsewhere, asking) =>
        Effect.gen(function* () {
          yield* passing(elsewhere, elsewhere.shortestMs - 200)
          expect(yield* Fiber.poll(asking)).toMatchObject({ _tag: "None" })
          yield* passing(elsewhere, elsewhere.longestMs - elsewhere.shortestMs + 400)
          expect(yield* Fiber.join(asking)).toMatchObject({ right: { takenFrom: "elsewhere" } })
        }),
      ),
      60_000,
    )

    test(
      `a kernel elsewhere that sends a heartbeat keeps the lease, though its clock is ${when}`,
      asked(clock, (elsewhere, asking) =>
        Effect.gen(function* () {
          yield* passing(elsewhere, elsewhere.shortestMs - 200)
          yield* elsewhere.beat
          yield* passing(elsewhere, elsewhere.shortestMs - 200)
          expect(yield* Fiber.join(asking)).toMatchObject({
            left: { _tag: "LeaseHeld", holder: { owner: "elsewhere" } },
          })
        }),
      ),
      60_000,
    )
  }

  test(
    "a lease that is released while a kernel waits for it is acquired without a takeover",
    asked(0, (elsewhere, asking) =>
      Effect.gen(function* () {
        yield* passing(elsewhere, 1000)
        yield* elsewhere.release
        yield* passing(elsewhere, 1000)
        expect(yield* Fiber.join(asking)).toMatchObject({ right: { takenFrom: null, lostBy: null } })
      }),
    ),
    60_000,
  )
}
