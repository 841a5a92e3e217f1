import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { isUnmistakable, isVisible, unmistakable, visible, visibleLines } from "../../src/values/PlainText.ts"

/** Characters that a terminal obeys or that nobody sees, by what they are. */
const HIDDEN: { readonly [what: string]: string } = {
  "a NUL": "\0",
  "an escape": "\u001b",
  "a delete": "\u007f",
  "a C1 control sequence introducer": "\u009b",
  "a line feed": "\n",
  "a carriage return": "\r",
  "a soft hyphen": "\u00ad",
  "a combining grapheme joiner": "\u034f",
  "an Arabic letter mark": "\u061c",
  "a Hangul choseong filler": "\u115f",
  "a Hangul jungseong filler": "\u1160",
  "a Mongolian vowel separator": "\u180e",
  "a zero width space": "\u200b",
  "a zero width joiner": "\u200d",
  "a right-to-left mark": "\u200f",
  "a line separator": "\u2028",
  "a paragraph separator": "\u2029",
  "a right-to-left override": "\u202e",
  "an invisible separator": "\u2063",
  "a left-to-right isolate": "\u2066",
  "a blank Braille pattern": "\u2800",
  "a Hangul filler": "\u3164",
  "a variation selector": "\ufe00",
  "a byte order mark": "\ufeff",
  "a half-width Hangul filler": "\uffa0",
  "an interlinear annotation": "\ufff9",
  "a lone surrogate": "\ud800",
  "a musical format character": "\u{1d173}",
  "a tag": "\u{e0041}",
  "a supplementary variation selector": "\u{e0101}",
}

describe("text from outside, as it is shown", () => {
  it.each(Object.entries(HIDDEN))("shows %s as an escape", (_, character) => {
    const shown = visible(`rm${character}x`)
    expect(shown).toMatch(/^rm\\(?:[nrt]|u\{[0-9a-f]+\})x$/)
    expect(unmistakable(`rm${character}x`)).toBe(shown)
    expect(isVisible(`rm${character}x`)).toBe(false)
  })

  it.each([
    'plain ASCII, with \\ and "quotes"',
    "Zoë naïve Ångström ﻿".trim(),
    "Привет, мир: она права",
    "Ελληνικά",
    "日本語テキスト、全角。",
    "한국어 텍스트",
    "مرحبا بالعالم",
    "नमस्ते",
    "café → 3 × 4 ≠ 11 ½ …",
    "👩‍💻 ✔️ 👍🏽",
  ])("leaves as it is what people can read: %s", (text) => {
    expect(visible(text)).toBe(text)
    expect(isVisible(text)).toBe(true)
  })

  it("keeps the line feeds of a text of several lines, and nothing else", () => {
    expect(visibleLines("one\ntwo\r\n\u001b[2Jthree")).toBe("one\ntwo\\r\n\\u{1b}[2Jthree")
  })

  it("escapes a joiner and a selector outside of an emoji", () => {
    expect(visible("a\ufe0fb ✔️")).toBe("a\\u{fe0f}b ✔️")
    expect(visible("👩‍a")).toBe("👩\\u{200d}a")
  })

  it("escapes marks that pile up over other lines", () => {
    expect(visible("a\u0301\u0302\u0303\u0304\u0305\u0306")).toBe("a\u0301\u0302\u0303\u0304\\u{305}\\u{306}")
  })

  it("leaves no character that a terminal obeys, whatever it is given", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 40 }), (text) => {
        expect(visible(text)).not.toMatch(/[\p{Cc}\u202a-\u202e\u2066-\u2069\u2028\u2029\u{e0000}-\u{e007f}]/u)
        expect(visible(visible(text))).toBe(visible(text))
      }),
      { numRuns: 500 },
    )
  })
})

describe("text that somebody decides by", () => {
  it.each([
    ["a Cyrillic letter in a Latin word", "p\u0430ypal.com", "p\\u{430}ypal.com"],
    [
      "a Latin letter in a Cyrillic word",
      "\u043f\u0440\u0438v\u0435\u0442",
      "\\u{43f}\\u{440}\\u{438}v\\u{435}\\u{442}",
    ],
    ["a word of nothing but look-alikes", "run \u0441\u043e\u0440\u0443", "run \\u{441}\\u{43e}\\u{440}\\u{443}"],
    ["full-width letters", "\uff52\uff4d -rf", "\\u{ff52}\\u{ff4d} -rf"],
    ["mathematical letters", "\u{1d42b}\u{1d426}", "\\u{1d42b}\\u{1d426}"],
    ["a one dot leader", "a\u2024b", "a\\u{2024}b"],
    ["a no-break space", "rm\u00a0-rf", "rm\\u{a0}-rf"],
    ["a Greek question mark", "a\u037eb", "a;b"],
    ["a stroke over a letter", "a\u0338b", "a\\u{338}b"],
    ["a private character", "\ue0b0", "\\u{e0b0}"],
    ["an unassigned character", "\u{10fffe}", "\\u{10fffe}"],
    ["a line feed and a tab", "a\n\tb", "a\\n\\tb"],
    ["a selector and a joiner in an emoji", "✔️", "✔\\u{fe0f}"],
    ["a slash that is none", "https://bank.com\u2215x.evil.com", "https://bank.com\\u{2215}x.evil.com"],
    ["hyphens and minus signs", "rm \u2010rf \u2212rf", "rm \\u{2010}rf \\u{2212}rf"],
    ["a colon that is a letter", "a\ua789b", "a\\u{a789}b"],
    ["a click that looks like an exclamation mark", "a\u01c3", "a\\u{1c3}"],
    ["a letter of phonetics", "p\u0251ypal \u0261oogle", "p\\u{251}ypal \\u{261}oogle"],
    ["a letter of any other script in a Latin word", "g\u101dogle \u10dfg", "g\\u{101d}ogle \\u{10df}g"],
    ["a word in a script that nobody writes in", "\u{10300}\u{10301}", "\\u{10300}\\u{10301}"],
    ["digits of two scripts in one number", "1\u0665", "1\\u{665}"],
  ])("shows %s", (_, text, shown) => {
    expect(unmistakable(text)).toBe(shown)
  })

  it.each([
    "Привет, мир: она права, а сор",
    "Ελληνικά και ονόματα",
    "日本語",
    "한국어",
    "مرحبا",
    "Zoë Ångström",
    "der „Preis“ – 5 €, l’été ‹là›",
    "Google検索、APIキー",
    "١٢٣ مرحبا",
    "हिन्दी १२",
    "ภาษาไทย",
    "rm -rf /",
  ])("leaves a text of one script as it was written: %s", (text) => {
    expect(unmistakable(text)).toBe(text)
    expect(isUnmistakable(text)).toBe(true)
  })

  it("shows letters made of a letter and a mark as the one letter that they are", () => {
    expect(unmistakable("Zoe\u0308")).toBe("Zoë")
    expect(isUnmistakable("Zoe\u0308")).toBe(true)
  })
})
