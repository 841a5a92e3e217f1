import { Effect, Fiber } from "effect"
import type { CoreNewEvent } from "../../../src/events/log/EventLog.ts"
import type { ProcessLimits } from "../../../src/plugins/process/ProcessSpec.ts"
import { startRecording } from "../fixtures.ts"

/** A plugin that behaves badly when it is called. */
export interface Bad {
  /** What its actuator does. */
  readonly act: string
  /** What stands before its default export. */
  readonly before?: string
  readonly limits?: ProcessLimits
  readonly timeoutMs?: number
}

/**
 * Calls a bad plugin, and a neighbour again and again until that call has ended: what the one answered, or the tag of its
 * error; how often the other answered meanwhile; and how much memory the host had more at most.
 */
export const provoke = ({ act, before = "", limits = {}, timeoutMs = 40_000 }: Bad) =>
  Effect.gen(function* () {
    const events: Array<CoreNewEvent> = []
    const entry = `${before}\nexport default { actuators: { act: async (ctx, args) => { ${act} } } }`
    const bad = yield* startRecording({ entry, actuators: ["act"], name: "bad", limits }, events)
    const good = yield* startRecording(
      { entry: "export default { sensors: { look: () => 1 } }", sensors: ["look"] },
      [],
    )
    const memoryBefore = process.memoryUsage.rss()
    const call = yield* Effect.fork(Effect.either(bad.process.act("act", {}, { timeoutMs })))
    let neighbour = 0
    let most = memoryBefore
    do {
      yield* good.process.read("look")
      neighbour++
      most = Math.max(most, process.memoryUsage.rss())
    } while ((yield* Fiber.poll(call))._tag === "None")
    const outcome = yield* Fiber.join(call)
    return {
      answer: outcome._tag === "Right" ? outcome.right.result : outcome.left._tag,
      message: outcome._tag === "Right" ? "" : outcome.left.message,
      neighbour,
      grewMiB: (most - memoryBefore) / 1024 / 1024,
      events,
      process: bad.process,
    }
  })
