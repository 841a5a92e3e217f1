/**
 * Anchors: signed heads of a log, stored outside it. With an anchor, `verify` detects a cut end and a rewritten chain,
 * which the log alone cannot reveal.
 */

import * as crypto from "node:crypto"
import canonicalize from "canonicalize"
import { Data, Either, Schema } from "effect"
import { parseJson } from "../../values/Json.ts"
import { mistakesOf } from "../../values/schema/Mistakes.ts"
import type { Head } from "../vocabulary/Event.ts"
import { EpochMs } from "../vocabulary/Event.ts"

const FORMAT = "hindcast-anchor/1"

const hexadecimal = (bytes: number, description: string) =>
  Schema.String.pipe(
    Schema.pattern(new RegExp(`^[0-9a-f]{${bytes * 2}}$`), { description: `${bytes * 2} hexadecimal digits` }),
    Schema.annotations({ description }),
  )

/**
 * A signed head. It proves which events the log contained up to a position, provided that nobody who can write the log
 * can write the anchor. The signature is Ed25519 (RFC 8032) over the canonical JSON (RFC 8785) of the other fields.
 */
export const Anchor = Schema.Struct({
  format: Schema.Literal(FORMAT),
  log: Schema.String.pipe(
    Schema.filter((text) => text.isWellFormed()),
    Schema.annotations({ description: "What the log was called, for people" }),
  ),
  position: Schema.NonNegativeInt.annotations({ description: "The head's position; 0 of an empty log" }),
  hash: hexadecimal(32, "The head's hash"),
  at: EpochMs,
  publicKey: hexadecimal(32, "The signer's public key, as RFC 8032 encodes it"),
  signature: hexadecimal(64, "The signature, as RFC 8032 encodes it"),
}).annotations({ identifier: "Anchor" })

export interface Anchor extends Schema.Schema.Type<typeof Anchor> {}

/** This anchor is invalid and proves nothing. Use another one. */
export class AnchorRefused extends Data.TaggedError("AnchorRefused")<{
  readonly expected: string
  readonly found: string
}> {
  override get message() {
    return `The anchor is not valid: expected ${this.expected}, found ${this.found}. It proves nothing about the log; use the document exactly as it was signed.`
  }
}

/** The file holds no Ed25519 key of the expected kind. Name another one. */
export class KeyInvalid extends Data.TaggedError("KeyInvalid")<{ readonly expected: string; readonly found: string }> {
  override get message() {
    return `Expected ${this.expected}, found ${this.found}. Name a file with such a key; \`hindcast log anchor --key FILE\` makes a new pair where there is no file yet.`
  }
}

/** A key pair in PEM. The private key signs and stays secret; hand out the public one. */
export interface Keys {
  /** PKCS #8 (RFC 5958). */
  readonly privateKey: string
  /** SubjectPublicKeyInfo (RFC 8410). */
  readonly publicKey: string
}

/** Generates a key pair. */
export const makeKeys = (): Keys => {
  const { privateKey, publicKey } = crypto.generateKeyPairSync("ed25519")
  return { privateKey: pkcs8(privateKey), publicKey: spki(publicKey) }
}

/** Derives the public key from a private key, both PEM. */
export const publicKeyOf = (privateKey: string): Either.Either<string, KeyInvalid> =>
  Either.map(privateKeyIn(privateKey), (key) => spki(crypto.createPublicKey(key)))

/** Signs a head. `privateKey` is PEM, `at` the time to record, `log` the log's name for people. */
export const sign = (
  { position, hash }: Head,
  { log, at, privateKey }: { readonly log: string; readonly at: number; readonly privateKey: string },
): Either.Either<Anchor, KeyInvalid> =>
  Either.map(privateKeyIn(privateKey), (key) => {
    const publicKey = rawHex(crypto.createPublicKey(key))
    const signed = { format: FORMAT, log: log.toWellFormed(), position, hash, at, publicKey } as const
    return { ...signed, signature: crypto.sign(null, bytesToSign(signed), key).toString("hex") }
  })

