import * as path from "node:path"
import { Data, Either, Schema } from "effect"
import type { Manifest } from "./Manifest.ts"
import { isInside } from "./paths.ts"

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
export interface Asked {
  readonly read: ReadonlyArray<string>
  readonly write: ReadonlyArray<string>
  readonly net: ReadonlyArray<string>
  readonly env: ReadonlyArray<string>
  readonly run: ReadonlyArray<string>
}

/** Where a plugin stands, and what its importer grants beyond what needs no grant. */
export interface Granting {
  /** The plugin's directory: an absolute, real path. */
  readonly directory: string
  /** The workspace that `"."` speaks of: an absolute, real path. */
  readonly workspace: string
  /** Explicit grants: `--grant-read`, `--grant-write`, `--grant-net`, `--grant-env`, `--grant-run-any`. */
  readonly extra?: Partial<Grants>
}

/** One thing asked for and not granted. */
export interface Refusal {
  /** The manifest's field: `permissions.read` … */
  readonly field: string
  readonly asked: string
  readonly reason: string
  /** The option that would grant it, or undefined where nothing does. */
  readonly flag?: string
}

/** Grant it, or do without the plugin: it asks for more than it was granted. */
export class GrantRefused extends Data.TaggedError("GrantRefused")<{
  readonly plugin: string
  readonly refusals: ReadonlyArray<Refusal>
}> {
  override get message() {
    const lines = this.refusals.map(
      ({ field, asked, reason, flag }) =>
        `\n  ${field} asks for ${JSON.stringify(asked)}: ${reason}${flag === undefined ? "" : `; ${flag} grants it`}`,
    )
    return `Plugin ${this.plugin} asks for more than it was granted:${lines.join("")}`
  }
}

/** What a manifest asks for. */
export const asked = (manifest: Manifest): Asked => ({
  read: manifest.permissions.read,
  write: manifest.permissions.write ?? [],
  net: manifest.permissions.net ?? [],
  env: manifest.permissions.env ?? [],
  run: manifest.permissions.run,
})

/**
 * What a plugin is granted: everything that its manifest asks for, or a refusal that names all that is not granted.
 *
 * - `read`, `write`: `"."` is the workspace; a relative path is resolved against the plugin's directory. No explicit
 *   grant is needed for `"."`, for absolute paths in the workspace, and to `read` in the plugin's directory; what lies
 *   elsewhere must lie in one. A relative path never counts as the workspace: the plugin's copy may be kept in it.
 * - `run`: named commands need none; `"."`, any command, needs `runAny`.
 * - `net`, `env`: always need one, by the same name.
 *
 * An explicit grant for something that the manifest does not ask for grants nothing.
 */
export const resolve = (manifest: Manifest, granting: Granting): Either.Either<Grants, GrantRefused> => {
  const wants = asked(manifest)
  const extra = granting.extra ?? {}
  const refusals: Array<Refusal> = []
  const places = (field: "read" | "write") =>
    wants[field].flatMap((place) => {
      const found = resolvePlace(field, place, granting)
      if (Either.isRight(found)) return [found.right]
      refusals.push(found.left)
      return []
    })
  const named = (field: "net" | "env") =>
    wants[field].filter((name) => {
      const refusal = refuseName(field, name, extra[field] ?? [])
      if (refusal !== undefined) refusals.push(refusal)
      return refusal === undefined
    })
  const grants: Grants = {
    read: unique(places("read")),
    write: unique(places("write")),
    net: unique(named("net")),
    env: unique(named("env")),
    run: unique(wants.run.filter((command) => command !== ANY)),
    runAny: wants.run.includes(ANY) && extra.runAny === true,
  }
  if (wants.run.includes(ANY) && !grants.runAny) {
    refusals.push({ field: "permissions.run", asked: ANY, reason: "it means any command", flag: "--grant-run-any" })
  }
  return refusals.length === 0
    ? Either.right(grants)
    : Either.left(new GrantRefused({ plugin: manifest.name, refusals }))
}

/** In `read` and `write`: the whole workspace. In `run`: any command. */
const ANY = "."

/** A comma separates the paths and hosts of a Deno permission flag, so one inside a name would grant something else. */
const UNSPEAKABLE = /[,\n\r\0]/

const unique = (values: ReadonlyArray<string>) => [...new Set(values)]

const resolvePlace = (
  field: "read" | "write",
  place: string,
  { directory, workspace, extra }: Granting,
): Either.Either<string, Refusal> => {
  const refuse = (reason: string, flag?: string) =>
    Either.left({ field: `permissions.${field}`, asked: place, reason, ...(flag === undefined ? {} : { flag }) })
  const isWorkspace = path.normalize(place).replace(/\/+$/, "") === ANY
  const resolved = isWorkspace ? path.resolve(workspace) : path.resolve(directory, place)
  if (place === "") return refuse('expected a path or "."; found empty text')
  if (UNSPEAKABLE.test(resolved)) return refuse("a path with a comma or a line break cannot be granted")
  const inWorkspace = isWorkspace || path.isAbsolute(place) ? [workspace] : []
  const free = field === "read" ? [...inWorkspace, directory] : inWorkspace
  const granted = (extra?.[field] ?? []).map((place) => path.resolve(place))
  if ([...free, ...granted].some((place) => isInside(resolved, place))) return Either.right(resolved)
  if (inWorkspace.length === 0 && isInside(resolved, workspace)) {
    return refuse(
      `${resolved} lies in the workspace, where only "." and absolute paths lead`,
      `--grant-${field} ${resolved}`,
    )
  }
  const limits = field === "read" ? "the workspace and the plugin's directory" : "the workspace"
  return refuse(`${resolved} lies outside ${limits}`, `--grant-${field} ${resolved}`)
}

const refuseName = (field: "net" | "env", name: string, granted: ReadonlyArray<string>): Refusal | undefined => {
  const known = { field: `permissions.${field}`, asked: name }
  if (name === "" || UNSPEAKABLE.test(name)) {
    return { ...known, reason: "expected a name without commas and line breaks" }
  }
  if (field === "env" && !/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) {
    return { ...known, reason: "expected one variable's name: letters, digits and _" }
  }
  if (granted.includes(name)) return undefined
  return {
    ...known,
    reason: field === "net" ? "a host needs an explicit grant" : "an environment variable needs an explicit grant",
    flag: `--grant-${field} ${name}`,
  }
}
