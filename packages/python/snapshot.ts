/**
 * Computes the memory image that sessions start from: the manifest's `precomputed.module`. Its bytes are the same wherever and whenever it
 * runs, because nothing of the machine gets into the interpreter's memory: no time, no time zone and no random numbers.
 */
import type { Precompute } from "hindcast/plugin"
import { loadCold } from "./pyodide.ts"

/** What every clock says meanwhile, in epoch milliseconds. Files of the interpreter's own bear this date. */
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

/** Seeds nothing that a session draws from: `random` is seeded by the kernel, and `os.urandom` asks again. */
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
