/** Observes what a recorded process asks by other clients than its `fetch`, and names what cannot be recorded. */

import * as ClientRequests from "../clients/ClientRequests.ts"
import type * as Passing from "../clients/Passing.ts"
import * as UndiciRequests from "../clients/UndiciRequests.ts"
import * as AllowedHosts from "../network/AllowedHosts.ts"
import * as Doors from "../network/Doors.ts"
import * as Unseen from "../network/Unseen.ts"

/** @param report the file of the process's report, beside which another says what was not recorded */
export const observe = (record: Passing.Record, report: string): void => {
  const note = Unseen.to(Unseen.fileBeside(report))
  ClientRequests.observe(record, note)
  UndiciRequests.observe(record, note)
  // What a client of HTTP opens for a request is recorded by the request.
  Doors.observe((socket, target, isHttp) => {
    if (!isHttp) socket.once("connect", () => note("a connection", AllowedHosts.written(target)))
  })
}
