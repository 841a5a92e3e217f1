/**
 * The main module of the process that computes a plugin's `precomputed` bytes, in Deno and in the plugin's sandbox: it imports the
 * module that its argument names, calls its default export, and writes what that answers to the standard output.
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
for (let at = 0; at < bytes.length; ) at += stdout.writeSync(bytes.subarray(at))
exit(0)
