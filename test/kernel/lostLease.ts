import { Effect, Schedule } from "effect"
import { Database } from "../sqlite.ts"

/** A process id that no system gives. */
const NOBODY = 2 ** 30

/** Makes the kernel that holds a log's lease look like one whose process is gone: the next one takes over at once. */
export const loseLease = (log: string): void => {
  const database = new Database(log)
  database.prepare("UPDATE heartbeats SET pid = ?").run(NOBODY)
  database.close()
}

/** Makes it look like one that has been silent for long: the next one watches it first. */
export const silence = (log: string): void => {
  const database = new Database(log)
  database.prepare("UPDATE heartbeats SET monotonic_ms = monotonic_ms - 60000").run()
  database.close()
}

/**
 * Stops a kernel's process, and makes it look like one that has been silent for long. A process that is stopped in a transaction keeps
 * others out of its log: it goes on for a moment then, and is stopped again.
 */
export const stopSilently = (child: { readonly kill: (signal: "SIGSTOP" | "SIGCONT") => boolean }, log: string) =>
  Effect.try(() => {
    child.kill("SIGSTOP")
    silence(log)
  }).pipe(
    Effect.tapError(() => Effect.sync(() => child.kill("SIGCONT"))),
    Effect.retry(Schedule.intersect(Schedule.spaced("50 millis"), Schedule.recurs(40))),
  )
