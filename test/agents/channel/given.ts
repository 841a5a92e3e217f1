import { Deferred, Effect } from "effect"
import type { ChannelEvent } from "../../../src/agents/channel/ChannelEvent.ts"
import * as Deltas from "../../../src/agents/channel/Deltas.ts"
import { fromModel } from "../../../src/agents/ModelAgent.ts"
import { testKernel } from "../../kernel/testKernel.ts"
import { call, counter, model, type Scripted, text, turn } from "../given.ts"

/** A kernel that asks a person about `counter/add`. */
export const asking = Effect.flatMap(
  testKernel({
    plugins: [counter],
    gate: { default: "allow", rules: [{ name: "ask", actuator: "counter/add", decision: "confirm" }] },
  }),
  ({ start }) => start,
)

/** An answer that waits in its midst, after its first piece. */
export const slow = (first: string, rest: string) =>
  Effect.map(Effect.all({ begun: Deferred.make<void>(), goOn: Deferred.make<void>() }), ({ begun, goOn }) => ({
    begun: Deferred.await(begun),
    goOn: Deferred.succeed(goOn, undefined),
    scripted: ((_, onDelta) =>
      Effect.gen(function* () {
        onDelta({ index: 0, kind: "text", text: first })
        yield* Deferred.succeed(begun, undefined)
        yield* Deferred.await(goOn)
        for (const piece of rest) onDelta({ index: 0, kind: "text", text: piece })
        return turn([text(first + rest)])
      })) satisfies Scripted,
  }))

/** An agent in a conversation, with a hub for its answers. */
export const talking = (turns: ReadonlyArray<Scripted>, options: { readonly conversation?: boolean } = {}) => {
  const deltas = Deltas.make()
  const scripted = model(turns)
  const agent = fromModel({ model: scripted.model, onDelta: deltas.onDelta, conversation: true, ...options })
  return { deltas, agent, requests: scripted.requests }
}

/** The model calls `counter/add` once, and says what came of it. */
export const adding = (words = "Added."): ReadonlyArray<Scripted> => [
  [text("I add."), call("a", "counter__add", { by: 1 })],
  [text(words)],
]

/** What was told, without places; pieces of one part that follow each other are one. */
export const told = (events: ReadonlyArray<ChannelEvent>): ReadonlyArray<object> => {
  const all: Array<Record<string, unknown>> = []
  for (const { position: _, cursor: __, timeline: ___, ...event } of events) {
    const last = all.at(-1)
    if (event.type === "onDelta" && last?.type === "onDelta" && last.index === event.index) {
      last.text = `${last.text}${event.text}`
    } else all.push({ ...event })
  }
  return all
}
