/**
 * Loads a plugin's directory without running its code: checks the manifest and the files that it names, and computes
 * the digest of the content.
 */
import * as crypto from "node:crypto"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { Effect, Either, Schema } from "effect"
import { Json, parseJson, valueAt } from "../../values/Json.ts"
import { PluginUnavailable } from "../PluginError.ts"
import * as ComponentSchemas from "../schemas/ComponentSchemas.ts"
import type { ManifestIssue } from "./characterChecks.ts"
import {
  type DecodeOptions,
  describe,
  ManifestInvalid,
  outsidePathIssues,
  type ValidationIssue,
  validate,
  withoutTolerable,
} from "./decode.ts"
import * as GuideFiles from "./guideFiles.ts"
import { EITHER_FILE, manifestsIn, severalManifests } from "./ManifestFile.ts"
import { isInside } from "./paths.ts"
import type { Manifest } from "./schema.ts"
import { type SourceLocation, type SourceLocations, sourceLocationsOf, syntaxErrorLocation } from "./sourceLocations.ts"
import { withWorld } from "./world.ts"
import { isPython } from "./worldIssues.ts"

/** A plugin, read from its directory. */
export interface LoadedPlugin {
  readonly manifest: Manifest
  readonly warnings: ReadonlyArray<string>
  /** An absolute, real path. */
  readonly directory: string
  /** SHA-256 in lower-case hexadecimal, over the relative paths and bytes of all files in order. */
  readonly digest: string
  /** Relative paths with `/`, sorted. */
  readonly files: ReadonlyArray<string>
}

/**
 * Directories outside the digest and the list of files. Tools keep them next to the source, and a plugin cannot import
 * from them. This process may have a log in `.hindcast` open: reading and closing its file would drop the process's
 * locks on it.
 */
export const SKIPPED: ReadonlySet<string> = new Set([".git", ".hindcast", "node_modules", "__pycache__"])

/** Options of `load`. */
export interface LoadOptions extends Omit<DecodeOptions, "file" | "accepted"> {
  /** Skips checks of text and component schemas that the import already made. Default: false. */
  readonly trusted?: boolean
}

/** A plugin's directory with all its mistakes. */
export interface Inspected {
  /** The manifest's absolute path. */
  readonly file: string
  /** The manifest; undefined if it is not JSON. */
  readonly document: Json | undefined
  /** The decoded manifest, even with other issues; undefined if decoding fails. */
  readonly manifest: Manifest | undefined
  /** Undefined if there are issues. */
  readonly plugin: LoadedPlugin | undefined
  /** The mistakes that prevent loading, in the file's order. */
  readonly issues: ReadonlyArray<ManifestIssue>
  /** Locates a part of the manifest in its file, by JSON Pointer. */
  readonly placeOf: (path: string) => SourceLocation
}

/**
 * Loads a plugin's directory without running its code. It decodes the manifest, checks the named files, the links and
 * the component schemas, and computes the digest.
 *
 * A link to a file in the directory counts as that file. A link to a directory, or out of the plugin's directory, is a
 * mistake. `.git`, `__pycache__` and `node_modules` are not part of a plugin, which keeps its dependencies in its own files.
 */
export const load = (
  directory: string,
  options: LoadOptions = {},
): Effect.Effect<LoadedPlugin, ManifestInvalid | PluginUnavailable> =>
  Effect.flatMap(inspect(directory, options), ({ file, plugin, issues }) =>
    plugin === undefined ? new ManifestInvalid({ file, issues }) : Effect.succeed(plugin),
  )

/** Loads like `load`, but returns the mistakes instead of failing. */
export const inspect = (
  directory: string,
  { lenient = false, trusted = false }: LoadOptions = {},
): Effect.Effect<Inspected, PluginUnavailable> =>
  Effect.gen(function* () {
    const root = yield* attempt(directory, () => fs.realpath(directory))
    const names = manifestsIn(yield* attempt(directory, () => fs.readdir(root)))
    const [name] = names
    if (name === undefined) return yield* unavailable(directory, "neither of them")
    const file = path.join(root, name)
    // Versions that knew only the first name imported plugins with a file of the second one, and still start them.
    const several = trusted ? undefined : severalManifests(names)
    if (several !== undefined) return undecoded(file, several)
    const text = yield* attempt(directory, () => readText(file))
    const parsed = parse(text)
    if (Either.isLeft(parsed)) return undecoded(file, parsed.left)
    const document = parsed.right
    const { manifest, issues } = validate(document, { accepted: trusted })
    const places = sourceLocationsOf(text)
    const files = yield* attempt(directory, () => list(root, ""))
    yield* ComponentSchemas.load
    const found: Array<ValidationIssue> = [
      ...issues,
      ...places.overridden.map(overriddenField),
      ...(trusted || !isJson(document) ? [] : ComponentSchemas.schemaMistakes(document).map(fatal)),
      ...(yield* strayLinks(root, files)).map(fatal),
      ...(isJson(document) ? missingFiles(document, files).map(fatal) : []),
      ...(isJson(document) ? yield* attempt(directory, () => viewHtmlIssues(root, document)) : []).map(fatal),
    ]
    const prompts =
      manifest === undefined || found.some(({ tolerable }) => !tolerable)
        ? NO_PROMPTS
        : yield* attempt(directory, () => GuideFiles.read(root, manifest, trusted))
    found.push(...prompts.issues.map(fatal))
    const located = found
      .map((issue) => ({ ...issue, place: issue.place ?? places.of(issue.path) }))
      .sort((a, b) => a.place.line - b.place.line || a.place.column - b.place.column)
    const passes = ({ tolerable }: ValidationIssue) => lenient && tolerable
    const refusing = located.filter((issue) => !passes(issue)).map(withoutTolerable)
    const warnings = located.filter(passes).map(describe)
    // Only now: the digest follows links, and they are known to stay in the directory.
    const plugin =
      manifest === undefined || refusing.length > 0
        ? undefined
        : {
            manifest: withWorld(prompts.manifest ?? manifest),
            warnings,
            directory: root,
            files,
            digest: yield* attempt(directory, () => digestOf(root, files)),
          }
    return {
      file,
      manifest,
      plugin,
      issues: refusing,
      placeOf: places.of,
      document: isJson(document) ? document : undefined,
    }
  })

