/**
 * Provides a plugin's `precomputed` bytes, which follow from the plugin's files and take long to compute. The host
 * computes them once and caches them next to the plugin's modules.
 *
 * An existing file is not trusted: one whose digest differs from the manifest's is removed and computed again. The
 * computation runs in the plugin's sandbox without grants or write access. It writes to a pipe, and the host writes the
 * file. Files of other versions go after 30 days of disuse.
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

/** The file's absolute path, or why there is none. The plugin starts either way. */
export type Found = { readonly file: string } | { readonly why: string }

/** Records the run of a plugin's module. */
export interface Recording {
  /** Records that the module is about to run. If this fails, it does not run. */
  readonly started: (run: Precomputed) => Effect.Effect<unknown, unknown>
  /** Records a printed line. */
  readonly printed: (line: string) => void
}

/** Maximum size of the bytes: 64 MiB. */
const MOST_BYTES = 64 * 1024 * 1024

const TOO_MANY = `it answered with more than ${MOST_BYTES} bytes`

/** Maximum size of other output, in bytes: 1 MiB. */
const MOST_PRINTED = 1024 * 1024

/** Time-out of the computation, in milliseconds; allows for a busy machine. */
const COMPUTE_MS = 120_000

/** Time to exit after the end of input, in milliseconds; then the process is terminated. */
const STOP_MS = 100

/** Maximum length of kept output, and of kept error output, in characters. */
const TOLD = 500

const PREFIX = "precomputed-"

const FILE_NAME = new RegExp(`^${PREFIX}[0-9a-f]{64}$`)

/**
 * Reasons of failed computations, by file and plugin directory: this host process does not repeat them at each start.
 */
const givenUp = new Map<string, string>()

/** The bytes' file in a plugin's cache directory. */
export const fileIn = (denoDir: string, { sha256 }: Precomputed): string => path.join(denoDir, `${PREFIX}${sha256}`)

/**
 * Finds the file or computes it, one at a time per cache directory. Never fails, because the plugin works without it.
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

/** Computes the bytes and writes the file. Returns why there is no file, or undefined. */
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
      // Files of other versions stay until long unused: their processes may be running.
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
 * Runs a command and returns the bytes at the end of its output (see `splitOutput`). `onLine` receives the last lines
 * printed before them, and the last lines of the error output.
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

/** Size of the length after the bytes: see `runner/precompute`. */
const LENGTH_BYTES = 8

const NOTHING = Buffer.alloc(0)

/** Splits output into printed text and bytes. Without a matching length at its end, all of it is printed text. */
const splitOutput = (output: Buffer): { readonly printed: Buffer; readonly bytes: Buffer } => {
  const end = output.length - LENGTH_BYTES
  const length = end < 0 ? 0n : output.readBigUInt64BE(end)
  if (end < 0 || length > BigInt(end)) return { printed: output, bytes: NOTHING }
  const start = end - Number(length)
  return { printed: output.subarray(0, start), bytes: output.subarray(start, end) }
}

/** The digest of a regular file. Undefined if it is missing, a link, or too large. */
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
