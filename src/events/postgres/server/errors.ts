/** Maps errors of the driver and the server to the log's, by remedy. */

import * as os from "node:os"
import {
  type DiskFull,
  DiskFull as Full,
  LogBusy,
  LogCorrupt,
  type LogError,
  LogUnavailable,
} from "../../log/EventLog.ts"
import type { Head } from "../../vocabulary/Event.ts"
import type { Address } from "./address.ts"

export type StatementError = LogError | DiskFull

/** Thrown within `postgres/` for a row that no log writes. */
export class DamagedRow extends Error {
  readonly position: number
  constructor(position: number, reason: string) {
    super(reason)
    this.position = position
  }
}

/** The SQLSTATE of a server's error, or the system's code. */
export const codeOf = (cause: unknown): string =>
  typeof cause === "object" && cause !== null && "code" in cause && typeof cause.code === "string" ? cause.code : ""

const messageOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))

/** True if the connection broke, or none could be made, so that the outcome of a statement is unknown. */
export const isLost = (cause: unknown): boolean => {
  const code = codeOf(cause)
  return LOST.has(code) || (code === "" && LOST_MESSAGE.test(messageOf(cause)))
}

const LOST: ReadonlySet<string> = new Set([
  ...["ECONNREFUSED", "ECONNRESET", "EPIPE", "ETIMEDOUT", "ENOENT", "EHOSTUNREACH", "ENETUNREACH", "EAI_AGAIN"],
  // Class 08 and the server's ends and starts: https://www.postgresql.org/docs/current/errcodes-appendix.html
  ...["08000", "08001", "08003", "08004", "08006", "57P01", "57P02", "57P03", "57P05", "25P03"],
])

/** The driver's own errors have no code. */
const LOST_MESSAGE =
  /^(?:Connection terminated|timeout expired|timeout exceeded when trying to connect|Client has encountered a connection error|Query read timeout|The server closed the connection)/

/** True if no connection was made, so that nothing was sent, and a later one may be. */
export const isUnreachable = (cause: unknown): boolean => UNREACHABLE.has(codeOf(cause))

const UNREACHABLE: ReadonlySet<string> = new Set([
  ...["ECONNREFUSED", "ENOENT", "EAI_AGAIN", "ENOTFOUND", "EHOSTUNREACH", "ENETUNREACH", "53300", "57P03"],
])

/**
 * The error of an append one of whose tries was lost, after which no error may say that nothing was written.
 */
export const inDoubt = (log: string, error: StatementError): StatementError =>
  error._tag === "LogCorrupt"
    ? error
    : new LogUnavailable({
        log,
        reason: `${error._tag === "LogUnavailable" ? error.reason : error._tag === "DiskFull" ? "the disk is full" : "another append holds the log"}. The connection broke during this append, which may have been stored: look for its events before you append them again`,
      })

/** The error of a log whose head, as this process knew it, is not in the log any more. */
export const tailLost = ({ name }: Address, { position }: Pick<Head, "position">): LogCorrupt =>
  new LogCorrupt({
    log: name,
    position,
    reason:
      "the event at the head is missing or has changed: the server lost its last commits, or was restored or replaced, while the log " +
      "was open. Acknowledged events are lost, and nothing more is appended until the log is opened again",
  })

/** True if a statement met another transaction, and nothing of it was done. */
export const isRepeatable = (cause: unknown): boolean => REPEATABLE.has(codeOf(cause))

/** A serialization failure, a deadlock. */
const REPEATABLE: ReadonlySet<string> = new Set(["40001", "40P01"])

/**
 * The error of the log for an exception; undefined for a defect of this program. Texts never show the password.
 *
 * @param tookMs time until the error, in milliseconds
 */
export const statementError = (address: Address, cause: unknown, tookMs = 0): StatementError | undefined => {
  const log = address.name
  if (isOfLog(cause)) return cause
  if (cause instanceof DamagedRow) return new LogCorrupt({ log, position: cause.position, reason: cause.message })
  const code = codeOf(cause)
  if (code === "55P03") return new LogBusy({ log, waitedMs: Math.round(tookMs) })
  if (code === "53100") return new Full({ log })
  if (CORRUPT.has(code)) return new LogCorrupt({ log, position: null, reason: messageOf(cause) })
  const reason = isLost(cause) ? lost(address, cause) : reasonOf(address, code, messageOf(cause))
  return reason === undefined ? undefined : new LogUnavailable({ log, reason })
}

