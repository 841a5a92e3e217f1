/** Reads and unpacks plugin archives: tar files, with or without gzip. */

import * as crypto from "node:crypto"
import { constants } from "node:fs"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { promisify } from "node:util"
import * as zlib from "node:zlib"
import { Effect } from "effect"
import type * as Tar from "tar"
import { SKIPPED } from "../../plugins/manifest/load.ts"
import { EITHER_FILE, manifestsIn } from "../../plugins/manifest/ManifestFile.ts"
import { issuesOf, LIMITS, nameIssue, SourceRefused } from "./SourceLimits.ts"

interface ArchivedFile {
  readonly path: string
  readonly bytes: Buffer
  /** Whether its owner may execute it. */
  readonly executable: boolean
}

/**
 * Reads an archive's file. Refuses pipes and devices, which could block.
 *
 * @param source the source as the person named it, for messages
 */
export const read = (file: string, source: string): Effect.Effect<Buffer, SourceRefused> =>
  Effect.tryPromise({
    try: async () => {
      const handle = await fs.open(file, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK)
      try {
        const stats = await handle.stat()
        if (!stats.isFile()) throw new Error("expected an archive, found something other than a file")
        checkSize(stats.size)
        const bytes = await handle.readFile()
        checkSize(bytes.length)
        return bytes
      } finally {
        await handle.close()
      }
    },
    catch: (cause) => new SourceRefused({ source, issues: [reasonOf(cause)] }),
  })

/** The SHA-256 digest, in hexadecimal. */
export const sha256 = (bytes: Buffer): string => crypto.createHash("sha256").update(bytes).digest("hex")

interface UnpackOptions {
  /** Keeps the owner's permission to execute files, which archives of others do not get. Default: false. */
  readonly executables?: boolean
}

/**
 * Unpacks an archive. Returns the plugin's directory: the top, or the only directory at the top, as `npm pack`
 * (`package/`) and Git hosts create it. Validates everything before it writes, creates only directories and regular
 * files, and refuses links, devices and paths that lead out. Skips `.git` and `node_modules`.
 */
export const unpack = (
  bytes: Buffer,
  into: string,
  source: string,
  { executables = false }: UnpackOptions = {},
): Effect.Effect<string, SourceRefused> =>
  Effect.gen(function* () {
    const refuse = (issues: ReadonlyArray<string>) => new SourceRefused({ source, issues })
    // Loaded on first use: most plugins come as directories.
    const tar = yield* Effect.promise(() => import("tar"))
    const { files, issues } = yield* Effect.tryPromise({
      try: async () => entriesOf(tar, await inflate(bytes)),
      catch: (cause) => refuse([reasonOf(cause)]),
    })
    const all = [...issues, ...issuesOf(files.map(({ path, bytes }) => ({ path, size: bytes.length })))]
    if (all.length > 0) return yield* refuse(all)
    const top = topOf(files)
    if (top === undefined) {
      return yield* refuse([`expected ${EITHER_FILE} at the top or in the only directory there, found neither`])
    }
    yield* Effect.tryPromise({
      try: () => write(files, into, executables),
      catch: (cause) => refuse([reasonOf(cause)]),
    })
    return path.join(into, top)
  })

const reasonOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))

const checkSize = (found: number) => {
  if (found > LIMITS.bytes) throw new Error(`expected an archive of at most ${LIMITS.bytes} bytes, found ${found}`)
}

const isGzip = (bytes: Buffer): boolean => bytes[0] === 0x1f && bytes[1] === 0x8b

const gunzip = promisify(zlib.gunzip)

/** Maximum unpacked bytes: all files and the archive's headers. */
const MAX_UNPACKED = LIMITS.bytes + LIMITS.files * 4096

const inflate = async (bytes: Buffer): Promise<Buffer> => {
  if (!isGzip(bytes)) return bytes
  const tar: Buffer = await gunzip(bytes, { maxOutputLength: MAX_UNPACKED }).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code !== "ERR_BUFFER_TOO_LARGE") throw new Error(`expected a gzip archive, found ${cause.message}`)
    throw new Error(`expected at most ${MAX_UNPACKED} bytes when unpacked, found more`)
  })
  if (isGzip(tar)) throw new Error("expected a tar archive in it, found another gzip archive")
  return tar
}

