/**
 * Runs first: kills the process with SIGKILL before a call of a function of `node:fs`.
 *
 * Input: { call, nth }: the nth call of that function.
 */
import fs from "node:fs"
import { syncBuiltinESMExports } from "node:module"

const { call, nth } = JSON.parse(process.env.FIRST)
const real = fs[call]
let count = 0
fs[call] = (...args) => {
  count += 1
  if (count === nth) {
    process.kill(process.pid, "SIGKILL")
    // The signal may take a moment, and nothing more may happen.
    for (;;);
  }
  return real(...args)
}
syncBuiltinESMExports()
