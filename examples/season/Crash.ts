/** Starts the season's first kernel in a process of its own, and kills it in the middle of its work. */
import { spawn } from "node:child_process"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { Data, Effect, Schema, Stream } from "effect"
import { EventLog, Vocabulary } from "hindcast"
import type { Plan } from "./Plan.ts"

export const Start = Schema.Struct({
  filename: Schema.String,
  workspace: Schema.String,
  tasks: Schema.Int,
  seed: Schema.Int,
  sandbox: Schema.Literal("auto", "namespaces", "flags"),
})

export type Start = typeof Start.Type

/** The first kernel's process exited before it was killed. */
export class FirstKernelEnded extends Data.TaggedError("FirstKernelEnded")<{ readonly found: string }> {
  override get message() {
    return `The season's first kernel: expected it to work until it is killed, found that it ended: ${this.found}`
  }
}

/** Sends SIGKILL once all tasks of `cutOff` run; an interrupt sends SIGTERM. `onDone` runs after each closed task. */
export const startAndKill = (start: Start, { cutOff }: Plan, onDone: Effect.Effect<void>) =>
  Effect.gen(function* () {
    const log = yield* EventLog.EventLog
    const { kill, ended } = yield* Effect.acquireRelease(spawnKernel(start), ({ end }) => end)
    const last = cutOff.at(-1)?.id
    yield* log.follow({ types: ["TaskClosed", "ConfirmationRequested"] }).pipe(
      Stream.takeUntil(
        (item) =>
          !(item instanceof EventLog.CaughtUp) && Vocabulary.is(item, "ConfirmationRequested") && item.taskId === last,
      ),
      Stream.runForEach((item) =>
        !(item instanceof EventLog.CaughtUp) && Vocabulary.is(item, "TaskClosed") ? onDone : Effect.void,
      ),
      Effect.raceFirst(Effect.flatMap(ended, (found) => new FirstKernelEnded({ found }))),
    )
    yield* kill
  }).pipe(Effect.scoped)

/** Time to exit after SIGTERM, in milliseconds. */
const ORDERLY_MS = 5_000

const spawnKernel = (start: Start) =>
  Effect.sync(() => {
    const child = spawn(process.execPath, [PROGRAM, JSON.stringify(start)], { stdio: ["pipe", "ignore", "pipe"] })
    let stderr = ""
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      stderr = `${stderr}${text}`.slice(-MAX_STDERR)
    })
    // The process may exit during a write; `ended` reports its exit.
    child.stdin.on("error", () => {})
    const ending = new Promise<string>((resolve) => {
      child.once("error", (error) => resolve(error.message))
      child.once("close", (code, signal) => resolve(stderr.trim() || `with ${signal ?? `code ${code}`}`))
    })
    const ended = Effect.promise(() => ending)
    const kill = Effect.zipRight(
      Effect.sync(() => child.kill("SIGKILL")),
      ended,
    )
    const end = Effect.sync(() => child.kill("SIGTERM")).pipe(
      // A release is uninterruptible; waiting for the exit may be interrupted.
      Effect.zipRight(Effect.timeout(Effect.interruptible(ended), ORDERLY_MS)),
      Effect.catchTag("TimeoutException", () => kill),
    )
    return { ended, kill, end }
  })

const MAX_STDERR = 4_000

/** A file next to this module, even inside a bundle: a process needs a file to start with. */
const PROGRAM = fileURLToPath(new URL(`FirstKernel${path.extname(import.meta.url)}`, import.meta.url))
