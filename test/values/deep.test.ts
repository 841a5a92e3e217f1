import * as fs from "node:fs"
import * as path from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Rubric from "../../src/kernel/rules/Rubric.ts"
import * as RubricText from "../../src/studio/course/RubricText.ts"
import * as Json from "../../src/values/Json.ts"
import * as Source from "../../src/worlds/scenario/source.ts"
import { temporaryDirectory } from "../temporary.ts"

const deep = (levels: number) => `${"[".repeat(levels)}${"]".repeat(levels)}`

describe("JSON from outside", () => {
  it("may have 200 levels, and no more", () => {
    expect(Json.parseJson(deep(200))).toBeInstanceOf(Array)
    for (const text of [deep(201), deep(100_000), `{"a":${deep(200)}}`]) {
      expect(() => Json.parseJson(text)).toThrow("more than 200 levels of nesting")
    }
  })
})

/** Nested deeper than any stack. YAML's parser ends the whole process at the first one. */
const TEXTS = [deep(50_000), "[".repeat(50_000), "{a: ".repeat(20_000), "- ".repeat(40_000), "? ".repeat(40_000)]

describe("YAML from outside that is nested deeper than any stack", () => {
  it.effect.each(TEXTS)("is refused before it is parsed: %.4s", (text) =>
    Effect.gen(function* () {
      expect(yield* Source.parse(text)).toMatchObject({
        _tag: "Left",
        left: [{ expected: "at most 100 levels of lists and objects", found: "more" }],
      })
      expect((yield* RubricText.parse(text))._tag).toBe("Left")
    }),
  )

  it.scoped("is refused in a file of a rubric", () =>
    Effect.gen(function* () {
      const file = path.join(yield* temporaryDirectory, "rubric.yaml")
      for (const text of TEXTS) {
        fs.writeFileSync(file, text)
        const { message } = yield* Effect.flip(Rubric.load(file))
        expect(message).toContain("one with more than 500 levels of nesting")
      }
    }),
  )

  it.effect("leaves texts with brackets and rules of hyphens alone", () =>
    Effect.gen(function* () {
      const text = `# ${"-".repeat(2_000)}\nname: "${"[]".repeat(2_000)}"\nlist:\n${"  - a: [1, 2]\n".repeat(2_000)}`
      expect((yield* Source.parse(text))._tag).toBe("Right")
    }),
  )
})
