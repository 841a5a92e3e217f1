import * as fs from "node:fs"
import * as path from "node:path"
import { Either } from "effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { makeEnvironment } from "../../../src/kernel/rules/Arithmetic.ts"
import * as Expression from "../../../src/kernel/rules/Expression.ts"
import { BUDGET, TooExpensive } from "../../../src/kernel/rules/Meter.ts"
import * as Pattern from "../../../src/kernel/rules/Pattern.ts"

/** The value of an expression over `value`; an error as its text. */
const resultOf = (source: string, value: unknown = null): unknown => {
  const environment = makeEnvironment({ unlistedVariablesAreDyn: false }).registerVariable("value", "dyn")
  return Either.match(
    Expression.compileValue(source, environment, (program) => program),
    {
      onLeft: ({ reason }) => `flaw: ${reason}`,
      onRight: (program) => {
        try {
          return program({ value })
        } catch (cause) {
          return cause instanceof TooExpensive ? "too expensive" : Expression.described(cause).summary
        }
      },
    },
  )
}

const range = (length: number) => Array.from({ length }, (_, index) => index)

const doubling = (step: string, times: number, start: string, last: string): string =>
  range(times)
    .reduceRight(
      (inner, index) => `cel.bind(v${index + 1}, ${step.replaceAll("v", `v${index}`)}, ${inner})`,
      last.replaceAll("v", `v${times}`),
    )
    .replace("v0", `(${start})`)
    .replaceAll(/\bv0\b/g, `(${start})`)

describe("an expression that costs too much is given up within its budget", () => {
  const text = "a".repeat(200_000)
  const cases: ReadonlyArray<readonly [what: string, source: string, value: unknown]> = [
    ["nested loops", "value.all(a, value.all(b, value.all(c, a + b + c >= 0.0)))", range(2_000)],
    [
      "loops over a map's keys",
      "value.all(a, value.all(b, size(a + b) > 0))",
      Object.fromEntries(range(5_000).map((key) => [`k${key}`, key])),
    ],
    ["a loop that swallows errors", "value.exists(a, value.exists(b, value.exists(c, a.x)))", range(2_000)],
    ["errors that become true", "value.all(a, value.all(b, value.all(c, a == b || true))) || true", range(2_000)],
    ["lists that double", doubling("v + v", 30, "[1, 2, 3]", "size(v) > 0"), null],
    ["texts that double", doubling("v + v", 40, "'abc'", "size(v) > 0"), null],
    [
      "a search in a text that compares everywhere",
      "value.contains(value.substring(0, 50000) + 'b' + value.substring(0, 50000))",
      text,
    ],
    ["a search from the end", "value.lastIndexOf(value.substring(0, 50000) + 'b') == 0", text],
    ["joining by a long text", "value.split('').join(value).size() > 0", text],
    ["comparing large values in a loop", "value.all(a, value == value.map(b, b))", range(20_000)],
    ["members of a list in a loop", "value.all(a, !(-1.0 in value))", range(20_000)],
    [
      "times in a time zone in a loop",
      "value.all(a, timestamp('2026-01-01T00:00:00Z').getHours('Europe/Berlin') >= 0)",
      range(20_000),
    ],
    ["a large pattern over a long text", "value.matches('[a-c]{1000}$')", text],
  ]
  it.each(cases)("%s", (_, source, value) => {
    expect(resultOf(source, value)).toBe("too expensive")
  })

  it("names the expression, its limit and what to do", () => {
    const source = "value.all(a, value.all(b, value.all(c, a + b + c >= 0.0)))"
    const message = new TooExpensive(source, BUDGET, false).message
    expect(message).toBe(
      `\`${source}\` takes more than 5,000,000 steps for one result and was stopped. Avoid nested loops over long lists, long texts, and matches on long texts`,
    )
  })

  it("counts the same steps for the same data, and begins anew with each evaluation", () => {
    const environment = makeEnvironment({ unlistedVariablesAreDyn: false }).registerVariable("value", "dyn")
    const source = "value.all(a, a >= 0.0)"
    const steps = (limit: number) =>
      Either.getOrThrow(Expression.compile(source, environment, (program) => program, { steps: limit }))
    const enough = range(100).find((factor) => {
      try {
        return steps(factor * 100)({ value: range(1_000) }) === true
      } catch {
        return false
      }
    })
    const program = steps((enough ?? 0) * 100)
    expect(enough).toBeGreaterThan(10)
    for (const _ of range(5)) expect(program({ value: range(1_000) })).toBe(true)
    expect(() => program({ value: range(2_000) })).toThrow(TooExpensive)
    expect(program({ value: range(1_000) })).toBe(true)
  })

  it("a budget for all evaluations together ends them", () => {
    const environment = makeEnvironment({ unlistedVariablesAreDyn: false }).registerVariable("value", "dyn")
    const program = Either.getOrThrow(
      Expression.compile("value.all(a, a >= 0.0)", environment, (found) => found, { steps: 100_000, total: 250_000 }),
    )
    const evaluated = range(1_000).findIndex(() => {
      try {
        return program({ value: range(1_000) }) !== true
      } catch (cause) {
        return cause instanceof TooExpensive && cause.message.includes("in all")
      }
    })
    expect(evaluated).toBeGreaterThan(10)
    expect(evaluated).toBeLessThan(100)
  })
})

