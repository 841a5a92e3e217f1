/** Decides a plugin's permissions: compares those that its manifest requests with the grants that people gave. */
import * as path from "node:path"
import { Data, Either, Schema } from "effect"
import type { GrantedPermissions, MissingGrant } from "../../events/vocabulary/Plugins.ts"
import { defined } from "../../values/defined.ts"
import { quoteWord } from "../../values/ShellWord.ts"
import type { Manifest } from "./Manifest.ts"
import { confusableCharacter, isInside } from "./paths.ts"

/** A plugin's permissions, as granted at its import. Paths are absolute. */
export const Grants = Schema.Struct({
  read: Schema.Array(Schema.String).annotations({ description: "Directories and files it may read" }),
  write: Schema.Array(Schema.String).annotations({ description: "Directories and files the host may write for it" }),
  net: Schema.Array(Schema.String).annotations({ description: "Hosts it may connect to: `host` or `host:port`" }),
  env: Schema.Array(Schema.String).annotations({ description: "Environment variables it may read" }),
  run: Schema.Array(Schema.String).annotations({ description: "Commands the host may run for it, by exact name" }),
  runAny: Schema.Boolean.annotations({ description: "Whether the host may run any command for it" }),
}).annotations({ identifier: "Grants" })

export type Grants = typeof Grants.Type

/** No permissions at all. */
export const NO_GRANTS: Grants = { read: [], write: [], net: [], env: [], run: [], runAny: false }

/** A manifest's requests, verbatim. */
export interface RequestedPermissions {
  readonly read: ReadonlyArray<string>
  readonly write: ReadonlyArray<string>
  readonly net: ReadonlyArray<string>
  readonly env: ReadonlyArray<string>
  readonly run: ReadonlyArray<string>
}

/** The plugin's location, and the grants that people gave and revoked. */
export interface GrantInputs {
  /** An absolute, real path. */
  readonly directory: string
  /** The workspace, `"."`: an absolute, real path. */
  readonly workspace: string
  /** Explicit grants, for this version or an earlier one: `--grant-read`, `--grant-net` … */
  readonly extra?: GrantedPermissions
  /** Revoked grants. Requesting one of them needs an explicit grant, even where no grant is needed otherwise. */
  readonly revoked?: GrantedPermissions
  /** In an update: the previous version's requests. Any other request needs an explicit grant. */
  readonly earlier?: RequestedPermissions
}

/** A request without its grant. */
export type Refusal = MissingGrant

/** The granted and the refused part of a manifest's requests. */
export interface GrantDecision {
  readonly grants: Grants
  readonly refusals: ReadonlyArray<Refusal>
}

/** Grant the permissions, or do without the plugin: it requests more than people granted. */
export class GrantRefused extends Data.TaggedError("GrantRefused")<{
  readonly plugin: string
  readonly refusals: ReadonlyArray<Refusal>
}> {
  override get message() {
    return `Plugin ${this.plugin} asks for more than it was granted:${this.refusals.map(formatRefusal).join("")}`
  }
}

/** One line of a message. */
export const formatRefusal = ({ field, asked, reason, flag }: Refusal): string =>
  `\n  ${field} asks for ${JSON.stringify(asked)}: ${reason}${flag === undefined ? "" : `; ${flag} grants it`}`

/** The requests of a manifest, with empty lists for missing ones. */
export const requested = (manifest: Manifest): RequestedPermissions => ({
  read: manifest.permissions.read,
  write: manifest.permissions.write ?? [],
  net: manifest.permissions.net ?? [],
  env: manifest.permissions.env ?? [],
  run: manifest.permissions.run,
})

/** Grants everything that a manifest requests, or fails with every refusal; see `decideGrants`. */
export const resolve = (manifest: Manifest, inputs: GrantInputs): Either.Either<Grants, GrantRefused> => {
  const { grants, refusals } = decideGrants(manifest, inputs)
  return refusals.length === 0
    ? Either.right(grants)
    : Either.left(new GrantRefused({ plugin: manifest.name, refusals }))
}

/**
 * Decides about each requested permission. Pure: it does not resolve symbolic links.
 *
 * - `read`, `write`: `"."` is the workspace; relative paths start at the plugin's directory. `"."`, absolute paths in
 *   the workspace and, for `read`, paths in the plugin's directory need no explicit grant. Any other path must lie in a
 *   granted one. A relative path never counts as the workspace, because the plugin's copy may lie there.
 * - `run`: named commands need no explicit grant, except the command of an MCP server. `"."`, any command, needs
 *   `runAny`, which also covers named commands.
 * - `net`, `env`: each name needs a grant of the same name.
 * - A new request in an update, or a revoked one, needs an explicit grant, except a new request to read in the plugin's
 *   own directory.
 *
 * An explicit grant has no effect if the manifest does not request it.
 */