const isOfLog = (cause: unknown): cause is StatementError =>
  cause instanceof LogUnavailable || cause instanceof LogCorrupt || cause instanceof LogBusy || cause instanceof Full

/** Damaged pages and indexes, and constraints that refuse a valid event. */
const CORRUPT: ReadonlySet<string> = new Set(["XX001", "XX002", "23505", "23514", "23502"])

/** A text without the password, wherever it came from. */
const withoutPassword = ({ password }: Address, text: string): string => {
  let shown = text
  for (const secret of [password, process.env.PGPASSWORD])
    if (secret !== undefined && secret !== "") shown = shown.replaceAll(secret, "•••")
  return shown
}

const lost = (address: Address, cause: unknown): string => {
  const host = address.host ?? (process.env.PGHOST || "localhost")
  const port = address.port ?? (process.env.PGPORT || 5432)
  const code = codeOf(cause)
  if (code === "57P03") return "the server is starting or stopping; try again"
  if (code === "ENOENT" || code === "ECONNREFUSED")
    return `no PostgreSQL server accepts connections on ${host}, port ${port}. Start it, or correct the URL`
  return `the connection to the server on ${host}, port ${port} failed (${withoutPassword(address, messageOf(cause))}). Check that the server runs, and try again`
}

export const tooFewRights = ({ user = userOfSystem(), schema }: Address, text: string): string =>
  `the user ${user} has too few rights (${text}). The log's owner grants them: \`SELECT ${schema}.grant_access('${user}', 'writer')\` to append, or 'reader'`

/** What to do about a pooler: session locks, notifications and settings need a connection of their own. */
export const POOLED =
  "A pooler such as PgBouncer stands between them, and shares connections. Connect to the server itself, past the pooler"

/** Whom the driver names to the server if the URL names nobody. */
const userOfSystem = (): string => process.env.PGUSER ?? os.userInfo().username

const reasonOf = (address: Address, code: string, message: string): string | undefined => {
  const { user = userOfSystem(), database = "", schema } = address
  const text = withoutPassword(address, message)
  switch (code) {
    case "ENOTFOUND":
      return `no machine is named ${address.host ?? process.env.PGHOST ?? "so"}. Correct the host in the URL`
    case "ERR_TLS_CERT_ALTNAME_INVALID":
      return `the server's certificate is for another name (${text}). Write the name of the certificate as the host in the URL`
    case "SELF_SIGNED_CERT_IN_CHAIN":
    case "DEPTH_ZERO_SELF_SIGNED_CERT":
    case "UNABLE_TO_GET_ISSUER_CERT_LOCALLY":
    case "UNABLE_TO_VERIFY_LEAF_SIGNATURE":
      return `no trusted authority signed the server's certificate (${text}). Name the file with the certificate of its authority: sslrootcert=FILE in the URL, or PGSSLROOTCERT`
    case "CERT_HAS_EXPIRED":
    case "CERT_NOT_YET_VALID":
      return `the server's certificate is not valid now (${text}). Renew it, or correct the clock of this machine`
    case "08P01":
      return text.includes("startup parameter")
        ? `the settings with which the log connects were refused (${text}). ${POOLED}`
        : `${text} (${code})`
    case "28P01":
    case "28000":
      if (text.includes("no encryption"))
        return `the server refuses connections without encryption (${text}). Write sslmode=verify-full or sslmode=require into the URL`
      return `the server refused the user ${user} (${text}). Set its password in PGPASSWORD or in a file that PGPASSFILE names, and check the user in the URL`
    case "3D000":
      return `the server has no database ${database || user}. Create it (\`createdb -E UTF8 ${database || user}\`), or correct the URL`
    case "42501":
      return tooFewRights(address, text)
    case "3F000":
    case "42P01":
    case "42883":
    case "42703":
      return `the schema ${schema} lacks a part of a log (${text}). Restore it from a backup, or name another schema`
    case "25006":
      return "the server is read-only, as a replica is. To append, connect to the primary server; to read, open the log for reading"
    case "53300":
      return `the server has no room for another connection (${text}). End some, or raise max_connections`
    case "":
      return message.includes("SASL") || message.includes("client password")
        ? `the server asks for a password of the user ${user}. Set it in PGPASSWORD or in a file that PGPASSFILE names`
        : message.includes("SSL")
          ? `${text}. Add sslmode=require or sslmode=disable to the URL, as the server needs`
          : undefined
    default:
      return `${text} (${code})`
  }
}
