/** Answers `/api/behaviour`. */

import { Effect } from "effect"
import type * as Collective from "../../../projections/collective/Collective.ts"
import * as CollectiveAudit from "../../../projections/collective/CollectiveAudit.ts"
import { cooperativeIn } from "../../../projections/collective/Cooperation.ts"
import { StudioLog } from "../../StudioLog.ts"
import type { Behaviour, BehaviourPair } from "../../wire/collective/Behaviour.ts"
import type { TaskQuery } from "../Tasks.ts"

const MAX_PAIRS = 200
const MAX_ACTIONS = 40

/** Maximum length of a name or an action, in characters. */
const MAX_TEXT = 200

export const behaviour = ({ timeline, task }: typeof TaskQuery.Type) =>
  Effect.gen(function* () {
    const past = yield* (yield* StudioLog).past(timeline)
    const found = yield* CollectiveAudit.read(past.readPage, task)
    const timesOf = (action: string) =>
      found.periods.reduce((sum, { actions }) => sum + (cooperativeIn(actions, [action]) ?? 0), 0)
    const actions = found.actions
      .map((action) => ({ action, times: timesOf(action) }))
      .sort((a, b) => b.times - a.times)
      .slice(0, MAX_ACTIONS)
    const pairs = pairsOf(found).toSorted((a, b) => b.times - a.times)
    return {
      agents: found.agents.length,
      pairs: pairs.slice(0, MAX_PAIRS),
      morePairs: Math.max(0, pairs.length - MAX_PAIRS),
      actions: actions.map(({ action }) => shortened(action)),
      moreActions: found.actions.length - actions.length,
      periods: found.periods.map(({ from, to, commands, reward, actions: counts }) => ({
        ...{ from, to, commands, reward },
        counts: actions.map(({ action }) => cooperativeIn(counts, [action]) ?? 0),
      })),
    } satisfies Behaviour
  })

/** Speech and influence have the same pairs, in the same order. */
const pairsOf = ({ speech, influence }: Collective.Collective): ReadonlyArray<BehaviourPair> =>
  influence.map(({ speaker, hearer, heard, silent, difference }, index) => ({
    speaker: shortened(speaker),
    hearer: shortened(hearer),
    times: speech[index]?.times ?? 0,
    ...{ heard, silent, difference },
  }))

const shortened = (text: string): string => (text.length <= MAX_TEXT ? text : `${text.slice(0, MAX_TEXT - 1)}…`)
