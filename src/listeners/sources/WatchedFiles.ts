/** Listeners that watch a directory: each file, and each new content of it, is a signal. */

import * as fs from "node:fs"
import * as path from "node:path"
import { Effect, Either, Schema } from "effect"
import { sha256 } from "../../values/Digest.ts"
import type { Json } from "../../values/Json.ts"
import * as Options from "../../values/Options.ts"
import { dropped, emit } from "../Emitting.ts"
import { type Listener, type ListenerContext, ListenerName } from "../Listener.ts"
import type { Signal } from "../Signal.ts"

/** Options of `files`. */
export interface FilesOptions {
  readonly name: string
  /** Its own files count, not those of directories in it. Names that begin with a dot are left out. */
  readonly directory: string
  /** The end of the files' names, such as `.json`. Default: any. */
  readonly suffix?: string
  /** Milliseconds between two looks. A file counts once two looks find it with the same size and time. Default: 500. */
  readonly everyMs?: number
  /** The longest text that a signal holds, in bytes; of a longer file, it names only the path. Default: 1 MiB. */
  readonly maxBytes?: number
}

/** Schema of `FilesOptions`. */
export const FilesOptions = Options.of<FilesOptions>({
  required: { name: ListenerName, directory: Options.Path },
  optional: {
    suffix: Schema.NonEmptyString,
    everyMs: Options.wholeNumber(10, 3_600_000),
    maxBytes: Options.wholeNumber(1, 64 * 1024 * 1024),
  },
})

const DEFAULT_EVERY_MS = 500
const DEFAULT_MAX_BYTES = 1024 * 1024

/**
 * A listener for the files of a directory. A signal's content is `{ path, bytes, text }`, without `text` if the file is
 * too long or no UTF-8, and its id is made of the file's name and content: a file that stays counts once, also in the
 * next process. Write a file under another name and rename it, so that nobody reads half of it. Throws `InvalidOptions`.
 */
export const files = (input: FilesOptions): Listener => {
  const options = Either.getOrThrowWith(Options.decode("Listener.files", FilesOptions, input), (invalid) => invalid)
  const directory = path.resolve(options.directory)
  return {
    name: options.name,
    kind: "files",
    address: directory,
    onStart: (context) =>
      Effect.gen(function* () {
        // A missing directory fails the start.
        yield* look(directory, options)
        yield* Effect.forkScoped(
          Effect.catchAllCause(watching(context, directory, options), (cause) =>
            Effect.sync(() => context.fail(cause)),
          ),
        )
      }),
  }
}

/** The states of files by name. */
type Look = ReadonlyMap<string, string>

/** Changes with the content and with the permissions. */
const stateOf = ({ size, mtimeMs, ctimeMs, ino }: fs.Stats): string => `${size}:${mtimeMs}:${ctimeMs}:${ino}`

const look = (directory: string, { suffix = "" }: FilesOptions): Effect.Effect<Look, unknown> =>
  Effect.tryPromise({
    try: async () => {
      const found = new Map<string, string>()
      for (const name of (await fs.promises.readdir(directory)).sort()) {
        if (name.startsWith(".") || !name.endsWith(suffix)) continue
        // A file may go between the two calls. Links are not followed.
        const stat = await fs.promises.lstat(path.join(directory, name)).catch(() => undefined)
        if (stat?.isFile() === true) found.set(name, stateOf(stat))
      }
      return found
    },
    catch: (cause) => cause,
  })

const watching = (context: ListenerContext, directory: string, options: FilesOptions) =>
  Effect.gen(function* () {
    let before: Look = new Map()
    /** The states of files that are on the disk as signals, or of which none can be made. */
    let known: Look = new Map()
    while (true) {
      const now = yield* look(directory, options)
      const still = new Map<string, string>()
      for (const [name, state] of now) {
        if (known.get(name) === state) still.set(name, state)
        else if (before.get(name) === state) {
          const read = yield* signalOf(path.join(directory, name), state, options.maxBytes ?? DEFAULT_MAX_BYTES)
          if (read === "changed") continue
          const what = `the file ${name}`
          // One file must not stop those after it.
          if (read === "forbidden") yield* dropped(context, what, "expected the permission to read it, found none")
          else yield* emit(context, read, what)
          still.set(name, state)
        }
      }
      before = now
      known = still
      yield* Effect.sleep(options.everyMs ?? DEFAULT_EVERY_MS)
    }
  })

/** `changed` if the file is not in this state any more, before or after it was read: then half of it may be new. */
const signalOf = (
  file: string,
  state: string,
  maxBytes: number,
): Effect.Effect<Signal | "changed" | "forbidden", unknown> =>
  Effect.tryPromise({
    try: async () => {
      const handle = await fs.promises.open(file, READ_ONLY).catch(failureOf)
      if (typeof handle === "string") return handle
      try {
        const found = await handle.stat()
        if (stateOf(found) !== state) return "changed"
        const { size, mtimeMs } = found
        const bytes = size <= maxBytes ? await handle.readFile() : undefined
        if (stateOf(await handle.stat()) !== state) return "changed"
        const name = path.basename(file)
        const about = { path: file, bytes: size }
        if (bytes === undefined) return { id: idOf(name, `${size}:${mtimeMs}`), content: about }
        const text = textOf(bytes)
        const content: Json = text === undefined ? about : { ...about, text }
        return { id: idOf(name, bytes.toString("base64")), content }
      } finally {
        await handle.close()
      }
    },
    catch: (cause) => cause,
  })

/** A named pipe that took the file's place must not hold up the opening. */
const READ_ONLY = fs.constants.O_RDONLY | (fs.constants.O_NOFOLLOW ?? 0) | (fs.constants.O_NONBLOCK ?? 0)

/** A name may have any length, and an id may not. */
const idOf = (name: string, content: string): string => sha256(JSON.stringify([name, content]))

/** The failures of opening that are of this file alone. */
const failureOf = (cause: unknown): "changed" | "forbidden" => {
  const code: unknown = cause instanceof Error ? Reflect.get(cause, "code") : undefined
  if (code === "ENOENT" || code === "ELOOP" || code === "ENXIO") return "changed"
  if (code === "EACCES" || code === "EPERM") return "forbidden"
  throw cause
}

const textOf = (bytes: Uint8Array): string | undefined => {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}
