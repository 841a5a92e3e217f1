/** Formats proposed gate rules as a file of rules: YAML, with the evidence in comments. */
import { Document } from "yaml"
import type { Suggestions } from "../../../kernel/gate/GateSuggestions.ts"
import { oneLine } from "../../../values/PlainText.ts"
import * as CommandHints from "../../command/CommandHints.ts"
import { at, count } from "../../terminal/Text.ts"

/** Maximum number of positions in a comment. */
const MOST_POSITIONS = 5

/** The lines of the file. The gate asks a person about commands that no rule covers. */
export const lines = (
  { rules, decided, left }: Suggestions,
  { tasks, after, until }: { readonly tasks: number; readonly after: number; readonly until: number },
): ReadonlyArray<string> => {
  const document = new Document({ rules: rules.map(({ rule }) => rule), default: "confirm" })
  const text = document.toString({ lineWidth: 0 }).trimEnd().split("\n")
  const comments = rules.map(({ because, evidence }) => {
    const shown = evidence.slice(0, MOST_POSITIONS).map(at).join(" ")
    const more = evidence.length - MOST_POSITIONS
    return `  # ${because}: ${shown}${more > 0 ? ` and ${more} more` : ""}`
  })
  let rule = 0
  return [
    `# Based on ${count(decided, "human decision")} in ${count(tasks, "task")}, ${at(after + 1)} to ${at(until)}.`,
    CommandHints.inText("# Read every rule, save the file, and try it: `hindcast gate try --rules hindcast.gate.yaml`"),
    ...text.flatMap((line) => (line.startsWith("  - ") ? [comments[rule++] ?? "", line] : [line])),
    ...left.map(
      ({ actuator, commands, because }) =>
        `# No rule for ${count(commands, "decision")} about ${oneLine(actuator)}: ${because}.`,
    ),
  ]
}
