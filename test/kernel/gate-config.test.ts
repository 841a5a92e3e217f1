import { it } from "@effect/vitest"
import { Either } from "effect"
import * as fc from "fast-check"
import { describe, expect } from "vitest"
import * as Gate from "../../src/kernel/gate/Gate.ts"
import type { InvalidOptions } from "../../src/values/Options.ts"

const problems = (config: unknown): InvalidOptions["problems"] =>
  Either.match(Gate.decode(config), { onLeft: (invalid) => invalid.problems, onRight: () => [] })

const word = 'expected "allow", "deny" or "confirm"'
const ofRule = "one of the fields name, actuator, risk, args, shell, decision, reason, confirmWithinMs"
const open = { name: "open", decision: "allow" }

/** What an examination of 0.2.0 passed as a gate's configuration, and the line that is said of each. */
const malformed: ReadonlyArray<readonly [string, unknown, string]> = [
  ['default: "Deny"', { default: "Deny" }, `gate.default: ${word}, found "Deny". Did you mean "deny"?`],
  ['default: "ask"', { default: "ask" }, `gate.default: ${word}, found "ask".`],
  [
    'a rule with decision: "block"',
    { rules: [{ name: "no", decision: "block" }], default: "allow" },
    `gate.rules[0].decision: ${word}, found "block".`,
  ],
  ["a rule without a decision", { rules: [{ name: "no" }] }, `gate.rules[0].decision: ${word}, found nothing.`],
  [
    "`actuators` for `actuator`",
    { rules: [{ ...open, actuators: "workspace/*" }] },
    `gate.rules[0].actuators: expected ${ofRule}, found an unknown field. Did you mean actuator?`,
  ],
  [
    "`rule` for `rules`",
    { rule: [open], default: "allow" },
    "gate.rule: expected one of the fields rules, default, confirmWithinMs, requests, found an unknown field. Did you mean rules?",
  ],
  ["rules: {}", { rules: {} }, "gate.rules: expected a list of gate rules, found an object."],
  ["rules: [null]", { rules: [null] }, "gate.rules[0]: expected a gate rule: an object, found null."],
  [
    "a pattern that is a RegExp",
    { rules: [{ ...open, actuator: /^workspace/ }] },
    "gate.rules[0].actuator: expected a pattern of full names, such as workspace/*, found the regular expression /^workspace/.",
  ],
  [
    "confirmWithinMs: NaN",
    { default: "confirm", confirmWithinMs: Number.NaN },
    "gate.confirmWithinMs: expected milliseconds, more than 0 and at most 2147483647, found NaN.",
  ],
]

describe("a malformed configuration of the gate", () => {
  it.each(malformed)("%s is refused, with its place and the nearest word", (_, config, line) => {
    expect(Either.flip(Gate.decode(config))).toMatchObject({
      right: { _tag: "InvalidOptions", message: `The options of the gate have 1 mistake:\n  ${line}` },
    })
  })

  it.each(malformed)("%s denies every command, also where nobody decoded it", (_, config) => {
    const ruling = Gate.decide(config as Gate.GateConfig, { actuator: "workspace/run", risk: "high" })
    expect(ruling).toMatchObject({ decision: "deny", rule: "gate" })
    expect(ruling.reason).toContain("The options of the gate have 1 mistake")
  })

  it("is told everything that is wrong at once", () => {
    const config = {
      rules: [
        { ...open, actuators: "a/b", confirmWithinMs: -1 },
        { ...open, actuator: "Workspace/*", decision: "Allow" },
        { name: " spaces", risk: [], decision: "deny" },
        { name: "risky", risk: ["hihg", "none"], decision: "deny" },
      ],
      defualt: "allow",
      confirmWithinMs: Number.POSITIVE_INFINITY,
    }
    expect(problems(config).map(({ path, nearest }) => [path, nearest])).toEqual([
      ["gate.defualt", "default"],
      ["gate.rules[0].actuators", "actuator"],
      ["gate.rules[0].confirmWithinMs", undefined],
      ["gate.rules[1].actuator", '"workspace/*"'],
      ["gate.rules[1].decision", '"allow"'],
      ["gate.rules[2].name", undefined],
      ["gate.rules[2].risk", undefined],
      ["gate.rules[3].risk[0]", '"high"'],
      ["gate.rules[1].name", undefined],
      ["gate.confirmWithinMs", undefined],
    ])
  })

  it.each([
    ["null", null],
    ["nothing", undefined],
    ["a word", "allow"],
    ["a list", [open]],
    ["a function", () => ({ default: "allow" })],
    ["a Map", new Map([["default", "allow"]])],
    ["what inherits its words", Object.create({ default: "allow" })],
  ])("%s is no configuration", (_, config) => {
    expect(problems(config).map(({ path }) => path)).toEqual(["gate"])
  })

  it("a configuration of the gate that names its actuator by a value that came to nothing is refused: it would match everything", () => {
    expect(problems({ rules: [{ ...open, actuator: undefined }] })).toEqual([
      { path: "gate.rules[0].actuator", expected: "a pattern of full names, such as workspace/*", found: "undefined" },
    ])
  })

  it.each([
    ["an upper-case plugin", "Workspace/*", '"workspace/*"'],
    ["a plugin alone", "workspace", '"workspace/*"'],
    ["a plugin and a slash", "workspace/", '"workspace/*"'],
    ["a space", "workspace/ run", '"workspace/run"'],
    ["a space at the end", "workspace/run ", '"workspace/run"'],
    ["two slashes", "workspace/run/now", undefined],
    ["no plugin", "/run", undefined],
    ["nothing", "", undefined],
  ])("a configuration of the gate with a pattern that no name can fit, %s, is refused", (_, actuator, nearest) => {
    const [problem, ...others] = problems({ rules: [{ ...open, actuator }] })
    expect(others).toEqual([])
    expect(problem).toMatchObject({ path: "gate.rules[0].actuator", ...(nearest === undefined ? {} : { nearest }) })
  })

  it.each(["*", "workspace/*", "*/run", "work*", "*run", "w*/r*n", "a.b-c_1/Run", "**"])(
    "is not what the pattern %s makes of it",
    (actuator) => {
      expect(problems({ rules: [{ ...open, actuator }] })).toEqual([])
    },
  )

  it("a configuration of the gate with two rules of one name is refused: the log could not tell which of them decided", () => {
    expect(problems({ rules: [open, { ...open, actuator: "a/b" }] })).toEqual([
      {
        path: "gate.rules[1].name",
        expected: "each rule to have a name of its own",
        found: '"open", which gate.rules[0] has already',
      },
    ])
  })
})