export const decideGrants = (manifest: Manifest, inputs: GrantInputs): GrantDecision => {
  const requests = requested(manifest)
  const refusals: Array<Refusal> = []
  const places = (field: PathField) =>
    requests[field].flatMap((place) => {
      const found = resolvePath(field, place, inputs)
      if (Either.isRight(found)) return [found.right]
      refusals.push(found.left)
      return []
    })
  const named = (field: NameField) =>
    requests[field].filter((name) => {
      const refusal = refuseName(field, name, inputs, manifest.runtime === "mcp")
      if (refusal !== undefined) refusals.push(refusal)
      return refusal === undefined
    })
  const grants: Grants = {
    read: unique(places("read")),
    write: unique(places("write")),
    net: unique(named("net")),
    env: unique(named("env")),
    run: unique(named("run")).filter((command) => command !== ANY),
    runAny: requests.run.includes(ANY) && inputs.extra?.runAny === true,
  }
  return { grants, refusals }
}

/** The options that grant the refusals, each once, and the refusals that no option grants. */
export const remedies = (refusals: ReadonlyArray<Refusal>) => ({
  flags: unique(refusals.flatMap(({ flag }) => flag ?? [])),
  ungrantable: refusals.filter(({ flag }) => flag === undefined),
})

/** Normalises explicit grants for the log: absolute paths, no duplicates. Undefined if they are empty. */
export const granted = (extra: GrantedPermissions = {}, directory = process.cwd()): GrantedPermissions | undefined => {
  const names = LISTS.flatMap((list) => {
    const values = extra[list] ?? []
    const isPath = list === "read" || list === "write"
    const absolute = isPath ? values.map((place) => path.resolve(directory, place)) : values
    return absolute.length === 0 ? [] : [[list, unique(absolute)] as const]
  })
  if (names.length === 0 && extra.runAny !== true) return undefined
  return { ...Object.fromEntries(names), ...(extra.runAny === true ? { runAny: true } : {}) }
}

/** Whether `grants` includes all of `others`. */
export const covers = (grants: Grants, others: Grants): boolean =>
  LISTS.every((list) => others[list].every((name) => grants[list].includes(name))) && (grants.runAny || !others.runAny)

/**
 * Removes revoked grants, except those given again. Revoking a directory also removes grants of paths in it and of
 * directories around it.
 */
export const withoutRevoked = (
  grants: Grants,
  { given, revoked }: { readonly given: GrantedPermissions; readonly revoked: GrantedPermissions },
) => {
  const places = (list: PathField) =>
    grants[list].filter(
      (place) =>
        (given[list] ?? []).some((again) => isInside(place, again)) ||
        !(revoked[list] ?? []).some((gone) => isInside(place, gone) || isInside(gone, place)),
    )
  const names = (list: NameField) => grants[list].filter((name) => !(revoked[list] ?? []).includes(name))
  return {
    read: places("read"),
    write: places("write"),
    net: names("net"),
    env: names("env"),
    run: names("run"),
    runAny: grants.runAny && revoked.runAny !== true,
  }
}

/** The fields of explicit grants that are lists; the other one is `runAny`. */
export const LISTS = ["read", "write", "net", "env", "run"] as const

/** The explicit grants that nobody can give, each with the reason. */
export const invalidGrants = (names: GrantedPermissions): ReadonlyArray<string> =>
  LISTS.flatMap((list) =>
    (names[list] ?? []).flatMap((name) => {
      const isPlace = list === "read" || list === "write"
      const isAny = list === "run" && name === ANY
      const wrong = isAny
        ? "any command is granted by --grant-run-any"
        : isPlace
          ? invalidPath(name)
          : invalidName(list, name)
      return wrong === undefined ? [] : [`--grant-${list} ${JSON.stringify(name)}: ${wrong}`]
    }),
  )

/** The union of sets of grants. */
export const merge = (...all: ReadonlyArray<GrantedPermissions>): GrantedPermissions =>
  granted(
    {
      ...Object.fromEntries(LISTS.map((list) => [list, all.flatMap((one) => one[list] ?? [])])),
      runAny: all.some(({ runAny }) => runAny === true),
    },
    path.parse(process.cwd()).root,
  ) ?? {}

