/** Maps the log records of a coding agent's session, each to the task where its owner lets it go. Pure. */

import type { PriceTable } from "../../kernel/pricing/Prices.ts"
import type { LogRecord } from "../otlp/LogRecord.ts"
import { MappedRuns } from "../runs/Runs.ts"
import { isSilent } from "../runs/Silence.ts"
import * as Owner from "../writing/Owner.ts"
import type { AgentLog } from "./AgentLog.ts"
import { capture, mapSession } from "./Session.ts"

export interface Session {
  readonly agent: AgentLog
  /** The session's id. */
  readonly session: string
  /** In any order. */
  readonly records: ReadonlyArray<LogRecord>
}

export interface When {
  readonly now: number
  /** Epoch milliseconds of the last addition to the records. */
  readonly touched: number
}

export interface MappedSession {
  readonly runs: MappedRuns
  /** Whether the session's own task is still open. */
  readonly isOpen: boolean
  /** Time of the last record of the own task. */
  readonly last: number
}

/** The account's name in the log, by which its events are known again. */
export const accountOf = ({ name }: Pick<AgentLog, "name">): string => `${name}-logs`

export const mapShared = (
  { agent, session, records }: Session,
  owner: Owner.Owner,
  { now, touched }: When,
  prices: PriceTable,
): MappedSession => {
  const divided = Owner.divided(owner, records)
  const own = divided.get(undefined) ?? []
  const last = lastOf(own) ?? touched
  const ended = isSilent({ now, modifiedAt: touched }, last)
  const runs = new MappedRuns({ name: agent.name, capture }, prices)
  runs.mapping(() => {
    for (const place of [undefined, ...owner.places]) {
      const records = divided.get(place) ?? []
      const account = accountOf(agent)
      if (records.length > 0)
        mapSession(runs, { agent, session, records, account, beside: place, ended: ended && place === undefined })
    }
  })
  return { runs, isOpen: own.length > 0 && !ended, last }
}

const lastOf = (records: ReadonlyArray<LogRecord>): number | null =>
  records.reduce<number | null>((latest, { at }) => (at === null ? latest : Math.max(latest ?? at, at)), null)
