import { it } from "@effect/vitest"
import { Chunk, Deferred, Effect, Fiber, Stream } from "effect"
import { describe, expect } from "vitest"
import * as Channel from "../../../src/agents/channel/Channel.ts"
import type { ChannelEvent } from "../../../src/agents/channel/ChannelEvent.ts"
import * as Deltas from "../../../src/agents/channel/Deltas.ts"
import { fromModel } from "../../../src/agents/ModelAgent.ts"
import { Kernel } from "../../../src/kernel/Kernel.ts"
import * as Tool from "../../../src/kernel/program/Tool.ts"
import { seen } from "../../kernel/given.ts"
import { testKernel } from "../../kernel/testKernel.ts"
import { call, eventsOf, model, text } from "../given.ts"

/** A task whose tool reports `half`, waits for the test, and reports `all`. */
const begun = Effect.gen(function* () {
  const deltas = Deltas.make()
  const [half, goOn] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
  const slow = Tool.make({
    description: "Takes a while",
    risk: "none",
    run: (_, { progress }) =>
      Effect.gen(function* () {
        progress(0.1)
        progress(0.5)
        yield* Deferred.succeed(half, undefined)
        yield* Deferred.await(goOn)
        progress("all")
        return "done"
      }),
  })
  const { run } = yield* (yield* testKernel({ tools: { slow }, onProgress: deltas.onProgress })).start
  const agent = fromModel({ model: model([[call("a", "program__slow")], [text("Bye.")]]).model })
  const work = yield* Effect.fork(
    run(Effect.flatMap(Kernel, ({ tasks }) => tasks.run(agent, { goal: "Wait", id: "t" }))),
  )
  yield* run(seen(({ type }) => type === "TaskOpened"))
  return { run, deltas, half: Deferred.await(half), goOn: Deferred.succeed(goOn, undefined), work }
})

const untilEnd = <E>(events: Stream.Stream<ChannelEvent, E>) =>
  Stream.takeUntil(events, ({ type }) => type === "onToolCallEnd")

const progressIn = (events: Chunk.Chunk<ChannelEvent>) =>
  Chunk.toReadonlyArray(events).flatMap((event) => (event.type === "onToolProgress" ? [event.progress] : []))

describe("a channel with deltas", () => {
  it.scopedLive("shows how far a call is while it runs, and a late front end the newest report", () =>
    Effect.gen(function* () {
      const { run, deltas, half, goOn, work } = yield* begun
      const channel = yield* run(Channel.make({ taskId: "t", deltas }))
      const isHalf = yield* Deferred.make<void>()
      const early = yield* Effect.fork(
        channel.events().pipe(
          untilEnd,
          Stream.tap((event) =>
            event.type === "onToolProgress" && event.progress === 0.5
              ? Deferred.succeed(isHalf, undefined)
              : Effect.void,
          ),
          Stream.runCollect,
        ),
      )
      yield* half
      // It comes while the tool waits, not with its outcome.
      yield* Deferred.await(isHalf)
      const late = yield* Stream.runCollect(
        channel.events().pipe(Stream.takeUntil(({ type }) => type === "onToolProgress")),
      )
      expect(progressIn(late)).toEqual([0.5])
      yield* goOn
      const told = yield* Fiber.join(early)
      expect(progressIn(told)).toEqual(expect.arrayContaining([0.5, "all"]))
      const names = Chunk.toReadonlyArray(told).map(({ type }) => type)
      expect(names.lastIndexOf("onToolProgress")).toBeLessThan(names.indexOf("onToolCallEnd"))
      yield* Fiber.join(work)
      const end = (yield* run(eventsOf("t"))).find(({ type }) => type === "CommandSucceeded")
      expect(end?.payload.progress).toMatchObject({ reports: [{ report: 0.1 }, { report: 0.5 }, { report: "all" }] })
    }),
  )

  it.scopedLive("shows nothing of a call that has ended, and without deltas nothing at all", () =>
    Effect.gen(function* () {
      const { run, deltas, goOn, work } = yield* begun
      yield* goOn
      yield* Fiber.join(work)
      const [{ commandId }] = (yield* run(eventsOf("t"))).flatMap(({ payload }) =>
        typeof payload.commandId === "string" ? [{ commandId: payload.commandId }] : [],
      ) as [{ commandId: string }]
      deltas.onProgress({ taskId: "t", commandId, actuator: "program/slow", report: "too late" })
      const plain = yield* run(Channel.make({ taskId: "t" }))
      const all = yield* Stream.runCollect(untilEnd(plain.events()))
      expect(progressIn(all)).toEqual([])
      const channel = yield* run(Channel.make({ taskId: "t", deltas }))
      const done = channel.events().pipe(
        Stream.takeUntil((event) => event.type === "onAgentStateChange" && event.state === "done"),
        Stream.runCollect,
      )
      expect(Chunk.toReadonlyArray(yield* done).at(-1)).toMatchObject({ state: "done" })
    }),
  )
})
