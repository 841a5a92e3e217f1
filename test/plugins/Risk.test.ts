import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as Risk from "../../src/plugins/manifest/Risk.ts"

const none = { read: [], write: [], net: [], env: [], run: [], runAny: false }

describe("the effective risk", () => {
  it("is what the manifest says, where its plugin was granted nothing that reaches out of its sandbox", () => {
    const grants = { ...none, read: ["/work"], env: ["HOME"] }
    for (const declared of ["none", "low", "medium", "high", "irreversible"] as const) {
      expect(Risk.effective(declared, grants)).toEqual({ declared, effective: declared, because: [] })
    }
    expect(Risk.effective(undefined, grants)).toEqual({ declared: "undeclared", effective: "undeclared", because: [] })
  })

  it.each([
    ["none", { write: ["/work"] }, "medium", ["its plugin may write /work"]],
    ["low", { net: ["a.org", "b.org"] }, "medium", ["its plugin may reach a.org, b.org"]],
    ["none", { run: ["git", "npm"], write: ["/work"] }, "high", ["its plugin may run git, npm"]],
    ["none", { runAny: true }, "high", ["its plugin may run any command"]],
    ["high", { run: ["git"] }, "high", []],
    ["irreversible", { runAny: true }, "irreversible", []],
    [undefined, { write: ["/work"] }, "undeclared", []],
    [undefined, { run: ["git"] }, "high", ["its plugin may run git"]],
  ] as const)("the effective risk of %s with %j is %s", (declared, granted, effective, because) => {
    expect(Risk.effective(declared, { ...none, ...granted })).toEqual({
      declared: declared ?? "undeclared",
      effective,
      because,
    })
  })

  it("is never less than declared, and never less for more grants", () => {
    const names = fc.array(fc.constantFrom("a", "b"), { maxLength: 2 })
    const grants = fc.record({ read: names, write: names, net: names, env: names, run: names, runAny: fc.boolean() })
    const declared = fc.constantFrom(...([undefined, "none", "low", "medium", "high", "irreversible"] as const))
    fc.assert(
      fc.property(declared, grants, (said, granted) => {
        const { effective } = Risk.effective(said, granted)
        expect(Risk.isAbove(said ?? "undeclared", effective)).toBe(false)
        const more = Risk.effective(said, { ...granted, runAny: true, write: [...granted.write, "c"] })
        expect(Risk.isAbove(effective, more.effective)).toBe(false)
      }),
    )
  })

  it("is told with why", () => {
    expect(Risk.inWords(Risk.effective("none", { ...none, write: ["/x"] }))).toBe(
      "none → medium: its plugin may write /x",
    )
    expect(Risk.inWords(Risk.effective("low", none))).toBe("low")
  })
})
