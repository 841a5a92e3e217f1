import * as path from "node:path"
import { Data, Either, Schema } from "effect"
import type { GrantedPermissions, MissingGrant } from "../../events/vocabulary/Plugins.ts"
import type { Manifest } from "./Manifest.ts"
import { confusableCharacter, isInside } from "./paths.ts"

/** What a plugin may do, as the person who imported it granted it. Paths are absolute. */
export const Grants = Schema.Struct({
  read: Schema.Array(Schema.String).annotations({ description: "Directories and files it may read" }),
  write: Schema.Array(Schema.String).annotations({ description: "Directories and files the host may write for it" }),
  net: Schema.Array(Schema.String).annotations({ description: "Hosts it may connect to: `host` or `host:port`" }),
  env: Schema.Array(Schema.String).annotations({ description: "Environment variables it may read" }),
  run: Schema.Array(Schema.String).annotations({ description: "Commands the host may run for it, by exact name" }),
  runAny: Schema.Boolean.annotations({ description: "Whether the host may run any command for it" }),
}).annotations({ identifier: "Grants" })

export type Grants = typeof Grants.Type

/** What a manifest asks for, as it is written there. */
export interface RequestedPermissions {
  readonly read: ReadonlyArray<string>
  readonly write: ReadonlyArray<string>
  readonly net: ReadonlyArray<string>
  readonly env: ReadonlyArray<string>
  readonly run: ReadonlyArray<string>
}

/** Where a plugin stands, and what people said of its grants. */
export interface Granting {
  /** The plugin's directory: an absolute, real path. */
  readonly directory: string
  /** The workspace that `"."` speaks of: an absolute, real path. */
  readonly workspace: string
  /**
   * What was granted by name, now or for a version before: `--grant-read`, `--grant-write`, `--grant-net`, `--grant-env`,
   * `--grant-run`, `--grant-run-any`.
   */
  readonly extra?: GrantedPermissions
  /** What was taken back: whatever of it is asked for needs a grant by name, also where others need none. */
  readonly revoked?: GrantedPermissions
  /** For an update: what the version before it asks for. All that is not in it needs a grant by name. */
  readonly earlier?: RequestedPermissions
}

/** One thing asked for and not granted. */
export type Refusal = MissingGrant

/** What is granted of what a manifest asks for, and what is not. */
export interface Settlement {
  readonly grants: Grants
  readonly refusals: ReadonlyArray<Refusal>
}

/** Grant it, or do without the plugin: it asks for more than it was granted. */
export class GrantRefused extends Data.TaggedError("GrantRefused")<{
  readonly plugin: string
  readonly refusals: ReadonlyArray<Refusal>
}> {
  override get message() {
    return `Plugin ${this.plugin} asks for more than it was granted:${this.refusals.map(formatRefusal).join("")}`
  }
}

/** A refusal as a line of a message. */
export const formatRefusal = ({ field, asked, reason, flag }: Refusal): string =>
  `\n  ${field} asks for ${JSON.stringify(asked)}: ${reason}${flag === undefined ? "" : `; ${flag} grants it`}`

/** What a manifest asks for. */
export const requested = (manifest: Manifest): RequestedPermissions => ({
  read: manifest.permissions.read,
  write: manifest.permissions.write ?? [],
  net: manifest.permissions.net ?? [],
  env: manifest.permissions.env ?? [],
  run: manifest.permissions.run,
})

/** What a plugin is granted: everything that its manifest asks for, or a refusal of all that is not; see `settle`. */
export const resolve = (manifest: Manifest, granting: Granting): Either.Either<Grants, GrantRefused> => {
  const { grants, refusals } = settle(manifest, granting)
  return refusals.length === 0
    ? Either.right(grants)
    : Either.left(new GrantRefused({ plugin: manifest.name, refusals }))
}

