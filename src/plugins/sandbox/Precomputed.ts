/**
 * The file with a plugin's `precomputed` bytes, which follow from the plugin's own files and take long to compute. The host
 * computes them once and keeps them in the plugin's cache directory.
 *
 * An existing file is not trusted: the manifest has the digest of the bytes, and a file with another digest is removed and
 * computed again. The bytes are computed in the plugin's sandbox, without grants and without write access. The process writes
 * them to a pipe, and the host writes the file. Files of other versions are removed after they were not used for 30 days.
 */
import * as crypto from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import { pathToFileURL } from "node:url"
import { Deferred, Effect, Exit } from "effect"
import * as AtomicFile from "../../platform/AtomicFile.ts"
import * as OwnerOnly from "../../platform/OwnerOnly.ts"
import * as ProgramLog from "../../platform/ProgramLog.ts"
import { NO_GRANTS } from "../manifest/Grants.ts"
import type { Precomputed } from "../manifest/Manifest.ts"
import { type ChildExit, type ChildHandlers, spawnScoped } from "./Child.ts"
import { serialized } from "./DenoCache.ts"
import * as LastUse from "./LastUse.ts"
import * as Runner from "./Runner.ts"
import * as Sandbox from "./Sandbox.ts"

/** The file's absolute path, or the reason why there is no file. Without a file, the plugin is started all the same. */
export type Found = { readonly file: string } | { readonly why: string }

/** Where a run of a plugin's module is recorded. */
export interface Recording {
  /** Records that the module is about to run. If this fails, it is not run. */
  readonly started: (run: Precomputed) => Effect.Effect<unknown, unknown>
  /** Records a line that the module printed. */
  readonly printed: (line: string) => void
}

/** Maximum number of bytes: 64 MiB. */
const MOST_BYTES = 64 * 1024 * 1024

const TOO_MANY = `it answered with more than ${MOST_BYTES} bytes`

/** Maximum number of bytes that the module may print besides: 1 MiB. */
const MOST_PRINTED = 1024 * 1024

/** Time-out of the computation, in milliseconds. It allows for a busy machine. */
const COMPUTE_MS = 120_000

/** Time that the process has to exit after its input is closed, in milliseconds, before it is terminated. */
const STOP_MS = 100

/** Maximum number of characters that are kept of what the module printed, and of the process's error output. */
const TOLD = 500

const PREFIX = "precomputed-"

const FILE_NAME = new RegExp(`^${PREFIX}[0-9a-f]{64}$`)

/** Failed computations of this host process: the reason, by file and plugin directory. They are not repeated at each start. */
const givenUp = new Map<string, string>()

/** The file of these bytes in a plugin's cache directory. */
export const fileIn = (denoDir: string, { sha256 }: Precomputed): string => path.join(denoDir, `${PREFIX}${sha256}`)

/**
 * Finds the file, or computes it. Serialized for each cache directory. Never fails, because the plugin works without it.
 */
export const provide = (
  confining: Sandbox.AvailableLayer,
  confinement: Sandbox.Confinement,
  { module, sha256 }: Precomputed,
  { started, printed }: Recording,
): Effect.Effect<Found> =>
  Effect.gen(function* () {
    const { denoDir, directory } = confinement
    const file = fileIn(denoDir, { module, sha256 })
    if ((yield* Effect.promise(() => digestOf(file))) === sha256) {
      LastUse.note(file)
      return { file }
    }
    const attempt = JSON.stringify([file, directory])
    const before = givenUp.get(attempt)
    if (before !== undefined) return { why: before }
    const recorded = yield* Effect.exit(started({ module, sha256 }))
    if (Exit.isFailure(recorded)) {
      yield* ProgramLog.error("PrecomputeStarted was not recorded", recorded.cause, { module })
      return { why: `expected the run of ${module} to be recorded, found that the log refused it` }
    }
    const why = yield* make(confining, confinement, { module, sha256 }, file, (line) => printed(`${module}: ${line}`))
    if (why === undefined) return { file }
    givenUp.set(attempt, why)
    return { why }
  }).pipe(serialized(confinement.denoDir))