describe("a decoded configuration", () => {
  it("is a copy that nothing changes any more", () => {
    const rule = { name: "harmless", risk: ["none"], decision: "allow" }
    const config = { rules: [rule], default: "deny" }
    const decoded = Either.getOrThrow(Gate.decode(config))
    rule.decision = "allow"
    rule.risk.push("irreversible")
    config.rules.push({ name: "all", risk: ["high"], decision: "allow" })
    config.default = "allow"
    expect(decoded).toEqual({ rules: [{ name: "harmless", risk: ["none"], decision: "allow" }], default: "deny" })
    expect(Gate.decide(decoded, { actuator: "a/b", risk: "irreversible" }).decision).toBe("deny")
    expect(() => Object.assign(decoded, { default: "allow" })).toThrow(TypeError)
    expect(() => Object.assign(decoded.rules?.[0] ?? {}, { actuator: "*" })).toThrow(TypeError)
  })

  it("inherits nothing: what it does not say, no prototype says in its place", () => {
    const config = Either.getOrThrow(
      Gate.decode({ rules: [{ name: "odd", risk: ["none"], decision: "allow" }], requests: {} }),
    )
    const polluted: Record<string, unknown> = {
      default: "allow",
      actuator: "*",
      rules: [{ name: "all", decision: "allow" }],
    }
    try {
      for (const [name, value] of Object.entries(polluted))
        Object.defineProperty(Object.prototype, name, { value, configurable: true })
      expect(Gate.decide(config, { actuator: "shell/run", risk: "high" }).decision).toBe("deny")
      expect(Gate.decideRequest(config, { kind: "run", target: "rm", component: "shell/run" }).decision).toBe("deny")
    } finally {
      for (const name of Object.keys(polluted)) Reflect.deleteProperty(Object.prototype, name)
    }
  })

  it("says which of its rules can never decide", () => {
    const decoded = Gate.decode({
      rules: [
        { name: "little", risk: ["none", "low"], decision: "allow" },
        { name: "harmless", actuator: "a/*", risk: ["none"], decision: "confirm" },
        { name: "rest", decision: "confirm" },
        { name: "shell", actuator: "shell/run", decision: "deny" },
      ],
    })
    expect(Gate.warnings(Either.getOrThrow(decoded))).toEqual([
      'gate.rules[1] ("harmless") never decides: gate.rules[0] ("little") comes first, and matches all that it matches',
      'gate.rules[3] ("shell") never decides: gate.rules[2] ("rest") comes first, and matches all that it matches',
    ])
    expect(Gate.warnings(Gate.standard)).toEqual([])
  })
})

describe("whatever is given as a configuration", () => {
  const decision = fc.constantFrom("allow", "deny", "confirm", "Allow", "yes", "", true, null, undefined)
  const anything = fc.anything({ maxDepth: 2 })
  const key = fc.constantFrom("name", "actuator", "risk", "decision", "actuators", "Decision", "allow")
  const rule = fc.oneof(
    fc.record({ name: fc.constantFrom("a", "b", "c"), actuator: fc.constant("a/*"), decision }, { requiredKeys: [] }),
    fc.dictionary(key, fc.oneof(decision, anything)),
    anything,
  )
  const word = fc.constantFrom("allow", "deny", "confirm")
  const config = fc.oneof(
    fc.record({ rules: fc.constant([{ name: "a", actuator: "a/*", decision: "deny" }]), default: word }),
    fc.record({ rules: fc.tuple(fc.record({ name: fc.constant("a"), actuator: fc.constant("a/*"), decision: word })) }),
    fc.record({ rules: fc.array(rule, { maxLength: 3 }), default: decision }, { requiredKeys: [] }),
    fc.record({ rules: anything, default: decision, confirmWithinMs: anything, allow: anything }, { requiredKeys: [] }),
    anything,
  )

  it("allows only what it says in so many words, by a rule that matches or by its default", () => {
    let allowed = 0
    fc.assert(
      fc.property(config, fc.constantFrom("a/b", "c/d"), (config, actuator) => {
        const ruling = Gate.decide(config as Gate.GateConfig, { actuator, risk: "high" })
        if (ruling.decision !== "allow") {
          expect(["deny", "confirm"]).toContain(ruling.decision)
          return
        }
        allowed++
        const said = config as { readonly rules?: ReadonlyArray<Gate.GateRule>; readonly default?: string }
        const by = said.rules?.find(({ name }) => name === ruling.rule)
        expect(by?.decision ?? said.default).toBe("allow")
        expect(by?.actuator === undefined || actuator.startsWith("a/")).toBe(true)
        expect(Either.isRight(Gate.decode(config))).toBe(true)
      }),
      { numRuns: 2_000 },
    )
    expect(allowed).toBeGreaterThan(50)
  })
})
