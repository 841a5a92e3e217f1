/** Starts the story's first kernel, and kills it while its agent waits for a person. */
import { spawn } from "node:child_process"
import { Data, Effect, Option, Schema, Stream } from "effect"
import { type Event, EventLog, Vocabulary } from "hindcast"
import type { Stage } from "../Stage.ts"
import { Start } from "./FirstKernel.ts"

/** The first kernel's process ended before its agent asked to write a file. See its output. */
export class NothingToInterrupt extends Data.TaggedError("NothingToInterrupt")<{ readonly found: string }> {
  override get message() {
    return `The demo's first kernel: expected its agent to ask before it writes a file, found that it ended: ${this.found}`
  }
}

export interface Killed {
  readonly pid: number
  readonly question: Vocabulary.PayloadOf<"ConfirmationRequested">
  readonly position: number
}

/** Sends SIGKILL once the gate has asked to write a file. */
export const startAndKill = ({ user }: Stage, start: Start, after: number) =>
  Effect.gen(function* () {
    const log = yield* EventLog.EventLog
    const { pid, kill, ended } = yield* Effect.acquireRelease(spawned(user.firstKernel, start), ({ kill }) => kill)
    const asked = log.follow({ after, types: ["ConfirmationRequested"] }).pipe(
      Stream.filterMap((item) => (item instanceof EventLog.CaughtUp ? Option.none() : killedAt(pid, item))),
      Stream.runHead,
      // `follow` never ends, so `runHead` always has a value.
      Effect.flatMap(Effect.orDie),
    )
    const gone = Effect.flatMap(ended, (found) => new NothingToInterrupt({ found }))
    const killed = yield* Effect.raceFirst(asked, gone)
    yield* kill
    return killed
  }).pipe(Effect.scoped)

const killedAt = (pid: number, event: Event): Option.Option<Killed> =>
  Vocabulary.is(event, "ConfirmationRequested")
    ? Option.some({ pid, question: event.payload, position: event.position })
    : Option.none()

const spawned = (program: ReadonlyArray<string>, start: Start) =>
  Effect.sync(() => {
    const words = [...program, JSON.stringify(Schema.encodeSync(Start)(start))]
    const child = spawn(process.execPath, words, { stdio: ["pipe", "ignore", "pipe"] })
    let stderr = ""
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      stderr = `${stderr}${text}`.slice(-MAX_STDERR)
    })
    // The process may end during a write; `ended` reports its end.
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
    return { pid: child.pid ?? 0, ended, kill }
  })

const MAX_STDERR = 4_000
