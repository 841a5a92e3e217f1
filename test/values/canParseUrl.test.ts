import * as fs from "node:fs"
import { describe, expect, it } from "vitest"
import { canParseUrl } from "../../src/values/url/canParseUrl.ts"
import { inRepository } from "../repository.ts"

describe("whether a text is a URL", () => {
  it("is told alike before and after V8 has optimised the caller", () => {
    const isUrl = () => canParseUrl("http://é.example/")
    let wrong = 0
    for (let call = 0; call < 50_000; call++) if (!isUrl()) wrong += 1
    expect(wrong).toBe(0)
  })

  it("is told of texts alone and against a base", () => {
    expect(
      ["https://a.example", "mailto:a@b.example", "/path", "", "http://[", "é"].map((text) => canParseUrl(text)),
    ).toEqual([true, true, false, false, false, false])
    expect(canParseUrl("/path", "http://a.example")).toBe(true)
    expect(canParseUrl("/path", "no base")).toBe(false)
  })

  it("is asked of this function alone", () => {
    const asking = fs
      .readdirSync(inRepository("src"), { recursive: true, encoding: "utf8" })
      .filter(
        (name) => /\.tsx?$/.test(name) && fs.readFileSync(inRepository("src", name), "utf8").includes("URL.canParse("),
      )
    expect(asking).toEqual([])
  })
})
