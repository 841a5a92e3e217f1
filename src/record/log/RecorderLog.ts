/** Opens a recorder's log, in a file or on a server. Loads the modules of the one that it needs. */

import { Effect, Layer } from "effect"
import * as ServerUrl from "../../events/log/ServerUrl.ts"

/** For reading only. */
export const layer = (log: string) => opened(log, true)

/** For appends. The log is created if it does not exist. */
export const layerForWriting = (log: string) => opened(log, false)

const opened = (log: string, readonly: boolean) =>
  Layer.unwrapEffect(
    Effect.promise(async () =>
      ServerUrl.isAddress(log)
        ? (await import("../../events/postgres/layer.ts")).layer({ url: log, readonly })
        : (await import("../../events/sqlite/SqliteEventLog.ts")).layer({ filename: log, readonly }),
    ),
  )
