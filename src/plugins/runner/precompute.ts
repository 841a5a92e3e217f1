/**
 * The main module of the process that computes a plugin's `precomputed` bytes, in Deno and in the plugin's sandbox: it imports the
 * module that its argument names, calls its default export, and writes the bytes that it returns to the standard output, followed by their
 * length (eight bytes, big-endian). Any output before these bytes was printed by the module itself.
 *
 * One file without imports, as the runner is once it is bundled. The module is imported by a computed `import()`, because Deno's permissions do not hold for
 * the static imports of a main module.
 */
import type { Precompute } from "../author.ts"

/** The part of Deno that is used here. */
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
