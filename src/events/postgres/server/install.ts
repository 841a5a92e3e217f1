/** Finds the log in a database's schema, or creates it there. */

import { quoteWord } from "../../../values/ShellWord.ts"
import { LogUnavailable } from "../../log/EventLog.ts"
import type { Database, Query } from "./connection.ts"
import { codeOf, POOLED, tooFewRights } from "./errors.ts"
import { FORMAT, statementsOf } from "./schema.ts"

/** `row_security`, `INCLUDE`, `hashtextextended` and much else need it. */
const OLDEST_SERVER = 140_000

/** Fails unless the schema holds a log of this version. */
export const find = async (database: Database): Promise<void> => {
  const found = await look(database, database.queryOnce)
  if (found === "nothing") throw noLog(database)
}

/** The error for a schema that does not exist. */
export const noLog = (database: Database): LogUnavailable =>
  refusal(
    database,
    `the schema ${database.address.schema} holds no log. Copy one to it with the command log copy, append to it with a user who may create schemas, or name another schema (?schema=…)`,
    true,
  )

/** Creates the log if the schema does not exist. Several processes may do so at once. */
export const findOrCreate = async (database: Database): Promise<void> => {
  if ((await look(database, database.queryOnce)) === "log") return
  const { schema } = database.address
  const [[isPlain] = []] = await database.queryOnce("SELECT quote_ident($1) = $1", [schema])
  if (isPlain !== true)
    throw refusal(database, `${schema} is a reserved word of SQL. Name another schema (?schema=…)`, true)
  try {
    await database.transaction("BEGIN", async (query) => {
      await query("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", [`hindcast ${schema}`])
      if ((await look(database, query)) === "log") return
      for (const statement of statementsOf(schema)) await query(statement)
    })
  } catch (cause) {
    if (codeOf(cause) !== "42501") throw cause
    throw refusal(
      database,
      `there is no log in the schema ${schema}, and the user ${database.address.user ?? "of this system"} may not create one. Create it with another user, or \`GRANT CREATE ON DATABASE\` to this one`,
      true,
    )
  }
}

/** Throws for anything but a log of this version or nothing at all. */
const look = async (database: Database, query: Query): Promise<"log" | "nothing"> => {
  const format = await formatOf(database, query)
  if (format === undefined) return "nothing"
  if (format > FORMAT) throw refusal(database, tooNew(format, FORMAT))
  if (format < FORMAT)
    throw refusal(
      database,
      `its tables have format ${format}, and this version of Hindcast needs format ${FORMAT}. End the programs that use the log, and run \`hindcast log upgrade --log ${quoteWord(database.name)}\` as its owner`,
    )
  return "log"
}

/** Why this version opens no log of a later format. */
export const tooNew = (format: number, known: number): string =>
  `its tables have format ${format}, and this version of Hindcast knows format ${known} at most. Update Hindcast`

/** The format of the log in the schema; undefined if the schema does not exist. Throws for anything else, and a server that is not suitable. */
export const formatOf = async (database: Database, query: Query): Promise<number | undefined> => {
  const { schema } = database.address
  const [[server, encoding, exists, isUsable, isLog, relations, path] = []] = await query(LOOK, [schema])
  if (!String(path).startsWith(`${schema},`))
    throw refusal(
      database,
      `expected the settings with which the log connects, found others (search_path: ${String(path)}). ${POOLED}`,
    )
  if (Number(server) < OLDEST_SERVER)
    throw refusal(database, "expected PostgreSQL 14 or later, found an earlier server. Upgrade it")
  if (encoding !== "UTF8")
    throw refusal(
      database,
      `expected a database in UTF8, found one in ${String(encoding)}. Create one: \`createdb -E UTF8 -T template0 NAME\``,
    )
  if (exists !== true) return undefined
  // The driver's error would be that a table does not exist.
  if (isUsable !== true) throw refusal(database, tooFewRights(database.address, "it may not use the schema"))
  if (isLog !== true) {
    throw refusal(
      database,
      Number(relations) === 0
        ? `the schema ${schema} exists and is empty. Drop it, so that the log can create it, or name another schema (?schema=…)`
        : `expected a log in the schema ${schema}, found another program's tables. Name another schema (?schema=…)`,
    )
  }
  const [[program, version] = []] = await query("SELECT program, version FROM format")
  if (program !== "hindcast") throw refusal(database, `expected a log in the schema ${schema}, found another program's`)
  return Number(version)
}

const LOOK = `SELECT current_setting('server_version_num'), current_setting('server_encoding'),
  EXISTS (SELECT FROM pg_catalog.pg_namespace WHERE nspname = $1),
  (SELECT has_schema_privilege(n.oid, 'USAGE') FROM pg_catalog.pg_namespace n WHERE n.nspname = $1),
  EXISTS (SELECT FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $1 AND c.relname = 'format')
    AND EXISTS (SELECT FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $1 AND c.relname = 'events'),
  (SELECT count(*) FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $1),
  current_setting('search_path')`

/** An error of opening, creating or upgrading a log. */
export const refusal = ({ name }: Database, reason: string, missing?: true): LogUnavailable =>
  new LogUnavailable({ log: name, reason, ...(missing === undefined ? {} : { missing }) })
