import type { Verdict } from "../../plugins/Verdict.ts"
import { plainText } from "../../values/Json.ts"
import { measureName } from "../rules/Rubric.ts"
import { type Judgement, type Target, unscored } from "./Critic.ts"
import { round } from "./Judgement.ts"

/** The task that an answer is about. */
export interface About {
  /** Whether an event of it has this position. */
  readonly has: (position: number) => boolean
}

/**
 * What an answer about one measure comes to, for each of the measure's rewards and punishments that it was asked about.
 * Nothing of it is believed unseen: whatever is wrong with a verdict leaves its reward unscored, with what was found. A name
 * that the measure does not have was meant for something: then what has no verdict of its own is unscored.
 *
 * @param targets those that were asked about, all of one measure
 * @param who whose answer it is, for reasons: `text-room 1.0.0`
 */
export const judgementsOf = (
  targets: ReadonlyArray<Target>,
  verdicts: ReadonlyArray<Verdict>,
  about: About,
  who: string,
): ReadonlyArray<Judgement> =>
  targets.flatMap((target) => {
    const mine = verdicts.filter((verdict) => isAbout(verdict, target))
    const stray = verdicts.find((verdict) => !namesOf(target).includes(verdict.name))
    if (mine.length === 0 && stray === undefined) return []
    const wrong = mine.length === 0 ? undefined : findWrong(target, mine, about)
    if (wrong !== undefined) return [unscored(target, `${who}: ${wrong}`)]
    if (mine.length > 0) return given(target, mine)
    const known = namesOf(target).map(quoted).join(", ")
    const found = `${quoted(stray?.name ?? "")}, which ${measureName(target.measure)} does not have`
    return [unscored(target, `${who}: expected a verdict about ${known}, found one about ${found}`)]
  })

const isAbout = ({ name, kind }: Verdict, target: Target): boolean =>
  name === target.reward.name && (kind === undefined || kind === target.kind)

const namesOf = ({ measure }: Target): ReadonlyArray<string> =>
  [...(measure.rewards ?? []), ...(measure.punishments ?? [])].map(({ name }) => name)

const quoted = (name: string): string => JSON.stringify(plainText(name))

/** What is wrong with the verdicts about one reward. */
const findWrong = (target: Target, verdicts: ReadonlyArray<Verdict>, { has }: About): string | undefined => {
  const { name, per } = target.reward
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
  if (per !== "occurrence" && times > 1) return `expected ${quoted(name)} at most once a task, found it ${times} times`
  return undefined
}

const timesOf = (verdicts: ReadonlyArray<Verdict>): number =>
  verdicts.reduce((times, { occurrences = 1 }) => times + occurrences, 0)

const given = ({ measure, kind, reward }: Target, verdicts: ReadonlyArray<Verdict>): ReadonlyArray<Judgement> => {
  const occurred = verdicts.filter(({ occurrences = 1 }) => occurrences > 0)
  const occurrences = timesOf(occurred)
  if (occurrences === 0) return []
  const because = [...new Set(occurred.flatMap(({ because }) => because))].sort((a, b) => a - b)
  const rationale = plainText([...new Set(occurred.flatMap(({ rationale }) => rationale ?? []))].join("\n"))
  return [
    {
      ...{ measure: measureName(measure), name: reward.name, kind, weight: reward.weight, because },
      amount: round(reward.weight * occurrences),
      ...(occurrences === because.length ? {} : { occurrences }),
      ...(rationale === "" ? {} : { rationale }),
    },
  ]
}
