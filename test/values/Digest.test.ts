import canonicalize from "canonicalize"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { digest, sha256 } from "../../src/values/Digest.ts"
import type { Json } from "../../src/values/Json.ts"

const json = fc.jsonValue({ noUnicodeString: false }).map((value) => value as Json)
const awkward: fc.Arbitrary<Json> = fc.dictionary(
  fc.constantFrom("10", "9", "1a", "__proto__", "toJSON", "a", "Z", "é", "\u{10000}", "\ufb33", ""),
  fc.oneof(json, fc.constantFrom(-0, 1e21, 1e-7, "\u2028", null)),
)

describe("a digest", () => {
  it("is the hash of a value's canonical JSON (RFC 8785)", () => {
    fc.assert(
      fc.property(fc.oneof(json, awkward), (value) => {
        expect(digest(value)).toBe(sha256(canonicalize(value) ?? ""))
      }),
    )
  })

  it("is the same whatever the order of the keys", () => {
    expect(digest({ b: [{ d: 1, c: 2 }], a: "x" })).toBe(digest({ a: "x", b: [{ c: 2, d: 1 }] }))
  })
})
