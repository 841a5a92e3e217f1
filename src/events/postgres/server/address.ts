/** The address of a log on a PostgreSQL server: a URL, of which messages never show the password. */

import { Either } from "effect"
import { DEFAULT_SCHEMA, isMisread, shown } from "../../log/ServerUrl.ts"

export type SslMode = "disable" | "require" | "verify-full"

/** A parsed URL. The usual variables set the parts that it lacks: `PGHOST`, `PGUSER`, `PGPASSWORD`, `PGPASSFILE` … */
export interface Address {
  /** The URL without a password, for messages. */
  readonly name: string
  /** Holds the log. Its keys are in the schema `<schema>_keys`. */
  readonly schema: string
  readonly host?: string
  readonly port?: number
  readonly user?: string
  readonly password?: string
  readonly database?: string
  readonly ssl?: SslMode
  /** The file with the certificates of the authorities that `verify-full` trusts, in PEM. Default: `PGSSLROOTCERT`, else Node's. */
  readonly sslRootCert?: string
}

/** The schema of a log's keys, with rights of its own. */
export const keysSchemaOf = (schema: string): string => `${schema}_keys`

/** Two schemas have it as a prefix, and identifiers end at 63 bytes. */
const SCHEMA = /^[a-z_][a-z0-9_]{0,49}$/

const OWN_SCHEMAS = /^(?:pg_.*|public|information_schema)$/

const PARAMETERS: ReadonlySet<string> = new Set(["schema", "sslmode", "sslrootcert"])

const EXAMPLE = "postgres://user@host:5432/database?schema=hindcast"

/** Parses a log's URL. On the left is the mistake, without any part of the URL that may be a password. */
export const parse = (log: string): Either.Either<Address, string> => {
  let url: URL
  try {
    url = new URL(log)
  } catch {
    return Either.left(`expected a URL such as ${EXAMPLE}, found one that cannot be read`)
  }
  if (isMisread(log, url))
    return Either.left(
      `expected a URL such as ${EXAMPLE}, found an @ after the server's name, or no //. In a name or a password, write %40 for @, %2F for /, %3F for ? and %23 for #`,
    )
  if (url.hash !== "") return Either.left("expected a URL without #: write %23 for it in a name or a password")
  for (const name of url.searchParams.keys()) {
    if (!PARAMETERS.has(name))
      return Either.left(`expected the parameters schema, sslmode and sslrootcert only, found ${JSON.stringify(name)}`)
    if (url.searchParams.getAll(name).length > 1) return Either.left(`expected one ${name}, found several`)
  }
  const schema = url.searchParams.get("schema") ?? DEFAULT_SCHEMA
  if (!SCHEMA.test(schema) || OWN_SCHEMAS.test(schema))
    return Either.left(
      "schema: expected up to 50 lower-case letters, digits and _ that name a schema of the log's own (not public or pg_…), " +
        `found ${JSON.stringify(schema)}`,
    )
  const ssl = url.searchParams.get("sslmode")
  if (ssl !== null && !isSslMode(ssl))
    return Either.left(`sslmode: expected disable, require or verify-full, found ${JSON.stringify(ssl)}`)
  const sslRootCert = url.searchParams.get("sslrootcert")
  if (sslRootCert !== null && ssl !== "verify-full")
    return Either.left(
      "sslrootcert: expected it with sslmode=verify-full, found another mode, which trusts every certificate",
    )
  const parts = decodedParts(url)
  if (parts === undefined) return Either.left("expected valid %-escapes, found a % that begins none")
  return Either.right({
    ...parts,
    name: shown(log),
    schema,
    ...(url.port === "" ? {} : { port: Number(url.port) }),
    ...(ssl === null ? {} : { ssl }),
    ...(sslRootCert === null ? {} : { sslRootCert }),
  })
}

const isSslMode = (mode: string): mode is SslMode => mode === "disable" || mode === "require" || mode === "verify-full"

const decodedParts = (url: URL): Pick<Address, "host" | "user" | "password" | "database"> | undefined => {
  const given = { host: url.hostname, user: url.username, password: url.password, database: url.pathname.slice(1) }
  try {
    const decoded = Object.entries(given).flatMap(([part, text]) =>
      text === "" ? [] : [[part, part === "host" ? withoutBrackets(text) : decodeURIComponent(text)]],
    )
    return Object.fromEntries(decoded)
  } catch {
    return undefined
  }
}

/** `[::1]` → `::1` */
const withoutBrackets = (host: string): string => decodeURIComponent(host.replace(/^\[(.*)\]$/, "$1"))
