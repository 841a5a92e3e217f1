/**
 * A kernel with a Studio of its own, on the log of its first argument. It prints Studio's address. Each line that comes is the id of a
 * task, in which an agent asks a person.
 *
 * Arguments: the log, and { answer?, write?, fork?, confirmWithinMs? }.
 */
import * as readline from "node:readline"
import { Effect, Layer } from "effect"
import { Hindcast, Kernel, Sensor, Tool } from "../../../../dist/index.js"
import * as Studio from "../../../../dist/studio.js"

const [log, options] = process.argv.slice(2)
const { answer = false, write = false, fork = false, confirmWithinMs } = JSON.parse(options)

const WORDS = { type: "object", properties: { words: { type: "string" } }, additionalProperties: false }

const writer = {
  name: "writer",
  version: "1.0.0",
  decide: ({ step, lastOutcome }) => {
    if (step === 0) return { act: "program/note", args: { words: "one" } }
    if (step === 1) return { act: "program/write", args: { words: "two" } }
    return { done: "achieved", reason: `It was ${lastOutcome?.status ?? "nothing"}.` }
  },
}

/** It takes its time and fails, so that its fork differs from what it left. */
const slow = {
  name: "slow",
  version: "2.0.0",
  decide: ({ step }) =>
    step < 6 ? { act: "program/note", args: { words: `${step}` } } : { done: "failed", reason: "No time." },
}

const kernel = Hindcast.layer({
  log,
  seed: 7,
  gate: {
    default: "allow",
    rules: [{ name: "ask", actuator: "program/write", decision: "confirm" }],
    ...(confirmWithinMs === undefined ? {} : { confirmWithinMs }),
  },
  tools: {
    write: Tool.make({
      description: "Writes",
      risk: "high",
      args: WORDS,
      run: ({ words }) => `${words} was written`,
    }),
    note: Tool.make({ description: "Notes", risk: "none", args: WORDS, run: () => "noted" }),
  },
  sensors: { mood: Sensor.make({ description: "The mood", reading: { type: "string" }, read: () => "calm" }) },
})

const program = Effect.gen(function* () {
  const { url } = yield* Studio.Studio
  const { tasks } = yield* Kernel.Kernel
  const runtime = yield* Effect.runtime()
  process.stdout.write(`${JSON.stringify({ url })}\n`)
  readline.createInterface({ input: process.stdin }).on("line", (id) => {
    Effect.runFork(Effect.provide(tasks.run(writer, { goal: "Write", id, maxSteps: 9 }), runtime))
  })
  return yield* Effect.never
})

const studio = Studio.layer({ answer, write, by: "ada", ...(fork ? { fork: { writer, slow } } : {}) })
await Effect.runPromise(Effect.provide(program, Layer.provideMerge(studio, kernel)))
