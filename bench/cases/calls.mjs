/**
 * Counts a kernel's appends and reads of events: per step of perceiving and acting, and per second of an idle kernel
 * with an open task or a task that waits for a person. Checks for other processes' commits do not count.
 */
import * as path from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { Effect, Fiber } from "effect"
import { Confirmations, Hindcast, Kernel, Sensor, Tool } from "../../dist/index.js"
import { countingCalls } from "../raw.mjs"

const STEPS = 50
/** Idle time, in milliseconds. */
const IDLE_MS = 2000
const asSecond = (calls) => (calls / IDLE_MS) * 1000

export const run = async (directory, _rounds, say) => {
  const counting = countingCalls()
  const program = Effect.gen(function* () {
    const kernel = yield* Kernel.Kernel
    const confirmations = yield* Confirmations.Confirmations
    const task = yield* kernel.tasks.open({ goal: "be measured" })
    const during = (effect) =>
      Effect.suspend(() => {
        counting.reset()
        return Effect.map(effect, () => counting.calls())
      })
    const idle = Effect.promise(() => sleep(IDLE_MS))
    const step = Effect.zipRight(task.perceive(), task.act("program/set", { level: 3 }))
    yield* step
    say(`${STEPS} steps`)
    const steps = yield* during(Effect.repeatN(step, STEPS - 1))
    if (steps === 0) return yield* Effect.dieMessage("steps without an append: nothing was counted")
    say("an idle kernel")
    const ofIdle = yield* during(idle)
    say("a task that waits")
    const acting = yield* Effect.fork(task.act("program/send", {}))
    let id
    while (id === undefined) {
      yield* Effect.promise(() => sleep(10))
      id = Object.keys(yield* confirmations.pending)[0]
    }
    const ofWaiting = yield* during(idle)
    yield* confirmations.decide(id, { approved: true, by: "ada", channel: "program" })
    yield* Fiber.join(acting)
    return { step: steps / STEPS, idle: asSecond(ofIdle), waiting: asSecond(ofWaiting) }
  })
  const layer = Hindcast.layer({
    log: path.join(directory, "calls.db"),
    workspace: directory,
    gate: { rules: [{ name: "ask", actuator: "program/send", decision: "confirm" }], default: "allow" },
    sensors: {
      warmth: Sensor.make({ description: "How warm it is", read: () => ({ celsius: 21.5 }) }),
      light: Sensor.make({ description: "How bright it is", read: () => ({ lux: 320 }) }),
    },
    tools: {
      set: Tool.make({ description: "Sets it", risk: "none", run: (args) => args }),
      send: Tool.make({ description: "Sends it", risk: "high", run: (args) => args }),
    },
  })
  const found = await Effect.runPromise(Effect.provide(program, layer)).finally(counting.end)
  const row = (what, ours, value) => ({ what, unit: "calls", ours, bound: { at: "most", value, of: "ours" } })
  return [
    row("calls of the log: a step of perceiving and acting", found.step, 4),
    row("calls of the log: a second of an idle kernel with an open task", found.idle, 0),
    row("calls of the log: a second of a task that waits for a person", found.waiting, 0),
  ]
}
