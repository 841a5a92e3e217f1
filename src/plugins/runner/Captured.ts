/**
 * The globals that the runner uses. They are captured when the runner is loaded, before the plugin is imported, because
 * the plugin may replace any global.
 */

/** The part of the Deno API that is used here. */
interface DenoApi {
  stdin: { read(into: Uint8Array): Promise<number | null> }
  stdout: { writeSync(bytes: Uint8Array): number }
  stderr: unknown
  inspect(value: unknown): string
  exit(code: number): never
}

export const { Deno } = globalThis as unknown as { readonly Deno: DenoApi }
export const { inspect } = Deno
export const read = Deno.stdin.read.bind(Deno.stdin)
export const writeSync = Deno.stdout.writeSync.bind(Deno.stdout)
export const exit: (code: number) => never = Deno.exit.bind(Deno)
export const { parse, stringify } = JSON
export const resolved: (value: unknown) => Promise<unknown> = Promise.resolve.bind(Promise)
const encoder = new TextEncoder()
const decoder = new TextDecoder()
/** The part of some bytes from a position on. As a method it could be replaced, and would be given every frame with its nonce. */
export const bytesFrom: (bytes: Uint8Array, start: number) => Uint8Array = Function.prototype.call.bind(
  Uint8Array.prototype.subarray,
)
export const encode = encoder.encode.bind(encoder)
export const decode = decoder.decode.bind(decoder)