const undecoded = (file: string, issue: ManifestIssue): Inspected => {
  const place = issue.place ?? START
  return { file, document: undefined, manifest: undefined, plugin: undefined, issues: [issue], placeOf: () => place }
}

const isJson = Schema.is(Json)

const fatal = (issue: ManifestIssue): ValidationIssue => ({ ...issue, tolerable: false })

const overriddenField = ({ pointer, place }: SourceLocations["overridden"][number]): ValidationIssue => ({
  path: pointer,
  expected: "each name once",
  found: "a field that a later one of the same name overrides",
  place,
  tolerable: true,
})

const attempt = <A>(directory: string, run: () => Promise<A>): Effect.Effect<A, PluginUnavailable> =>
  Effect.tryPromise({
    try: run,
    catch: (cause) => unavailable(directory, cause instanceof Error ? cause.message : String(cause)),
  })

const unavailable = (directory: string, found: string) =>
  new PluginUnavailable({
    plugin: directory,
    reason: `expected a directory with a readable ${EITHER_FILE}; found ${found}`,
  })

/** Maximum size of a manifest, in bytes. */
export const MANIFEST_BYTES = 1024 * 1024

const readText = async (file: string): Promise<string> => {
  const stats = await fs.stat(file)
  // Reading a pipe would block until somebody opens its other end.
  if (!stats.isFile()) throw new Error("something other than a file")
  const { size } = stats
  if (size > MANIFEST_BYTES) throw new Error(`one of ${size} bytes; at most ${MANIFEST_BYTES} are read`)
  return fs.readFile(file, "utf8")
}

const START: SourceLocation = { line: 1, column: 1 }

const parse = (text: string): Either.Either<unknown, ManifestIssue> => {
  try {
    return Either.right(parseJson(text))
  } catch (cause) {
    const found = cause instanceof Error ? cause.message : String(cause)
    return Either.left({ path: "", expected: "JSON", found, place: syntaxErrorLocation(text, found) })
  }
}

/** Every file and link below a directory, sorted by code unit. Does not follow links to directories. */
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

const VIEW_HTML = ["peas", "environment", "viewHtml"]

/** Maximum size of an environment's HTML view, in bytes. */
export const VIEW_HTML_BYTES = 256 * 1024

const viewHtmlIssues = async (root: string, document: Json): Promise<ReadonlyArray<ManifestIssue>> => {
  const file = valueAt(document, VIEW_HTML)
  if (typeof file !== "string" || outsidePathIssues(document, VIEW_HTML).length > 0) return []
  const size = await fs.stat(path.join(root, file)).then(
    (stats) => (stats.isFile() ? stats.size : 0),
    () => 0,
  )
  if (size <= VIEW_HTML_BYTES) return []
  const expected = `a file of at most ${VIEW_HTML_BYTES} bytes`
  return [{ path: `/${VIEW_HTML.join("/")}`, expected, found: `one of ${size} bytes` }]
}

/** The fields that name files, besides those of guides. */
const FILES = [
  ["entry"],
  ["peas", "environment", "scenario"],
  ["peas", "environment", "configuration"],
  VIEW_HTML,
  ["precomputed", "module"],
]

/** Named files that do not exist. Skips paths that another check refuses. */
const missingFiles = (document: Json, files: ReadonlyArray<string>): ReadonlyArray<ManifestIssue> =>
  [...(isPython(document) ? FILES.filter(([field]) => field !== "entry") : FILES), ...guideFiles(document)].flatMap(
    (keys) => {
      const file = valueAt(document, keys)
      if (typeof file !== "string" || file === "" || outsidePathIssues(document, keys).length > 0) return []
      if (files.includes(path.posix.normalize(file))) return []
      const expected = "a file in the plugin's directory"
      return [{ path: `/${keys.join("/")}`, expected, found: `no file ${JSON.stringify(file)}` }]
    },
  )

const guideFiles = (document: Json): ReadonlyArray<ReadonlyArray<string>> => {
  const guides = valueAt(document, ["guides"])
  return Array.isArray(guides) ? guides.map((_, index) => ["guides", String(index), "file"]) : []
}

const NO_PROMPTS: GuideFiles.GuideFiles = { manifest: undefined, issues: [] }

/** Hashes each path and content after its length, so that different directories never hash the same input. */
const digestOf = async (root: string, files: ReadonlyArray<string>): Promise<string> => {
  const hash = crypto.createHash("sha256")
  for (const file of files) {
    const bytes = await fs.readFile(path.join(root, file))
    hash.update(`${Buffer.byteLength(file)}:${file}:${bytes.length}:`).update(bytes)
  }
  return hash.digest("hex")
}
