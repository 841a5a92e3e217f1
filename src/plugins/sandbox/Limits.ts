/** Resource limits of a plugin's process, enforced by nice(1), prlimit(1) and V8's flags. */
import * as Options from "../../values/Options.ts"
import type { Tools } from "./Tools.ts"

/**
 * Limits that the operating system and V8 enforce. The number of processes needs none: starting one is always denied,
 * and `RLIMIT_NPROC` counts all processes of the user and does not bind root.
 */
export interface SandboxLimits {
  /** JavaScript's heap in MiB (V8's `--max-old-space-size`); V8 ends a process that exceeds it. Default: 128. */
  readonly heapMiB?: number
  /**
   * Memory outside the heap in MiB: array buffers, WebAssembly, native allocations. An allocation beyond it fails with
   * a `RangeError` in JavaScript, and ends the process in V8 or Deno. A `Worker` needs about 512 MiB, so none can start
   * by default. Default: 256.
   *
   * Enforced by `RLIMIT_DATA` (setrlimit(2)), so on Linux only: V8's flags limit neither array buffers nor WebAssembly.
   */
  readonly memoryMiB?: number
  /** One WebAssembly memory in pages of 64 KiB (V8's `--wasm-max-mem-pages`). Default: 2048, which is 128 MiB. */
  readonly wasmPages?: number
  /** Open files, pipes and sockets (`RLIMIT_NOFILE`). Linux only. Default: 256. */
  readonly descriptors?: number
  /**
   * From 0 to 19 (nice(1), autogroup in sched(7)). Default: 10, a tenth of the kernel's share: a plugin still starts on
   * a busy machine, and a busy plugin does not slow the kernel. A plugin that blocks its event loop gets 19
   * (`ReniceWhenBusy`).
   */
  readonly niceness?: number
}

/** Maximum of a memory limit: a tebibyte. */
const MAX_MIB = 1024 * 1024

/** Schema of `SandboxLimits`. */
export const SandboxLimits = Options.of<SandboxLimits>({
  optional: {
    heapMiB: Options.wholeNumber(1, MAX_MIB),
    memoryMiB: Options.wholeNumber(0, MAX_MIB),
    wasmPages: Options.wholeNumber(1, 65_536),
    descriptors: Options.wholeNumber(1, 1_048_576),
    niceness: Options.wholeNumber(0, 19),
  },
})

/** Every limit with a value. */
export type Limits = Required<SandboxLimits>

/** The default limits. */
export const DEFAULTS: Limits = { heapMiB: 128, memoryMiB: 256, wasmPages: 2048, descriptors: 256, niceness: 10 }

/** The defaults, overridden by the given limits; later arguments win. */
export const limitsOf = (...given: ReadonlyArray<SandboxLimits | undefined>): Limits => {
  const limits = { ...DEFAULTS }
  for (const name of NAMES) for (const some of given) limits[name] = some?.[name] ?? limits[name]
  return limits
}

const NAMES = ["heapMiB", "memoryMiB", "wasmPages", "descriptors", "niceness"] as const

/** The limits as a Deno option with V8 flags. */
export const v8Flags = ({ heapMiB, wasmPages }: Limits): string =>
  `--v8-flags=--max-old-space-size=${heapMiB},--wasm-max-mem-pages=${wasmPages}`

/**
 * Data memory (`RLIMIT_DATA`) that Deno 2.9 uses before a plugin's first line, in MiB: mostly V8's reservation for
 * code. Measured with array buffers: below this limit none could be allocated, above it exactly the difference.
 */
const DENO_DATA_MIB = 544

/**
 * A command line prefix for niceness and limits: nice(1), prlimit(1), and a shell that forbids writing files
 * (`NO_FILES`). There are no core dumps.
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

/** Maximum size of a file that Deno writes to its cache while compiling, in bytes. */
const CACHED_FILE_BYTES = 64 * 1024 * 1024

/**
 * Sets `RLIMIT_FSIZE` to 0 and becomes the program, which can then extend no file. Deno's permissions do not cover
 * SQLite's temporary files, which `node:sqlite` writes anywhere. Writes fail with EFBIG, because the fatal signal is
 * ignored; pipes and sockets still work.
 */
const NO_FILES = `ulimit -f 0 && trap "" XFSZ && exec "$@"`
