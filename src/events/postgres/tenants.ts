/** Creates a log in a schema of its own, with roles that may use this log and no other of the database. */

import { createHash, createHmac, pbkdf2Sync, randomBytes } from "node:crypto"
import { Data, Effect, Either } from "effect"
import { type LogError, LogUnavailable } from "../log/EventLog.ts"
import * as ServerUrl from "../log/ServerUrl.ts"
import * as Address from "./server/address.ts"
import { attemptRead, make, type Query } from "./server/connection.ts"
import * as Driver from "./server/driver.ts"
import { codeOf } from "./server/errors.ts"
import * as install from "./server/install.ts"

/** The rights of a role, as `grant_access` of the log names them. */
export type Access = "writer" | "reader" | "reader without keys"

export interface Grant {
  readonly role: string
  readonly access: Access
}

export interface Granted extends Grant {
  /** Of a role that was created: nobody can read it again. Null if the role existed. */
  readonly password: string | null
}

export interface Tenant {
  /** The log's URL without a user and a password. */
  readonly log: string
  /** Whether the log was created. Otherwise, it existed. */
  readonly created: boolean
  readonly roles: ReadonlyArray<Granted>
}

/** A role cannot be created or take rights. Nothing of the call remains but the log. */
export class RoleRefused extends Data.TaggedError("RoleRefused")<{
  readonly role: string
  readonly expected: string
  readonly found: string
}> {
  override get message() {
    return `Role ${JSON.stringify(this.role)}: expected ${this.expected}, found ${this.found}.`
  }
}

/** A name that needs no quotes. */
const ROLE = /^[a-z_][a-z0-9_]{0,62}$/

/**
 * Creates the log if the schema does not exist, and roles that do not exist, each with a random password; gives each role
 * its rights, and takes away what it had besides. A second call changes nothing. The URL's user must own the log or be allowed to create schemas, and to
 * create roles if any is missing.
 *
 * @param chosen the password of new roles. Default: a random one for each
 */
export const create = (
  url: string,
  grants: ReadonlyArray<Grant>,
  chosen?: string,
): Effect.Effect<Tenant, LogError | RoleRefused> =>
  Effect.gen(function* () {
    const parsed = Address.parse(url)
    if (Either.isLeft(parsed)) return yield* new LogUnavailable({ log: ServerUrl.shown(url), reason: parsed.left })
    for (const { role } of grants) yield* checked(role)
    const address = parsed.right
    const database = yield* make(address, yield* Driver.load(address.name))
    const attempt = <A>(run: () => Promise<A>) => attemptRead(address, run)
    const created = yield* attempt(async () => {
      const [[exists] = []] = await database.queryOnce(HAS_SCHEMA, [address.schema])
      await install.findOrCreate(database)
      return exists !== true
    })
    // In one transaction: the password of a role that stays after an error would be lost.
    const roles = yield* attempt(async (): Promise<Either.Either<ReadonlyArray<Granted>, RoleRefused>> => {
      try {
        const all = await database.transaction("BEGIN", async (query) => {
          const found: Array<Granted> = []
          for (const grant of grants) found.push(await granted(address, query, grant, chosen))
          return found
        })
        return Either.right(all)
      } catch (cause) {
        if (cause instanceof RoleRefused) return Either.left(cause)
        throw cause
      }
    })
    return { log: withoutUser(address.name), created, roles: yield* roles }
  }).pipe(Effect.scoped)

const checked = (role: string): Effect.Effect<void, RoleRefused> =>
  ROLE.test(role) && !role.startsWith("pg_")
    ? Effect.void
    : new RoleRefused({
        role,
        expected: "up to 63 lower-case letters, digits and _ that do not begin with pg_",
        found: "another name",
      })

/** Gives one role its rights, in the caller's transaction. Throws `RoleRefused`. */
const granted = async (
  { user = "the user of this system", schema }: Address.Address,
  query: Query,
  { role, access }: Grant,
  chosen: string | undefined,
): Promise<Granted> => {
  const [row] = await query(FIND_ROLE, [role, schema])
  if (row !== undefined && row[0] === true)
    throw new RoleRefused({
      role,
      expected: "a role that only has the rights that it is given",
      found: "a superuser, or the owner of this log, who may do everything",
    })
  const password = row === undefined ? (chosen ?? randomBytes(24).toString("base64url")) : null
  if (password !== null) {
    try {
      // The server, and its log of statements, never see the password. Both parts are checked or made here.
      await query(`CREATE ROLE ${role} LOGIN PASSWORD '${verifierOf(password)}'`)
    } catch (cause) {
      if (codeOf(cause) !== TOO_FEW_RIGHTS) throw cause
      throw new RoleRefused({
        role,
        expected: "a user who may create roles (CREATEROLE)",
        found: `${user}, who may not`,
      })
    }
  }
  await query("SELECT grant_access($1, $2)", [role, access])
  return { role, access, password }
}

/** https://www.postgresql.org/docs/current/errcodes-appendix.html */
const TOO_FEW_RIGHTS = "42501"

const ITERATIONS = 4096

/** What PostgreSQL stores of a password (RFC 5803, as `rolpassword` has it). */
const verifierOf = (password: string): string => {
  const salt = randomBytes(16)
  const salted = pbkdf2Sync(password, salt, ITERATIONS, 32, "sha256")
  const keyOf = (name: string) => createHmac("sha256", salted).update(name).digest()
  const stored = createHash("sha256").update(keyOf("Client Key")).digest("base64")
  return `SCRAM-SHA-256$${ITERATIONS}:${salt.toString("base64")}$${stored}:${keyOf("Server Key").toString("base64")}`
}

/** The address for others, each with a user of their own. */
const withoutUser = (name: string): string => name.replace(/^(postgres:\/\/)[^@/]*@/, "$1")

const HAS_SCHEMA = "SELECT EXISTS (SELECT FROM pg_catalog.pg_namespace WHERE nspname = $1)"

/** Whether the role may do everything; no row without such a role. */
const FIND_ROLE = `SELECT r.rolsuper OR r.oid = (SELECT n.nspowner FROM pg_catalog.pg_namespace n WHERE n.nspname = $2)
  FROM pg_catalog.pg_roles r WHERE r.rolname = $1`
