/** Whether a session's directory was made by `hindcast files fork`, and from which moment. */

import * as path from "node:path"
import { Effect } from "effect"
import { EventLog } from "../events/log/EventLog.ts"
import { realpathOfExisting } from "../platform/realpath.ts"
import * as ForkRecord from "../workspace/fork/ForkRecord.ts"

/** Of the directory, or the nearest one above it. Undefined if the log has no such fork, or the client names no directory. */
export const of = (cwd: string) =>
  Effect.gen(function* () {
    if (!path.isAbsolute(cwd)) return undefined
    const real = yield* Effect.promise(() => realpathOfExisting(cwd).catch(() => path.resolve(cwd)))
    return yield* ForkRecord.originOf(yield* EventLog, upwards(real))
  })

const upwards = (directory: string): ReadonlyArray<string> => {
  const all = [directory]
  for (let parent = path.dirname(directory); parent !== all.at(-1) && all.length < MAX_ABOVE; ) {
    all.push(parent)
    parent = path.dirname(parent)
  }
  return all
}

const MAX_ABOVE = 32
