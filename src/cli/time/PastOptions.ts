/** Options and arguments of questions about the past. */
import { Options } from "@effect/cli"
import { argument, MOMENT, optionalText, text } from "../command/CommonOptions.ts"

export const path = argument(
  "path",
  "A JSON Pointer (RFC 6901) into the environment, such as /tasks/ID/readings/room~1look",
)

export const moment = (name: string) => argument(name, MOMENT)

/** The range of moments that the question is about. */
export const range = {
  since: optionalText("since", "Only results after this moment: the first ones, not the last"),
  until: optionalText("until", `Only results up to this moment: ${MOMENT}`),
}

/** The option `--when`. `over` lists the expression's variables. */
export const when = (over: string) =>
  text("when", `A CEL expression that is true or false, over ${over}`).pipe(Options.withPseudoName("CEL"))
