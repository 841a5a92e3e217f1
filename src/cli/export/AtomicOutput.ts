/** The sinks of an export: a file that is replaced atomically, a pipe or device, or the standard output. */
import * as fs from "node:fs"
import * as path from "node:path"
import * as AtomicFile from "../../platform/AtomicFile.ts"
import * as OwnerOnly from "../../platform/OwnerOnly.ts"

/** A sink for bytes. Its functions reject with the operating system's error. */
export interface AtomicOutput {
  readonly write: (bytes: Uint8Array) => Promise<void>
  /** Publishes the written bytes as the complete file. */
  readonly commit: () => Promise<void>
  /** Releases the sink. Without a commit, removes the written bytes. */
  readonly discard: () => Promise<void>
}

interface ExistingFile {
  readonly mode: number
}

/**
 * Writes to a temporary file next to the target and renames it on commit. `found` is the existing file to replace. Only
 * its owner can read a new file.
 */
export const beside = async (file: string, found: ExistingFile | undefined): Promise<AtomicOutput> => {
  AtomicFile.removeAbandonedFile(file)
  const partial = AtomicFile.nameFor(file)
  const handle = await fs.promises.open(partial, "wx", OwnerOnly.FILE_MODE)
  return {
    write: (bytes) => handle.writeFile(bytes),
    commit: async () => {
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

/** The code of a system error, such as `ENOSPC`, or an empty text. */
export const codeOf = (cause: unknown): string =>
  cause instanceof Error && "code" in cause && typeof cause.code === "string" ? cause.code : ""

/** A file's name is durable only after its directory was synced. */
const syncDirectory = async (directory: string): Promise<void> => {
  const handle = await fs.promises.open(directory, "r")
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

export const inPlace = async (file: string): Promise<AtomicOutput> => {
  const handle = await fs.promises.open(file, fs.constants.O_WRONLY)
  return { write: (bytes) => handle.writeFile(bytes), commit: async () => {}, discard: () => handle.close() }
}

/**
 * Writes to the standard output. If the reader closes a pipe, the write never completes and `Start` ends the program:
 * that is not a failure.
 */
export const standardOutput = (): AtomicOutput => ({
  write: fs.fstatSync(process.stdout.fd).isFile() ? writeRedirected : writePiped,
  commit: async () => {},
  discard: async () => {},
})

/**
 * Writes redirected output synchronously: the stream `process.stdout` would throw file errors that nothing can catch.
 */
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
