/**
 * `node story.mjs LOG PLUGIN [JOBS]`: one turn with the plugin `text-room`. Prints what it read, did and found of Hindcast, as JSON; with
 * JOBS also what so many threads find of the log.
 */
import { Effect, Stream } from "effect"
import { EventLog, Hindcast, Kernel } from "hindcast"

const [log, plugin, jobs] = process.argv.slice(2)

const story = Effect.gen(function* () {
  const kernel = yield* Kernel.Kernel
  yield* kernel.plugins.import(plugin)
  const task = yield* kernel.tasks.open({ goal: "Retrieve the old document" })
  const [{ reading }] = yield* task.perceive()
  const moved = yield* task.act("text-room/go", { direction: "north" })
  yield* task.close("abandoned")
  const { read, verifyWith } = yield* EventLog.EventLog
  const [{ payload }] = yield* Stream.runCollect(read({ types: ["KernelStarted"] }))
  const said = { version: payload.version, deno: payload.deno, room: reading.room, moved: moved.status }
  return jobs === undefined ? said : { ...said, verified: (yield* verifyWith({ jobs: Number(jobs) }))._tag }
})

Effect.provide(story, Hindcast.layer({ log, gate: { default: "allow" } })).pipe(
  Effect.match({
    onFailure: ({ message }) => {
      console.error(message)
      process.exitCode = 1
    },
    onSuccess: (said) => console.log(JSON.stringify(said)),
  }),
  Effect.runPromise,
)
