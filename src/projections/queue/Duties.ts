/** The work that a log needs once, however many runners it has, and which of them does it. Pure. */

import type { Runners } from "./Runners.ts"

/**
 * `snapshots`: stores snapshots near the log's head, so that readers have few events to fold. Readings at intervals belong
 * to the owner of their task, and a log on a server has no archive.
 */
export const DUTIES = ["snapshots"] as const

/**
 * The session that has the duties: of those that did not end in the log, the one that began first, unless somebody asked it
 * to drain. The order of the log decides, so runners agree without claims. Whoever declares a silent session lost passes
 * its duties on. Undefined if no session has them.
 */
export const onDuty = (runners: Runners): string | undefined =>
  Object.entries(runners).find(([, { draining }]) => !draining)?.[0]
