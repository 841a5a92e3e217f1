/** Validates the untrusted verdicts of a plugin's function. */

import type { PluginVerdict } from "../../plugins/PluginVerdict.ts"
import { plainText } from "../../values/Json.ts"
import { measureName } from "../rules/Rubric.ts"
import { type Target, unscored, type Verdict } from "./Critic.ts"
import { due, isRepeatable } from "./Verdict.ts"

export interface About {
  readonly has: (position: number) => boolean
  readonly steps: () => number
}

/**
 * Turns a function's verdicts about one measure into a critic's. An invalid one leaves its reward unscored, with the
 * reason. If a verdict names a reward that the measure lacks, the rewards without a verdict are unscored too: it was
 * probably meant for one of them.
 *
 * @param targets the rewards of the question, all of one measure
 * @param who the source in reasons: `text-room 1.0.0`
 */
export const verdictsOf = (
  targets: ReadonlyArray<Target>,
  verdicts: ReadonlyArray<PluginVerdict>,
  about: About,
  who: string,
): ReadonlyArray<Verdict> =>
  targets.flatMap((target) => {
    const matching = verdicts.filter((verdict) => isAbout(verdict, target))
    const stray = verdicts.find((verdict) => !namesOf(target).includes(verdict.name))
    if (matching.length === 0 && stray === undefined) return []
    const wrong = matching.length === 0 ? undefined : findWrong(target, matching, about)
    if (wrong !== undefined) return [unscored(target, `${who}: ${wrong}`)]
    if (matching.length > 0) return rewarded(target, matching, about.steps())
    const known = namesOf(target).map(quoted).join(", ")
    const found = `${quoted(stray?.name ?? "")}, which ${measureName(target.measure)} does not have`
    return [unscored(target, `${who}: expected a verdict about ${known}, found one about ${found}`)]
  })

const isAbout = ({ name, kind }: PluginVerdict, target: Target): boolean =>
  name === target.reward.name && (kind === undefined || kind === target.kind)

const namesOf = ({ measure }: Target): ReadonlyArray<string> =>
  [...(measure.rewards ?? []), ...(measure.punishments ?? [])].map(({ name }) => name)

const quoted = (name: string): string => JSON.stringify(plainText(name))

const findWrong = (target: Target, verdicts: ReadonlyArray<PluginVerdict>, { has }: About): string | undefined => {
  const { name } = target.reward
  const shared = namesOf(target).filter((other) => other === name).length > 1
  if (shared && verdicts.some(({ kind }) => kind === undefined)) {
    return `expected a kind, for ${quoted(name)} is a reward and a punishment of the measure; found none`
  }
  for (const { because, occurrences = 1 } of verdicts) {
    if (because.length === 0 && occurrences > 0) {
      return `expected positions of what made ${quoted(name)} true, found none`
    }
    const foreign = because.find((position) => !has(position))
    if (foreign !== undefined) return `expected positions of the task's events, found @${foreign}, which is none`
  }
  const times = timesOf(verdicts)
  if (!Number.isSafeInteger(times)) return `expected occurrences that can be counted, found ${times}`
  if (!isRepeatable(target.reward) && times > 1)
    return `expected ${quoted(name)} at most once a task, found it ${times} times`
  return undefined
}

const timesOf = (verdicts: ReadonlyArray<PluginVerdict>): number =>
  verdicts.reduce((times, { occurrences = 1 }) => times + occurrences, 0)

const rewarded = (target: Target, verdicts: ReadonlyArray<PluginVerdict>, steps: number): ReadonlyArray<Verdict> => {
  const occurred = verdicts.filter(({ occurrences = 1 }) => occurrences > 0)
  const because = occurred.flatMap(({ because }) => because)
  const rationale = [...new Set(occurred.flatMap(({ rationale }) => rationale ?? []))].join("\n")
  return due(target, { occurrences: timesOf(occurred), because, rationale, steps })
}
