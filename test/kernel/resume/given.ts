import { Effect } from "effect"
import * as Agent from "../../../src/agents/Agent.ts"
import type { AnswerPart, Message } from "../../../src/agents/models/Message.ts"
import type { Model, TurnRequest } from "../../../src/agents/models/Model.ts"
import type { Event } from "../../../src/events/vocabulary/Event.ts"
import { is } from "../../../src/events/vocabulary/Vocabulary.ts"
import type { GateConfig } from "../../../src/kernel/gate/Gate.ts"
import * as Tool from "../../../src/kernel/program/Tool.ts"
import { call, text, turn } from "../../agents/given.ts"

/** What each turn of a conversation answers: two tools together, one that a person is asked about, and an end. */
const TURNS: ReadonlyArray<ReadonlyArray<AnswerPart>> = [
  [text("First I look."), call("a1", "program__look", { at: 1 }), call("a2", "program__note", { of: "one" })],
  [call("b1", "program__publish", { text: "news" }), call("b2", "program__look", { at: 2 })],
  [text("It is published.")],
]

/** A model that answers by how far the conversation has come, as a provider does, and keeps what it was asked. */
export const answering = (turns = TURNS) => {
  const requests: Array<TurnRequest> = []
  const model: Model = {
    provider: "test",
    model: "one",
    turn: (request) =>
      Effect.suspend(() => {
        requests.push(request)
        const answers = request.messages.filter(({ role }) => role === "assistant").length
        return Effect.succeed(turn(turns[answers] ?? []))
      }),
  }
  return { model, requests }
}

/** Tools that count how often they are executed, by the ids of their commands. */
export const counting = () => {
  const executed: Array<string> = []
  const tool = (name: string, idempotent?: boolean) =>
    Tool.make({
      description: `It can ${name}`,
      risk: "none",
      ...(idempotent === undefined ? {} : { idempotent }),
      run: (_: unknown, { commandId }: { readonly commandId: string }) => {
        executed.push(`${name} ${commandId}`)
        return name
      },
    })
  return { executed, tools: { look: tool("look", true), note: tool("note"), publish: tool("publish") } }
}

/** A person is asked before anything is published. */
export const gate: GateConfig = {
  default: "allow",
  rules: [{ name: "ask", actuator: "program/publish", decision: "confirm" }],
}

export const agentOf = (model: Model) => Agent.fromModel({ name: "scribe", model, guide: { systemPrompt: "Publish." } })

/** Why messages are not a conversation that a provider takes; undefined if they are. */
export const flawIn = (messages: ReadonlyArray<Message>): string | undefined => {
  let open: ReadonlyArray<string> = []
  for (const message of messages) {
    if (message.role === "tool") {
      const answered = message.content.map(({ callId }) => callId)
      if (answered.join() !== open.join()) return `expected results of ${open.join()}, found ${answered.join()}`
      open = []
    } else if (open.length > 0) return `the calls ${open.join()} have no results`
    else if (message.role === "assistant") {
      open = message.content.flatMap((part) => (part.type === "call" ? [part.callId] : []))
    }
  }
  return open.length === 0 ? undefined : `the calls ${open.join()} have no results`
}

const OUTCOMES = new Set(["CommandSucceeded", "CommandFailed", "CommandDenied", "CommandOutcomeUnknown"])

/** What a task's events say of its commands: for each model's call, how often it was requested, dispatched and ended. */
export const commandsIn = (events: ReadonlyArray<Event>) => {
  const calls = events.flatMap((event) => (is(event, "ActuatorCommanded") ? [event.payload] : []))
  return calls.map(({ callId, commandId, actuator }) => {
    const own = events.filter(({ payload }) => payload.commandId === commandId)
    const ends = own.filter(({ type }) => OUTCOMES.has(type)).map(({ type }) => type)
    return { callId, actuator, ends, dispatches: own.filter(({ type }) => type === "CommandDispatched").length }
  })
}
