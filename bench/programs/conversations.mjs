/**
 * `node conversations.mjs LOG WORKSPACE COUNT [TURNS]`: runs COUNT conversations at once, and prints their speed and
 * cost as JSON. With TURNS, a provider in another process answers (`provider.mjs`), otherwise a function.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import { Effect } from "effect"
import { Hindcast, Kernel, Models } from "../../dist/index.js"
import { spentBy } from "../measure.mjs"
import { goal, scribe, scribeOf, settings, TURNS } from "./talking.mjs"

const [log, workspace, count, answered] = process.argv.slice(2)

/** A provider in a process of its own, which ends with this one. */
const provider = async () => {
  const program = fileURLToPath(new URL("provider.mjs", import.meta.url))
  const child = spawn(process.execPath, [program, answered], { stdio: ["pipe", "pipe", "inherit"] })
  const [port] = await once(child.stdout, "data")
  return { baseURL: `http://127.0.0.1:${String(port).trim()}/v1`, end: () => child.stdin.end() }
}
const remote = answered === undefined ? undefined : await provider()

const program = Effect.gen(function* () {
  const kernel = yield* Kernel.Kernel
  const runtime = yield* Effect.runtime()
  const agent =
    remote === undefined
      ? scribe
      : scribeOf(yield* Models.load("openai-compatible/one", { baseURL: remote.baseURL, apiKey: "none" }))
  const conversation = kernel.tasks.run(agent, { goal })
  // The first conversation loads and compiles the shared code.
  yield* conversation
  const all = Effect.all(
    Array.from({ length: Number(count) }, () => conversation),
    { concurrency: "unbounded", discard: true },
  )
  return yield* Effect.promise(() => spentBy(() => Effect.runPromise(Effect.provide(all, runtime))))
})
const { ms, cpuMs } = await Effect.runPromise(Effect.provide(program, Hindcast.layer(settings(log, workspace))))
remote?.end()
const turns = Number(count) * (answered === undefined ? TURNS : Number(answered))
const peakMiB = process.resourceUsage().maxRSS / 1024
process.stdout.write(JSON.stringify({ turnsPerSecond: (turns / ms) * 1000, cpuMs: cpuMs / turns, peakMiB }))
