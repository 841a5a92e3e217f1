import * as fs from "node:fs/promises"
import * as path from "node:path"
import { Effect } from "effect"
import type { Failure } from "../../events/EventType.ts"
import { isInside } from "../paths.ts"
import type { Client } from "./Client.ts"

/** Default of `fileBytes`: with JSON's escapes it still fits a frame, except for binary content. */
const FILE_BYTES = 4 * 1024 * 1024

/**
 * Reads a text file (UTF-8) that lies, links followed, in what `read` grants. A relative path starts at the workspace.
 */
export const readGranted = (client: Client, asked: string): Effect.Effect<string, Failure> =>
  attempt(asked, async () => {
    const real = await granted(client, "read", asked)
    const file = await fs.open(real, "r")
    try {
      const { size } = await regular(file, asked)
      checkSize(client, asked, size)
      const bytes = await file.readFile()
      // Some files, such as those of /proc, are longer than they say.
      checkSize(client, asked, bytes.length)
      return utf8(bytes, asked)
    } finally {
      await file.close()
    }
  })

/**
 * Writes a text file (UTF-8), replacing what is there, in what `write` grants. Makes missing directories in the grant.
 * The path is resolved with its links followed, as far as it exists, before it is compared with the grants.
 */
export const writeGranted = (client: Client, asked: string, content: string): Effect.Effect<void, Failure> =>
  attempt(asked, async () => {
    checkSize(client, asked, Buffer.byteLength(content))
    const real = await granted(client, "write", asked)
    await fs.mkdir(path.dirname(real), { recursive: true })
    // Opened without cutting it short, so that a pipe or a device that stands there is refused untouched.
    const file = await fs.open(real, WRITE_EXACTLY_HERE)
    try {
      await regular(file, asked)
      await file.truncate(0)
      await file.writeFile(content, "utf8")
    } finally {
      await file.close()
    }
  })

/** Not through a link that appeared since the path was resolved. */
const WRITE_EXACTLY_HERE =
  fs.constants.O_WRONLY | fs.constants.O_CREAT | fs.constants.O_NOFOLLOW | fs.constants.O_NONBLOCK

/** Refused for a reason of ours, as opposed to the operating system's. */
class Refused extends Error {
  readonly failure: Failure
  constructor(failure: Failure) {
    super(failure.message)
    this.failure = failure
  }
}

const attempt = <A>(asked: string, run: () => Promise<A>): Effect.Effect<A, Failure> =>
  Effect.tryPromise({ try: run, catch: (cause) => failureOf(cause, asked) })

const failureOf = (cause: unknown, asked: string): Failure => {
  if (cause instanceof Refused) return cause.failure
  const code = cause instanceof Error && "code" in cause ? cause.code : undefined
  if (code === "ENOENT") return { code: "FileNotFound", message: `${asked}: expected a file, found nothing there` }
  return { code: "FileUnavailable", message: `${asked}: ${cause instanceof Error ? cause.message : String(cause)}` }
}

/** The real path of what is asked for, if it lies in a grant. */
const granted = async (client: Client, kind: "read" | "write", asked: string): Promise<string> => {
  if (asked.includes("\0")) throw new Refused({ code: "FileUnavailable", message: "expected a path without NUL" })
  const real = await realpathOfExisting(path.resolve(client.workspace, asked))
  const places = await Promise.all(client.grants[kind].map(realpathOfExisting))
  if (places.some((place) => isInside(real, place))) return real
  throw new Refused({
    code: kind === "read" ? "ReadNotGranted" : "WriteNotGranted",
    message:
      `${asked} is ${real}: expected a path in what the plugin may ${kind}, ` +
      `found it outside of ${places.length === 0 ? "that: it may nothing" : places.join(", ")}. ` +
      `Add its directory to the manifest's permissions.${kind} and grant it at import.`,
  })
}

/** Resolves the links of as much of an absolute path as exists; what does not exist yet has none. */
const realpathOfExisting = async (place: string): Promise<string> => {
  try {
    return await fs.realpath(place)
  } catch (cause) {
    if (!(cause instanceof Error && "code" in cause && cause.code === "ENOENT")) throw cause
    // A link to nothing would be followed once its target exists: it counts as where it points.
    const target = await fs.readlink(place).catch(() => undefined)
    if (target !== undefined) return realpathOfExisting(path.resolve(path.dirname(place), target))
    const parent = path.dirname(place)
    return parent === place ? place : path.join(await realpathOfExisting(parent), path.basename(place))
  }
}

const regular = async (file: fs.FileHandle, asked: string) => {
  const stats = await file.stat()
  if (stats.isFile()) return stats
  throw new Refused({
    code: "FileUnavailable",
    message: `${asked}: expected a file, found ${stats.isDirectory() ? "a directory" : "something else"}`,
  })
}

const checkSize = (client: Client, asked: string, found: number) => {
  const limit = client.limits?.fileBytes ?? FILE_BYTES
  if (found <= limit) return
  throw new Refused({ code: "FileTooLarge", message: `${asked}: expected at most ${limit} bytes, found ${found}` })
}

const utf8 = (bytes: Uint8Array, asked: string): string => {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw new Refused({ code: "FileNotText", message: `${asked}: expected UTF-8 text, found other bytes` })
  }
}
