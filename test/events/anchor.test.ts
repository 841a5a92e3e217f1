import { execFileSync, spawnSync } from "node:child_process"
import * as crypto from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import { it } from "@effect/vitest"
import canonicalize from "canonicalize"
import { Effect, Either } from "effect"
import * as fc from "fast-check"
import { describe, expect } from "vitest"
import { EventLog, layerMemory } from "../../src/events/index.ts"
import * as Anchor from "../../src/events/integrity/Anchor.ts"
import { temporaryDirectory } from "../temporary.ts"
import { appendSeven } from "./smallLog.ts"

const head = { position: 412, hash: "0123456789abcdef".repeat(4) }
const keys = Anchor.makeKeys()
const signedWith = ({ privateKey }: Anchor.Keys) =>
  Either.getOrThrow(Anchor.sign(head, { log: "agent.db", at: 1_772_000_000_000, privateKey }))
const anchor = signedWith(keys)

/** What refuses a document, or undefined where nothing does. */
const refusal = (text: string, trusted: string | undefined = keys.publicKey) =>
  Anchor.decode(text).pipe(
    Either.flatMap((decoded) => Anchor.check(decoded, trusted)),
    Either.flip,
    Either.getOrUndefined,
  )

describe("an anchor", () => {
  it("vouches for the head that was signed, by the trusted key and by its own", () => {
    const decoded = Either.getOrThrow(Anchor.decode(JSON.stringify(anchor, null, 2)))
    expect(decoded).toEqual(anchor)
    expect(Anchor.check(decoded, keys.publicKey)).toEqual(Either.right(head))
    expect(Anchor.check(decoded)).toEqual(Either.right(head))
  })

  it.effect("holds a log to what it was, whatever was appended since", () =>
    Effect.gen(function* () {
      const log = yield* EventLog
      yield* appendSeven
      const then = yield* Anchor.sign(yield* log.head, { log: log.name, at: 0, privateKey: keys.privateKey })
      yield* appendSeven
      const vouched = yield* Anchor.check(then, keys.publicKey)
      expect(vouched.position).toBe(7)
      expect(yield* log.verifyWith({ anchor: vouched })).toMatchObject({ _tag: "Intact", events: 14 })
    }).pipe(Effect.provide(layerMemory())),
  )

  it("signed by another key is refused, and says which key that was", () => {
    const other = signedWith(Anchor.makeKeys())
    const error = refusal(JSON.stringify(other))
    expect(error?._tag).toBe("AnchorRefused")
    expect(error?.message).toContain(
      `expected one signed with the key ${anchor.publicKey}, found the key ${other.publicKey}`,
    )
    // A key that the document names by itself proves nothing of who signed.
    expect(Anchor.check(other)).toEqual(Either.right(head))
  })

  it("an anchor that names the trusted key over another one's signature is refused", () => {
    const forged = { ...signedWith(Anchor.makeKeys()), publicKey: anchor.publicKey }
    expect(refusal(JSON.stringify(forged))?.message).toContain("a signature that does not fit the content")
  })

  it.each([
    ["position", { position: 411 }],
    ["hash", { hash: "f".repeat(64) }],
    ["name", { log: "other.db" }],
    ["time", { at: anchor.at + 1 }],
    ["signature", { signature: "0".repeat(128) }],
  ])("an anchor whose %s was altered is refused", (_, altered) => {
    expect(refusal(JSON.stringify({ ...anchor, ...altered }))?.message).toContain("one of the two was changed")
  })

  it.each([
    ["no JSON", "signed: yes", "text that is not JSON"],
    ["a list", "[]", "the document: Expected"],
    ["of another format", JSON.stringify({ ...anchor, format: "hindcast-anchor/2" }), "format: Expected"],
    ["without a signature", JSON.stringify({ ...anchor, signature: undefined }), "signature: is missing"],
    ["with more than was signed", JSON.stringify({ ...anchor, note: "trust me" }), "note: is unexpected"],
    ["with a position below 0", JSON.stringify({ ...anchor, position: -1 }), "position: Expected"],
    ["with a hash in capitals", JSON.stringify({ ...anchor, hash: head.hash.toUpperCase() }), "hash: Expected"],
  ])("an anchor that is %s is refused, and says what is wrong", (_, text, found) => {
    const error = refusal(text)
    expect(error?._tag).toBe("AnchorRefused")
    expect(error?.message).toContain(found)
  })

  it("an anchor with any one byte changed is refused, or says the same", () => {
    const bytes = Buffer.from(JSON.stringify(anchor, null, 2))
    fc.assert(
      fc.property(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), (index, mask) => {
        const changed = Buffer.from(bytes)
        changed[index] = (changed[index] ?? 0) ^ mask
        const text = changed.toString()
        expect(refusal(text) !== undefined || canonicalize(JSON.parse(text)) === canonicalize(anchor)).toBe(true)
      }),
      { numRuns: 1000 },
    )
  })

  const openssl = "openssl"
  const version = spawnSync(openssl, ["version"]).stdout?.toString() ?? ""

  it.scopedLive.skipIf(!/^OpenSSL [3-9]/.test(version))(
    "can be checked without Hindcast: Ed25519 over canonical JSON, keys in PEM",
    () =>
      Effect.gen(function* () {
        const directory = yield* temporaryDirectory
        const write = (name: string, content: string | Buffer) => {
          fs.writeFileSync(path.join(directory, name), content)
          return path.join(directory, name)
        }
        const { signature, ...signed } = anchor
        const checked = execFileSync(openssl, [
          ...["pkeyutl", "-verify", "-pubin", "-inkey", write("key.pub", keys.publicKey), "-rawin"],
          ...["-in", write("signed.json", canonicalize(signed) ?? "")],
          ...["-sigfile", write("signature", Buffer.from(signature, "hex"))],
        ])
        expect(checked.toString()).toContain("Signature Verified Successfully")
      }),
  )
})

describe("keys", () => {
  it("the public key follows from the private one", () => {
    expect(Anchor.publicKeyOf(keys.privateKey)).toEqual(Either.right(keys.publicKey))
    expect(Anchor.makeKeys().privateKey).not.toBe(keys.privateKey)
  })

  it.each([
    ["text", "not a key", "text that is not such a key"],
    ["a public key", keys.publicKey, "text that is not such a key"],
    [
      "a key of another kind",
      crypto
        .generateKeyPairSync("ec", { namedCurve: "P-256" })
        .privateKey.export({ type: "pkcs8", format: "pem" })
        .toString(),
      "a key of type ec",
    ],
  ])("a key to sign with: %s is refused", (_, privateKey, found) => {
    const error = Either.getOrUndefined(Either.flip(Anchor.sign(head, { log: "x", at: 0, privateKey })))
    expect(error?._tag).toBe("KeyInvalid")
    expect(error?.message).toContain(
      `Expected an Ed25519 private key in PEM (PKCS #8, without a passphrase), found ${found}`,
    )
  })

  it.each([
    ["text", "not a key", "text that is not such a key"],
    ["a private key, which is not to be handed about", keys.privateKey, "a private key"],
  ])("a key to trust: %s is refused", (_, publicKey, found) => {
    expect(refusal(JSON.stringify(anchor), publicKey)?.message).toContain(
      `Ed25519 public key in PEM (SPKI), found ${found}`,
    )
  })
})
