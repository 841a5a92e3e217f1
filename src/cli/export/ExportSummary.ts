import * as Output from "../command/Output.ts"
import * as Text from "../terminal/Text.ts"

/** Answers a command that wrote a file. What went to the standard output leaves no room there for anything else. */
export const tell = (
  { output, json }: { readonly output: string; readonly json: boolean },
  document: unknown,
  line: string,
) => {
  if (output !== "-") return Output.show(json, document, () => [line])
  return Output.note(json ? Text.json(document) : line)
}
