import { describe, expect, it } from "vitest"
import { callOptions } from "../../../src/agents/models/providers/Prompt.ts"

describe("what goes to a provider", () => {
  it("has no name of a tool that providers refuse, the same in the call and in its result", () => {
    const long = `${"x".repeat(70)}`
    const { prompt } = callOptions(
      {
        system: "",
        messages: [
          {
            role: "assistant",
            content: ["files/read", "", long].map((tool, index) => ({
              type: "call",
              callId: `${index}`,
              tool,
              args: {},
            })),
          },
          {
            role: "tool",
            content: ["files/read", "", long].map((tool, index) => ({
              callId: `${index}`,
              tool,
              isError: true,
              content: "there is no such tool",
            })),
          },
        ],
        tools: [],
      },
      {},
    )
    const names = ["files_read", "unnamed", "x".repeat(64)].map((toolName) => ({ toolName }))
    expect(prompt).toMatchObject([{ content: names }, { content: names }])
  })

  it("has no text of spaces alone, and no message that would be empty", () => {
    const { prompt } = callOptions(
      {
        system: "",
        messages: [
          { role: "user", content: [{ type: "text", text: " \n" }] },
          {
            role: "assistant",
            content: [
              { type: "text", text: "\n\n" },
              { type: "call", callId: "1", tool: "go", args: {} },
            ],
          },
        ],
        tools: [],
      },
      {},
    )
    expect(prompt).toMatchObject([{ role: "assistant", content: [{ type: "tool-call" }] }])
    expect(prompt[0]?.content).toHaveLength(1)
  })
})
