import stringWidth from "string-width"
import { describe, expect, it } from "vitest"
import { isVisible } from "../../src/values/PlainText.ts"
import { cut, pad, width, wrap } from "../../src/views/Columns.ts"

const isMixed = (point: number) => (point > 0x2000 && point < 0x3400) || (point > 0x1_f000 && point < 0x1_fc00)

describe("the width of text", () => {
  it("is what terminals take for every letter, sign and emoji in use", () => {
    const wrong: Array<string> = []
    // Each letter, sign and emoji of the blocks that mix widths; of the blocks of one width, some.
    for (let point = 0x20; point < 0x3_0000; point += isMixed(point) ? 1 : 61) {
      if (point >= 0xd800 && point <= 0xdfff) continue
      const character = String.fromCodePoint(point)
      if (!isVisible(character) || /[\p{Cn}\p{Co}\p{M}]/u.test(character)) continue
      if (width(character) !== stringWidth(character)) wrong.push(`${point.toString(16)} ${character}`)
    }
    expect(wrong).toEqual([])
    for (const text of ["日本語", "é", "👩‍🚀", "❤️", "🇮🇱", "한글", "ＡＢ"]) expect(width(text)).toBe(stringWidth(text))
  })

  it("is kept to by what is cut, padded and wrapped, and no character is halved", () => {
    expect(cut("日本語", 5)).toBe("日本…")
    expect(cut("日本語", 4)).toBe("日…")
    expect(cut("abc", 3)).toBe("abc")
    expect(cut("abc", 0)).toBe("")
    expect(pad("日", 4)).toBe("日  ")
    expect(pad("1", 3, "start")).toBe("  1")
    expect(wrap("to be or not", 6)).toEqual(["to be", "or not"])
    expect(wrap("日本語日本語", 5)).toEqual(["日本", "語日", "本語"])
    expect(wrap("", 5)).toEqual([""])
  })
})
