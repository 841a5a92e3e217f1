/** Prints the result of a command that wrote a file. */
import * as Output from "../command/Output.ts"
import * as Text from "../terminal/Text.ts"

/** Prints to the standard output, or to the standard error if the export itself went to the standard output. */
export const printSummary = (
  { output, json }: { readonly output: string; readonly json: boolean },
  document: unknown,
  line: string,
) => {
  if (output !== "-") return Output.show(json, document, () => [line])
  return json ? Output.noteWhole(Text.json(document)) : Output.note(line)
}
