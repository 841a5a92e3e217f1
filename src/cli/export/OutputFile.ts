/** Writes a command's output file atomically: the file is complete or absent. */
import * as fs from "node:fs"
import * as path from "node:path"
import { Options } from "@effect/cli"
import { Data, Effect, Stream } from "effect"
import { targetOf } from "../../events/sqlite/file/fileIdentity.ts"
import type { Encoded } from "../../projections/exports/Encoder.ts"
import { flag, text } from "../command/CommonOptions.ts"
import * as OpenLog from "../command/OpenLog.ts"
import * as AtomicOutput from "./AtomicOutput.ts"

export const outputOptions = {
  output: text("output", "The file to write; - is the standard output").pipe(Options.withPseudoName("file")),
  force: flag("force", "Replace the file if it exists"),
}

export interface Target {
  /** The file as typed. `-` is the standard output. Writes to a pipe or device are direct. */
  readonly file: string
  /** Whether to replace an existing file once the new one is complete. Default: false. */
  readonly force?: boolean
  /** The exported log. Its own files are never replaced, not even with `force`. */
  readonly log?: string
  /** Whether the content is binary, which must not go to a terminal. Default: false. */
  readonly binary?: boolean
}

export interface OutputFile {
  /** Appends bytes, or text as UTF-8. Succeeds after passing them on, so a fast writer waits for the disk. */
  readonly write: (chunk: Encoded) => Effect.Effect<void, OutputError>
}

export interface Written {
  readonly file: string
  readonly bytes: number
}

export class OutputExists extends Data.TaggedError("OutputExists")<{ readonly file: string }> {
  override get message() {
    return `${this.file}: expected a file that does not exist yet, found one. It was not changed; --force replaces it.`
  }
}

export class OutputUnavailable extends Data.TaggedError("OutputUnavailable")<{
  readonly file: string
  readonly reason: string
}> {
  override get message() {
    return `${nameOf(this.file)} cannot be written: ${this.reason}. ${aftermath(this.file)}`
  }
}

/** The disk is full, or the file must not grow further. */
export class OutputDiskFull extends Data.TaggedError("OutputDiskFull")<{
  readonly file: string
  readonly after: number
}> {
  override get message() {
    const { file, after } = this
    return `${nameOf(file)}: the disk is full after ${after} bytes. ${aftermath(file)} Make room, or name a file on another disk.`
  }
}

const nameOf = (file: string): string => (file === "-" ? "The standard output" : file)

const aftermath = (file: string): string =>
  file === "-" ? "The output so far is incomplete." : "No incomplete file was left behind."

export type OutputError = OutputExists | OutputUnavailable | OutputDiskFull

const STEP_BYTES = 1024 * 1024

/**
 * Writes a file under a temporary name next to the target (see `AtomicFile`) and renames it once it is complete and on
 * the disk. So the target is either complete or unchanged. Failure and interruption remove the temporary file. After a
 * kill, the `.partial` file remains until the next write of the target.
 *
 * Without `force`, an existing target is an error, even if it appeared during the write. Follows symbolic links.
 *
 * `OpenLog.forSharing` must open the log: it decides whether the output holds personal data.
 */
export const withOutputFile = <E, R>(
  target: Target,
  body: (output: OutputFile) => Effect.Effect<unknown, E, R>,
): Effect.Effect<Written, E | OutputError, R | OpenLog.Shared> => {
  const { file } = target
  const writing = Effect.acquireUseRelease(
    open(target),
    (sink) =>
      Effect.gen(function* () {
        const buffer = buffered(file, sink)
        yield* body({ write: buffer.write })
        yield* buffer.flush
        yield* Effect.uninterruptible(attempt(file, buffer.written(), () => sink.commit()))
        return { file, bytes: buffer.written() }
      }),
    // If removal fails, its cause also made the write fail, which reported it.
    (sink) => Effect.ignore(Effect.tryPromise(() => sink.discard())),
  )
  return Effect.zipRight(OpenLog.Shared, writing)
}

/** Writes a stream of chunks, as `withOutputFile` does. */
export const writeAll = <E, R>(
  target: Target,
  chunks: Stream.Stream<Encoded, E, R>,
): Effect.Effect<Written, E | OutputError, R | OpenLog.Shared> =>
  withOutputFile(target, ({ write }) => Stream.runForEach(chunks, write))

type Piece = string | Uint8Array

const isPiece = (chunk: Encoded): chunk is Piece => typeof chunk === "string" || chunk instanceof Uint8Array

/**
 * Collects small chunks in one reused buffer. V8 frees buffers outside its heap late: one for each chunk would cost
 * hundreds of megabytes for a long file.
 */