describe("regular expressions", () => {
  it("take linear time where a backtracking engine takes for ever", () => {
    const text = `${"a".repeat(5_000)}!`
    for (const pattern of ["^(a+)+$", "(a|a)*b", "(.*)*x", "^(([a-z])+.)+[A-Z]([a-z])+$"]) {
      expect(resultOf(`value.matches(${JSON.stringify(pattern)})`, text)).toBe(false)
      expect(resultOf(`matches(value, ${JSON.stringify(pattern)})`, text)).toBe(false)
    }
  })

  it("are RE2's: what it lacks is refused when the expression is compiled, with its place", () => {
    const environment = makeEnvironment({ unlistedVariablesAreDyn: false }).registerVariable("value", "dyn")
    const flaw = Either.getOrThrow(
      Either.flip(Expression.compileValue("value.matches('a') &&\n value.matches('(?=b)')", environment, () => 0)),
    )
    expect(flaw).toMatchObject({ line: 2, column: 16 })
    expect(flaw.reason).toContain("`(?=b)` is not valid in RE2's syntax")
    expect(resultOf("'aa'.matches(value)", "(a)\\1")).toContain("no back-references")
    expect(resultOf("'é'.matches('^\\\\w$')")).toBe(false)
    expect(resultOf("'😀'.matches('^.$')")).toBe(true)
  })

  it("that are too large are refused", () => {
    for (const pattern of [
      `(${"a".repeat(900)}){1000}`,
      "x{1000}".repeat(100),
      "a".repeat(6_000),
      "((a{30}){30}b){1}".repeat(60),
    ]) {
      expect(() => Pattern.compile(pattern)).toThrow(Pattern.PatternInvalid)
    }
    expect(Pattern.compile("^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}Z$").test("2026-01-01T00:00:00Z")).toBe(true)
  })

  it("cost their compilation: many large ones are given up, written out or from the data", () => {
    const large = (index: number) => `(a${index}b){900}`
    expect(
      resultOf(
        `matches('x', value[0]) || ${range(40)
          .map((index) => `matches('x', '${large(index)}')`)
          .join(" || ")}`,
        [],
      ),
    ).toContain("flaw: the regular expression of matches(): all patterns together are too large")
    expect(resultOf("value.all(pattern, !'x'.matches(pattern))", range(3_000).map(large))).toBe("too expensive")
  })

  it("match what JavaScript matches where both mean the same", () => {
    const atom = fc.constantFrom("a", "b", ".", "[ab]", "(a|b)", "a*", "b+", "(ab)?", "^", "$")
    fc.assert(
      fc.property(fc.array(atom, { minLength: 1, maxLength: 6 }), fc.stringMatching(/^[abc]{0,8}$/), (parts, text) => {
        const pattern = parts.join("")
        expect(Pattern.compile(pattern).test(text)).toBe(new RegExp(pattern).test(text))
      }),
      { numRuns: 300 },
    )
  })
})

