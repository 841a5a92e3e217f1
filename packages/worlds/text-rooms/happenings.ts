/** Happenings: messages, flags and rewards that an agent's action, find or flag triggers once. */
import type { Command } from "./actions.ts"
import { withFlag } from "./actions.ts"
import { own } from "./names.ts"
import { inventoryOf, type State, told } from "./state.ts"
import type { Happening, Story } from "./story.ts"

/** The state after an action's happenings, and the agents' rewards. */
export interface Happened {
  readonly state: State
  readonly earned: { readonly [agent: string]: number }
}

/** Applies the happenings that an action triggers, and those that they trigger. Each happens once. */
export const happen = (story: Story, before: State, after: State, agent: string, command: Command): Happened => {
  const earned: { [agent: string]: number } = {}
  const isMet = ({ trigger }: Happening, state: State): boolean => {
    const holds = (now: State) => {
      const member = own(now.members, agent)
      if (trigger.type === "flag_set") return member?.flags.includes(trigger.flag) === true
      if (trigger.type !== "item_found") return false
      return member?.discovered.includes(trigger.item) === true || inventoryOf(now, agent).includes(trigger.item)
    }
    if (trigger.type !== "action_taken") return holds(state) && !holds(before)
    const isTarget =
      trigger.target === undefined || trigger.target === command.target || trigger.target === command.other
    return command.verb === trigger.verb && isTarget
  }
  const met = new Set<number>()
  let state = after
  for (let again = true; again; ) {
    again = false
    for (const [index, happening] of story.happenings.entries()) {
      if (met.has(index) || !isMet(happening, state)) continue
      met.add(index)
      const times = (state.triggered[index] ?? 0) + 1
      state = { ...state, triggered: state.triggered.with(index, times) }
      const due = happening.trigger.type === "action_taken" ? happening.trigger.count : 1
      if (times !== due) continue
      state = respond(state, agent, happening.response, earned)
      again = true
    }
  }
  return { state, earned }
}

const respond = (
  state: State,
  agent: string,
  response: Happening["response"],
  earned: { [agent: string]: number },
): State => {
  const whom = response.all ? Object.keys(state.members) : [agent]
  return whom.reduce((after, one) => {
    if (response.type === "message_to_agent") return told(after, one, response.content)
    if (response.type === "set_flag") return withFlag(after, one, response.flag)
    earned[one] = (own(earned, one) ?? 0) + response.amount
    return after
  }, state)
}
