import { spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import { Data, Effect, Schema, Stream } from "effect"
import { CaughtUp, EventLog } from "../../../events/log/EventLog.ts"
import { is } from "../../../events/vocabulary/Vocabulary.ts"
import type { Plan } from "./Plan.ts"

/** What the first kernel's process is started with. */
export const Start = Schema.Struct({
  filename: Schema.String,
  workspace: Schema.String,
  tasks: Schema.Int,
  seed: Schema.Int,
  sandbox: Schema.Literal("auto", "namespaces", "flags"),
})

export type Start = typeof Start.Type

/** The process that was to be killed ended before its time. */
export class FirstKernelEnded extends Data.TaggedError("FirstKernelEnded")<{ readonly found: string }> {
  override get message() {
    return `The history's first kernel: expected it to work until it is killed, found that it ended: ${this.found}`
  }
}

/**
 * Starts the first kernel in a process of its own, and kills that by SIGKILL, without a warning, once it is in the middle of
 * everything that the plan cuts off. Interrupted, it ends the process in an orderly way.
 *
 * @param onDone is done after each task that was closed
 */
export const andKill = (start: Start, { cutOff }: Plan, onDone: Effect.Effect<void>) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const { kill, ended } = yield* Effect.acquireRelease(spawned(start), ({ end }) => end)
    const last = cutOff.at(-1)?.id
    yield* log.follow({ types: ["TaskClosed", "ConfirmationRequested"] }).pipe(
      Stream.takeUntil(
        (item) => !(item instanceof CaughtUp) && is(item, "ConfirmationRequested") && item.taskId === last,
      ),
      Stream.runForEach((item) => (!(item instanceof CaughtUp) && is(item, "TaskClosed") ? onDone : Effect.void)),
      Effect.raceFirst(Effect.flatMap(ended, (found) => new FirstKernelEnded({ found }))),
    )
    yield* kill
  }).pipe(Effect.scoped)

/** How long a process may take to end in an orderly way, in milliseconds. */
const ORDERLY_MS = 5_000

const spawned = (start: Start) =>
  Effect.sync(() => {
    const child = spawn(process.execPath, [PROGRAM, JSON.stringify(start)], { stdio: ["pipe", "ignore", "pipe"] })
    let said = ""
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      said = `${said}${text}`.slice(-KEPT)
    })
    // Its end may come while something is written to it; what is to say of that, its end says.
    child.stdin.on("error", () => {})
    const ending = new Promise<string>((resolve) => {
      child.once("error", (error) => resolve(error.message))
      child.once("close", (code, signal) => resolve(said.trim() || `with ${signal ?? `code ${code}`}`))
    })
    const ended = Effect.promise(() => ending)
    const kill = Effect.zipRight(
      Effect.sync(() => child.kill("SIGKILL")),
      ended,
    )
    const end = Effect.sync(() => child.kill("SIGTERM")).pipe(
      // Whoever releases a resource cannot be interrupted; waiting for this one can.
      Effect.zipRight(Effect.timeout(Effect.interruptible(ended), ORDERLY_MS)),
      Effect.catchTag("TimeoutException", () => kill),
    )
    return { ended, kill, end }
  })

/** Characters of what the process said on its standard error. */
const KEPT = 4_000

/** It is not bundled: a program of its own beside this module. */
const PROGRAM = fileURLToPath(new URL("FirstKernel.js", import.meta.url))