const buffered = (file: string, sink: AtomicOutput.AtomicOutput) => {
  const memory = Buffer.allocUnsafe(STEP_BYTES)
  let used = 0
  let written = 0
  const writeOut = (bytes: Uint8Array) =>
    Effect.map(
      attempt(file, written, () => sink.write(bytes)),
      () => {
        written += bytes.length
      },
    )
  const flush = Effect.suspend(() => {
    const bytes = memory.subarray(0, used)
    used = 0
    return bytes.length === 0 ? Effect.void : writeOut(bytes)
  })
  /**
   * Copies a piece into the buffer; returns false if it may not fit. A UTF-16 unit takes at most three bytes of UTF-8.
   */
  const tryBuffer = (piece: Piece): boolean => {
    const most = typeof piece === "string" ? 3 * piece.length : piece.length
    if (most > STEP_BYTES - used) return false
    if (typeof piece === "string") used += memory.write(piece, used)
    else {
      memory.set(piece, used)
      used += piece.length
    }
    return true
  }
  const writePiece = (piece: Piece) => {
    if (tryBuffer(piece)) return Effect.void
    const writeUnbuffered = () => writeOut(typeof piece === "string" ? Buffer.from(piece) : piece)
    return Effect.flatMap(flush, () => (tryBuffer(piece) ? Effect.void : writeUnbuffered()))
  }
  const writePieces = (pieces: ReadonlyArray<string>, from: number): Effect.Effect<void, OutputError> => {
    for (let index = from; index < pieces.length; index++) {
      const piece = pieces[index] ?? ""
      if (!tryBuffer(piece)) return Effect.flatMap(writePiece(piece), () => writePieces(pieces, index + 1))
    }
    return Effect.void
  }
  const write = (chunk: Encoded) => Effect.suspend(() => (isPiece(chunk) ? writePiece(chunk) : writePieces(chunk, 0)))
  return { write, flush, written: () => written }
}

const open = ({
  file,
  force = false,
  log,
  binary = false,
}: Target): Effect.Effect<AtomicOutput.AtomicOutput, OutputError> =>
  Effect.suspend(() => {
    if (file === "-") {
      const isTerminal = binary && process.stdout.isTTY === true
      return isTerminal
        ? unavailable(file, "a terminal cannot show this format. Name a file, or pipe it to another program")
        : attempt(file, 0, async () => AtomicOutput.standardOutput())
    }
    return Effect.flatMap(
      attempt(file, 0, async () => resolveTarget(file)),
      ({ name, found }) => {
        if (log !== undefined && isPartOf(log, name))
          return unavailable(file, "it is part of the log that is being read")
        if (found?.isDirectory() === true) return unavailable(file, "it is a directory. Name a file in it")
        if (found !== undefined && !found.isFile()) return attempt(file, 0, () => AtomicOutput.inPlace(name))
        if (found !== undefined && !force) return new OutputExists({ file })
        return attempt(file, 0, () => AtomicOutput.beside(name, found))
      },
    )
  })

const unavailable = (file: string, reason: string) => Effect.fail(new OutputUnavailable({ file, reason }))

const resolveTarget = (file: string) => {
  const name = targetOf(path.resolve(file))
  return { name, found: fs.statSync(name, { throwIfNoEntry: false }) }
}

/** Whether a file belongs to the log: its database, keys, memories, segments or plugins. */
const isPartOf = (log: string, name: string): boolean => {
  const whole = targetOf(path.resolve(log))
  return name.startsWith(whole) && LOG_PART.test(name.slice(whole.length))
}

const LOG_PART = /^(-wal|-shm|-journal|\.(keys|memories)(-\w+)?|\.snapshot-key|\.(segments|plugins)([\\/].*)?)?$/

const attempt = <A>(file: string, after: number, run: () => Promise<A>): Effect.Effect<A, OutputError> =>
  Effect.tryPromise({
    try: run,
    catch: (cause) => {
      const code = AtomicOutput.codeOf(cause)
      if (DISK_FULL.has(code)) return new OutputDiskFull({ file, after })
      if (code === "EEXIST") return new OutputExists({ file })
      const found = cause instanceof Error ? cause.message : String(cause)
      return new OutputUnavailable({ file, reason: REASONS[code]?.(path.dirname(path.resolve(file))) ?? found })
    },
  })

/** No space left, quota exceeded, file too large. */
const DISK_FULL: ReadonlySet<string> = new Set(["ENOSPC", "EDQUOT", "EFBIG"])

const accessDenied = (directory: string) => `the directory ${directory} or the file is not writable for this user`

const REASONS: Readonly<Record<string, (directory: string) => string>> = {
  ENOENT: (directory) => `there is no directory ${directory}. Create it, or name another`,
  ENOTDIR: (directory) => `${directory} is no directory`,
  EACCES: accessDenied,
  EPERM: accessDenied,
  EROFS: (directory) => `${directory} is on a disk that is mounted read-only`,
  ENAMETOOLONG: () => "its name is too long",
}
