import { Effect } from "effect"
import * as SqliteEventLog from "../../../src/events/sqlite/SqliteEventLog.ts"
import { temporaryDirectory } from "../../temporary.ts"
import { ownershipSuite } from "./ownershipSuite.ts"

ownershipSuite(
  "by the lease of a file",
  {
    place: Effect.map(temporaryDirectory, (directory) => `${directory}/log.db`),
    open: (filename) => SqliteEventLog.layer({ filename }),
    crash: () => Effect.void,
  },
  false,
)