it("every expression is compiled by Expression, so that none runs without the guard", () => {
  const sources = fs.readdirSync("src", { recursive: true, encoding: "utf8" }).filter((file) => /\.tsx?$/.test(file))
  const own = sources.filter((file) => {
    const text = fs.readFileSync(`src/${file}`, "utf8")
    return (
      text.includes("@marcbachmann/cel-js") &&
      /environment\.(?:parse|evaluate)\(|import \{[^}]*\b(?:parse|evaluate)\b/.test(text)
    )
  })
  expect(own).toEqual([path.join("kernel", "rules", "Expression.ts")])
})

it("a duration is short: the library reads it in cubic time", () => {
  expect(resultOf("duration(value)", "1".repeat(20_000))).toContain("at most 64 characters")
  expect(resultOf("duration('90m') > duration('1h')")).toBe(true)
})

describe("CEL's own meaning, where the library has another (docs/reference/expressions.md)", () => {
  it.each([
    ["int(9.3e18)", "int() type error: integer overflow: 9300000000000000000"],
    ["int(9.2e18)", 9_200_000_000_000_000_000n],
    ["int(-9223372036854775808.0)", -(2n ** 63n)],
    ["int(0.0 / 0.0)", "int() type error: integer overflow: NaN"],
    ["-(-9223372036854775808)", "integer overflow: 9223372036854775808"],
    ["-9223372036854775808 / -1", "integer overflow: 9223372036854775808"],
    ["-9223372036854775808", -(2n ** 63n)],
    ["9223372036854775808", "flaw: Invalid integer: 9223372036854775808, beyond 64 bits"],
    ["9223372036854775807 + 1", "integer overflow: 9223372036854775808"],
    ["'\u{1f600}' > '\uff5e'", true],
    ["'\u{1f600}' <= '\uff5e'", false],
    ["'a' < 'ab' && 'ab' >= 'ab' && 'b' > 'ab'", true],
    ["'ÀB'.lowerAscii() + 'éa'.upperAscii()", "ÀbéA"],
    ["size([1, 'a', null, [2]])", 4n],
    ["'a' in [1, 'a']", true],
    ["{'a': 1, 'b': 'x'}.b", "x"],
    ["string(timestamp('2026-01-01T00:00:00Z'))", "2026-01-01T00:00:00.000Z"],
    ["string(duration('90s'))", "90s"],
    ["int(timestamp('1970-01-01T00:01:00Z'))", 60n],
  ])("%s", (source, expected) => {
    expect(resultOf(source)).toEqual(expected)
  })

  it("has() takes any expression before its last dot", () => {
    const value = { readings: { "w/x": { f: 1 } }, list: [{ a: 1 }] }
    expect(resultOf('has(value.readings["w/x"].f)', value)).toBe(true)
    expect(resultOf('has(value.readings["w/x"].g)', value)).toBe(false)
    expect(resultOf("has(value.list[0].a) && !has(value.list[0].b)", value)).toBe(true)
    expect(resultOf('has(value.readings["none"].f)', value)).toBe("No such key: none")
    expect(resultOf('has(value.readings["w/x"])', value)).toContain("flaw: has() invalid argument")
    expect(resultOf("has({'a': 1}.a)", value)).toBe(true)
  })
})

describe("a time at an offset from UTC", () => {
  it.each([
    ["getHours('+02:00')", 14n],
    ["getHours('02:00')", 14n],
    ["getMinutes('-03:30')", 30n],
    ["getHours('-03:30')", 8n],
    ["getDayOfMonth('-13:00')", 30n],
    ["getHours('Europe/Berlin')", 14n],
    ["getHours('+24:00')", expect.stringMatching(/expected an offset from -23:59 to \+23:59, found \+24:00/)],
    ["getHours('Europe/Nowhere')", expect.stringMatching(/time zone/)],
  ])("is the same on every Node: %s", (call, expected) => {
    expect(resultOf(`timestamp('2026-06-01T12:00:00Z').${call}`)).toEqual(expected)
  })
})

describe("deviations that docs/reference/expressions.md lists", () => {
  it.each([
    ["timestamp('2026-01-01T00:00:00.1239Z') == timestamp('2026-01-01T00:00:00.123Z')", true],
    ["'\u{1f600}a'.indexOf('a')", 2n],
    ["'\u{1f600}a'.substring(2)", "a"],
    ["size('\u{1f600}a')", 2n],
    ["duration('9999999999999999h') > duration('1s')", true],
  ])("%s", (source, expected) => {
    expect(resultOf(source)).toEqual(expected)
  })
})
