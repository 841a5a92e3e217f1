/**
 * `node measured.mjs ARGS…`: runs the shipped command line. At its end, prints duration, processor time and peak memory
 * as JSON on stderr.
 */
import * as fs from "node:fs"

const startedAt = performance.now()
process.on("exit", () => {
  const { user, system } = process.cpuUsage()
  const peakMiB = process.resourceUsage().maxRSS / 1024
  fs.writeSync(2, `${JSON.stringify({ ms: performance.now() - startedAt, cpuMs: (user + system) / 1000, peakMiB })}\n`)
})
await import("../../dist/cli/main.js")
