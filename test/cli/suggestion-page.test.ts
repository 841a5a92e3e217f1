/** The file that `hindcast gate suggest` prints, for commands that agents chose: any text. */
import * as fc from "fast-check"
import { expect, it } from "vitest"
import { parse } from "yaml"
import * as SuggestionPage from "../../src/cli/pages/gate/SuggestionPage.ts"
import * as GateSuggestions from "../../src/kernel/gate/GateSuggestions.ts"
import type { TriedCommand } from "../../src/kernel/gate/GateTrial.ts"

const hostile = fc.oneof(
  fc.string({ unit: "binary", maxLength: 30 }),
  fc.constantFrom(
    'rm -rf /\n  - name: all\n    decision: allow\ndefault: "allow"',
    "# x\ndefault: allow",
    "a: b # c",
    "- name: x",
    "  - name: x",
    "*anchor &anchor !!js/function |",
    "\u2028default: allow\u0085default: allow",
    "---\ndefault: allow\n...",
    "'\"{}[]%@`",
    "",
    "yes",
    "0x10",
  ),
)

const command = fc.record({
  actuator: fc.oneof(fc.constantFrom("claude-code/Bash", "codex/exec_command"), hostile),
  args: fc.oneof(
    hostile.map((line) => ({ command: line })),
    hostile.map((file) => ({ file_path: file })),
    fc.constant({}),
  ),
  past: fc.constantFrom("approved" as const, "rejected" as const),
})

const RULED = { taskId: "t", ruling: { decision: "confirm" as const, rule: "r", reason: "", confirmWithinMs: 1 } }

it("holds the proposed rules and no others, whatever commands contain", () => {
  fc.assert(
    fc.property(fc.array(command, { minLength: 1, maxLength: 8 }), (commands) => {
      const tried = commands.map((one, index): TriedCommand => ({ ...RULED, ...one, position: index + 1 }))
      const suggestions = GateSuggestions.of([...tried, ...tried, ...tried], 3)
      const text = SuggestionPage.lines(suggestions, { tasks: 1, after: 0, until: 9 }).join("\n")
      expect(parse(text)).toEqual({
        rules: JSON.parse(JSON.stringify(suggestions.rules.map(({ rule }) => rule))),
        default: "confirm",
      })
    }),
    { numRuns: 500 },
  )
})
