/** SQL on the server of a run of tests, past any log, and schemas for logs. */
import { randomBytes } from "node:crypto"
import { Effect } from "effect"
import pg from "pg"
import { server } from "./cluster.ts"

let pool: Promise<pg.Pool> | undefined

/** Runs SQL past the log, as a user who may do everything. A text without values may have several statements. */
export const sql = async (
  text: string,
  values?: ReadonlyArray<unknown>,
): Promise<ReadonlyArray<ReadonlyArray<unknown>>> => {
  pool ??= server().then(({ url }) =>
    new pg.Pool({ connectionString: url, max: 2, allowExitOnIdle: true }).on("error", () => {}),
  )
  const client = await (await pool).connect()
  try {
    const { rows } = await client.query<Array<unknown>>(
      values === undefined ? { text, rowMode: "array" } : { text, values: [...values], rowMode: "array" },
    )
    return rows ?? []
  } finally {
    client.release()
  }
}

/** A schema that does not exist yet, for a log of its own. It goes with the scope. */
export const schema = Effect.acquireRelease(
  Effect.sync(() => `t_${randomBytes(6).toString("hex")}`),
  (name) => Effect.promise(() => sql(`DROP SCHEMA IF EXISTS ${name}, ${name}_keys CASCADE`)),
)

/** The URL of a log. */
export const urlOf = async (name: string): Promise<string> => `${(await server()).url}?schema=${name}`

/** SQL that selects the sessions of a log's processes. */
export const ofSession = (name: string): string =>
  `FROM pg_stat_activity WHERE application_name = 'hindcast ${name}' AND pid <> pg_backend_pid()`