/** In `read` and `write`: the whole workspace. In `run`: any command. */
const ANY = "."

type PathField = "read" | "write"
type NameField = "net" | "env" | "run"

const unique = (values: ReadonlyArray<string>) => [...new Set(values)]

/** Why a path can never be granted, or undefined. */
const invalidPath = (place: string): string | undefined => {
  // Deno's permission flags separate paths and hosts by commas: a comma in a name would grant something else.
  if (/[,\n\r\0]/.test(place)) return "a path with a comma or a line break cannot be granted"
  const confusable = confusableCharacter(place)
  return confusable === undefined ? undefined : `a path with ${confusable} cannot be granted`
}

const resolvePath = (
  field: PathField,
  place: string,
  { directory, workspace, extra, revoked, earlier }: GrantInputs,
): Either.Either<string, Refusal> => {
  const refuse = (reason: string, flag?: string) =>
    Either.left({ field: `permissions.${field}`, asked: place, reason, ...defined({ flag }) })
  const isWorkspace = path.normalize(place).replace(/\/+$/, "") === ANY
  const resolved = isWorkspace ? path.resolve(workspace) : path.resolve(directory, place)
  if (place === "") return refuse('expected a path or "."; found empty text')
  const invalid = invalidPath(resolved)
  if (invalid !== undefined) return refuse(invalid)
  const flag = `--grant-${field} ${quoteWord(resolved)}`
  const granted = (extra?.[field] ?? []).map((place) => path.resolve(place))
  if (granted.some((place) => isInside(resolved, place))) return Either.right(resolved)
  const revokedPath = (revoked?.[field] ?? []).find((place) => isInside(resolved, place) || isInside(place, resolved))
  if (revokedPath !== undefined) return refuse(`${revokedPath} was taken back from it`, flag)
  if (field === "read" && isInside(resolved, directory)) return Either.right(resolved)
  const isNewRequest = earlier !== undefined && !earlier[field].includes(place)
  const inWorkspace = (isWorkspace || path.isAbsolute(place)) && isInside(resolved, workspace)
  if (inWorkspace) return isNewRequest ? refuse(NEW_REQUEST, flag) : Either.right(resolved)
  if (!isWorkspace && !path.isAbsolute(place) && isInside(resolved, workspace)) {
    return refuse(`${resolved} lies in the workspace, which a relative path other than "." may not name`, flag)
  }
  const limits = field === "read" ? "the workspace and the plugin's directory" : "the workspace"
  return refuse(`${resolved} lies outside ${limits}`, flag)
}

/** Why an update does not get a permission that a first import would get. */
const NEW_REQUEST = "the previous version does not ask for it"

const refuseName = (
  field: NameField,
  name: string,
  { extra, revoked, earlier }: GrantInputs,
  isServer: boolean,
): Refusal | undefined => {
  const known = { field: `permissions.${field}`, asked: name }
  const flag = field === "run" && name === ANY ? "--grant-run-any" : `--grant-${field} ${quoteWord(name)}`
  const wrong = invalidName(field, name)
  if (wrong !== undefined) return { ...known, reason: wrong }
  if (field === "run" && extra?.runAny === true) return undefined
  if (name !== ANY && (extra?.[field] ?? []).includes(name)) return undefined
  if (field === "net") return { ...known, reason: "a host needs an explicit grant", flag }
  if (field === "env") return { ...known, reason: "an environment variable needs an explicit grant", flag }
  if (name === ANY) return { ...known, reason: "it means any command", flag }
  if ((revoked?.run ?? []).includes(name)) return { ...known, reason: "it was taken back from it", flag }
  if (isServer) return { ...known, reason: "it would start as a program of yours, outside of Deno", flag }
  return earlier !== undefined && !earlier.run.includes(name) ? { ...known, reason: NEW_REQUEST, flag } : undefined
}

const invalidName = (field: NameField, name: string): string | undefined => {
  if (field === "run") {
    const confusable = name === "" ? "nothing in it" : confusableCharacter(name)
    return confusable === undefined ? undefined : `expected a command's name; found one with ${confusable}`
  }
  if (name === "" || /[,\n\r\0]/.test(name)) return "expected a name without commas and line breaks"
  if (field === "env" && !/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) {
    return "expected one variable's name: letters, digits and _"
  }
  const confusable = confusableCharacter(name)
  return confusable === undefined ? undefined : `expected a host's name; found one with ${confusable}`
}
