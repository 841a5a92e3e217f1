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
