import { it } from "@effect/vitest"
import { Effect, Fiber, Option, Stream } from "effect"
import { describe, expect } from "vitest"
import { CaughtUp, EventLog } from "../../src/events/log/EventLog.ts"
import * as Agent from "../../src/kernel/agents/Agent.ts"
import { Confirmations } from "../../src/kernel/gate/Confirmations.ts"
import { Kernel } from "../../src/kernel/Kernel.ts"
import { inRepository } from "../repository.ts"
import { temporaryDirectory } from "../temporary.ts"
import { forkedEverywhere } from "./forkedEverywhere.ts"
import { loseLease } from "./lostLease.ts"
import { agentOf, answering, counting, gate } from "./resume/given.ts"
import { stoppingAt } from "./stopping.ts"
import { testKernel } from "./testKernel.ts"

/** Someone who approves whatever is asked, in whichever timeline. */
const approving = Effect.gen(function* () {
  const people = yield* Confirmations
  const log = yield* EventLog
  yield* log.follow({ types: ["ConfirmationRequested"] }).pipe(
    Stream.filter((item) => !(item instanceof CaughtUp)),
    Stream.runForEach((event) =>
      people
        .decide(String("payload" in event ? event.payload.confirmationId : ""), {
          approved: true,
          by: "ada",
          channel: "program",
        })
        .pipe(Effect.catchTag("NotPending", () => Effect.void)),
    ),
  )
})

/** Walks, speaks, and is refused. */
const walker: Agent.DecidingAgent = {
  name: "walker",
  version: "1",
  decide: ({ step }) =>
    ([
      { act: "text-room/open", args: { target: "desk" } },
      { act: "text-room/drop", args: { item: "candle" } },
      { say: "On I go." },
      { act: "text-room/go", args: { direction: "north" } },
    ][step] ?? { done: "achieved" }) as Agent.Choice,
}

/** Publishes, and does nothing else meanwhile. */
const publisher: Agent.DecidingAgent = {
  name: "publisher",
  version: "1",
  decide: ({ step }) => (step === 0 ? { act: "program/publish", args: { text: "news" } } : { done: "achieved" }),
}

/** What tools of a program did stays done. */
const TOOLS = { acceptUnrewound: true }

