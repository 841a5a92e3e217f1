/**
 * The resource limits of a plugin's process, and the command line that enforces them by nice(1), prlimit(1) and V8's
 * flags.
 */
import * as Options from "../../values/Options.ts"
import type { Tools } from "./Tools.ts"

/**
 * Limits that the operating system and V8 enforce on a plugin's process. There is no limit on the number of processes:
 * starting one is always denied, and `RLIMIT_NPROC` counts all processes of the user and does not apply to root.
 */
export interface SandboxLimits {
  /** JavaScript's heap, in MiB (V8's `--max-old-space-size`). V8 ends a process that exceeds it. Default: 128. */
  readonly heapMiB?: number
  /**
   * Memory outside the heap, in MiB: array buffers, WebAssembly, native allocations. An allocation above the limit
   * fails: with a `RangeError` in JavaScript, with the end of the process in V8 and Deno. A `Worker` needs about 512
   * MiB, so with the default none can be started. Default: 256.
   *
   * It is enforced by `RLIMIT_DATA` (setrlimit(2)), so on Linux only. V8's own flags limit neither array buffers nor
   * WebAssembly.
   */
  readonly memoryMiB?: number
  /** One WebAssembly memory, in pages of 64 KiB (V8's `--wasm-max-mem-pages`). Default: 2048, which is 128 MiB. */
  readonly wasmPages?: number
  /** Open files, pipes and sockets (`RLIMIT_NOFILE`). Default: 256. Linux only. */
  readonly descriptors?: number
  /**
   * The niceness of the process, 0 to 19 (nice(1), and autogroup in sched(7)). Default: 10, a tenth of the kernel's
   * share. That is enough to start on a busy machine, and little enough that a busy plugin does not slow the kernel.
   * While it blocks its event loop, it has niceness 19, for the sake of other plugins (`ReniceWhenBusy`).
   */
  readonly niceness?: number
}

/** Maximum memory limit, in MiB: a tebibyte. */
const MAX_MIB = 1024 * 1024

/** The schema of `SandboxLimits`. */
export const SandboxLimits = Options.of<SandboxLimits>({
  optional: {
    heapMiB: Options.wholeNumber(1, MAX_MIB),
    memoryMiB: Options.wholeNumber(0, MAX_MIB),
    wasmPages: Options.wholeNumber(1, 65_536),
    descriptors: Options.wholeNumber(1, 1_048_576),
    niceness: Options.wholeNumber(0, 19),
  },
})

/** All limits, each with a value. */
export type Limits = Required<SandboxLimits>

/** The default limits. */
export const DEFAULTS: Limits = { heapMiB: 128, memoryMiB: 256, wasmPages: 2048, descriptors: 256, niceness: 10 }

/** The defaults, overridden by the given limits. Later arguments win. */
export const limitsOf = (...given: ReadonlyArray<SandboxLimits | undefined>): Limits => {
  const limits = { ...DEFAULTS }
  for (const name of NAMES) for (const some of given) limits[name] = some?.[name] ?? limits[name]
  return limits
}

const NAMES = ["heapMiB", "memoryMiB", "wasmPages", "descriptors", "niceness"] as const

/** The V8 flags that enforce the limits, as a Deno option. */
export const v8Flags = ({ heapMiB, wasmPages }: Limits): string =>
  `--v8-flags=--max-old-space-size=${heapMiB},--wasm-max-mem-pages=${wasmPages}`

/**
 * Data memory (`RLIMIT_DATA`) that Deno 2.9 uses before a plugin's first line, in MiB: mostly V8's reservation for
 * code. It was measured by allocating array buffers. Below this limit no buffer could be allocated; above it, exactly
 * the difference could.
 */
const DENO_DATA_MIB = 544

/**
 * The command line prefix that sets a program's niceness and limits: nice(1), prlimit(1), and a shell that forbids
 * writing to files (`NO_FILES`). Core dumps are never written.
 */
export const boundedBy = (
  { nice, prlimit, sh }: Tools,
  { heapMiB, memoryMiB, descriptors, niceness }: Limits,
  writes: "nothing" | "cache",
): ReadonlyArray<string> => [
  ...(nice === undefined ? [] : [nice, "-n", String(niceness)]),
  ...(prlimit === undefined
    ? []
    : [
        ...[prlimit, `--data=${(DENO_DATA_MIB + heapMiB + memoryMiB) * 1024 * 1024}`, `--nofile=${descriptors}`],
        ...["--core=0", ...(writes === "cache" ? [`--fsize=${CACHED_FILE_BYTES}`] : []), "--"],
      ]),
  ...(sh === undefined || writes === "cache" ? [] : [sh, "-c", NO_FILES, "hindcast"]),
]

/** Maximum size of a file that Deno may write to its cache while it compiles a plugin, in bytes. */
const CACHED_FILE_BYTES = 64 * 1024 * 1024

/**
 * Sets `RLIMIT_FSIZE` to 0, so that the program can extend no file, and then becomes the program. Deno's permissions do
 * not cover the temporary files of SQLite, which `node:sqlite` writes to any path. A write fails with EFBIG, because
 * the signal that would end the process is ignored. Pipes and sockets are not affected.
 */
const NO_FILES = `ulimit -f 0 && trap "" XFSZ && exec "$@"`
