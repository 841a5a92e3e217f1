import * as fs from "node:fs"
import * as path from "node:path"
import { Options } from "@effect/cli"
import { Data, Effect, Stream } from "effect"
import { targetOf } from "../../events/sqlite/file/fileIdentity.ts"
import type { Chunk } from "../../projections/exports/Encoder.ts"
import * as AtomicOutput from "./AtomicOutput.ts"

/** What every command takes that writes a file: `{ file: output, force }` is the target. */
export const outputOptions = {
  output: Options.text("output").pipe(
    Options.withPseudoName("file"),
    Options.withDescription("The file to write; - is the standard output"),
  ),
  force: Options.boolean("force").pipe(Options.withDescription("Replace the file where it is there already")),
}

/** Where to write, and how. */
export interface Target {
  /** The file, as it was named. `-` is the standard output. A pipe or a device is written to as it is. */
  readonly file: string
  /** Whether a file that is there already is replaced, once the new one is whole. Default: no. */
  readonly force?: boolean
  /** The log that is read for it: no part of it is ever replaced, not even by force. */
  readonly log?: string
  /** Whether what is written is no text, so that a terminal should not have it. Default: no. */
  readonly binary?: boolean
}

/** A file that is being written. */
export interface OutputFile {
  /** Adds bytes, or text as UTF-8. Succeeds once they were handed on: whoever is faster than the disk waits for it. */
  readonly write: (chunk: Chunk) => Effect.Effect<void, OutputError>
}

/** A file that was written. */
export interface Written {
  readonly file: string
  readonly bytes: number
}

/** Name another file, or replace it by `--force`: there is one already. */
export class OutputExists extends Data.TaggedError("OutputExists")<{ readonly file: string }> {
  override get message() {
    return `${this.file}: expected a file that is not there yet, found one. It was not changed; --force replaces it.`
  }
}

/** Name another file: this one cannot be written. */
export class OutputUnavailable extends Data.TaggedError("OutputUnavailable")<{
  readonly file: string
  readonly reason: string
}> {
  override get message() {
    return `${shown(this.file)} cannot be written: ${this.reason}. ${aftermath(this.file)}`
  }
}

/** Make room, or name a file on another disk: this one is full, or may not grow further. */
export class OutputDiskFull extends Data.TaggedError("OutputDiskFull")<{
  readonly file: string
  /** Bytes that were written until then. */
  readonly after: number
}> {
  override get message() {
    const { file, after } = this
    return `${shown(file)}: the disk is full after ${after} bytes. ${aftermath(file)} Make room, or name a file on another disk.`
  }
}

const shown = (file: string): string => (file === "-" ? "The standard output" : file)

const aftermath = (file: string): string =>
  file === "-"
    ? "What was written until then is not whole."
    : "Nothing was left under that name that was not there before."

/** What can go wrong with the file that is written. */
export type OutputError = OutputExists | OutputUnavailable | OutputDiskFull

/** Bytes that are gathered before they are written in one step. */
const STEP_BYTES = 1024 * 1024

/**
 * Writes a file from beginning to end under a name of its own beside the target (see `AtomicFile`), which becomes the
 * target's name once all of it is on the disk. So a target is whole or not there, and what stood there before stands until
 * then. Whatever fails or is interrupted on the way, what was written is removed again; only a process that is killed
 * leaves its `.partial` behind, until the target is written again.
 *
 * A target that is there already is refused without `force`, also where it came while this was written. A link is followed.
 */
export const writing = <E, R>(
  target: Target,
  body: (output: OutputFile) => Effect.Effect<unknown, E, R>,
): Effect.Effect<Written, E | OutputError, R> => {
  const { file } = target
  return Effect.acquireUseRelease(
    open(target),
    (sink) =>
      Effect.gen(function* () {
        const steps = inSteps(file, sink)
        yield* body({ write: steps.write })
        yield* steps.flush
        yield* Effect.uninterruptible(attempt(file, steps.written(), () => sink.commit()))
        return { file, bytes: steps.written() }
      }),
    // What stands in the way of removing it stood in the way of writing it, and was said then.
    (sink) => Effect.ignore(Effect.tryPromise(() => sink.discard())),
  )
}

/** The same from a stream of chunks. */
export const writeAll = <E, R>(
  target: Target,
  chunks: Stream.Stream<Chunk, E, R>,
): Effect.Effect<Written, E | OutputError, R> => writing(target, ({ write }) => Stream.runForEach(chunks, write))

type Piece = string | Uint8Array

const isPiece = (chunk: Chunk): chunk is Piece => typeof chunk === "string" || chunk instanceof Uint8Array

/**
 * Gathers small chunks in one piece of memory, which is used again and again: memory outside of V8's heap that is thrown away
 * is collected late, and a long file would take hundreds of megabytes.
 */