describe("a task that is forked at each of its events", () => {
  for (const io of ["live", "recorded"] as const) {
    it.scopedLive(`is in each fork what it was, with ${io} answers: each command once, none denied`, () =>
      Effect.gen(function* () {
        const { layer } = yield* testKernel({
          plugins: [inRepository("plugins", "text-room")],
          gate: { default: "allow", rules: [{ name: "keep", actuator: "text-room/drop", decision: "deny" }] },
        })
        yield* Effect.gen(function* () {
          const { taskId } = yield* (yield* Kernel).tasks.run(walker, { goal: "walk" })
          const { forked, refused } = yield* forkedEverywhere(taskId, () => walker, { io })
          for (const type of ["ActuatorCommanded", "CommandAllowed", "CommandDenied", "DecisionMade", "MessageSent"])
            expect(forked).toContain(type)
          // While a command is carried out, nobody knows whether it took effect.
          expect(new Set(refused)).toEqual(new Set(["CommandDispatched", "CommandSucceeded", "CommandFailed"]))
        }).pipe(Effect.provide(layer))
      }),
    )
  }

  it.scopedLive("is in each fork what it was where a person is asked, who is asked again", () =>
    Effect.gen(function* () {
      const { layer } = yield* testKernel({ tools: counting().tools, gate })
      yield* Effect.gen(function* () {
        yield* Effect.forkScoped(approving)
        const kernel = yield* Kernel
        const thinking = () => agentOf(answering().model)
        const { taskId } = yield* kernel.tasks.run(thinking(), { goal: "publish" })
        const { forked, refused } = yield* forkedEverywhere(taskId, thinking, TOOLS)
        expect(forked).toContain("ConfirmationRequested")
        expect(refused).toContain("CommandDispatched")
        const alone = yield* kernel.tasks.run(publisher, { goal: "publish" })
        const { forked: places } = yield* forkedEverywhere(alone.taskId, () => publisher, TOOLS)
        for (const type of ["ConfirmationRequested", "ConfirmationDecided", "CommandAllowed"])
          expect(places).toContain(type)
      }).pipe(Effect.scoped, Effect.provide(layer))
    }),
  )

  it.scopedLive("is in each fork what it was after it was resumed", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const { tools } = counting()
      const first = yield* stoppingAt(({ events }) => events.length === 2 && events[1]?.type === "CommandAllowed", {
        directory,
        gate,
        tools,
      })
      const life = Effect.flatMap(first.start, ({ run }) =>
        run(
          Effect.gen(function* () {
            yield* Effect.forkScoped(approving)
            return yield* (yield* Kernel).tasks.run(agentOf(answering().model), { id: "resumed", goal: "publish" })
          }).pipe(Effect.scoped),
        ),
      ).pipe(Effect.scoped)
      const living = yield* Effect.fork(Effect.exit(life))
      expect(Option.isSome(yield* Effect.option(first.stopped))).toBe(true)
      loseLease(first.log)
      const resumed = Effect.gen(function* () {
        yield* Effect.forkScoped(approving)
        yield* (yield* Kernel).tasks.resume("resumed", agentOf(answering().model))
        return yield* forkedEverywhere("resumed", () => agentOf(answering().model), TOOLS)
      }).pipe(Effect.scoped)
      const { forked } = yield* Effect.flatMap(
        testKernel({ directory, gate, tools, onOpenTasks: "resume" }),
        ({ start }) => Effect.flatMap(start, ({ run }) => run(resumed)),
      ).pipe(Effect.ensuring(Effect.zipRight(first.goOn, Fiber.join(living))))
      expect(forked).toContain("TaskResumed")
    }).pipe(Effect.scoped),
  )

  it.scopedLive("cannot be forked between the no of a person and the denial, and says where it can", () =>
    Effect.gen(function* () {
      const { layer } = yield* testKernel({ tools: counting().tools, gate: { ...gate, confirmWithinMs: 1 } })
      yield* Effect.gen(function* () {
        const kernel = yield* Kernel
        const { taskId } = yield* kernel.tasks.run(publisher, { goal: "publish" })
        const { refused } = yield* forkedEverywhere(taskId, () => publisher, TOOLS)
        expect(refused).toEqual(["ConfirmationExpired"])
        const log = yield* EventLog
        const events = yield* log.readPage({ taskId }, 100)
        const placeOf = (wanted: string) => Number(events.find(({ type }) => type === wanted)?.position)
        const at = placeOf("ConfirmationExpired")
        const error = yield* Effect.flip(kernel.fork(publisher, { at, task: taskId, ...TOOLS }))
        expect(error.message).toContain(
          `nobody approved a command @${at}, and it was not denied yet; fork it @${placeOf("CommandDenied")}, after that, or @${placeOf("ConfirmationRequested") - 1}, before anybody was asked`,
        )
      }).pipe(Effect.provide(layer))
    }),
  )

  it.scopedLive("denies what was pending where its agent begins anew, or does something else", () =>
    Effect.gen(function* () {
      const { layer } = yield* testKernel({ tools: counting().tools })
      yield* Effect.gen(function* () {
        const kernel = yield* Kernel
        const advancing = (...actuators: ReadonlyArray<string>) =>
          Agent.fromAdvance({
            name: "advancing",
            version: "1",
            advance: (task) =>
              Effect.as(
                Effect.forEach(actuators, (actuator) => task.act(actuator)),
                false,
              ),
          })
        const { taskId } = yield* kernel.tasks.run(advancing("program/look"), { goal: "look" })
        const [commanded] = yield* (yield* EventLog).readPage({ taskId, types: ["ActuatorCommanded"] }, 1)
        const pending = { at: Number(commanded?.position), task: taskId, ...TOOLS }
        const other = yield* kernel.fork(advancing("program/note"), pending)
        expect(other.audit.acting).toMatchObject({ commanded: 2, succeeded: 1, denied: 1 })
        const replayed = yield* kernel.replay(taskId, advancing("program/note"), { timeline: other.timeline })
        expect(replayed).toMatchObject({ verdict: "identical", complete: true })
        const fresh = yield* kernel.fork(advancing("program/look"), { ...pending, fresh: true })
        expect(fresh.audit.acting).toMatchObject({ commanded: 2, succeeded: 1, denied: 1 })
      }).pipe(Effect.provide(layer))
    }),
  )
})
