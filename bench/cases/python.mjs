/** Python through the whole kernel: `print(1+1)` in a new session and in a running one. */
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { Effect } from "effect"
import { Hindcast, Kernel } from "../../dist/index.js"
import { cat } from "../floor.mjs"
import { interleave, quantile, timed } from "../measure.mjs"

const PLUGIN = fileURLToPath(new URL("../../packages/python", import.meta.url))
const TURNS = 20

/** As large as the larger frame of such a call, there and back. */
const FRAME = Buffer.from(`${"x".repeat(300)}\n`)

export const run = async (directory, rounds) => {
  const pipe = cat()
  const program = Effect.gen(function* () {
    const kernel = yield* Kernel.Kernel
    const runtime = yield* Effect.runtime()
    const promised = (effect) => Effect.runPromise(Effect.provide(effect, runtime))
    const print = (task) =>
      Effect.flatMap(task.act("python/execute", { code: "print(1+1)" }), (outcome) =>
        outcome.status === "succeeded" && outcome.result.stdout === "2\n"
          ? Effect.void
          : Effect.die(new Error(`expected 2, found ${JSON.stringify(outcome)}`)),
      )
    const running = yield* kernel.tasks.open({ goal: "be measured again and again" })
    const times = { fresh: [], running: [], floor: [] }
    /** Times each call. */
    const sample = (name, turns, call) => async () => {
      for (let turn = 0; turn < turns; turn++) times[name].push(await timed(call))
    }
    /** Opening and closing the task do not count. */
    const fresh = Effect.gen(function* () {
      const task = yield* kernel.tasks.open({ goal: "be measured" })
      yield* Effect.promise(sample("fresh", 1, () => promised(print(task))))
      yield* task.close("achieved")
    })
    const contenders = {
      fresh: () => promised(fresh),
      running: sample("running", TURNS, () => promised(print(running))),
      floor: sample("floor", TURNS, () => pipe.roundTrip(FRAME)),
    }
    yield* Effect.promise(() => interleave(contenders, rounds))
    // The first round is a warm-up.
    const middle = (name, turns) => quantile(times[name].slice(turns), 0.5)
    return { fresh: middle("fresh", 1), running: middle("running", TURNS), floor: middle("floor", TURNS) }
  })
  const layer = Hindcast.layer({
    log: path.join(directory, "python.db"),
    plugins: [PLUGIN],
    workspace: directory,
    gate: { default: "allow" },
  })
  const ms = await Effect.runPromise(Effect.provide(Effect.scoped(program), layer))
  pipe.close()
  const own = (what, ours, value) => ({ what, unit: "ms", ours, bound: { of: "ours", at: "most", value } })
  return [
    own("Python print(1+1) in a fresh session", ms.fresh, 1_000),
    {
      ...own("Python print(1+1) in a running session", ms.running, 20),
      floor: ms.floor,
      floorIs: "its bytes through cat",
    },
  ]
}
