/** Runs first: hard links are refused, and between two steps of making a file another process has time to see it. */
import fs from "node:fs"
import { syncBuiltinESMExports } from "node:module"

const pause = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))

for (const name of ["fchmodSync", "renameSync"]) {
  const real = fs[name]
  fs[name] = (...args) => {
    Atomics.wait(pause, 0, 0, 3)
    return real(...args)
  }
}
fs.linkSync = () => {
  throw Object.assign(new Error("EPERM: operation not permitted, link"), { code: "EPERM" })
}
syncBuiltinESMExports()