const inSteps = (file: string, sink: AtomicOutput.AtomicOutput) => {
  const memory = Buffer.allocUnsafe(STEP_BYTES)
  let gathered = 0
  let written = 0
  const handOn = (bytes: Uint8Array) =>
    Effect.map(
      attempt(file, written, () => sink.write(bytes)),
      () => {
        written += bytes.length
      },
    )
  const flush = Effect.suspend(() => {
    const bytes = memory.subarray(0, gathered)
    gathered = 0
    return bytes.length === 0 ? Effect.void : handOn(bytes)
  })
  /** Whether a piece fits into what is left. No character takes more than three bytes. */
  const gather = (piece: Piece): boolean => {
    const most = typeof piece === "string" ? 3 * piece.length : piece.length
    if (most > STEP_BYTES - gathered) return false
    if (typeof piece === "string") gathered += memory.write(piece, gathered)
    else {
      memory.set(piece, gathered)
      gathered += piece.length
    }
    return true
  }
  const writePiece = (piece: Piece) => {
    if (gather(piece)) return Effect.void
    const alone = () => handOn(typeof piece === "string" ? Buffer.from(piece) : piece)
    return Effect.flatMap(flush, () => (gather(piece) ? Effect.void : alone()))
  }
  const writePieces = (pieces: ReadonlyArray<string>, from: number): Effect.Effect<void, OutputError> => {
    for (let index = from; index < pieces.length; index++) {
      const piece = pieces[index] ?? ""
      if (!gather(piece)) return Effect.flatMap(writePiece(piece), () => writePieces(pieces, index + 1))
    }
    return Effect.void
  }
  const write = (chunk: Chunk) => Effect.suspend(() => (isPiece(chunk) ? writePiece(chunk) : writePieces(chunk, 0)))
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
      const shows = binary && process.stdout.isTTY === true
      return shows
        ? unavailable(file, "a terminal cannot show this format. Name a file, or send it on to another program")
        : attempt(file, 0, async () => AtomicOutput.standardOutput())
    }
    return Effect.flatMap(
      attempt(file, 0, async () => look(file)),
      ({ name, found }) => {
        if (log !== undefined && isPartOf(log, name)) return unavailable(file, "it is a part of the log that is read")
        if (found?.isDirectory() === true) return unavailable(file, "it is a directory. Name a file in it")
        if (found !== undefined && !found.isFile()) return attempt(file, 0, () => AtomicOutput.inPlace(name))
        if (found !== undefined && !force) return new OutputExists({ file })
        return attempt(file, 0, () => AtomicOutput.beside(name, found))
      },
    )
  })

const unavailable = (file: string, reason: string) => Effect.fail(new OutputUnavailable({ file, reason }))

const look = (file: string) => {
  const name = targetOf(path.resolve(file))
  return { name, found: fs.statSync(name, { throwIfNoEntry: false }) }
}

/** Whether a file is the log itself, or one that it, its keys, its segments or its plugins are in. */
const isPartOf = (log: string, name: string): boolean => {
  const whole = targetOf(path.resolve(log))
  return name.startsWith(whole) && LOG_PART.test(name.slice(whole.length))
}

const LOG_PART = /^(-wal|-shm|-journal|\.keys(-\w+)?|\.snapshot-key|\.(segments|plugins)([\\/].*)?)?$/

/** Names what the operating system reported by what can be done about it. */
const attempt = <A>(file: string, after: number, run: () => Promise<A>): Effect.Effect<A, OutputError> =>
  Effect.tryPromise({
    try: run,
    catch: (cause) => {
      const code = AtomicOutput.codeOf(cause)
      if (NO_ROOM.has(code)) return new OutputDiskFull({ file, after })
      if (code === "EEXIST") return new OutputExists({ file })
      const found = cause instanceof Error ? cause.message : String(cause)
      return new OutputUnavailable({ file, reason: REASONS[code]?.(path.dirname(path.resolve(file))) ?? found })
    },
  })

/** No space left, quota used up, file too large. */
const NO_ROOM: ReadonlySet<string> = new Set(["ENOSPC", "EDQUOT", "EFBIG"])

const closed = (directory: string) => `the directory ${directory} or the file is closed to this user`

/** What the system's errors mean here, and what to do. */
const REASONS: Readonly<Record<string, (directory: string) => string>> = {
  ENOENT: (directory) => `there is no directory ${directory}. Make it, or name another`,
  ENOTDIR: (directory) => `${directory} is no directory`,
  EACCES: closed,
  EPERM: closed,
  EROFS: (directory) => `${directory} is on a disk that is mounted read-only`,
  ENAMETOOLONG: () => "its name is too long",
}
