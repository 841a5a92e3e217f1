/** Which commands an agent can give: those that are carried out if nobody acts before it. */
import { read, refusal, takersOf } from "./actions.ts"
import { asText, own } from "./names.ts"
import { inventoryOf, type State, sees } from "./state.ts"
import type { Story } from "./story.ts"

/** The most characters of an action. */
export const LONGEST_ACTION = 600

/**
 * The commands of an agent that are not refused in a state: each verb with what is there for it, and once each. What can be said is not among them:
 * any words are. None if the episode is over.
 */
export const admissible = (story: Story, state: State, agent: string): ReadonlyArray<string> => {
  const member = own(state.members, agent)
  if (state.won || member === undefined) return []
  const seen = Object.keys(state.placed)
    .filter((name) => sees(state, agent, name))
    .sort()
  const held = inventoryOf(state, agent)
  const takers = [...takersOf(state, agent).keys()].sort()
  const locks = Object.keys(state.lids).sort()
  const pairs: ReadonlyArray<Pair> = [
    ...Object.keys(own(story.rooms, member.room)?.exits ?? {}).map((exit): Pair => ["go", exit]),
    ...seen.flatMap((name) => ALONE.map((verb): Pair => [verb, name])),
    ...held.flatMap((name) => takers.map((taker): Pair => ["give", name, taker])),
    ...held.flatMap((name) =>
      locks.filter((lock) => own(story.things, lock)?.key === name).map((lock): Pair => ["use", name, lock]),
    ),
  ]
  return ["look", "wait", ...pairs.flatMap((pair) => worded(story, state, agent, pair))]
}

/** What is done to things alone. */
const ALONE = ["examine", "take", "drop", "open", "close", "read"] as const

type Verb = (typeof ALONE)[number] | "go" | "give" | "use"

/** A verb, what it is done to, and with whom or what. */
type Pair = readonly [verb: Verb, target: string, other?: string]

/** The command as a line that is read as this command, if it is not refused. */
const worded = (story: Story, state: State, agent: string, [verb, target, other = ""]: Pair): ReadonlyArray<string> => {
  if (refusal(story, state, agent, { verb, target, other, text: "" }) !== undefined) return []
  const others = BETWEEN[verb] === undefined ? [""] : formsOf(other).map((form) => ` ${BETWEEN[verb]} ${form}`)
  for (const ending of others) {
    for (const form of formsOf(target)) {
      const line = `${verb} ${form}${ending}`.trim()
      const command = read(line)
      const isSame = command?.verb === verb && command.target === target && command.other === other
      if (isSame && [...line].length <= LONGEST_ACTION) return [line]
    }
  }
  return []
}

const BETWEEN: { readonly [verb: string]: string } = { give: "to", use: "on" }

/**
 * How a name may be written. In a name such as `letter to ann`, the words are held together, and one that begins with an article, such as `a to z`,
 * needs another one before it.
 */
const formsOf = (name: string): ReadonlyArray<string> => [asText(name), name, `the ${asText(name)}`, `the_${name}`]
