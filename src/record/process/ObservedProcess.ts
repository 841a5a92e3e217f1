/** Observes a recorded process's HTTP clients other than `fetch`, and notes what cannot be recorded. */

import * as path from "node:path"
import * as ClientRequests from "../clients/ClientRequests.ts"
import type * as ObservedExchange from "../clients/ObservedExchange.ts"
import * as UndiciRequests from "../clients/UndiciRequests.ts"
import * as AllowedHosts from "../network/AllowedHosts.ts"
import * as NetworkPatches from "../network/NetworkPatches.ts"
import * as Unseen from "../network/Unseen.ts"
import * as Children from "./Children.ts"
import type * as ProcessRun from "./ProcessRun.ts"

/** Observes this process and instructs its children to do the same. */
export const observe = (record: ObservedExchange.Record, joining: Joining): void => {
  const note = Unseen.to(Unseen.fileBeside(joining.report))
  ClientRequests.observe(record, note)
  UndiciRequests.observe(record, note)
  // HTTP clients' connections are recorded as requests.
  NetworkPatches.observe((socket, target, isHttp) => {
    if (!isHttp) socket.once("connect", () => note("a connection", AllowedHosts.written(target)))
  })
  Children.tell({
    preload: joining.preload,
    // A replay could not answer a child that its parent blocks on.
    run: (isWaitedFor) => (isWaitedFor ? undefined : joining),
    onProcess: (program, isWaitedFor) => {
      const name = path.basename(program)
      if (isWaitedFor) note("a process started by spawnSync, execFileSync or execSync", name)
      else if (!Children.isNode(program)) note("a process", name)
    },
  })
}

type Joining = Extract<ProcessRun.ProcessRun, { readonly does: "join" }>
