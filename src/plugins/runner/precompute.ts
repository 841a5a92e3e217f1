/**
 * Main module of the sandboxed Deno process that computes a plugin's `precomputed` bytes. It imports the module that
 * its argument names, calls its default export, and writes the returned bytes to the standard output, followed by their
 * length (eight bytes, big-endian). Any output before them is the module's own.
 *
 * It is one file without imports, like the bundled runner. A computed `import()` loads the module, because Deno's
 * permissions do not apply to static imports of a main module.
 */
import type { Precompute } from "../author.ts"

/** The part of Deno's API in use. */
interface DenoApi {
  readonly args: ReadonlyArray<string>
  readonly stdout: { writeSync(bytes: Uint8Array): number }
  exit(code: number): never
}

const { Deno } = globalThis as unknown as { readonly Deno: DenoApi }
const { args, stdout } = Deno
const exit: (code: number) => never = Deno.exit.bind(Deno)

const { default: compute }: { readonly default: Precompute } = await import(String(args[0]))
const bytes = await compute()
const length = new Uint8Array(8)
new DataView(length.buffer).setBigUint64(0, BigInt(bytes.length))
for (const part of [bytes, length]) for (let at = 0; at < part.length; ) at += stdout.writeSync(part.subarray(at))
exit(0)
