/** Prints the result of a command that wrote a file. */
import * as Output from "../command/Output.ts"
import * as Text from "../terminal/Text.ts"

/** Prints the result of an export. If the export went to the standard output, the result goes to the standard error. */
export const printSummary = (
  { output, json }: { readonly output: string; readonly json: boolean },
  document: unknown,
  line: string,
) => {
  if (output !== "-") return Output.show(json, document, () => [line])
  return json ? Output.noteWhole(Text.json(document)) : Output.note(line)
}
