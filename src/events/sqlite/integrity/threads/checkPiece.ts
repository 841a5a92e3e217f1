/** Runs the checks of a verification, except the chain's, in threads. */

import { Effect, type Scope } from "effect"
import type { LogError } from "../../../log/EventLog.ts"
import type { LogFile } from "../../../log/LogFile.ts"
import type { StatementError } from "../../file/database.ts"
import type { CheckOutcome } from "../checks/Check.ts"
import { checksOf } from "../checks/checksOf.ts"
import { openStores } from "./openStores.ts"

export interface CheckPiece {
  readonly file: LogFile
  readonly index: number
}

/** A thread's work: runs a check. If it fails, the caller's thread repeats it for the reason. */
export const runCheck = ({
  file,
  index,
}: CheckPiece): Effect.Effect<CheckOutcome, LogError | StatementError, Scope.Scope> =>
  Effect.gen(function* () {
    const check = checksOf(yield* openStores(file))[index]
    return check === undefined ? yield* Effect.dieMessage(`expected a check, found none at ${index}`) : yield* check.run
  })
