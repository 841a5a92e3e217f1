/** Formats why a task failed: the sentence, the chain with the basis of each link, and the rules. */
import { NAMES } from "../../../projections/explanation/FailureChain.ts"
import type { Link, WhyFailed } from "../../../projections/explanation/WhyFailed.ts"
import * as CommandHints from "../../command/CommandHints.ts"
import type { Style } from "../../terminal/Style.ts"
import { moment } from "../../terminal/Text.ts"

export const lines = (style: Style, why: WhyFailed): ReadonlyArray<string> => [
  style.bold(why.sentence),
  "",
  ...chain(style, why),
  ...legend(style, why),
  ...next(why),
]

/** One line for each link. Consecutive links of one role share its name. */
export const chain = (style: Style, { chain, notes, timeline }: WhyFailed): ReadonlyArray<string> => {
  const names = chain.map(({ role }, index) => (role === chain[index - 1]?.role ? "" : NAMES[role]))
  const places = chain.map(({ position }) => moment(timeline, position))
  const width = (of: ReadonlyArray<string>) => of.reduce((widest, { length }) => Math.max(widest, length), 0)
  const [nameWidth, placeWidth] = [width(names), width(places)]
  return [
    ...chain.map((link, index) => {
      const name = style.dim((names[index] ?? "").padEnd(nameWidth))
      const place = style.bold((places[index] ?? "").padStart(placeWidth))
      return `  ${name}  ${place}  ${paint(style, link)}${style.dim(basis(link))}`
    }),
    ...notes.map((note) => style.dim(note)),
  ]
}

const paint = (style: Style, { role, says }: Link): string => (role === "failure" ? style.bad(says) : says)

const basis = ({ rule }: Link): string => (rule === undefined ? "" : `  (inferred by ${rule})`)

const legend = (style: Style, { rules, chain }: WhyFailed): ReadonlyArray<string> => {
  const inferred = Object.entries(rules).map(([rule, says]) => style.dim(`Inferred by ${rule}: ${says}.`))
  if (chain.length === 0) return inferred
  return ["", style.dim("Lines without a rule come straight from the log."), ...inferred]
}

const next = ({ taskId, timeline, moment: first }: WhyFailed): ReadonlyArray<string> =>
  first === null
    ? []
    : [
        "",
        `  ${CommandHints.shellCommand(CommandHints.written("why", `${timeline}@${first}`))}`,
        `  ${CommandHints.shellCommand(CommandHints.written("step", taskId, ...(timeline === "main" ? ["--at", `@${first}`] : ["--at", `${timeline}@${first}`])))}`,
      ]
