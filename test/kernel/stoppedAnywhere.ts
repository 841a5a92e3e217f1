/** What becomes of a kernel that is stopped before one of its appends while another one takes over. */
import * as fs from "node:fs"
import * as path from "node:path"
import { Cause, Effect, Fiber, Option, TestClock } from "effect"
import { expect } from "vitest"
import { EventLog } from "../../src/events/log/EventLog.ts"
import type { Event } from "../../src/events/vocabulary/Event.ts"
import * as Confirmations from "../../src/kernel/gate/Confirmations.ts"
import type { GateConfig } from "../../src/kernel/gate/Gate.ts"
import { Kernel } from "../../src/kernel/Kernel.ts"
import * as Registry from "../../src/kernel/registry/Registry.ts"
import { Projector } from "../../src/projections/projector/Projector.ts"
import * as Tasks from "../../src/projections/state/Tasks.ts"
import { temporaryDirectory } from "../temporary.ts"
import { trusted } from "../trusted.ts"
import { about, logged, type Sample, seen, writePlugin } from "./given.ts"
import { loseLease } from "./lostLease.ts"
import { stoppingAt } from "./stopping.ts"
import { testKernel } from "./testKernel.ts"

const room: Sample = {
  name: "room",
  environment: true,
  sensors: [{ name: "bell" }, { name: "dark" }, { name: "slow", priority: 9 }, { name: "tick", interval: 300 }],
  actuators: [{ name: "ring" }, { name: "fail" }],
  entry: `
    let [rings, asked] = [0, 0]
    export default {
      environment: { reset: () => undefined, state: () => ({ rings }) },
      sensors: {
        bell: () => "silent",
        dark: () => { throw new Error("no light") },
        tick: () => "tick",
        slow: (ctx) => { if (asked++ === 0) return 1; ctx.log("asked again"); return new Promise(() => {}) },
      },
      actuators: {
        ring: async (ctx) => { rings++; await ctx.emit("bell", "ding"); return rings },
        fail: () => { throw new Error("it is stuck") },
      },
    }`,
}

export const gate: GateConfig = {
  default: "allow",
  rules: [{ name: "ask", actuator: "room/fail", decision: "confirm" }],
}

/** A log whose registry has the room. */
export const prepared = Effect.gen(function* () {
  const directory = yield* temporaryDirectory
  const source = writePlugin(path.join(directory, "room"), room)
  yield* Effect.gen(function* () {
    const { run } = yield* (yield* testKernel({ directory })).start
    yield* run(Effect.flatMap(Registry.Registry, (registry) => registry.import(source)))
  }).pipe(Effect.scoped)
  return directory
})

/** Waits for an event, as long as the kernel is not stopped. */
const unlessStopped = <E, R>(goneOn: Effect.Effect<void>, event: Effect.Effect<Event, E, R>) =>
  Effect.raceFirst(Effect.asVoid(event), goneOn)

/** Everything that a kernel does for a task, from its opening to its score; and a second one that it leaves open. */
const live = (goneOn: Effect.Effect<void>) =>
  Effect.gen(function* () {
    const kernel = yield* Kernel
    const people = yield* Confirmations.Confirmations
    // In this test nobody hesitates.
    yield* seen(about("ConfirmationRequested")).pipe(
      Effect.flatMap(({ payload }) =>
        people.decide(String(payload.confirmationId), { approved: true, by: "ada", channel: "program" }),
      ),
      Effect.forkScoped,
    )
    const task = yield* kernel.tasks.open({ goal: "ring" })
    yield* task.perceive()
    yield* TestClock.adjust("300 millis")
    yield* unlessStopped(goneOn, seen(about("SensorRead", "room/tick"), 2))
    const perceiving = yield* Effect.fork(task.perceive({ deadlineMs: 100 }))
    yield* unlessStopped(goneOn, seen(logged("asked again")))
    yield* TestClock.adjust("100 millis")
    yield* Fiber.join(perceiving)
    yield* task.say("about to ring")
    yield* task.consult(
      { provider: "p", model: "m", request: {} },
      Effect.succeed({ response: "ring it", usage: { inputTokens: 1, outputTokens: 1 } }),
    )
    yield* task.decided({ agent: "program", choice: {}, basedOn: [] })
    expect(yield* task.act("room/ring")).toMatchObject({ status: "succeeded" })
    const { id: causationId } = yield* task.deciding({ agent: "program", choice: {}, basedOn: [] })
    expect(yield* task.act("room/fail", {}, { causationId })).toMatchObject({ status: "failed" })
    expect(yield* task.act("room/nothing")).toMatchObject({ status: "denied" })
    yield* task.close("achieved")
    yield* kernel.tasks.open({ goal: "left open" })
  })

