import { describe, expect, it } from "vitest"
import { coloured } from "../../src/cli/terminal/Style.ts"
import { cut } from "../../src/cli/terminal/Width.ts"

describe("a line that is cut", () => {
  it("takes at most as many columns, and its colours end where they would", () => {
    expect(cut("abc", 3)).toBe("abc")
    expect(cut("abcd", 3)).toBe("ab…")
    expect(cut(`${coloured.bad("ab")}cd`, 3)).toBe(`${coloured.bad("ab")}…`)
    expect(cut(`a${coloured.bad("bcd")} e`, 3)).toBe(`a${coloured.bad("b…")}`)
    expect(cut("→→→→", 3)).toBe("→→…")
  })

  it("counts a wide character as two columns, and leaves none in halves", () => {
    expect(cut("房間裡有一把", 6)).toBe("房間…")
    expect(cut("房間裡有一把", 5)).toBe("房間…")
    expect(cut("👨‍👩‍👧‍👦👨‍👩‍👧‍👦👨‍👩‍👧‍👦", 4)).toBe("👨‍👩‍👧‍👦…")
    expect(cut(`${coloured.bad("🇩🇪🇫🇷")}🇮🇹`, 4)).toBe(coloured.bad("🇩🇪…"))
  })
})
