/**
 * A kernel that opens a task and commands an actuator, and stops itself (SIGSTOP) when an event of some type is about to be
 * appended: after it was found to hold the lease. When it goes on it tells, as a line, how the command ended.
 *
 * Input: { directory, plugin, actuator, type }.
 */
import * as fs from "node:fs"
import * as path from "node:path"
import { Cause, Effect, Exit, Layer, Option } from "effect"
import { EventLog, layerSqlite } from "../../../dist/events/index.js"
import { Confirmations, Kernel, PluginHost, Projector, Registry, Scoring } from "../../../dist/index.js"

const { directory, plugin, actuator, type: stopBefore } = JSON.parse(fs.readFileSync(0, "utf8"))
const filename = path.join(directory, "log.db")
const places = { workspace: directory, directory: `${filename}.plugins` }

const stalling = Layer.effect(
  EventLog,
  Effect.map(EventLog, (log) => ({
    ...log,
    append: (request) => {
      if (request.events.some(({ type }) => type === stopBefore)) process.kill(process.pid, "SIGSTOP")
      return log.append(request)
    },
  })),
)

const layer = Kernel.layer({ ...places, gate: { default: "allow" } }).pipe(
  Layer.provideMerge(Layer.mergeAll(Registry.layer(places), Confirmations.layer, Scoring.layer)),
  Layer.provideMerge(Projector.layer),
  Layer.provideMerge(stalling),
  Layer.provideMerge(layerSqlite({ filename })),
  Layer.provide(PluginHost.layerOf({ consent: "flags" })),
)

const work = Effect.gen(function* () {
  const kernel = yield* Kernel.Kernel
  yield* kernel.plugins.import(plugin)
  const task = yield* kernel.tasks.open({ goal: "g" })
  const exit = yield* Effect.exit(task.act(actuator))
  const ended = Exit.match(exit, {
    onSuccess: ({ status }) => status,
    onFailure: (cause) => Option.getOrUndefined(Cause.failureOption(cause))?._tag ?? Cause.pretty(cause),
  })
  fs.writeSync(1, `${ended}\n`)
})
await Effect.runPromise(Effect.provide(work, layer))
