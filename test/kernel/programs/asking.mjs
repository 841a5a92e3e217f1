/**
 * A kernel that opens a task and commands an actuator that a person is asked about. It tells, as a line, how the command
 * ended.
 *
 * Input: { directory, plugin, actuator, confirmWithinMs }.
 */
import * as fs from "node:fs"
import * as path from "node:path"
import { Effect } from "effect"
import { Hindcast, Kernel } from "../../../dist/index.js"

const { directory, plugin, actuator, confirmWithinMs } = JSON.parse(fs.readFileSync(0, "utf8"))

const work = Effect.gen(function* () {
  const kernel = yield* Kernel.Kernel
  yield* kernel.plugins.import(plugin)
  const task = yield* kernel.tasks.open({ goal: "g" })
  const { status } = yield* task.act(actuator)
  fs.writeSync(1, `${status}\n`)
})
const options = {
  log: path.join(directory, "log.db"),
  workspace: directory,
  gate: { default: "confirm", confirmWithinMs },
  host: { consent: "flags" },
}
await Effect.runPromise(Effect.provide(work, Hindcast.layer(options)))
