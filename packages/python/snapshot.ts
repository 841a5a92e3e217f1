/**
 * The manifest's `precomputed.module`: computes the memory image that sessions start from. Its bytes are reproducible,
 * because neither time, time zone nor random numbers reach the interpreter's memory.
 */
import type { Precompute } from "hindcast/plugin"
import { loadCold } from "./pyodide.ts"

/** The time on every clock, in epoch milliseconds, and the date of the interpreter's own files. */
const NOW = Date.UTC(2026, 0, 1)

const RealDate = Date

class FixedDate extends RealDate {
  constructor(...given: ReadonlyArray<number>) {
    super(...((given.length === 0 ? [NOW] : given) as [number]))
  }
  static override now() {
    return NOW
  }
  override getTimezoneOffset() {
    return 0
  }
}

/** Affects no session's numbers: the kernel seeds `random`, and `os.urandom` asks again. */
const fixedNumbers: typeof crypto.getRandomValues = (into) => {
  if (into !== null) new Uint8Array(into.buffer, into.byteOffset, into.byteLength).fill(7)
  return into
}

const compute: Precompute = async () => {
  globalThis.Date = FixedDate as DateConstructor
  performance.now = () => 0
  crypto.getRandomValues = fixedNumbers
  return (await loadCold(true)).makeMemorySnapshot()
}

export default compute
