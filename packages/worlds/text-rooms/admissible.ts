/** Lists an agent's admissible commands: those that succeed unless another agent acts first. */
import { read, refusal, takersOf } from "./actions.ts"
import { asText, own } from "./names.ts"
import { inventoryOf, type State, sees } from "./state.ts"
import type { Story } from "./story.ts"

/** Maximum length of an action, in characters. */
export const LONGEST_ACTION = 600

/**
 * Each verb with its possible objects, without duplicates. Speech is not listed, because any words are possible. Empty
 * after the episode.
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

/** Verbs with one object. */
const ALONE = ["examine", "take", "drop", "open", "close", "read"] as const

type Verb = (typeof ALONE)[number] | "go" | "give" | "use"

/** A verb, its target, and another object or agent. */
type Pair = readonly [verb: Verb, target: string, other?: string]

/** A line that parses to this command, if the command is possible. */
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
 * Spellings of a name. Words of a name such as `letter to ann` need joining, and a name such as `a to z`, which starts
 * with an article, needs another article.
 */
const formsOf = (name: string): ReadonlyArray<string> => [asText(name), name, `the ${asText(name)}`, `the_${name}`]
