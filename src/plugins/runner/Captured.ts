/** The globals that the runner uses, captured before the plugin loads, because the plugin may replace any global. */

/** The part of Deno's API in use. */
interface DenoApi {
  stdin: { read(into: Uint8Array): Promise<number | null> }
  stdout: { writeSync(bytes: Uint8Array): number }
  stderr: unknown
  inspect(value: unknown): string
  exit(code: number): never
}

export const { Deno } = globalThis as unknown as { readonly Deno: DenoApi }
export const { stdin, stdout, inspect } = Deno
export const exit: (code: number) => never = Deno.exit.bind(Deno)
export const { parse, stringify } = JSON
export const resolved: (value: unknown) => Promise<unknown> = Promise.resolve.bind(Promise)
const encoder = new TextEncoder()
const decoder = new TextDecoder()
export const encode = encoder.encode.bind(encoder)
export const decode = decoder.decode.bind(decoder)
