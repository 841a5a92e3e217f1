/** Lists the workspace's files within limits, and compares listings. */
import type { Disk, DiskEntry } from "./disk.ts"

/** Maximum number of files in a listing; beyond it, the listing is `truncated`. */
export const MAX_FILES = 2_000

/** Maximum number of directory entries read per listing; bounds trees of empty directories too. */
export const MAX_ENTRIES = 50_000

/** Maximum size of a digested file: 1 MiB. */
export const MAX_DIGEST_BYTES = 1024 * 1024

/** Maximum bytes digested per listing: 64 MiB. Later files have no digest. */
export const MAX_TOTAL_DIGEST_BYTES = 64 * 1024 * 1024

/** Directories of tools, skipped on every level. */
const SKIPPED = new Set([".git", "node_modules", "dist"])

/**
 * Path from the workspace with `/`, size in bytes, modification time in epoch milliseconds, and SHA-256 if digested.
 */
export interface ListedFile {
  readonly path: string
  readonly size: number
  readonly modifiedAt: number
  readonly digest: string | null
}

/** Files of a directory, sorted by path (code units). */
export interface Listing {
  readonly files: ReadonlyArray<ListedFile>
  /** Paths that could not be read. */
  readonly unreadable: ReadonlyArray<string>
  /** Whether files after the last one are missing. */
  readonly truncated: boolean
}

/** Lists all files below a directory, up to the limits. Neither lists nor follows links. */
export const list = async (disk: Disk, root: string, signal: AbortSignal): Promise<Listing> => {
  const files: Array<ListedFile> = []
  const unreadable: Array<string> = []
  let entriesLeft = MAX_ENTRIES
  let bytesLeft = MAX_TOTAL_DIGEST_BYTES

  const visitFile = async (path: string): Promise<void> => {
    const found = await disk.stat(`${root}/${path}`)
    if (found === null) return
    const isDigested = found.size <= MAX_DIGEST_BYTES && found.size <= bytesLeft
    if (isDigested) bytesLeft -= found.size
    files.push({ path, ...found, digest: isDigested ? await sha256(await disk.read(`${root}/${path}`)) : null })
  }

  /** Lists one entry. Returns false at a limit. */
  const visit = async (path: string, kind: DiskEntry["kind"]): Promise<boolean> => {
    signal.throwIfAborted()
    if (kind === "file" && files.length === MAX_FILES) return false
    try {
      if (kind === "directory") return await walk(path)
      if (kind === "file") await visitFile(path)
    } catch (error) {
      signal.throwIfAborted()
      if (!isGone(error)) unreadable.push(path)
    }
    return unreadable.length < MAX_FILES
  }

  const walk = async (directory: string): Promise<boolean> => {
    const entries: Array<DiskEntry> = []
    for await (const entry of disk.list(directory === "" ? root : `${root}/${directory}`)) {
      if (entriesLeft-- === 0) return false
      if (entry.kind === "file" || (entry.kind === "directory" && !SKIPPED.has(entry.name))) entries.push(entry)
    }
    // With "/", directories sort so that files come in the order of their full paths.
    const sortKey = ({ name, kind }: DiskEntry) => (kind === "directory" ? `${name}/` : name)
    entries.sort((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1))
    for (const { name, kind } of entries) {
      if (!(await visit(directory === "" ? name : `${directory}/${name}`, kind))) return false
    }
    return true
  }

  const isWhole = await walk("")
  return { files, unreadable, truncated: !isWhole }
}

/** The differences between two listings. */
export interface Changes {
  readonly added: ReadonlyArray<string>
  readonly modified: ReadonlyArray<string>
  readonly removed: ReadonlyArray<string>
}

/** Compares by digest, or by size and time without one. Ignores paths after the last one of a truncated listing. */
export const changesBetween = (before: Listing, after: Listing): Changes => {
  const isCovered = ({ path }: ListedFile) => [before, after].every((listing) => covers(listing, path))
  const old = new Map(before.files.map((file) => [file.path, file]))
  const now = new Map(after.files.map((file) => [file.path, file]))
  const covered = after.files.filter(isCovered)
  return {
    added: covered.filter(({ path }) => !old.has(path)).map(({ path }) => path),
    modified: covered.filter((file) => isModified(old.get(file.path), file)).map(({ path }) => path),
    removed: before.files.filter((file) => isCovered(file) && !now.has(file.path)).map(({ path }) => path),
  }
}

const covers = ({ truncated, files }: Listing, path: string): boolean => {
  const last = files.at(-1)
  return !truncated || (last !== undefined && path <= last.path)
}

const isModified = (before: ListedFile | undefined, after: ListedFile): boolean => {
  if (before === undefined) return false
  if (before.digest !== null && after.digest !== null) return before.digest !== after.digest
  return before.size !== after.size || before.modifiedAt !== after.modifiedAt
}

/** SHA-256 in lower-case hexadecimal. */
export const sha256 = async (bytes: Uint8Array): Promise<string> => {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes))
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("")
}

/** Whether a file disappeared during the listing, which then omits it. */
const isGone = (error: unknown): boolean => {
  if (!(error instanceof Error)) return false
  return error.name === "NotFound" || ("code" in error && error.code === "ENOENT")
}
