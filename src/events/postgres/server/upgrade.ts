/** Upgrades the tables of a log to the current format, on request: opening a log never does. */

import { Effect, Either } from "effect"
import { type LogError, LogUnavailable } from "../../log/EventLog.ts"
import * as ServerUrl from "../../log/ServerUrl.ts"
import * as Address from "./address.ts"
import { attemptRead, type Database, make, type Query } from "./connection.ts"
import * as Driver from "./driver.ts"
import * as install from "./install.ts"
import { MIGRATIONS, type Migrations } from "./migrations.ts"
import { FORMAT } from "./schema.ts"

/** The formats of a log before and after an upgrade: the same for one that had the current format. */
export interface Upgraded {
  /** The log's URL without a password. */
  readonly log: string
  readonly from: number
  readonly to: number
}

/** The steps, and the format that they lead to. Default: Hindcast's own. */
export interface UpgradeSteps {
  readonly format: number
  readonly migrations: Migrations
}

/**
 * Upgrades the log at a URL in one transaction: all of it or nothing. Events and hashes stay. Refused for anybody but
 * the log's owner, and while any other session uses the log. While it runs, programs that open the log wait or are
 * refused, and no other process upgrades it.
 */
export const upgrade = (
  url: string,
  steps: UpgradeSteps = { format: FORMAT, migrations: MIGRATIONS },
): Effect.Effect<Upgraded, LogError> =>
  Effect.gen(function* () {
    const parsed = Address.parse(url)
    if (Either.isLeft(parsed)) return yield* new LogUnavailable({ log: ServerUrl.shown(url), reason: parsed.left })
    const database = yield* make(parsed.right, yield* Driver.load(parsed.right.name))
    return yield* attemptRead(parsed.right, () =>
      database.transaction("BEGIN", (query) => upgradeIn(database, query, steps)),
    )
  }).pipe(Effect.scoped)

const upgradeIn = async (database: Database, query: Query, { format, migrations }: UpgradeSteps): Promise<Upgraded> => {
  const { schema } = database.address
  const from = await install.formatOf(database, query)
  if (from === undefined) throw install.noLog(database)
  if (from === format) return { log: database.name, from, to: format }
  if (from > format) throw install.refusal(database, install.tooNew(from, format))
  const [[isFree] = []] = await query("SELECT pg_try_advisory_xact_lock(hashtextextended($1, 0))", [
    `hindcast ${schema}`,
  ])
  if (isFree !== true)
    throw install.refusal(database, "another process creates or upgrades it. Try again when that has ended")
  const [[owner, isOwner, role] = []] = await query(OWNER, [schema])
  if (isOwner !== true)
    throw install.refusal(database, `only its owner may upgrade it. Run the same command as the user ${String(owner)}`)
  // From here on, programs that open the log wait for the end of this transaction.
  await query("LOCK TABLE format IN ACCESS EXCLUSIVE MODE")
  const sessions = await query(SESSIONS, [`hindcast ${schema}`])
  if (sessions.length > 0) throw install.refusal(database, inUse(sessions))
  // Everything that the upgrade creates is the owner's, also for a superuser: functions have the rights of their owner.
  await query(`SET LOCAL ROLE ${String(role)}`)
  // Another upgrade may have ended while this one waited.
  for (let at = Number((await query("SELECT version FROM format"))[0]?.[0]); at < format; at++) {
    const step = migrations.get(at)
    if (step === undefined)
      throw install.refusal(
        database,
        `no upgrade leads from its format ${at} to ${at + 1}. Copy the log to a file with the version that made it, and from there to another schema with this one (\`hindcast log copy\`)`,
      )
    for (const statement of step(schema)) await query(statement)
  }
  await query("ALTER TABLE format DISABLE TRIGGER unchanging")
  await query("UPDATE format SET version = $1", [format])
  await query("ALTER TABLE format ENABLE TRIGGER unchanging")
  return { log: database.name, from, to: format }
}

const OWNER = `SELECT pg_get_userbyid(n.nspowner), pg_has_role(n.nspowner, 'MEMBER'), quote_ident(pg_get_userbyid(n.nspowner)) FROM pg_catalog.pg_namespace n WHERE n.nspname = $1`

/** Other sessions of the log's programs. The transaction's own process has no other one. */
const SESSIONS = `SELECT pid, usename, coalesce(host(client_addr), 'the server''s machine') FROM pg_catalog.pg_stat_activity
  WHERE application_name = $1 AND datname = current_database() AND pid <> pg_backend_pid() ORDER BY backend_start LIMIT 100`

const inUse = (sessions: ReadonlyArray<ReadonlyArray<unknown>>): string => {
  const [pid, user, host] = sessions[0] ?? []
  const others = sessions.length === 1 ? "" : `, and ${sessions.length - 1} more`
  return `other programs use it: process ${String(pid)} of the server for ${String(user)} from ${String(host)}${others}. End them first; nothing was changed`
}
