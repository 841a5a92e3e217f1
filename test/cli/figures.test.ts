import { describe, expect, it } from "vitest"
import * as Chart from "../../src/html/Chart.ts"
import * as FormattedNumbers from "../../src/html/FormattedNumbers.ts"
import { markup } from "../../src/values/Markup.ts"

describe("figures", () => {
  it("have as many decimals as they need, and the sign that is as wide as +", () => {
    expect([0, 0.1234, 1.236, 12.34, 123.4, 12_345].map(FormattedNumbers.amount)).toEqual([
      "0",
      "0.123",
      "1.24",
      "12.3",
      "123",
      "12,345",
    ])
    expect([0.3, -1.2, 0].map(FormattedNumbers.signed)).toEqual(["+0.3", "−1.2", "0"])
    expect([0.5, -0.25, 0].map(FormattedNumbers.uniformFormatter([0.5, -0.25]))).toEqual(["+0.50", "−0.25", "0.00"])
  })

  it("tell small shares from nothing, and large ones from all", () => {
    expect([0, 0.0004, 0.004, 0.62, 0.994, 1].map(FormattedNumbers.percent)).toEqual([
      "0 %",
      "< 0.1 %",
      "0.4 %",
      "62 %",
      "99.4 %",
      "100 %",
    ])
    expect([-0.0004, -0.004].map(FormattedNumbers.percent)).toEqual(["> −0.1 %", "−0.4 %"])
    expect([FormattedNumbers.partOf(1, 4), FormattedNumbers.partOf(0, 0)]).toEqual(["1 of 4 (25 %)", "none"])
  })

  it("say how long something took in the two largest units", () => {
    const took = [0, 0.44, 12.4, 999.4, 999.6, 3_200, 59_960, 245_000, 3_600_000, 7_800_000, 86_400_000, 273_600_000]
    expect(took.map(FormattedNumbers.duration)).toEqual([
      "0 ms",
      "0.4 ms",
      "12 ms",
      "999 ms",
      "1 s",
      "3.2 s",
      "1 min",
      "4 min 5 s",
      "1 h",
      "2 h 10 min",
      "1 d",
      "3 d 4 h",
    ])
  })

  it("say once what is the same of two times", () => {
    const at = Date.UTC(2026, 10, 21, 19, 14)
    expect(FormattedNumbers.period(at, at + 1_000)).toBe("21 Nov 2026, 19:14 UTC")
    expect(FormattedNumbers.period(at, at + 600_000)).toBe("21 Nov 2026, 19:14 to 19:24 UTC")
    expect(FormattedNumbers.period(at, at + 86_400_000)).toBe("21 Nov 2026, 19:14 UTC to 22 Nov 2026, 19:14 UTC")
  })
})

describe("markup", () => {
  it("escapes text for content and for attributes, and shows what a reader would not see", () => {
    expect(markup`<b title="${`"'`}">${"<i>&\u202e\u0007"}</b>`.source).toBe(
      '<b title="&#34;&#39;">&#60;i&#62;&#38;\\u{202e}\\u{7}</b>',
    )
    expect(markup`${[markup`<br>`, "<", 1, null]}`.source).toBe("<br>&#60;1")
  })
})

describe("a label", () => {
  it("is shortened to what fits, whole characters at a time, with the whole in its tooltip", () => {
    expect(Chart.shortened("short", 200)).toBe("short")
    const long = "😀".repeat(40)
    const cut = Chart.shortened(long, 100)
    expect(cut).toMatch(/^(😀)+…$/u)
    expect(Chart.widthOf(cut)).toBeLessThanOrEqual(100)
    expect(Chart.fitted({ x: 0, y: 0 }, long, 100).source).toContain(`<title>${long}</title>`)
  })
})
