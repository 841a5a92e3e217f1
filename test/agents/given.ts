import { Chunk, Effect, Stream } from "effect"
import type { AnswerPart } from "../../src/agents/models/Message.ts"
import type { Delta, Model, Turn, TurnRequest } from "../../src/agents/models/Model.ts"
import { EventLog, type LogError } from "../../src/events/log/EventLog.ts"
import type { Event } from "../../src/events/vocabulary/Event.ts"
import { ModelCallFailed } from "../../src/kernel/tasks/ModelCalls.ts"
import type { Json } from "../../src/values/Json.ts"
import type { Sample } from "../kernel/given.ts"

/** What a model of a test answers: parts, a failure, or what a function makes of the request. */
export type Scripted =
  | ReadonlyArray<AnswerPart>
  | ModelCallFailed
  | ((request: TurnRequest, onDelta: (delta: Delta) => void) => Effect.Effect<Turn, ModelCallFailed>)

export const text = (words: string): AnswerPart => ({ type: "text", text: words })

export const call = (callId: string, tool: string, args: Json = {}): AnswerPart => ({
  type: "call",
  callId,
  tool,
  args,
})

/** A model of a test. It answers as it is told to, turn after turn, and keeps what it was asked. */
export const model = (turns: ReadonlyArray<Scripted>, name = "one") => {
  const requests: Array<TurnRequest> = []
  const left = [...turns]
  const made: Model = {
    provider: "test",
    model: name,
    turn: (request, onDelta) =>
      Effect.suspend(() => {
        requests.push(request)
        const next = left.shift()
        if (next === undefined) return failed("not-recorded", "no turn is left")
        if (next instanceof ModelCallFailed) return next
        if (typeof next === "function") return next(request, onDelta)
        next.forEach((part, index) => {
          if (part.type === "text") for (const piece of part.text) onDelta({ index, kind: "text", text: piece })
        })
        return Effect.succeed(turn(next))
      }),
  }
  return { model: made, requests }
}

export const turn = (parts: ReadonlyArray<AnswerPart>): Turn => ({
  parts,
  finish: parts.some(({ type }) => type === "call") ? "calls" : "stop",
  usage: { inputTokens: 100, outputTokens: 10 },
})

export const failed = (kind: ModelCallFailed["kind"], reason: string, retryAfterMs = 1) =>
  new ModelCallFailed({ provider: "test", model: "one", kind, reason, retryAfterMs })

/** The events of a task, oldest first. */
export const eventsOf = (taskId: string): Effect.Effect<ReadonlyArray<Event>, LogError, EventLog> =>
  Effect.flatMap(EventLog, (log) =>
    Effect.map(Stream.runCollect(log.read({ taskId, timeline: log.timeline })), Chunk.toReadonlyArray),
  )

export const typesOf = (events: ReadonlyArray<Event>): ReadonlyArray<string> => events.map(({ type }) => type)

/** A plugin that counts for each task by itself. */
export const counter: Sample = {
  name: "counter",
  entry: `let count = 0
    export default {
      sensors: { count: () => count },
      actuators: {
        add: (_, { by }) => { count += by; return { count } },
        fail: () => { throw new Error("it broke") },
      },
    }`,
  sensors: [{ name: "count" }],
  actuators: [{ name: "add" }, { name: "fail" }],
  concurrent: true,
  instance: "task",
}

/** Says something to the agent of a task, as any process that can append to the log may. */
export const say = (
  taskId: string,
  content: Json,
  delivery?: "queued" | "steering" | "interrupting",
  timeline = "main",
) =>
  Effect.flatMap(EventLog, (log) =>
    log.append({
      timeline,
      stream: `task/${taskId}`,
      taskId,
      actor: "human:ada",
      events: [
        {
          type: "InputReceived",
          payload: { source: "test", content, ...(delivery === undefined ? {} : { delivery }) },
        },
      ],
    }),
  )
