/**
 * A kernel with a Studio of its own, on the log of its first argument, and an agent in a conversation. It prints Studio's address. Its model
 * answers in pieces, the last of which waits for a line of the input.
 *
 * Arguments: the log, and whether the agent can be talked to.
 */
import * as readline from "node:readline"
import { Effect, Layer } from "effect"
import { Agent, Channel, Hindcast, Kernel } from "../../../../dist/index.js"
import * as Studio from "../../../../dist/studio.js"

const [log, answer] = process.argv.slice(2)

const lines = readline.createInterface({ input: process.stdin })
const deltas = Channel.deltas()

const words = [["Hello."], ["I thi", "nk so."]]

const model = {
  provider: "test",
  model: "one",
  turn: (_request, onDelta) =>
    Effect.gen(function* () {
      const pieces = words.shift() ?? ["Nothing more."]
      for (const [index, text] of pieces.entries()) {
        if (index > 0) yield* Effect.promise(() => new Promise((resolve) => lines.once("line", resolve)))
        onDelta({ index: 0, kind: "text", text })
      }
      const usage = { inputTokens: 100, outputTokens: 10 }
      return { parts: [{ type: "text", text: pieces.join("") }], finish: "stop", usage }
    }),
}

const agent = Agent.fromModel({ model, onDelta: deltas.onDelta, conversation: true })

const program = Effect.gen(function* () {
  const { url } = yield* Studio.Studio
  const { tasks } = yield* Kernel.Kernel
  process.stdout.write(`${JSON.stringify({ url })}\n`)
  yield* tasks.run(agent, { goal: "Talk", id: "t" })
  return yield* Effect.never
})

const studio = Studio.layer({ answer: answer === "true", deltas, by: "ada" })
await Effect.runPromise(Effect.provide(program, Layer.provideMerge(studio, Hindcast.layer({ log }))))
