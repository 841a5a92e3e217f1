import * as fs from "node:fs"
import * as path from "node:path"
import * as AtomicFile from "../../platform/AtomicFile.ts"
import * as OwnerOnly from "../../platform/OwnerOnly.ts"

/** Where bytes go. Its functions fail with what the operating system reports. */
export interface AtomicOutput {
  readonly write: (bytes: Uint8Array) => Promise<void>
  /** Makes what was written so far the whole. */
  readonly commit: () => Promise<void>
  /** Gives back what was taken; where nothing was committed, it removes what was written. */
  readonly discard: () => Promise<void>
}

/** What is there already where a file is to be made. */
interface Found {
  readonly mode: number
}

/** Writes to a new file beside the target, which takes the target's name at the end. `found` is the file it may replace. A new file is for its owner alone. */
export const beside = async (file: string, found: Found | undefined): Promise<AtomicOutput> => {
  AtomicFile.removeAbandonedFile(file)
  const partial = AtomicFile.nameFor(file)
  const handle = await fs.promises.open(partial, "wx", OwnerOnly.FILE_MODE)
  return {
    write: (bytes) => handle.writeFile(bytes),
    commit: async () => {
      // A file that is replaced stays as open to others, or as closed, as it was.
      if (found !== undefined) await handle.chmod(found.mode & 0o777)
      await handle.sync()
      if (found === undefined) AtomicFile.moveNew(partial, file)
      else await fs.promises.rename(partial, file)
      await syncDirectory(path.dirname(file))
    },
    discard: async () => {
      await handle.close()
      await fs.promises.rm(partial, { force: true })
    },
  }
}

/** The name that a system error goes by, such as `ENOSPC`; empty where it has none. */
export const codeOf = (cause: unknown): string =>
  cause instanceof Error && "code" in cause && typeof cause.code === "string" ? cause.code : ""

/** A file's name is on the disk only once its directory is. */
const syncDirectory = async (directory: string): Promise<void> => {
  const handle = await fs.promises.open(directory, "r")
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Writes to a pipe or a device as it is. */
export const inPlace = async (file: string): Promise<AtomicOutput> => {
  const handle = await fs.promises.open(file, fs.constants.O_WRONLY)
  return { write: (bytes) => handle.writeFile(bytes), commit: async () => {}, discard: () => handle.close() }
}

/**
 * Writes to the standard output. Once nobody reads it any more, writing never ends: the program does (`main.ts`), and that is
 * no failure.
 */
export const standardOutput = (): AtomicOutput => ({
  write: fs.fstatSync(process.stdout.fd).isFile() ? writeRedirected : writePiped,
  commit: async () => {},
  discard: async () => {},
})

/** What goes wrong with a file, its stream would throw where nobody catches it. */
const writeRedirected = async (bytes: Uint8Array): Promise<void> => {
  for (let written = 0; written < bytes.length; ) written += fs.writeSync(process.stdout.fd, bytes, written)
}

const writePiped = (bytes: Uint8Array): Promise<void> =>
  new Promise((resolve, reject) => {
    process.stdout.write(bytes, (cause) => {
      if (cause === undefined || cause === null) resolve()
      else if (codeOf(cause) !== "EPIPE") reject(cause)
    })
  })
