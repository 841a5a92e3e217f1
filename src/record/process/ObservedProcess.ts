/** Observes what a recorded process asks by other clients than its `fetch`, and names what cannot be recorded. */

import * as path from "node:path"
import * as ClientRequests from "../clients/ClientRequests.ts"
import type * as Passing from "../clients/Passing.ts"
import * as UndiciRequests from "../clients/UndiciRequests.ts"
import * as AllowedHosts from "../network/AllowedHosts.ts"
import * as Doors from "../network/Doors.ts"
import * as Unseen from "../network/Unseen.ts"
import * as Children from "./Children.ts"
import type * as ProcessRun from "./ProcessRun.ts"

/** Observes a process, and tells its children to do the same. */
export const observe = (record: Passing.Record, joining: Joining): void => {
  const note = Unseen.to(Unseen.fileBeside(joining.report))
  ClientRequests.observe(record, note)
  UndiciRequests.observe(record, note)
  // What a client of HTTP opens for a request is recorded by the request.
  Doors.observe((socket, target, isHttp) => {
    if (!isHttp) socket.once("connect", () => note("a connection", AllowedHosts.written(target)))
  })
  Children.tell({
    preload: joining.preload,
    // A replay could not answer one that is waited for: who could, waits.
    run: (isWaitedFor) => (isWaitedFor ? undefined : joining),
    onProcess: (program, isWaitedFor) => {
      const name = path.basename(program)
      if (isWaitedFor) note("a process that the program waits for by spawnSync, execFileSync or execSync", name)
      else if (!Children.isNode(program)) note("a process", name)
    },
  })
}

/** What a child of the process is told. */
type Joining = Extract<ProcessRun.ProcessRun, { readonly does: "join" }>
