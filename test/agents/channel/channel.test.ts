import { describe, expect, it } from "@effect/vitest"
import { Chunk, Effect, Fiber, Stream } from "effect"
import * as Channel from "../../../src/agents/channel/Channel.ts"
import type { ChannelEvent } from "../../../src/agents/channel/ChannelEvent.ts"
import { Kernel } from "../../../src/kernel/Kernel.ts"
import { seen } from "../../kernel/given.ts"
import { eventsOf, text } from "../given.ts"
import { adding, asking, slow, talking, told } from "./given.ts"

type Events<E> = Stream.Stream<ChannelEvent, E>

const untilReady = <E>(events: Events<E>) => Stream.takeUntil(events, ({ type }) => type === "onReadyForInput")

const untilDone = <E>(events: Events<E>) =>
  Stream.takeUntil(events, (event) => event.type === "onAgentStateChange" && event.state === "done")

const collected = <E>(stream: Stream.Stream<ChannelEvent, E>) =>
  Effect.map(Stream.runCollect(stream), Chunk.toReadonlyArray)

describe("a channel", () => {
  const begun = (talk: ReturnType<typeof talking>, id = "t") =>
    Effect.gen(function* () {
      const { run } = yield* asking
      const work = yield* Effect.fork(
        run(Effect.flatMap(Kernel, ({ tasks }) => tasks.run(talk.agent, { goal: "Hello", id, maxSteps: 20 }))),
      )
      yield* run(seen(({ type }) => type === "TaskOpened"))
      const channel = yield* run(Channel.make({ taskId: id, deltas: talk.deltas, by: "ada" }))
      return { run, work, channel }
    })

  it.scopedLive("tells what the agent says, asks and does, and takes what people answer", () =>
    Effect.gen(function* () {
      const { channel, run } = yield* begun(talking([...adding(), [text("Bye.")]]))
      const events: Array<ChannelEvent> = []
      yield* channel.events().pipe(
        untilReady,
        Stream.runForEach((event) => {
          events.push(event)
          if (event.type !== "onToolCallRequest") return Effect.void
          const { confirmationId, shownDigest } = event
          return channel.provideConfirmation(confirmationId, true, shownDigest === undefined ? {} : { shownDigest })
        }),
      )
      expect(yield* channel.state).toBe("ready")
      const [commandId] = events.flatMap((event) => (event.type === "onToolCall" ? [event.commandId] : []))
      const [question] = events.flatMap((event) => (event.type === "onToolCallRequest" ? [event] : []))
      const requests = (yield* run(eventsOf("t"))).flatMap(({ type, id }) => (type === "ModelCalled" ? [id] : []))
      expect(told(events)).toMatchObject([
        { type: "onAgentStateChange", state: "thinking" },
        { type: "onDelta", request: requests[0], index: 0, kind: "text", text: "I add." },
        { type: "onNewMessage", content: "I add.", format: "text" },
        { type: "onToolCall", commandId, toolName: "counter/add", args: { by: 1 } },
        { type: "onAgentStateChange", state: "executing_tool" },
        {
          type: "onToolCallRequest",
          toolName: "counter/add",
          args: { by: 1 },
          shown: { actuator: "counter/add", args: { by: 1 } },
          shownDigest: expect.stringMatching(/^[0-9a-f]{64}$/),
        },
        { type: "onAgentStateChange", state: "waiting_for_confirmation" },
        { type: "onToolCallSettled", confirmationId: question?.confirmationId, answer: "approved", by: "ada" },
        { type: "onAgentStateChange", state: "executing_tool" },
        { type: "onToolCallEnd", commandId, toolName: "counter/add", status: "succeeded", result: { count: 1 } },
        { type: "onAgentStateChange", state: "thinking" },
        { type: "onDelta", request: requests[1], text: "Added." },
        { type: "onNewMessage", content: "Added.", format: "text" },
        { type: "onAgentStateChange", state: "ready" },
        { type: "onReadyForInput" },
      ])

      yield* channel.submitUserInput("Thanks", { delivery: "steering" })
      const after = events.at(-1)?.cursor ?? ""
      const more = yield* collected(untilReady(channel.events({ after })))
      expect(told(more)).toMatchObject([
        { type: "onInputReceived", source: "channel", by: "human:ada", content: "Thanks", delivery: "steering" },
        { type: "onAgentStateChange", state: "thinking" },
        { type: "onDelta", text: "Bye." },
        { type: "onNewMessage", content: "Bye." },
        { type: "onAgentStateChange", state: "ready" },
        { type: "onReadyForInput" },
      ])
    }),
  )

  it.scopedLive("tells whoever connects in mid-answer what came so far and the rest, once, between its events", () =>
    Effect.gen(function* () {
      const answer = yield* slow("Once upon ", "a time.")
      const { channel, run } = yield* begun(talking([answer.scripted]))
      yield* answer.begun
      const first = yield* channel.events().pipe(
        Stream.takeUntil(({ type }) => type === "onDelta"),
        collected,
      )
      expect(told(first).at(-1)).toMatchObject({ type: "onDelta", text: "Once upon " })
      const late = yield* Effect.fork(collected(untilReady(channel.events())))
      const again = yield* Effect.fork(collected(untilReady(channel.events({ after: first.at(-1)?.cursor ?? "" }))))
      yield* answer.goOn
      const all = yield* Fiber.join(late)
      expect(told(all).filter(({ type }: { type?: string }) => type === "onDelta")).toMatchObject([
        { text: "Once upon a time." },
      ])
      expect(told([...first, ...(yield* Fiber.join(again))])).toEqual(told(all))
      const [called, responded] = (yield* run(eventsOf("t"))).filter(({ type }) => type.startsWith("Model"))
      for (const { type, position } of all) {
        if (type !== "onDelta") continue
        expect(position).toBeGreaterThanOrEqual(called?.position ?? 0)
        expect(position).toBeLessThan(responded?.position ?? 0)
      }
    }),
  )

  it.scopedLive("goes on after each of its cursors and each position, without gaps and repeats", () =>
    Effect.gen(function* () {
      const { channel, work } = yield* begun(talking(adding(), { conversation: false }))
      const all = yield* channel.events().pipe(
        Stream.tap((event) =>
          event.type === "onToolCallRequest" ? channel.provideConfirmation(event.confirmationId, true) : Effect.void,
        ),
        untilDone,
        collected,
      )
      expect((yield* Fiber.join(work)).outcome).toBe("achieved")
      for (const [index, { cursor, position }] of all.entries()) {
        const rest = all.slice(index + 1)
        if (rest.length === 0) continue
        expect(told(yield* collected(untilDone(channel.events({ after: cursor }))))).toEqual(told(rest))
        const later = all.filter((event) => event.position > position && event.type !== "onDelta")
        const read = yield* collected(untilDone(channel.events({ after: position })))
        if (later.length > 0) expect(told(read.filter(({ type }) => type !== "onDelta"))).toEqual(told(later))
      }
    }),
  )

  it.scopedLive("tells of the questions of forks, and takes answers to them", () =>
    Effect.gen(function* () {
      const { channel, run, work } = yield* begun(talking([[text("Done.")]], { conversation: false }))
      yield* Fiber.join(work)
      const opened = (yield* run(eventsOf("t")))[0]?.position
      const forking = yield* Effect.fork(
        run(
          Effect.flatMap(Kernel, ({ fork }) =>
            fork(talking(adding(), { conversation: false }).agent, { at: `main@${opened}`, task: "t", fresh: true }),
          ),
        ),
      )
      const [question] = yield* channel.events().pipe(
        Stream.filter(({ type }) => type === "onToolCallRequest"),
        Stream.take(1),
        collected,
      )
      expect(question).toMatchObject({ type: "onToolCallRequest", timeline: "fork-1", toolName: "counter/add" })
      if (question?.type !== "onToolCallRequest") return
      yield* channel.provideConfirmation(question.confirmationId, true)
      expect((yield* Fiber.join(forking)).audit.acting.succeeded).toBe(1)
      const inFork = yield* run(Channel.make({ taskId: "t", timeline: "fork-1" }))
      const events = told(yield* collected(untilDone(inFork.events())))
      expect(events.filter(({ type }: { type?: string }) => type === "onNewMessage")).toMatchObject([
        { content: "I add." },
        { content: "Added." },
      ])
    }),
  )

  it.scopedLive("refuses what is wrong, and says what was expected", () =>
    Effect.gen(function* () {
      const { channel, run, work } = yield* begun(talking(adding(), { conversation: false }))
      const refused = <A, E extends { readonly _tag: string; readonly message: string }>(effect: Effect.Effect<A, E>) =>
        Effect.map(Effect.flip(effect), ({ _tag, message }) => [_tag, message])
      expect(yield* refused(run(Channel.make({ taskId: "none" })))).toEqual(["TaskNotFound", expect.any(String)])
      expect(yield* refused(run(Channel.make({ taskId: "t", timeline: "none" })))).toEqual([
        "TimelineNotFound",
        expect.any(String),
      ])
      for (const wrong of [" ", [], [{ type: "text" }]]) {
        expect(yield* refused(channel.submitUserInput(wrong as string))).toEqual([
          "InvalidOptions",
          expect.stringContaining("content"),
        ])
      }
      expect(yield* refused(channel.submitUserInput("x", { delivery: "later" as never }))).toEqual([
        "InvalidOptions",
        expect.stringContaining("delivery"),
      ])
      expect(yield* refused(Stream.runDrain(channel.events({ after: "here" })))).toEqual([
        "InvalidOptions",
        expect.stringContaining("cursor"),
      ])
      const [question] = yield* channel.events().pipe(
        Stream.filter(({ type }) => type === "onToolCallRequest"),
        Stream.take(1),
        collected,
      )
      const confirmationId = question?.type === "onToolCallRequest" ? question.confirmationId : ""
      const wrongDigest = { shownDigest: "0".repeat(64) }
      expect(yield* refused(channel.provideConfirmation(confirmationId, true, wrongDigest))).toEqual([
        "NotAsShown",
        expect.any(String),
      ])
      yield* channel.provideConfirmation(confirmationId, false, { by: "bo", reason: "no" })
      expect(yield* refused(channel.provideConfirmation(confirmationId, true))).toEqual([
        "NotPending",
        expect.stringContaining("bo rejected"),
      ])
      yield* Fiber.join(work)
      expect(yield* refused(channel.submitUserInput("Too late"))).toEqual(["TaskClosed", expect.any(String)])
      expect(yield* channel.state).toBe("done")
    }),
  )
})
