import { describe, expect, it } from "vitest"
import * as KeysInPaths from "../../../src/agents/models/secrets/KeysInPaths.ts"

const KEYS = [
  "Zq94f9b1c7d2e8a6053xY",
  "sk-plain-words-as-a-key",
  "AIzaSyA-1234567890abcdefghijklmnopqrst",
  "9f86d081884c7d659a2feaa0c55ad015",
  "0f8fad5b-d9cb-469f-a165-70867728950e",
]
const NAMES = [
  ...["v1", "openai", "gateway", "us-central1", "claude-sonnet-4-5-20250929", "Meta-Llama-3.1-8B-Instruct-Turbo"],
  ...["us.anthropic.claude-x-v1:0", "my-project-123456", "gpt-4o-mini-2024-07-18", "skills-of-our-assistants"],
]

describe("a key in a path", () => {
  it("looks like none of the names that stand there", () => {
    expect(KEYS.filter((text) => !KeysInPaths.looksLikeKey(text))).toEqual([])
    expect(NAMES.filter(KeysInPaths.looksLikeKey)).toEqual([])
  })

  it("is found before a provider's own part of the path, and not where the part names what is asked for", () => {
    for (const key of KEYS) {
      for (const path of [
        "/v1/chat/completions",
        "/v1/messages",
        "/v1beta/models/gemini:generateContent",
        "/v1/models",
      ]) {
        expect(KeysInPaths.inRequest(new URL(`https://gateway.example/${key}${path}`))).toContain(key)
      }
      for (const path of [
        `/openai/deployments/${key}/chat/completions`,
        `/v1/responses/${key}`,
        `/v1/files/${key}/content`,
        `/repos/of/commit/${key}/notes`,
      ]) {
        expect(KeysInPaths.inRequest(new URL(`https://api.example${path}`))).toEqual([])
      }
    }
  })
})
