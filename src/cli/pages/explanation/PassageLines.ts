/** Formats the passage of a conversation that a command follows from. */
import type { Passage } from "../../../projections/explanation/Passage.ts"
import { oneLine } from "../../../values/PlainText.ts"
import type { Style } from "../../terminal/Style.ts"
import { at, shorten } from "../../terminal/Text.ts"

/** Maximum length of each text, in characters. */
const LENGTH = 300

/** Nothing without a passage. */
export const lines = (style: Style, passage: Passage | undefined): ReadonlyArray<string> => {
  if (passage === undefined) return []
  const { of, answer, model, told, reasoning, said } = passage
  const texts: ReadonlyArray<readonly [string, string | null]> = [
    ["told", told === null ? null : `${told.role}: ${told.text}`],
    ["reasoned", reasoning],
    ["said", said],
  ]
  const known = texts.flatMap(([name, text]) => (text === null ? [] : [[name, text] as const]))
  if (known.length === 0) return []
  const by = model === null ? "" : ` of ${oneLine(model)}`
  return [
    "",
    style.dim(`${at(of)} follows from the answer ${at(answer)}${by}:`),
    ...known.map(([name, text]) => `  ${style.dim(name.padEnd(8))}  ${shorten(oneLine(text), LENGTH)}`),
  ]
}
