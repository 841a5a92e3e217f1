import * as crypto from "node:crypto"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { Effect } from "effect"
import { PluginUnavailable } from "../PluginError.ts"
import { isInside } from "../paths.ts"
import { type DecodeOptions, decode, ManifestInvalid } from "./decode.ts"
import { FILE, type Manifest } from "./schema.ts"

/** A plugin as it stands in a directory. */
export interface LoadedPlugin {
  readonly manifest: Manifest
  readonly warnings: ReadonlyArray<string>
  /** The plugin's directory: an absolute, real path. */
  readonly directory: string
  /** SHA-256, in lower-case hexadecimal, over all files: their relative paths in order, and their bytes. */
  readonly digest: string
  /** Relative paths with `/`, sorted. */
  readonly files: ReadonlyArray<string>
}

/** Left out of the digest and the list of files: what tools keep beside the source, and a plugin cannot import. */
const SKIPPED = new Set([".git", "node_modules"])

/**
 * Reads a plugin's directory without running anything of it: decodes its manifest, checks that the entry and the
 * scenario are files in the directory and that no symbolic link leads out of it, and computes a digest of its content.
 * `.git` and `node_modules` are not part of a plugin: a plugin has its dependencies in its own files.
 * A link to a file in the directory counts as that file; a link to a directory is refused.
 */
export const load = (
  directory: string,
  options: Omit<DecodeOptions, "file"> = {},
): Effect.Effect<LoadedPlugin, ManifestInvalid | PluginUnavailable> =>
  Effect.gen(function* () {
    const root = yield* attempt(directory, () => fs.realpath(directory))
    const file = path.join(root, FILE)
    const text = yield* attempt(directory, () => fs.readFile(file, "utf8"))
    const json = yield* parse(file, text)
    const { manifest, warnings } = yield* decode(json, { ...options, file })
    const files = yield* attempt(directory, () => list(root, ""))
    const strays = [...(yield* strayLinks(root, files)), ...missingFiles(manifest, files)]
    if (strays.length > 0) return yield* new ManifestInvalid({ file, issues: strays })
    const digest = yield* attempt(directory, () => digestOf(root, files))
    return { manifest, warnings, directory: root, digest, files }
  })

const attempt = <A>(directory: string, run: () => Promise<A>): Effect.Effect<A, PluginUnavailable> =>
  Effect.tryPromise({
    try: run,
    catch: (cause) =>
      new PluginUnavailable({
        plugin: directory,
        reason: `expected a directory with a readable ${FILE}; found ${cause instanceof Error ? cause.message : String(cause)}`,
      }),
  })

const parse = (file: string, text: string): Effect.Effect<unknown, ManifestInvalid> =>
  Effect.try({
    try: (): unknown => JSON.parse(text),
    catch: (cause) =>
      new ManifestInvalid({
        file,
        issues: [{ path: "", expected: "JSON", found: cause instanceof Error ? cause.message : String(cause) }],
      }),
  })

/** Every file and link below a directory, without following links to directories. Sorted by code unit. */
const list = async (root: string, below: string): Promise<ReadonlyArray<string>> => {
  const entries = await fs.readdir(path.join(root, below), { withFileTypes: true })
  const found = await Promise.all(
    entries
      .filter((entry) => !SKIPPED.has(entry.name) || entry.isSymbolicLink())
      .map(async (entry) => {
        const relative = below === "" ? entry.name : `${below}/${entry.name}`
        return entry.isDirectory() ? list(root, relative) : [relative]
      }),
  )
  return found.flat().sort()
}

const strayLinks = (root: string, files: ReadonlyArray<string>) =>
  Effect.promise(async () => {
    const strays = await Promise.all(files.map((file) => strayLink(root, file)))
    return strays.filter((stray) => stray !== undefined)
  })

const strayLink = async (root: string, file: string) => {
  const target = await fs.realpath(path.join(root, file)).catch(() => undefined)
  const isFile = target !== undefined && (await fs.stat(target)).isFile()
  if (isFile && isInside(target, root)) return undefined
  const found = target === undefined ? "a link to nothing" : `a link or special file that is ${target}`
  return { path: "", expected: `${file} to be a file in the plugin's directory`, found }
}

const missingFiles = ({ entry, peas }: Manifest, files: ReadonlyArray<string>) => {
  const scenario = peas.environment?.scenario
  const named = [
    { path: "/entry", file: entry },
    ...(scenario === undefined ? [] : [{ path: "/peas/environment/scenario", file: scenario }]),
  ]
  return named
    .filter(({ file }) => !files.includes(path.posix.normalize(file)))
    .map(({ path, file }) => ({
      path,
      expected: "a file in the plugin's directory",
      found: `no file ${JSON.stringify(file)}`,
    }))
}

/** Each file adds its path and its bytes, both with their lengths, so that no two listings read the same. */
const digestOf = async (root: string, files: ReadonlyArray<string>): Promise<string> => {
  const hash = crypto.createHash("sha256")
  for (const file of files) {
    const bytes = await fs.readFile(path.join(root, file))
    hash.update(`${Buffer.byteLength(file)}:${file}:${bytes.length}:`).update(bytes)
  }
  return hash.digest("hex")
}