/** What became of a kernel that was stopped before its `count`th append, while another one took over. */
const stoppedBefore = (count: number, from: string) =>
  Effect.gen(function* () {
    const directory = yield* temporaryDirectory
    fs.cpSync(from, directory, { recursive: true })
    yield* trusted(path.join(directory, "log.db"))
    const first = yield* stoppingAt((_, appends) => appends === count, { directory, gate })
    const life = Effect.flatMap(first.start, ({ run }) => run(Effect.scoped(live(first.goneOn)))).pipe(Effect.scoped)
    const living = yield* Effect.fork(Effect.exit(life))
    const at = yield* Effect.raceFirst(Effect.option(first.stopped), Effect.as(Fiber.join(living), Option.none()))
    if (Option.isNone(at)) return { ...(yield* Fiber.join(living)), at: undefined }

    loseLease(first.log)
    const second = yield* (yield* testKernel({ directory })).start
    const log = yield* second.run(EventLog)
    const recovered = yield* log.head
    yield* first.goOn
    const exit = yield* Fiber.join(living)
    const types = at.value.events.map(({ type }) => type).join("+")
    const found = { at: types, before: recovered, after: yield* log.head, exit }
    return { ...found, ...(yield* second.run(howItStands)) }
  }).pipe(Effect.scoped)

/** What the log says of its tasks. */
const howItStands = Effect.gen(function* () {
  const log = yield* EventLog
  const kernel = yield* Kernel
  const taskIds = Object.keys(yield* (yield* Projector).current(Tasks.projection))
  const audits = yield* Effect.forEach(taskIds, (taskId) => kernel.audit(taskId))
  const streams = yield* Effect.forEach(taskIds, (taskId) =>
    Effect.map(log.readPage({ stream: `task/${taskId}` }, 1000), (events) => events.map(({ type }) => type)),
  )
  return {
    lastWords: streams.map((types) => types.at(-1)),
    closings: streams.map((types) => types.filter((type) => type === "TaskClosed").length),
    pending: Object.keys(yield* (yield* Confirmations.Confirmations).pending),
    outcomes: audits.map(({ outcome, reason }) => (reason == null ? outcome : `${outcome}: ${reason}`)),
    verified: yield* log.verify,
  }
})

/** How tasks end here: by the agent, by a kernel that closes its scope, and by the one that took over. */
const ENDINGS = ["achieved", "abandoned: the kernel ended", "abandoned: its kernel ended"]

/**
 * Stops a kernel before its first append of those that are named, then before each `step`th one after it, in a log of its own each: it
 * appends nothing more when it goes on, and answers LeaseLost. Answers what it was about to append. For a clock that stands still, so
 * that no heartbeat keeps a lease alive.
 */
export const stoppedAnywhere = (first: number, step: number) =>
  Effect.gen(function* () {
    const from = yield* prepared
    const places: Array<string> = []
    for (let count = first; ; count += step) {
      const found = yield* stoppedBefore(count, from)
      if (found.at === undefined) {
        expect(found).toMatchObject({ _tag: "Success" })
        break
      }
      const { at, before, after, exit, lastWords, closings, pending, outcomes, verified } = found
      places.push(at)
      const where = `stopped before append ${count}, ${at}`
      // Nothing at all: not in the task, not in a plugin's stream, no score, no question, no end.
      expect(after, where).toEqual(before)
      expect(lastWords, where).toEqual(lastWords.map(() => "TaskClosed"))
      expect(closings, where).toEqual(closings.map(() => 1))
      expect(pending, where).toEqual([])
      expect(verified, where).toMatchObject({ _tag: "Intact" })
      // What it had closed before it was stopped is as it said; everything else the other one has ended.
      for (const outcome of outcomes) expect(ENDINGS, where).toContain(outcome)
      // It has nothing to answer once the last thing that anybody waits for is done.
      if (exit._tag === "Failure") {
        expect(
          Option.map(Cause.failureOption(exit.cause), ({ _tag }) => _tag),
          where,
        ).toEqual(Option.some("LeaseLost"))
      } else expect(outcomes, where).toHaveLength(2)
    }
    return places
  })
