/** Replays a recorded task and forks it, with today's agent and without side effects. */
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { Effect } from "effect"
import { Agent, EventLog, Hindcast, Kernel, Replay } from "../../dist/index.js"
import { rawTable } from "../floor.mjs"
import { spend } from "../measure.mjs"

const PLUGIN = fileURLToPath(new URL("../plugin", import.meta.url))

/** Decisions of the recorded task. */
const STEPS = 500

/** Its decisions cost nothing. */
const agent = Agent.fromPolicy({
  name: "echoing",
  version: "1",
  policy: () => ({ act: "echo/echo", args: { direction: "north", carefully: true } }),
})

export const run = async (directory, rounds) => {
  const filename = path.join(directory, "replay.db")
  const recording = Effect.gen(function* () {
    const kernel = yield* Kernel.Kernel
    const { taskId } = yield* kernel.tasks.run(agent, { goal: "be measured", maxSteps: STEPS })
    return taskId
  })
  const kernel = Hindcast.layer({
    log: filename,
    plugins: [PLUGIN],
    workspace: directory,
    gate: { default: "allow" },
    host: { consent: "flags" },
  })
  const taskId = await Effect.runPromise(Effect.provide(recording, kernel))

  const measuring = Effect.gen(function* () {
    const runtime = yield* Effect.runtime()
    const log = yield* EventLog.EventLog
    const again = () => Effect.runPromise(Effect.provide(Replay.replay(taskId, agent), runtime))
    const report = yield* Effect.promise(again)
    if (report.verdict !== "identical") throw new Error(`expected an identical replay, found ${JSON.stringify(report)}`)
    const { position } = yield* log.head
    const raw = rawTable(filename)
    const spent = yield* Effect.promise(() => spend({ replay: again, raw: () => raw.readAll() }, rounds))
    raw.close()
    return { events: report.events, all: position, spent }
  })
  const reading = Hindcast.layerLog({ log: filename, workspace: directory })
  const { events, all, spent } = await Effect.runPromise(Effect.provide(measuring, reading))
  return [
    {
      what: `replay of a recorded task of ${events} events`,
      unit: "events/s",
      ours: (events / spent.replay.ms) * 1000,
      floor: (all / spent.raw.ms) * 1000,
      ratio: spent.raw.ms / all / (spent.replay.ms / events),
      cpuRatio: spent.raw.cpuMs / all / (spent.replay.cpuMs / events),
      bound: { at: "least", value: 5_000, of: "ours" },
      floorIs: "raw keyset pages + JSON.parse of the same rows",
    },
  ]
}
