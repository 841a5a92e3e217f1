/** Limits of a plugin's files, and checks of their names and kinds. */

import * as fs from "node:fs/promises"
import * as path from "node:path"
import { Data, Effect } from "effect"
import { MANIFEST_BYTES, SKIPPED } from "../../plugins/manifest/load.ts"
import { manifestsIn } from "../../plugins/manifest/ManifestFile.ts"
import { collisionKey, confusableCharacter, isInside } from "../../plugins/manifest/paths.ts"
import { PluginUnavailable } from "../../plugins/PluginError.ts"

/** Limits of a plugin's size: far above any use, far below harm. */
export const LIMITS = {
  files: 10_000,
  /** All files together; also an archive. */
  bytes: 128 * 1024 * 1024,
  /** With one packed commit. The plugin may be one of many directories in it. */
  repositoryBytes: 512 * 1024 * 1024,
  manifestBytes: MANIFEST_BYTES,
  /** A path, in UTF-8. */
  pathBytes: 1024,
  /** Nested directories. */
  depth: 32,
}

/** The source contains forbidden files, or cannot be read. The import recorded nothing. */
export class SourceRefused extends Data.TaggedError("SourceRefused")<{
  /** The source as the person named it. */
  readonly source: string
  /** One sentence each: expected and found. */
  readonly issues: ReadonlyArray<string>
}> {
  override get message() {
    const shown = this.issues.slice(0, MAX_SHOWN).map((issue) => `\n  - ${issue}`)
    const more = this.issues.length > MAX_SHOWN ? `\n  - and ${this.issues.length - MAX_SHOWN} more` : ""
    return `${this.source} cannot be imported:${shown.join("")}${more}`
  }
}

const MAX_SHOWN = 20

/** A file in a source: its path with `/`, and its size in bytes. */
export interface ListedFile {
  readonly path: string
  readonly size: number
}

/** The problems of a list of files, regardless of content. Pure. */
export const issuesOf = (files: ReadonlyArray<ListedFile>): ReadonlyArray<string> => [
  ...files.flatMap(({ path }) => nameIssue(path) ?? []),
  ...collisions(files.map(({ path }) => path)),
  ...sizes(files),
]

/** Why a path in a source is refused, or undefined. */
export const nameIssue = (file: string): string | undefined => {
  const shown = JSON.stringify(file)
  if (file.startsWith("/") || /^[A-Za-z]:/.test(file))
    return `${shown}: expected a relative path, found an absolute one`
  const segments = file.split("/")
  if (segments.includes("..") || segments.includes(".")) return `${shown}: expected a path without "." and ".."`
  if (segments.includes("")) return `${shown}: expected a path, found an empty name in it`
  if (file.includes("\\")) return `${shown}: expected "/" between names, found "\\"`
  const confusable = confusableCharacter(file)
  if (confusable !== undefined) return `${shown}: expected a plain name, found ${confusable}`
  if (Buffer.byteLength(file) > LIMITS.pathBytes) {
    return `${shown.slice(0, 80)}…: expected at most ${LIMITS.pathBytes} bytes, found ${Buffer.byteLength(file)}`
  }
  if (segments.length > LIMITS.depth) {
    return `${shown}: expected at most ${LIMITS.depth} directories within each other, found ${segments.length}`
  }
  return undefined
}

/** Names that collide where case or Unicode normalization is ignored: the plugin would differ there. */
const collisions = (paths: ReadonlyArray<string>): ReadonlyArray<string> => {
  const first = new Map<string, { readonly name: string; readonly isFile: boolean }>()
  return paths.flatMap((file) => {
    const segments = file.split("/")
    return segments.flatMap((_, index) => {
      const name = segments.slice(0, index + 1).join("/")
      const isFile = index === segments.length - 1
      const key = collisionKey(name)
      const earlier = first.get(key)
      if (earlier === undefined) first.set(key, { name, isFile })
      if (earlier === undefined || (earlier.name === name && !isFile && !earlier.isFile)) return []
      const both = `${JSON.stringify(earlier.name)} and ${JSON.stringify(name)}`
      return [
        earlier.name === name
          ? `${JSON.stringify(name)}: expected each path once, found it twice`
          : `${both}: expected names that differ in more than case or Unicode's forms`,
      ]
    })
  })
}