/** Computes the bytes and writes the file. Returns the reason if there is no file, else undefined. */
const make = (
  confining: Sandbox.AvailableLayer,
  confinement: Sandbox.Confinement,
  { module, sha256 }: Precomputed,
  file: string,
  onLine: (line: string) => void,
): Effect.Effect<string | undefined> =>
  Effect.gen(function* () {
    const { directory, denoDir } = confinement
    const bytes = yield* Effect.try(() => {
      // Files of other versions stay, unless they are long unused: their processes may be running.
      fs.rmSync(file, { recursive: true, force: true })
      const runner = fs.realpathSync(Runner.fileIn(denoDir, "precompute"))
      const { args, ...command } = Sandbox.command(confining, { ...confinement, runner, grants: NO_GRANTS })
      return { ...command, args: [...args, pathToFileURL(path.join(directory, module)).href] }
    }).pipe(
      Effect.mapError(messageOf),
      Effect.flatMap((command) => outputOf(command, onLine)),
    )
    const found = crypto.createHash("sha256").update(bytes).digest("hex")
    if (found !== sha256) return `expected ${module} to answer with bytes of digest ${sha256}, found ${found}`
    yield* Effect.try(() => write(file, bytes)).pipe(Effect.mapError(messageOf))
    LastUse.removeUnused(denoDir, FILE_NAME)
    return undefined
  }).pipe(Effect.catchAll((why) => Effect.succeed(`expected ${module} to be computed, found ${why}`)))

const messageOf = ({ error }: { readonly error: unknown }) => (error instanceof Error ? error.message : String(error))

/**
 * Runs a command to its end. Returns the bytes at the end of its standard output, which their length follows (see `splitOutput`). The
 * last lines that it printed before these bytes, and the last ones of its error output, are passed to `onLine`.
 */
const outputOf = (command: Sandbox.SandboxedCommand, onLine: (line: string) => void): Effect.Effect<Buffer, string> =>
  Effect.gen(function* () {
    const ended = yield* Deferred.make<ChildExit>()
    const parts: Array<Uint8Array> = []
    let length = 0
    const decoder = new TextDecoder()
    let told = ""
    const { child } = yield* spawnScoped(
      command,
      (child): ChildHandlers => ({
        onStdout: (chunk) => {
          length += chunk.length
          if (length > MOST_BYTES + MOST_PRINTED) child.kill(TOO_MANY)
          else parts.push(chunk)
        },
        onStderr: (chunk) => {
          told = `${told}${decoder.decode(chunk, { stream: true })}`.slice(-TOLD)
        },
        onExit: (exit) => Deferred.unsafeDone(ended, Effect.succeed(exit)),
      }),
      { lastInput: "", stopMs: STOP_MS },
    )
    const late = () => child.kill(`it took longer than ${COMPUTE_MS} ms`)
    const { code, signal, reason } = yield* Effect.acquireUseRelease(
      Effect.sync(() => setTimeout(late, COMPUTE_MS)),
      () => Deferred.await(ended),
      (timer) => Effect.sync(() => clearTimeout(timer)),
    )
    const failed = code !== 0 || reason !== undefined
    const output = Buffer.concat(parts)
    const { printed, bytes } = failed ? { printed: output, bytes: NOTHING } : splitOutput(output)
    const lines = [printed.toString("utf8").slice(-TOLD), told].flatMap((text) => text.split("\n"))
    for (const line of lines) if (line.trim() !== "") onLine(line)
    if (!failed && bytes.length <= MOST_BYTES) return bytes
    if (!failed) return yield* Effect.fail(TOO_MANY)
    return yield* Effect.fail(`${reason ?? `that it ended by ${signal ?? `code ${code}`}`}: ${told.trim()}`)
  }).pipe(Effect.scoped)

/** Size of the length that follows the bytes: see `runner/precompute`. */
const LENGTH_BYTES = 8

const NOTHING = Buffer.alloc(0)

/** Splits an output into what was printed and the bytes. An output that does not end with the length of its bytes is all printed. */
const splitOutput = (output: Buffer): { readonly printed: Buffer; readonly bytes: Buffer } => {
  const end = output.length - LENGTH_BYTES
  const length = end < 0 ? 0n : output.readBigUInt64BE(end)
  if (end < 0 || length > BigInt(end)) return { printed: output, bytes: NOTHING }
  const start = end - Number(length)
  return { printed: output.subarray(0, start), bytes: output.subarray(start, end) }
}

/** The digest of a regular file; undefined if there is no such file or it is too large. Links are not followed. */
const digestOf = async (file: string): Promise<string | undefined> => {
  try {
    const stats = await fs.promises.lstat(file)
    if (!stats.isFile() || stats.size > MOST_BYTES) return undefined
    const hash = crypto.createHash("sha256")
    for await (const chunk of fs.createReadStream(file, { highWaterMark: 1024 * 1024 })) hash.update(chunk)
    return hash.digest("hex")
  } catch {
    return undefined
  }
}

const write = (file: string, bytes: Buffer): void => {
  const whole = AtomicFile.nameFor(file)
  try {
    fs.writeFileSync(whole, bytes, { flag: "wx", mode: OwnerOnly.FILE_MODE })
    fs.renameSync(whole, file)
  } finally {
    fs.rmSync(whole, { force: true })
  }
}
