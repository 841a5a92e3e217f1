import * as Options from "../../values/Options.ts"
import type { Tools } from "./Tools.ts"

/**
 * Bounds that the operating system and V8 hold a plugin's process to. How many processes it may have is not among them:
 * starting one is always denied, `RLIMIT_NPROC` counts all processes of the user, and it does not bind root.
 */
export interface SandboxLimits {
  /** JavaScript's heap, in MiB (V8's `--max-old-space-size`): V8 ends the process above it. Default: 128. */
  readonly heapMiB?: number
  /**
   * Memory beside the heap, in MiB: array buffers, WebAssembly, native allocations. An allocation above it fails, in
   * JavaScript as a `RangeError`, in V8 and Deno by the process's end. A `Worker` needs about 512 of it, so that by default none can be started.
   * Default: 256. It is held by `RLIMIT_DATA` (setrlimit(2)), hence on Linux only: V8's own flags bound neither
   * array buffers nor WebAssembly.
   */
  readonly memoryMiB?: number
  /** One memory of WebAssembly, in pages of 64 KiB (V8's `--wasm-max-mem-pages`). Default: 2048, which is 128 MiB. */
  readonly wasmPages?: number
  /** Open files, pipes and sockets (`RLIMIT_NOFILE`). Default: 256. Linux only. */
  readonly descriptors?: number
  /**
   * How far it stands back when processors are short, 0 to 19 (nice(1), and autogroup in sched(7)). Default: 10, a tenth
   * of the kernel's share: enough to start on a busy machine, too little for the kernel to feel it spin. Where it spins,
   * it has 19 meanwhile, for the sake of other plugins (`ReniceWhenBusy`).
   */
  readonly niceness?: number
}

/** Megabytes that a process may be given at most: a terabyte. */
const MOST_MIB = 1024 * 1024

/** Their schema. */
export const SandboxLimits = Options.of<SandboxLimits>({
  optional: {
    heapMiB: Options.wholeNumber(1, MOST_MIB),
    memoryMiB: Options.wholeNumber(0, MOST_MIB),
    wasmPages: Options.wholeNumber(1, 65_536),
    descriptors: Options.wholeNumber(1, 1_048_576),
    niceness: Options.wholeNumber(0, 19),
  },
})

/** All of them, each with a value. */
export type Limits = Required<SandboxLimits>

export const DEFAULTS: Limits = { heapMiB: 128, memoryMiB: 256, wasmPages: 2048, descriptors: 256, niceness: 10 }

/** The defaults, and in their place whatever is given; a later one wins. */
export const limitsOf = (...given: ReadonlyArray<SandboxLimits | undefined>): Limits => {
  const limits = { ...DEFAULTS }
  for (const name of NAMES) for (const some of given) limits[name] = some?.[name] ?? limits[name]
  return limits
}

const NAMES = ["heapMiB", "memoryMiB", "wasmPages", "descriptors", "niceness"] as const

/** V8's own bounds, as Deno takes them. */
export const v8Flags = ({ heapMiB, wasmPages }: Limits): string =>
  `--v8-flags=--max-old-space-size=${heapMiB},--wasm-max-mem-pages=${wasmPages}`

/**
 * What Deno 2.9 has of `RLIMIT_DATA` before a plugin's first line, in MiB: mostly V8's reservation for code. It was
 * measured by array buffers: below, nothing could be allocated; above, exactly the difference.
 */
const DENO_DATA_MIB = 544

/**
 * The command line before a program that has it stand back and holds it to the operating system's bounds: nice(1), prlimit(1), and
 * a shell that takes its right to write to files (`NO_FILES`). A dump of its memory is never written.
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

/** The longest file that Deno may write into its cache while it compiles a plugin. */
const CACHED_FILE_BYTES = 64 * 1024 * 1024

/**
 * Takes the right to make any file longer than it is (`RLIMIT_FSIZE` of 0), for good, and becomes the program. No permission of
 * Deno's guards the temporary files of SQLite, which `node:sqlite` writes wherever it is told to. A write fails
 * (EFBIG), because the signal that would end the process is ignored. Pipes and sockets are no files.
 */
const NO_FILES = `ulimit -f 0 && trap "" XFSZ && exec "$@"`