const decodeAnchor = Schema.decodeUnknownEither(Anchor, { onExcessProperty: "error" })

/** Decodes an anchor. Does not check its signature; `check` does. */
export const decode = (text: string): Either.Either<Anchor, AnchorRefused> =>
  Either.try({
    try: (): unknown => parseJson(text),
    catch: () => new AnchorRefused({ expected: `a JSON document of format ${FORMAT}`, found: "text that is not JSON" }),
  }).pipe(
    Either.flatMap((document) =>
      Either.mapLeft(decodeAnchor(document), (error) => {
        const found = mistakesOf(error)
          .map(({ path, message }) => `${path.join(".") || "the document"}: ${message}`)
          .join("; ")
        return new AnchorRefused({ expected: `a document of format ${FORMAT}`, found })
      }),
    ),
  )

/**
 * Checks the signature and returns the signed head. With `trusted` (PEM), the signature must be from that key. Without
 * it, the anchor's own key counts: that detects accidents, but no attacker with a key of their own.
 */
export const check = (anchor: Anchor, trusted?: string): Either.Either<Head, AnchorRefused | KeyInvalid> =>
  Either.gen(function* () {
    const { signature, ...signed } = anchor
    if (trusted !== undefined) {
      const expected = rawHex(yield* publicKeyIn(trusted))
      if (expected !== anchor.publicKey) {
        return yield* Either.left(
          new AnchorRefused({ expected: `one signed with the key ${expected}`, found: `the key ${anchor.publicKey}` }),
        )
      }
    }
    if (!isSigned(signed, signature)) {
      return yield* Either.left(
        new AnchorRefused({
          expected: "the content that was signed",
          found: "a signature that does not fit the content: one of the two was changed",
        }),
      )
    }
    return { position: anchor.position, hash: anchor.hash }
  })

type Signed = Omit<Anchor, "signature">

const bytesToSign = (signed: Signed): Buffer => Buffer.from(canonicalize(signed) ?? "")

const isSigned = (signed: Signed, signature: string): boolean => {
  try {
    return crypto.verify(null, bytesToSign(signed), keyOf(signed.publicKey), Buffer.from(signature, "hex"))
  } catch {
    // The 32 bytes are no point of the curve.
    return false
  }
}

/** Raw 32 bytes as a JSON Web Key (RFC 8037). */
const keyOf = (publicKey: string): crypto.KeyObject =>
  crypto.createPublicKey({
    key: { kty: "OKP", crv: "Ed25519", x: Buffer.from(publicKey, "hex").toString("base64url") },
    format: "jwk",
  })

const rawHex = (key: crypto.KeyObject): string =>
  Buffer.from(key.export({ format: "jwk" }).x ?? "", "base64url").toString("hex")

const pkcs8 = (key: crypto.KeyObject): string => key.export({ type: "pkcs8", format: "pem" }).toString()

const spki = (key: crypto.KeyObject): string => key.export({ type: "spki", format: "pem" }).toString()

const privateKeyIn = (pem: string) =>
  keyIn("an Ed25519 private key in PEM (PKCS #8, without a passphrase)", () => crypto.createPrivateKey(pem))

/** Node would accept a private key, which contains the public one. Nobody should pass private keys around. */
const publicKeyIn = (pem: string) => {
  const expected = "an Ed25519 public key in PEM (SPKI)"
  return pem.includes("PRIVATE KEY")
    ? Either.left(new KeyInvalid({ expected, found: "a private key" }))
    : keyIn(expected, () => crypto.createPublicKey(pem))
}

const keyIn = (expected: string, read: () => crypto.KeyObject): Either.Either<crypto.KeyObject, KeyInvalid> =>
  Either.try({ try: read, catch: () => new KeyInvalid({ expected, found: "text that is not such a key" }) }).pipe(
    Either.filterOrLeft(
      (key) => key.asymmetricKeyType === "ed25519",
      (key) => new KeyInvalid({ expected, found: `a key of type ${key.asymmetricKeyType ?? "unknown"}` }),
    ),
  )
