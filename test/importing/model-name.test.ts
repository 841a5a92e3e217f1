import { describe, expect, it } from "vitest"
import { named } from "../../src/importing/runs/ModelName.ts"

describe("a model's name in a source", () => {
  it("begins with its provider; alone, it is of an unknown one", () => {
    expect(named("openai/gpt-5")).toEqual({ provider: "openai", model: "gpt-5" })
    expect(named("openrouter/meta/llama")).toEqual({ provider: "openrouter", model: "meta/llama" })
    expect(["gpt-5", "/gpt-5", "openai/", ""].map(named)).toEqual(
      ["gpt-5", "/gpt-5", "openai/", ""].map((model) => ({ provider: "unknown", model })),
    )
  })
})
