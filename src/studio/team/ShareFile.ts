/** The file of `hindcast studio --share`: where Studio listens, who may use it, and which logs it shows. */

import * as path from "node:path"
import { Effect, JSONSchema, Schema } from "effect"
import * as ServerUrl from "../../events/log/ServerUrl.ts"
import * as YamlFile from "../../kernel/rules/YamlFile.ts"
import type { JsonObject } from "../../values/Json.ts"
import * as Options from "../../values/Options.ts"
import { canParseUrl } from "../../values/url/canParseUrl.ts"
import { ROLES, type Role } from "../Allowed.ts"
import { AccountName } from "./Accounts.ts"
import * as Addresses from "./Addresses.ts"

/** A proxy that terminates TLS or names the people. Studio then accepts connections from nowhere else. */
export interface Proxy {
  /** Addresses and networks that the proxy connects from. */
  readonly addresses: ReadonlyArray<string>
  /** Whether browsers speak TLS with the proxy, and the proxy HTTP with Studio. Default: false. */
  readonly terminatesTls?: boolean
  /** A file with a secret that the proxy sends as `X-Hindcast-Proxy`. Default: none. */
  readonly secretFile?: string
  /** The header with the account's name, such as `X-Forwarded-User`. Default: people sign in with passwords. */
  readonly userHeader?: string
  /** The header with the account's groups, separated by commas. Default: no groups. */
  readonly groupsHeader?: string
}

/** Roles for some people. */
export interface Grant {
  readonly accounts?: ReadonlyArray<string>
  readonly groups?: ReadonlyArray<string>
  /** Whether all accounts have these roles. Default: false. */
  readonly everyone?: boolean
  readonly may: ReadonlyArray<Role>
}

export interface NamedLog {
  /** Its name in addresses. */
  readonly id: string
  /** A path, or `postgres://…` for a log on a server. */
  readonly file: string
  /** The roles that count on this log. Default: all. */
  readonly roles?: ReadonlyArray<Role>
  /** The roles whose holders see personal data. Default: none; it stays sealed. */
  readonly personal?: ReadonlyArray<Role>
}

export interface ShareFile {
  readonly listen: { readonly address: string; readonly port: number }
  /** Addresses in people's browsers: `https://studio.example.com`. */
  readonly origins: ReadonlyArray<string>
  readonly tls?: { readonly certificate: string; readonly key: string }
  readonly proxy?: Proxy
  /** The file of accounts with passwords. */
  readonly accounts?: string
  readonly roles: ReadonlyArray<Grant>
  readonly logs: ReadonlyArray<NamedLog>
  /** The file to which Studio appends who looked at what. */
  readonly accessRecord: string
  /** Hours until a session ends. Default: 12. */
  readonly sessionHours?: number
}

const Origin: Schema.Schema<string> = Schema.String.pipe(
  Schema.filter((text) => canParseUrl(text) && new URL(text).origin === text && text.startsWith("https://")),
  Schema.annotations({ description: "an origin with https and no path, such as https://studio.example.com" }),
)

/** Headers that mean something else, and which a proxy may pass on as the browser sent them. */
const TAKEN: ReadonlySet<string> = new Set([
  ...["host", "origin", "cookie", "authorization", "content-type", "x-forwarded-for", "x-hindcast-proxy"],
  ...["x-hindcast-csrf", "referer", "user-agent", "accept", "connection", "content-length", "transfer-encoding"],
])

const HeaderName: Schema.Schema<string> = Schema.String.pipe(
  Schema.filter((text) => /^[A-Za-z][A-Za-z0-9-]{1,99}$/.test(text) && !TAKEN.has(text.toLowerCase())),
  Schema.annotations({ description: "the name of a header that nothing else uses, such as X-Forwarded-User" }),
)

const Roles = Schema.Array(Schema.Literal(...ROLES))

const LogId: Schema.Schema<string> = Schema.String.pipe(
  Schema.filter((text) => /^[a-z0-9][a-z0-9-]{0,62}$/.test(text)),
  Schema.annotations({ description: "1 to 63 lower-case letters, digits and hyphens, such as nightly-runs" }),
)

const Logs = Schema.Array(
  Options.of<NamedLog>({
    required: { id: LogId, file: Options.Text },
    optional: { roles: Roles, personal: Roles },
  }),
).pipe(Schema.minItems(1))

const MAX_HOURS = 24 * 30

export const ShareFile: Schema.Schema<ShareFile> = Options.of<ShareFile>({
  required: {
    listen: Options.of<ShareFile["listen"]>({
      required: { address: Addresses.Address, port: Options.wholeNumber(0, 65_535) },
    }),
    origins: Schema.Array(Origin).pipe(Schema.minItems(1)),
    roles: Schema.Array(
      Options.of<Grant>({
        required: { may: Roles.pipe(Schema.minItems(1)) },
        optional: {
          accounts: Schema.Array(AccountName),
          groups: Schema.Array(AccountName),
          everyone: Schema.Boolean,
        },
      }),
    ),
    logs: Logs,
    accessRecord: Options.Text,
  },
  optional: {
    tls: Options.of<NonNullable<ShareFile["tls"]>>({ required: { certificate: Options.Text, key: Options.Text } }),
    proxy: Options.of<Proxy>({
      required: { addresses: Schema.Array(Addresses.Network).pipe(Schema.minItems(1)) },
      optional: {
        terminatesTls: Schema.Boolean,
        secretFile: Options.Text,
        userHeader: HeaderName,
        groupsHeader: HeaderName,
      },
    }),
    accounts: Options.Text,
    sessionHours: Schema.Number.pipe(
      Schema.filter((hours) => hours > 0 && hours <= MAX_HOURS),
      Schema.annotations({ description: `hours, more than 0 and at most ${MAX_HOURS}` }),
    ),
  },
})

