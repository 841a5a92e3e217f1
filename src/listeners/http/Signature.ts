/** Signatures of webhooks: the schemes of GitHub and of Standard Webhooks (https://www.standardwebhooks.com). */

import { createHmac, timingSafeEqual } from "node:crypto"
import { Schema } from "effect"
import * as Options from "../../values/Options.ts"

/** How a webhook's sender proves who it is. */
export interface Signature {
  /**
   * - `github`: HMAC-SHA-256 of the body in `x-hub-signature-256`. It covers no time and no id.
   * - `standard`: Standard Webhooks, HMAC-SHA-256 of `webhook-id`, `webhook-timestamp` and the body in
   *   `webhook-signature`.
   */
  readonly scheme: "github" | "standard"
  /** The secret that sender and receiver share, or several while it changes. That of `standard` is `whsec_` and Base64. */
  readonly secret: string | ReadonlyArray<string>
  /** For `standard`: how far the timestamp may be from this machine's clock, in milliseconds. Default: 5 minutes. */
  readonly toleranceMs?: number
}

const SCHEMES = ["github", "standard"] as const
const WHSEC = /^(?:whsec_)?[A-Za-z0-9+/]+={0,2}$/

/** In bytes. Standard Webhooks asks for 24 and more. */
const SHORTEST_KEY = 16

/** `${process.env.SECRET}` of a variable that is not set: everybody knows this secret. */
const UNSET = /^(?:whsec_)?(?:undefined|null)$/

const isSecret = (value: unknown): boolean =>
  typeof value === "string" && value.trim().length >= 8 && !UNSET.test(value.trim())

/** The secret of Standard Webhooks as bytes. */
const keyOf = (secret: string): Buffer => Buffer.from(secret.replace(/^whsec_/, ""), "base64")

const isStandardSecret = (value: unknown): boolean =>
  typeof value === "string" && WHSEC.test(value) && keyOf(value).length >= SHORTEST_KEY

/** Schema of `Signature`. No message about a wrong secret shows it. */
export const Signature: Schema.Schema<Signature> = Options.checking(
  Options.of<Signature>({
    required: {
      scheme: Schema.Literal(...SCHEMES),
      secret: Options.kind<Signature["secret"]>("a secret, or a list of them", () => true),
    },
    optional: { toleranceMs: Options.Milliseconds },
  }).annotations({ description: "an object with scheme, secret and, for standard, toleranceMs" }),
  (value) => {
    if (typeof value !== "object" || value === null) return []
    const secret: unknown = Reflect.get(value, "secret")
    if (secret === undefined) return []
    const secrets: ReadonlyArray<unknown> = Array.isArray(secret) ? secret : [secret]
    const wrong = (expected: string) => [{ keys: ["secret"], expected, found: "something else (not shown)" }]
    if (secrets.length === 0 || !secrets.every(isSecret)) {
      return wrong("a secret of at least 8 characters, or a list of them")
    }
    return Reflect.get(value, "scheme") !== "standard" || secrets.every(isStandardSecret)
      ? []
      : wrong(`whsec_ and Base64 of at least ${SHORTEST_KEY} bytes, as Standard Webhooks writes secrets`)
  },
)

const DEFAULT_TOLERANCE_MS = 5 * 60_000

/** Of a request, by names in lower case. */
export interface Headers {
  readonly [name: string]: string | ReadonlyArray<string> | undefined
}

/** Why the request proves nothing: the expected and the found. Neither contains the secret or the right signature. */
export interface Unproven {
  readonly expected: string
  readonly found: string
}

/** @param now in epoch milliseconds */
export const flawOf = (signature: Signature, headers: Headers, body: Uint8Array, now: number): Unproven | undefined => {
  const secrets = typeof signature.secret === "string" ? [signature.secret] : signature.secret
  return signature.scheme === "github"
    ? flawOfGitHub(secrets, headers, body)
    : flawOfStandard(secrets, headers, body, now, signature.toleranceMs ?? DEFAULT_TOLERANCE_MS)
}

const flawOfGitHub = (secrets: ReadonlyArray<string>, headers: Headers, body: Uint8Array): Unproven | undefined => {
  const given = one(headers["x-hub-signature-256"])
  const expected = "x-hub-signature-256 with the body's signature"
  if (given === undefined) return { expected, found: "none" }
  const matches = secrets.some((secret) => {
    const right = `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`
    return isSame(given.toLowerCase(), right)
  })
  return matches ? undefined : { expected, found: "another signature" }
}

const flawOfStandard = (
  secrets: ReadonlyArray<string>,
  headers: Headers,
  body: Uint8Array,
  now: number,
  toleranceMs: number,
): Unproven | undefined => {
  const [id, timestamp, given] = ["webhook-id", "webhook-timestamp", "webhook-signature"].map((name) =>
    one(headers[name]),
  )
  if (id === undefined || timestamp === undefined || given === undefined) {
    return { expected: "webhook-id, webhook-timestamp and webhook-signature", found: "not all of them" }
  }
  if (!/^\d{1,12}$/.test(timestamp)) return { expected: "webhook-timestamp in seconds", found: "other text" }
  const expected = "webhook-signature with the request's signature (v1)"
  const matches = secrets.some((secret) => {
    const right = createHmac("sha256", keyOf(secret)).update(`${id}.${timestamp}.`).update(body).digest("base64")
    return given.split(" ").some((part) => part.startsWith("v1,") && isSame(part.slice(3), right))
  })
  if (!matches) return { expected, found: "another signature" }
  // Only after the signature, so that a stranger learns nothing about this machine's clock.
  const late = now - Number(timestamp) * 1000
  return Math.abs(late) <= toleranceMs
    ? undefined
    : {
        expected: `a webhook-timestamp within ${toleranceMs / 1000} s of now`,
        found: `one ${Math.round(Math.abs(late) / 1000)} s ${late > 0 ? "ago" : "ahead"}`,
      }
}

const one = (header: string | ReadonlyArray<string> | undefined): string | undefined =>
  typeof header === "string" && header !== "" ? header : undefined

/** Takes the same time for all texts of a length. The length of a signature is no secret. */
const isSame = (given: string, right: string): boolean => {
  const [one, other] = [Buffer.from(given), Buffer.from(right)]
  return one.length === other.length && timingSafeEqual(one, other)
}