/**
 * Settles what a plugin is granted of what its manifest asks for. Pure: where links lead is not looked up.
 *
 * - `read`, `write`: `"."` is the workspace; a relative path is resolved against the plugin's directory. No explicit
 *   grant is needed for `"."`, for absolute paths in the workspace, and to `read` in the plugin's directory; what lies
 *   elsewhere must lie in one. A relative path never counts as the workspace: the plugin's copy may be kept in it.
 * - `run`: named commands need none; `"."`, any command, needs `runAny`, which covers named ones too.
 * - `net`, `env`: always need one, by the same name.
 * - What an update asks for and the version before did not, and what was taken back, needs one in any case; only the
 *   plugin's directory is always its own to read.
 *
 * An explicit grant for something that the manifest does not ask for grants nothing.
 */
export const settle = (manifest: Manifest, granting: Granting): Settlement => {
  const wants = requested(manifest)
  const refusals: Array<Refusal> = []
  const places = (field: PlaceField) =>
    wants[field].flatMap((place) => {
      const found = resolvePlace(field, place, granting)
      if (Either.isRight(found)) return [found.right]
      refusals.push(found.left)
      return []
    })
  const named = (field: NameField) =>
    wants[field].filter((name) => {
      const refusal = refuseName(field, name, granting)
      if (refusal !== undefined) refusals.push(refusal)
      return refusal === undefined
    })
  const grants: Grants = {
    read: unique(places("read")),
    write: unique(places("write")),
    net: unique(named("net")),
    env: unique(named("env")),
    run: unique(named("run")).filter((command) => command !== ANY),
    runAny: wants.run.includes(ANY) && granting.extra?.runAny === true,
  }
  return { grants, refusals }
}

/** The options that give what refusals miss, each once; and what no option gives. */
export const remedies = (refusals: ReadonlyArray<Refusal>) => ({
  flags: unique(refusals.flatMap(({ flag }) => flag ?? [])),
  hopeless: refusals.filter(({ flag }) => flag === undefined),
})

/** Grants by name as they are recorded: paths absolute, each once. `undefined` where nothing is given. */
export const granted = (extra: GrantedPermissions = {}, directory = process.cwd()): GrantedPermissions | undefined => {
  const names = LISTS.flatMap((list) => {
    const values = extra[list] ?? []
    const isPlace = list === "read" || list === "write"
    const absolute = isPlace ? values.map((place) => path.resolve(directory, place)) : values
    return absolute.length === 0 ? [] : [[list, unique(absolute)] as const]
  })
  if (names.length === 0 && extra.runAny !== true) return undefined
  return { ...Object.fromEntries(names), ...(extra.runAny === true ? { runAny: true } : {}) }
}

/** Whether grants have everything that others have. */
export const covers = (grants: Grants, others: Grants): boolean =>
  LISTS.every((list) => others[list].every((name) => grants[list].includes(name))) && (grants.runAny || !others.runAny)

/**
 * What is left of grants after what people took back by name, and did not give again: a directory takes along what lies in
 * it, and what it lies in.
 */
export const withoutRevoked = (
  grants: Grants,
  { given, revoked }: { readonly given: GrantedPermissions; readonly revoked: GrantedPermissions },
) => {
  const places = (list: PlaceField) =>
    grants[list].filter(
      (place) =>
        (given[list] ?? []).some((again) => isInside(place, again)) ||
        !(revoked[list] ?? []).some((gone) => isInside(place, gone) || isInside(gone, place)),
    )
  const names = (list: NameField) => grants[list].filter((name) => !(revoked[list] ?? []).includes(name))
  return {
    ...{ read: places("read"), write: places("write"), net: names("net"), env: names("env"), run: names("run") },
    runAny: grants.runAny && revoked.runAny !== true,
  }
}

/** The lists of grants by name; beside them there is `runAny`. */
export const LISTS = ["read", "write", "net", "env", "run"] as const

/** What in grants by name can never be granted, and why. */
export const invalidGrants = (names: GrantedPermissions): ReadonlyArray<string> =>
  LISTS.flatMap((list) =>
    (names[list] ?? []).flatMap((name) => {
      const isPlace = list === "read" || list === "write"
      const isAny = list === "run" && name === ANY
      const wrong = isAny
        ? "any command is granted by --grant-run-any"
        : isPlace
          ? unspeakable(name)
          : misnamed(list, name)
      return wrong === undefined ? [] : [`--grant-${list} ${JSON.stringify(name)}: ${wrong}`]
    }),
  )

/** All that several say together. */
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

type PlaceField = "read" | "write"
type NameField = "net" | "env" | "run"

