/** A reading and a command through the whole kernel, against a pipe and raw inserts. */
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { Effect } from "effect"
import { Hindcast, Kernel } from "../../dist/index.js"
import { cat, rawTable } from "../floor.mjs"
import { interleave } from "../measure.mjs"

const PLUGIN = fileURLToPath(new URL("../plugin", import.meta.url))
const TURNS = 200

/** As large as the frames of these calls. */
const FRAME = Buffer.from(
  `${JSON.stringify({ type: "ok", id: 123456, value: { temperature: 21.5, room: "study" } })}\n`,
)
const PAYLOAD = JSON.stringify({
  sensor: "echo/value",
  reading: { temperature: 21.5, unit: "C", room: "study", note: "all is well in here" },
  priority: 0,
  latencyMs: 0.123,
})

export const run = async (directory, rounds) => {
  const floorFile = path.join(directory, "floor.db")
  await Effect.runPromise(Effect.void.pipe(Effect.provide(Hindcast.layerLog({ log: floorFile }))))
  const raw = rawTable(floorFile)
  const pipe = cat()
  const again = async (turn) => {
    for (let index = 0; index < TURNS; index++) await turn()
  }

  const program = Effect.gen(function* () {
    const kernel = yield* Kernel.Kernel
    const task = yield* kernel.tasks.open({ goal: "be measured" })
    const runtime = yield* Effect.runtime()
    const { runPromise } = { runPromise: (effect) => Effect.runPromise(Effect.provide(effect, runtime)) }
    const repeat = (effect) => runPromise(Effect.repeatN(effect, TURNS - 1))
    return yield* Effect.promise(() =>
      interleave(
        {
          reading: () => repeat(task.perceive()),
          readingFloor: () =>
            again(async () => {
              await pipe.roundTrip(FRAME)
              raw.one(PAYLOAD)
            }),
          command: () => repeat(task.act("echo/echo", { direction: "north" })),
          commandFloor: () =>
            again(async () => {
              raw.one(PAYLOAD)
              raw.one(PAYLOAD)
              raw.synced(PAYLOAD)
              await pipe.roundTrip(FRAME)
              raw.one(PAYLOAD)
            }),
        },
        rounds,
      ),
    )
  })
  const layer = Hindcast.layer({
    log: path.join(directory, "kernel.db"),
    plugins: [PLUGIN],
    workspace: directory,
    gate: { default: "allow" },
    host: { consent: "flags" },
  })
  const ms = await Effect.runPromise(Effect.provide(program, layer))
  pipe.close()
  raw.close()
  const each = (total) => (total / TURNS) * 1000
  return [
    {
      what: "a reading logged (sensor in Deno, event committed)",
      unit: "µs",
      ours: each(ms.reading),
      floor: each(ms.readingFloor),
      ratio: ms.reading / ms.readingFloor,
      bound: { at: "most", value: 6 },
      floorIs: "its bytes through cat + one raw insert",
    },
    {
      what: "a command through the gate (4 events, one synced)",
      unit: "µs",
      ours: each(ms.command),
      floor: each(ms.commandFloor),
      ratio: ms.command / ms.commandFloor,
      bound: { at: "most", value: 5 },
      floorIs: "its bytes through cat + 4 raw inserts, one synced",
    },
  ]
}
