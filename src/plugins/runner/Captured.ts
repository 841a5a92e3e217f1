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

/** Bytes as base64. Newer engines have a function for it. */
export const base64 = (bytes: Uint8Array): string =>
  toBase64 === undefined ? encodedBase64(bytes) : (toBase64.call(bytes) as string)

const { toBase64 } = Uint8Array.prototype as { readonly toBase64?: (this: Uint8Array) => string }

const DIGITS = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"].map((digit) =>
  digit.charCodeAt(0),
)

const encodedBase64 = (bytes: Uint8Array): string => {
  const digits = new Uint8Array(Math.ceil(bytes.length / 3) * 4)
  let at = 0
  for (let index = 0; index < bytes.length; index += 3) {
    const word = ((bytes[index] ?? 0) << 16) | ((bytes[index + 1] ?? 0) << 8) | (bytes[index + 2] ?? 0)
    for (let shift = 18; shift >= 0; shift -= 6) digits[at++] = DIGITS[(word >> shift) & 63] ?? 0
  }
  const missing = (3 - (bytes.length % 3)) % 3
  return decode(digits.subarray(0, digits.length - missing)) + "=".repeat(missing)
}
