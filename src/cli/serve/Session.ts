/** The state of one connection: cursors, logs, worlds, runs and kernels. Its end closes all of them, worlds with their episodes. */
import { Effect, type Scope } from "effect"
import * as Cursors from "./Cursors.ts"
import * as Logs from "./Logs.ts"
import * as OpenedKernels from "./OpenedKernels.ts"
import * as OpenedRuns from "./OpenedRuns.ts"
import * as OpenedWorlds from "./OpenedWorlds.ts"

export interface Session {
  readonly cursors: Cursors.Cursors
  readonly logs: Logs.Logs
  readonly worlds: OpenedWorlds.OpenedWorlds
  readonly runs: OpenedRuns.OpenedRuns
  readonly kernels: OpenedKernels.OpenedKernels
}

export const make: Effect.Effect<Session, never, Scope.Scope> = Effect.all({
  // Scopes close in reverse order, and cursors read from logs.
  worlds: OpenedWorlds.make,
  runs: OpenedRuns.make,
  kernels: OpenedKernels.make,
  logs: Logs.make,
  cursors: Cursors.make,
})