const sizes = (files: ReadonlyArray<ListedFile>): ReadonlyArray<string> => {
  const bytes = files.reduce((sum, { size }) => sum + size, 0)
  const names = manifestsIn(files.map(({ path }) => path))
  const manifests = files.filter(({ path, size }) => names.includes(path) && size > LIMITS.manifestBytes)
  return [
    ...(files.length > LIMITS.files ? [`expected at most ${LIMITS.files} files, found more`] : []),
    ...(bytes > LIMITS.bytes ? [`expected at most ${LIMITS.bytes} bytes in all, found ${bytes}`] : []),
    ...manifests.map(({ path, size }) => `${path}: expected at most ${LIMITS.manifestBytes} bytes, found ${size}`),
  ]
}

/**
 * Validates a directory without opening any file, so that nothing can block. Refuses pipes, devices and sockets, and
 * links that are broken or circular, lead out, or point to a directory.
 *
 * @param source the source as the person named it, for messages
 */
export const validateDirectory = (
  directory: string,
  source: string,
): Effect.Effect<void, SourceRefused | PluginUnavailable> =>
  Effect.gen(function* () {
    const issues: Array<string> = []
    const files: Array<ListedFile> = []
    yield* Effect.tryPromise({
      try: async () => walk(await fs.realpath(directory), "", files, issues),
      catch: (cause) =>
        new PluginUnavailable({
          plugin: source,
          reason: `expected a readable directory, found ${cause instanceof Error ? cause.message : String(cause)}`,
        }),
    })
    const all = [...issues, ...issuesOf(files)]
    if (all.length > 0) return yield* new SourceRefused({ source, issues: all })
  })

const walk = async (root: string, below: string, files: Array<ListedFile>, issues: Array<string>): Promise<void> => {
  const entries = await fs.readdir(path.join(root, below), { withFileTypes: true })
  for (const entry of entries) {
    // Stop counting at the limit.
    if (files.length + issues.length > LIMITS.files) return
    const name = below === "" ? entry.name : `${below}/${entry.name}`
    if (SKIPPED.has(entry.name) && !entry.isSymbolicLink()) continue
    const wrong = nameIssue(name)
    if (wrong !== undefined) issues.push(wrong)
    else if (entry.isDirectory()) await walk(root, name, files, issues)
    else if (entry.isSymbolicLink()) await follow(root, name, files, issues)
    else if (entry.isFile()) files.push({ path: name, size: (await fs.lstat(path.join(root, name))).size })
    else issues.push(`${JSON.stringify(name)}: expected a file, found ${kindOf(entry)}`)
  }
}

const follow = async (root: string, name: string, files: Array<ListedFile>, issues: Array<string>): Promise<void> => {
  const refuse = (found: string) => issues.push(`${JSON.stringify(name)}: expected a file, found ${found}`)
  const target = await fs.realpath(path.join(root, name)).catch(() => undefined)
  if (target === undefined) refuse("a link to nothing or in a circle")
  else if (!isInside(target, root)) refuse(`a link that leads out of the plugin, to ${target}`)
  else {
    const stats = await fs.stat(target)
    if (stats.isFile()) files.push({ path: name, size: stats.size })
    else refuse(stats.isDirectory() ? "a link to a directory" : `a link to ${kindOf(stats)}`)
  }
}

interface Kind {
  readonly isFIFO: () => boolean
  readonly isSocket: () => boolean
}

const kindOf = (entry: Kind): string => (entry.isFIFO() ? "a pipe" : entry.isSocket() ? "a socket" : "a device")
