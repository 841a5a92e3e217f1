/**
 * Makes the snapshot that sessions start from: `scripts/vendor-pyodide.mjs` runs it in Deno, with the engine's options of
 * the sandbox, when the package is built.
 */
import { loadCold, origin, SNAPSHOT, SNAPSHOT_ORIGIN } from "./pyodide.ts"

/** The part of Deno that is used here. */
declare const Deno: {
  writeFileSync(path: URL, bytes: Uint8Array): void
  writeTextFileSync(path: URL, text: string): void
}

const pyodide = await loadCold(true)
const bytes = pyodide.makeMemorySnapshot()
Deno.writeFileSync(SNAPSHOT, bytes)
// Last, so that a snapshot which was not written whole is not taken for one.
Deno.writeTextFileSync(SNAPSHOT_ORIGIN, `${JSON.stringify({ origin: await origin(), bytes: bytes.length })}\n`)