const unique = (values: ReadonlyArray<string>) => [...new Set(values)]

/** Why a path cannot be granted whatever is said, or undefined. */
const unspeakable = (place: string): string | undefined => {
  // A comma separates the paths and hosts of a Deno permission flag, so one inside a name would grant something else.
  if (/[,\n\r\0]/.test(place)) return "a path with a comma or a line break cannot be granted"
  const deceit = confusableCharacter(place)
  return deceit === undefined ? undefined : `a path with ${deceit} cannot be granted`
}

const resolvePlace = (
  field: PlaceField,
  place: string,
  { directory, workspace, extra, revoked, earlier }: Granting,
): Either.Either<string, Refusal> => {
  const refuse = (reason: string, flag?: string) =>
    Either.left({ field: `permissions.${field}`, asked: place, reason, ...(flag === undefined ? {} : { flag }) })
  const isWorkspace = path.normalize(place).replace(/\/+$/, "") === ANY
  const resolved = isWorkspace ? path.resolve(workspace) : path.resolve(directory, place)
  if (place === "") return refuse('expected a path or "."; found empty text')
  const unsaid = unspeakable(resolved)
  if (unsaid !== undefined) return refuse(unsaid)
  const flag = `--grant-${field} ${shellQuote(resolved)}`
  const granted = (extra?.[field] ?? []).map((place) => path.resolve(place))
  if (granted.some((place) => isInside(resolved, place))) return Either.right(resolved)
  const taken = (revoked?.[field] ?? []).find((place) => isInside(resolved, place) || isInside(place, resolved))
  if (taken !== undefined) return refuse(`${taken} was taken back from it`, flag)
  if (field === "read" && isInside(resolved, directory)) return Either.right(resolved)
  const isMore = earlier !== undefined && !earlier[field].includes(place)
  const inWorkspace = (isWorkspace || path.isAbsolute(place)) && isInside(resolved, workspace)
  if (inWorkspace) return isMore ? refuse(MORE, flag) : Either.right(resolved)
  if (!isWorkspace && !path.isAbsolute(place) && isInside(resolved, workspace)) {
    return refuse(`${resolved} lies in the workspace, where only "." and absolute paths lead`, flag)
  }
  const limits = field === "read" ? "the workspace and the plugin's directory" : "the workspace"
  return refuse(`${resolved} lies outside ${limits}`, flag)
}

/** Why an update is refused what a first import is given. */
const MORE = "the version before it does not ask for it"

const refuseName = (field: NameField, name: string, { extra, revoked, earlier }: Granting): Refusal | undefined => {
  const known = { field: `permissions.${field}`, asked: name }
  const flag = field === "run" && name === ANY ? "--grant-run-any" : `--grant-${field} ${shellQuote(name)}`
  const wrong = misnamed(field, name)
  if (wrong !== undefined) return { ...known, reason: wrong }
  if (field === "run" && extra?.runAny === true) return undefined
  if (name !== ANY && (extra?.[field] ?? []).includes(name)) return undefined
  if (field === "net") return { ...known, reason: "a host needs an explicit grant", flag }
  if (field === "env") return { ...known, reason: "an environment variable needs an explicit grant", flag }
  if (name === ANY) return { ...known, reason: "it means any command", flag }
  if ((revoked?.run ?? []).includes(name)) return { ...known, reason: "it was taken back from it", flag }
  return earlier !== undefined && !earlier.run.includes(name) ? { ...known, reason: MORE, flag } : undefined
}

const misnamed = (field: NameField, name: string): string | undefined => {
  if (field === "run") {
    const deceit = name === "" ? "nothing in it" : confusableCharacter(name)
    return deceit === undefined ? undefined : `expected a command's name; found one with ${deceit}`
  }
  if (name === "" || /[,\n\r\0]/.test(name)) return "expected a name without commas and line breaks"
  if (field === "env" && !/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) {
    return "expected one variable's name: letters, digits and _"
  }
  const deceit = confusableCharacter(name)
  return deceit === undefined ? undefined : `expected a host's name; found one with ${deceit}`
}

/** A word as a shell takes it (POSIX): in quotes where it needs them. */
export const shellQuote = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
