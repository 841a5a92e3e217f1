/**
 * The host requests `readFile` and `writeFile`: text files in granted directories, safe against links that change
 * meanwhile.
 */
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { Effect } from "effect"
import type { Failure } from "../../events/vocabulary/EventType.ts"
import { realpathOfExisting } from "../../platform/realpath.ts"
import { quoteWord } from "../../values/ShellWord.ts"
import { isInsideAny } from "../manifest/paths.ts"
import type { Client } from "./Client.ts"

/** Default of `fileBytes`. As JSON, a text of this size fits a frame; binary content may not. */
const FILE_BYTES = 4 * 1024 * 1024

/**
 * Reads a text file (UTF-8). Its real path must lie in a `read` grant and in no forbidden path; relative paths start at
 * the workspace. Refuses anything but regular files without blocking, such as a pipe without a writer.
 */
export const readGranted = (client: Client, requested: string): Effect.Effect<string, Failure> =>
  attempt(requested, async () => {
    const real = await granted(client, "read", requested)
    const file = await fs.open(real, READ_FLAGS)
    try {
      await assertUnmoved(file, real, requested)
      const { size } = await assertRegularFile(file, requested)
      assertSize(client, requested, size)
      const bytes = await file.readFile()
      // Some files, such as those in /proc, exceed their reported size.
      assertSize(client, requested, bytes.length)
      return utf8(bytes, requested)
    } finally {
      await file.close()
    }
  })

/**
 * Writes a text file (UTF-8) inside a `write` grant, replacing its content and creating missing directories. Resolves
 * the links in the existing part of the path before comparing it with the grants.
 */
export const writeGranted = (client: Client, requested: string, content: string): Effect.Effect<void, Failure> =>
  attempt(requested, async () => {
    assertSize(client, requested, Buffer.byteLength(content))
    const real = await granted(client, "write", requested)
    await fs.mkdir(path.dirname(real), { recursive: true })
    // Opens without truncation, so that a pipe or device at this path is refused unchanged.
    const file = await fs.open(real, WRITE_FLAGS)
    try {
      await assertUnmoved(file, real, requested)
      await assertRegularFile(file, requested)
      await file.truncate(0)
      await file.writeFile(content, "utf8")
    } finally {
      await file.close()
    }
  })

/** The real path of a request. Fails without a grant. */
export const grantedPath = (
  client: Client,
  kind: "read" | "write",
  requested: string,
): Effect.Effect<string, Failure> => attempt(requested, () => granted(client, kind, requested))

/** Against links that appear after the path was resolved, and against blocking on a pipe. */
const OPEN_FLAGS = fs.constants.O_NOFOLLOW | fs.constants.O_NONBLOCK
const READ_FLAGS = fs.constants.O_RDONLY | OPEN_FLAGS
const WRITE_FLAGS = fs.constants.O_WRONLY | fs.constants.O_CREAT | OPEN_FLAGS

/** A refusal of this module, not an error of the operating system. */
class Refused extends Error {
  readonly failure: Failure
  constructor(failure: Failure) {
    super(failure.message)
    this.failure = failure
  }
}

const attempt = <A>(requested: string, run: () => Promise<A>): Effect.Effect<A, Failure> =>
  Effect.tryPromise({ try: run, catch: (cause) => failureOf(cause, requested) })

const failureOf = (cause: unknown, requested: string): Failure => {
  if (cause instanceof Refused) return cause.failure
  const code = cause instanceof Error && "code" in cause ? cause.code : undefined
  if (code === "ENOENT") return { code: "FileNotFound", message: `${requested}: expected a file, found nothing there` }
  return { code: "FileUnavailable", message: `${requested}: ${cause instanceof Error ? cause.message : String(cause)}` }
}

/** The real path of a request. Fails without a grant, or if it is forbidden. */
const granted = async (client: Client, kind: "read" | "write", requested: string): Promise<string> => {
  if (requested.includes("\0")) throw new Refused({ code: "FileUnavailable", message: "expected a path without NUL" })
  const real = await realpathOfExisting(path.resolve(client.workspace, requested))
  assertNotForbidden(client, kind, real)
  const places = await Promise.all(client.grants[kind].map(realpathOfExisting))
  if (isInsideAny(real, places)) return assertPermitted(client, requested, real)
  throw new Refused({
    code: kind === "read" ? "ReadNotGranted" : "WriteNotGranted",
    message:
      `${requested} is ${real}: expected a path in what the plugin may ${kind}, ` +
      `found it outside of ${places.length === 0 ? "that: it has no such grant" : places.join(", ")}. ` +
      ((await boundElsewhere(client, kind, real, places)) ??
        `Add its directory to the manifest's permissions.${kind} and grant it at import.`),
  })
}

/** Returns the path if the gate ruled on it: a link may have changed since then. */
const assertPermitted = ({ permit }: Client, requested: string, real: string): string => {
  if (permit === undefined || permit.target === real) return real
  const message = `${requested}: expected ${permit.target}, which was ruled on, found that it leads to ${real} by now`
  throw new Refused({ code: "RequestDenied", message })
}

/** Advice for a path in the current workspace if `"."` meant another one at import. */
const boundElsewhere = async (
  { workspace, bound }: Client,
  kind: "read" | "write",
  real: string,
  places: ReadonlyArray<string>,
): Promise<string | undefined> => {
  if (bound === undefined || !isInsideAny(real, [await realpathOfExisting(workspace)])) return undefined
  if (!places.includes(await realpathOfExisting(bound))) return undefined
  return (
    `"." in the manifest's permissions.${kind} is ${bound}, the workspace that the plugin was imported in, and the workspace is ` +
    `${workspace} now. Name that one with --workspace ${quoteWord(bound)}, or import the plugin again with --workspace ${quoteWord(workspace)}.`
  )
}

/** Refuses forbidden paths, under any grants around them. */
const assertNotForbidden = ({ forbidden = [], directory }: Client, kind: "read" | "write", real: string) => {
  const isOwn = directory !== undefined && isInsideAny(real, [directory])
  if (kind === "read" && isOwn) return
  if (!isInsideAny(real, forbidden)) return
  throw new Refused({
    code: kind === "read" ? "ReadForbidden" : "WriteForbidden",
    message: `${real} belongs to the log or to a plugin's installed copy: no plugin may ${kind} it, and no grant can allow it`,
  })
}

/**
 * Fails unless the opened file is at the resolved path: a command of the plugin could have replaced a directory by a
 * link meanwhile. Only Linux reports the path of an open file.
 */
const assertUnmoved = async (file: fs.FileHandle, real: string, requested: string) => {
  if (process.platform !== "linux") return
  const found = await fs.readlink(`/proc/self/fd/${file.fd}`)
  if (found === real) return
  throw new Refused({
    code: "FileUnavailable",
    message: `${requested}: expected ${real} to stay where it was, found ${found} opened in its place`,
  })
}

const assertRegularFile = async (file: fs.FileHandle, requested: string) => {
  const stats = await file.stat()
  if (stats.isFile()) return stats
  throw new Refused({
    code: "FileUnavailable",
    message: `${requested}: expected a file, found ${stats.isDirectory() ? "a directory" : "something else"}`,
  })
}

const assertSize = (client: Client, requested: string, found: number) => {
  const limit = client.limits?.fileBytes ?? FILE_BYTES
  if (found <= limit) return
  throw new Refused({ code: "FileTooLarge", message: `${requested}: expected at most ${limit} bytes, found ${found}` })
}

const utf8 = (bytes: Uint8Array, requested: string): string => {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw new Refused({ code: "FileNotText", message: `${requested}: expected UTF-8 text, found other bytes` })
  }
}
