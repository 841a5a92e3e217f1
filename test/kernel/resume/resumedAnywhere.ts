/** What becomes of a task whose kernel is stopped before one of its appends, and which the next kernel resumes. */
import { Effect, Fiber, Option } from "effect"
import { expect } from "vitest"
import { EventLog } from "../../../src/events/log/EventLog.ts"
import { is } from "../../../src/events/vocabulary/Vocabulary.ts"
import * as Confirmations from "../../../src/kernel/gate/Confirmations.ts"
import { Kernel } from "../../../src/kernel/Kernel.ts"
import { eventsOf, typesOf } from "../../agents/given.ts"
import { temporaryDirectory } from "../../temporary.ts"
import { about, seen } from "../given.ts"
import { loseLease } from "../lostLease.ts"
import { stoppingAt } from "../stopping.ts"
import { testKernel } from "../testKernel.ts"
import { agentOf, answering, commandsIn, counting, flawIn, gate } from "./given.ts"

const TASK = "published"

/** Someone who approves whatever is asked. */
const approving = Effect.gen(function* () {
  const people = yield* Confirmations.Confirmations
  const { payload } = yield* seen(about("ConfirmationRequested"))
  yield* people
    .decide(String(payload.confirmationId), { approved: true, by: "ada", channel: "program" })
    .pipe(Effect.catchTag("NotPending", () => Effect.void))
})

/** What becomes of a task whose kernel stops before its `count`th append, and which another kernel resumes. */
const resumedAfter = (count: number) =>
  Effect.gen(function* () {
    const directory = yield* temporaryDirectory
    const { executed, tools } = counting()
    const first = yield* stoppingAt((_, appends) => appends === count, { directory, gate, tools })
    const before = answering()
    const life = Effect.flatMap(first.start, ({ run }) =>
      run(
        Effect.gen(function* () {
          yield* Effect.forkScoped(approving)
          return yield* (yield* Kernel).tasks.run(agentOf(before.model), { id: TASK, goal: "publish" })
        }).pipe(Effect.scoped),
      ),
    ).pipe(Effect.scoped)
    const living = yield* Effect.fork(Effect.exit(life))
    const at = yield* Effect.raceFirst(Effect.option(first.stopped), Effect.as(Fiber.join(living), Option.none()))
    const after = answering()
    if (Option.isNone(at)) return undefined
    loseLease(first.log)
    const dispatchedBefore = [...executed]
    const second = yield* (yield* testKernel({ directory, gate, tools, onOpenTasks: "resume" })).start
    const found = yield* second.run(
      Effect.gen(function* () {
        const kernel = yield* Kernel
        const unfinished = (yield* kernel.tasks.unfinished).map(({ taskId }) => taskId)
        yield* Effect.forkScoped(approving)
        const audit = unfinished.length === 0 ? undefined : yield* kernel.tasks.resume(TASK, agentOf(after.model))
        const replayed = audit === undefined ? undefined : yield* kernel.replay(TASK, agentOf(answering([]).model))
        return { unfinished, audit, replayed, events: yield* eventsOf(TASK), log: yield* EventLog }
      }).pipe(Effect.scoped),
    )
    const verified = yield* found.log.verify
    yield* first.goOn
    yield* Fiber.join(living)
    const stoppedAt = at.value.events.map(({ type }) => type).join("+")
    return { ...found, stoppedAt, verified, executed, dispatchedBefore, before: before.requests, after: after.requests }
  }).pipe(Effect.scoped)

/**
 * Stops a task's kernel before its first append of those that are named, then before each `step`th one after it, in a log of its own each:
 * the next kernel resumes the task to its end. Answers what the kernels were about to append.
 */
export const resumedAnywhere = (first: number, step: number) =>
  Effect.gen(function* () {
    const places: Array<string> = []
    for (let count = first; ; count += step) {
      const found = yield* resumedAfter(count)
      if (found === undefined) break
      const where = `before append ${count}, ${found.stoppedAt}`
      places.push(found.stoppedAt)
      if (found.unfinished.length === 0) continue
      const types = typesOf(found.events)
      expect(found.audit?.outcome, where).toBe("achieved")
      expect(found.verified._tag, where).toBe("Intact")
      expect(found.replayed, where).toMatchObject({ verdict: "identical", complete: true })
      expect(
        types.filter((type) => type === "TaskClosed"),
        where,
      ).toHaveLength(1)
      expect(
        types.filter((type) => type === "TaskResumed"),
        where,
      ).toHaveLength(1)
      // Each call of the model is one command with one end.
      const commands = commandsIn(found.events)
      expect(commands.map(({ callId }) => callId).sort(), where).toEqual(["a1", "a2", "b1", "b2"])
      for (const { ends, dispatches, actuator } of commands) {
        expect(ends, where).toHaveLength(1)
        expect(dispatches, where).toBeLessThanOrEqual(actuator === "program/look" ? 2 : 1)
      }
      const notIdempotent = found.executed.filter((one) => !one.startsWith("look"))
      expect(new Set(notIdempotent).size, where).toBe(notIdempotent.length)
      // Each turn was answered once, and what the model was told is a conversation.
      expect(
        types.filter((type) => type === "ModelResponded"),
        where,
      ).toHaveLength(3)
      expect(
        types.filter((type) => type === "DecisionMade"),
        where,
      ).toHaveLength(3)
      expect(
        types.filter((type) => type === "GuideApplied"),
        where,
      ).toHaveLength(1)
      for (const { messages } of [...found.before, ...found.after]) expect(flawIn(messages), where).toBeUndefined()
      const approvals = found.events.filter((event) => is(event, "ConfirmationDecided"))
      expect(approvals, where).toHaveLength(1)
    }
    return places
  })