/** The JSON Schema (draft-07) of the file, also the package's `schema/studio-share.schema.json`. `read` checks more. */
export const jsonSchema = (): JsonObject =>
  JSON.parse(
    JSON.stringify(
      {
        title: "shared Studio",
        description: "Where `hindcast studio --share` listens, who may use it, and which logs it shows",
        ...JSONSchema.make(ShareFile, { target: "jsonSchema7" }),
      },
      (key, value) => (key === "title" && value !== "shared Studio" ? undefined : value),
    ),
  )

/** Decodes a file's value, whose paths are relative to a directory. All paths in the result are absolute. */
export const decode = (
  file: string,
  value: unknown,
  directory: string,
): Effect.Effect<ShareFile, Options.InvalidOptions> =>
  Effect.gen(function* () {
    const share = yield* Options.decode(file, ShareFile, value)
    const problems = problemsOf(share)
    if (problems.length > 0) return yield* new Options.InvalidOptions({ of: file, problems })
    const at = (named: string) => path.resolve(directory, named)
    const { tls, proxy, accounts } = share
    return {
      ...share,
      ...(tls === undefined ? {} : { tls: { certificate: at(tls.certificate), key: at(tls.key) } }),
      ...(proxy?.secretFile === undefined ? {} : { proxy: { ...proxy, secretFile: at(proxy.secretFile) } }),
      ...(accounts === undefined ? {} : { accounts: at(accounts) }),
      logs: share.logs.map((log) => ({ ...log, file: ServerUrl.isAddress(log.file) ? log.file : at(log.file) })),
      accessRecord: at(share.accessRecord),
    }
  })

export const read = (file: string): Effect.Effect<ShareFile, YamlFile.FileUnreadable | Options.InvalidOptions> =>
  Effect.flatMap(YamlFile.readYaml(file), (value) => decode(file, value, path.dirname(path.resolve(file))))

/** Others than Studio read the file. */
const hasPassword = (log: string): boolean =>
  ServerUrl.isAddress(log) && (!canParseUrl(log) || new URL(log).password !== "")

/** Problems that a schema of single fields cannot express. Everything unsafe needs a statement in the file. */
const problemsOf = ({ tls, proxy, accounts, roles, logs }: ShareFile): ReadonlyArray<Options.Problem> => {
  const problems: Array<Options.Problem> = []
  const add = (path: string, expected: string, found: string) => problems.push({ path, expected, found })
  if (tls === undefined && proxy?.terminatesTls !== true) {
    const expected =
      "a certificate and its key, or `proxy` with `terminatesTls: true`: Studio never shares logs over HTTP"
    add("tls", expected, "neither")
  }
  if (tls !== undefined && proxy?.terminatesTls === true) {
    add("proxy.terminatesTls", "either this or `tls`", "both")
  }
  const header = proxy?.userHeader
  if (accounts === undefined && header === undefined) {
    add("accounts", "a file of accounts, or `proxy.userHeader`", "neither")
  }
  if (accounts !== undefined && header !== undefined) add("accounts", "either this or `proxy.userHeader`", "both")
  if (proxy?.groupsHeader !== undefined && header === undefined) {
    add("proxy.groupsHeader", "`proxy.userHeader` with it", "none")
  }
  if (header !== undefined && header.toLowerCase() === proxy?.groupsHeader?.toLowerCase()) {
    add("proxy.groupsHeader", "another header than `proxy.userHeader`", JSON.stringify(header))
  }
  if (header !== undefined && proxy?.secretFile === undefined && proxy?.addresses.some(Addresses.includesLoopback)) {
    const expected = "a file with a secret that the proxy sends, since every user of this machine can connect from it"
    add("proxy.secretFile", expected, "none")
  }
  for (const [index, { id, file }] of logs.entries()) {
    if (hasPassword(file))
      add(`logs[${index}].file`, "a URL without a password, which PGPASSFILE has", "one with a password")
    if (logs.findIndex((log) => log.id === id) < index) add(`logs[${index}].id`, "each id once", JSON.stringify(id))
  }
  for (const [index, grant] of roles.entries()) {
    const named = [...(grant.accounts ?? []), ...(grant.groups ?? [])]
    if (named.length === 0 && grant.everyone !== true) {
      add(`roles[${index}]`, "accounts, groups, or `everyone: true`", "none")
    }
  }
  return problems
}

/** The roles of a person on a log. */
export const rolesOf = (
  { roles }: Pick<ShareFile, "roles">,
  person: { readonly account: string; readonly groups: ReadonlyArray<string> },
  log: NamedLog,
): ReadonlySet<Role> => {
  const isFor = ({ accounts = [], groups = [], everyone = false }: Grant) =>
    everyone || accounts.includes(person.account) || groups.some((group) => person.groups.includes(group))
  const given = new Set(roles.filter(isFor).flatMap(({ may }) => may))
  return new Set(ROLES.filter((role) => given.has(role) && (log.roles?.includes(role) ?? true)))
}

/** Whether the holder of these roles sees a log's personal data. */
export const seesPersonal = ({ personal = [] }: NamedLog, roles: ReadonlySet<Role>): boolean =>
  personal.some((role) => roles.has(role))