const entriesOf = (
  { Parser }: Pick<typeof Tar, "Parser">,
  tar: Buffer,
): Promise<{ files: ReadonlyArray<ArchivedFile>; issues: ReadonlyArray<string> }> =>
  new Promise((resolve, reject) => {
    const files: Array<ArchivedFile> = []
    const issues: Array<string> = []
    let entries = 0
    const onReadEntry = (entry: Tar.ReadEntry) => {
      entries += 1
      const wrong = entries > LIMITS.files * 2 ? undefined : entryIssue(entry)
      if (wrong !== undefined) issues.push(wrong)
      const name = nameOf(entry)
      const isKept = wrong === undefined && FILES.has(entry.type) && !name.split("/").some((part) => SKIPPED.has(part))
      const chunks: Array<Buffer> = []
      entry.on("data", (chunk) => {
        if (isKept) chunks.push(chunk)
      })
      entry.on("end", () => {
        if (!isKept || files.length > LIMITS.files) return
        files.push({ path: name, bytes: Buffer.concat(chunks), executable: ((entry.mode ?? 0) & S_IXUSR) !== 0 })
      })
    }
    const parser = new Parser({ strict: true, brotli: false, zstd: false, onReadEntry })
    parser.on("ignoredEntry", (entry: Tar.ReadEntry) =>
      issues.push(`${JSON.stringify(entry.path)}: expected a file or a directory, found an entry of an unknown kind`),
    )
    parser.on("error", (cause: Error) => reject(new Error(`expected a tar archive, found ${cause.message}`)))
    parser.on("end", () => resolve({ files, issues }))
    parser.end(tar)
  })

const { S_IXUSR } = constants

const FILES: ReadonlySet<string> = new Set(["File", "OldFile", "ContiguousFile"])
const DIRECTORIES: ReadonlySet<string> = new Set(["Directory", "GNUDumpDir"])

/** Drops `./` and trailing slashes, which some tools add. */
const nameOf = ({ path }: Tar.ReadEntry): string => path.replace(/^(?:\.\/+)+/, "").replace(/\/+$/, "")

const entryIssue = (entry: Tar.ReadEntry): string | undefined => {
  const shown = JSON.stringify(entry.path)
  if (!FILES.has(entry.type) && !DIRECTORIES.has(entry.type)) {
    const target = entry.linkpath === undefined ? "" : ` to ${JSON.stringify(entry.linkpath)}`
    return `${shown}: expected a file or a directory, found ${KINDS[entry.type] ?? entry.type}${target}`
  }
  const name = nameOf(entry)
  const isTop = DIRECTORIES.has(entry.type) && (name === "" || name === ".")
  return isTop ? undefined : nameIssue(name)
}

const KINDS: { readonly [type: string]: string } = {
  SymbolicLink: "a link",
  Link: "a hard link",
  CharacterDevice: "a device",
  BlockDevice: "a device",
  FIFO: "a pipe",
}

const topOf = (files: ReadonlyArray<ArchivedFile>): string | undefined => {
  const isPlugin = (directory: string) =>
    manifestsIn(files.flatMap(({ path }) => (path.startsWith(directory) ? [path.slice(directory.length)] : [])))
      .length > 0
  if (isPlugin("")) return ""
  const [top, ...others] = [...new Set(files.map(({ path }) => path.split("/")[0] ?? ""))]
  return top !== undefined && others.length === 0 && isPlugin(`${top}/`) ? top : undefined
}

const write = async (files: ReadonlyArray<ArchivedFile>, into: string, executables: boolean): Promise<void> => {
  for (const file of files) {
    const target = path.join(into, file.path)
    await fs.mkdir(path.dirname(target), { recursive: true })
    await fs.writeFile(target, file.bytes, { flag: "wx", mode: executables && file.executable ? 0o700 : 0o600 })
  }
}
