/** Checks of who takes part and how episodes end: 32 to 41, 45, 47 and 50. */

import { Effect } from "effect"
import {
  type Check,
  type CheckOutcome,
  type Drive,
  failed,
  inapplicable,
  outcomeOf,
  passed,
  unseen,
  untried,
} from "./Check.ts"
import type { Episode, Plan } from "./Episode.ts"
import { episodeIn, meaningless, notReset, ofRounds, ofStart, only, said, UNPLAYABLE } from "./episodeChecks.ts"
import { isOfAnswer } from "./refusals.ts"

/** Maximum length of an episode that the checks play to its limit. */
const LONGEST = 1000

const NO_LAST = "there is no last(): each step returns the results of every agent"

const OVER = "EpisodeOver"

/** Plans that reach the limit of steps, if it is low enough. In a turn-based world, each agent's step counts. */
export const toLimit = ({ facts, seeds }: Drive): ReadonlyArray<Plan> => {
  const steps = ((facts.maxEpisodeSteps ?? Infinity) + 1) * (facts.mode === "turn-based" ? facts.maxAgents : 1)
  return steps > LONGEST + 1 ? [] : seeds.map((seed) => ({ seed, steps }))
}

export const toFirstEnd = ({ plan }: Drive): Plan => ({ ...plan, steps: LONGEST, probe: true })

/** The episode's number of steps after a round, as Hindcast counts them. */
const countAt = ({ rounds }: Episode, index: number): number => {
  const step = episodeIn(rounds[index]?.stepped.document ?? null)?.step
  return typeof step === "number" ? step : index + 1
}

const everyoneFinishes = (drive: Drive): Effect.Effect<CheckOutcome> =>
  Effect.gen(function* () {
    const plans = toLimit(drive)
    const episodes = yield* plans.length > 0 ? Effect.forEach(plans, (plan) => drive.episode(plan)) : drive.episodes
    const [first] = episodes
    if (first?.start === undefined) return notReset(first?.failure)
    if (episodes.some(({ unplayable }) => unplayable)) return UNPLAYABLE
    const [broken] = episodes.flatMap(({ failure }) => (failure === undefined ? [] : [failure]))
    if (broken !== undefined && episodes.every(({ failure }) => failure !== undefined))
      return untried(`no episode reached its end (${said(broken)})`)
    const left = episodes.filter(({ live, failure }) => live.length > 0 && failure === undefined)
    const open = left.filter(({ cut }) => !cut)
    if (plans.length === 0 && open.some(({ stuck }) => stuck === undefined))
      return inapplicable(
        `an episode did not end within ${first.rounds.length} steps, and no limit up to ${LONGEST} is declared`,
      )
    const [slow] = left.filter(({ cut }) => cut)
    if (open.length === 0 && slow !== undefined)
      return inapplicable(`an episode took too long and was stopped after ${slow.rounds.length} steps`)
    return outcomeOf(
      open.map(
        ({ live, rounds, stuck }) =>
          stuck ?? `after ${rounds.length} steps, the episode of ${live.join(", ")} has not ended`,
      ),
    )
  })

const limitExact = (drive: Drive): Effect.Effect<CheckOutcome> =>
  Effect.gen(function* () {
    const limit = drive.facts.maxEpisodeSteps
    if (limit === null) return inapplicable("the world declares no limit")
    const plans = toLimit(drive)
    if (plans.length === 0) return inapplicable(`the limit is above ${LONGEST} steps`)
    const episodes = yield* Effect.forEach(plans, (plan) => drive.episode(plan))
    const [first] = episodes
    if (first?.start === undefined) return notReset(first?.failure)
    const counts = episodes.map((episode) => countAt(episode, episode.rounds.length - 1))
    if (counts.every((count) => count < limit))
      return inapplicable(`no episode reached the limit: the longest had ${Math.max(...counts)} steps of ${limit}`)
    return outcomeOf(
      counts.filter((count) => count > limit).map((count) => `an episode has ${count} steps of ${limit}`),
    )
  })

const inOrder = (drive: Drive): Effect.Effect<CheckOutcome> =>
  Effect.map(drive.episodes, (episodes) => {
    const answers = episodes.flatMap(({ rounds }, episode) =>
      rounds.flatMap(({ stepped }, index) => {
        const named = stepped.named ?? []
        return named.length < 2 ? [] : [{ named, where: `episode ${episode + 1}, step ${index + 1}` }]
      }),
    )
    if (answers.length === 0) return untried("no step had results of two agents")
    return outcomeOf(
      answers.flatMap(({ named, where }) => {
        // JavaScript objects list integer-like keys such as "7" first.
        const expected = Object.keys(Object.fromEntries(named.toSorted().map((agent) => [agent, null])))
        return named.every((agent, index) => agent === expected[index])
          ? []
          : [`${where}: expected ${expected.join(", ")}, found ${named.join(", ")}`]
      }),
    )
  })

export const agentChecks: ReadonlyArray<Check> = [
  ofStart({ number: 32, name: "some-agent", sentence: "At least one agent takes part." }, ({ agents }) =>
    Object.keys(agents).length > 0 ? passed : failed("expected an agent, found none"),
  ),
  ofStart(
    { number: 33, name: "agents-possible", sentence: "At most the declared number of agents take part." },
    ({ agents }, { facts }) => {
      const count = Object.keys(agents).length
      return count <= facts.maxAgents ? passed : failed(`expected at most ${facts.maxAgents} agents, found ${count}`)
    },
  ),
  meaningless(
    { number: 34, name: "same-space-object", sentence: "Each call returns the same space object." },
    "spaces are data: they have no identity",
  ),
  meaningless(
    { number: 35, name: "last-without-observation", sentence: "last(observe=false) returns no observation." },
    NO_LAST,
  ),
  {
    number: 36,
    name: "no-step-after-the-end",
    sentence: "An agent whose episode is over cannot act.",
    run: (drive) =>
      Effect.map(drive.episode(toFirstEnd(drive)), (episode) => {
        if (episode.start === undefined) return notReset(episode.failure)
        if (episode.probed === undefined) return inapplicable("no agent's episode ended")
        const { agent, refusal } = episode.probed
        if (refusal === undefined) return failed(`${agent} acted after its end: expected ${OVER}, found a step`)
        return refusal.code === OVER ? passed : failed(`expected ${OVER}, found ${said(refusal)}`)
      }),
  },
  ofRounds(
    { number: 37, name: "no-resurrection", sentence: "An agent whose episode is over gets no more results." },
    ({ stepped, live, start }) => {
      const over = Object.keys(start.agents).filter((agent) => !live.includes(agent))
      if (over.length === 0) return unseen("no step followed an agent's end")
      return over
        .filter((agent) => Object.hasOwn(stepped.results, agent) || stepped.turn === agent)
        .map((agent) => `${agent} has a result or the turn after its end`)
    },
  ),
  ofRounds(
    {
      number: 38,
      name: "results-for-live-agents",
      sentence: "Each agent that acted gets a result, and no agent that does not take part.",
    },
    ({ stepped, actions, start }) => [
      ...Object.keys(actions)
        .filter((agent) => !Object.hasOwn(stepped.results, agent) || stepped.named?.includes(agent) === false)
        .map((agent) => `${agent} acted, but got no result`),
      ...Object.keys(stepped.results)
        .filter((agent) => !Object.hasOwn(start.agents, agent))
        .map((agent) => `${agent} got a result, but does not take part`),
    ],
    (refusal) => (isOfAnswer(refusal, 38) ? said(refusal) : undefined),
  ),
  meaningless({ number: 39, name: "last-accumulates", sentence: "last() returns the accumulated reward." }, NO_LAST),
  meaningless({ number: 40, name: "last-agrees", sentence: "last() agrees with the tables of results." }, NO_LAST),
  meaningless(
    { number: 41, name: "step-returns-nothing", sentence: "A step of a turn-based world returns nothing." },
    NO_LAST,
  ),
  {
    number: 45,
    name: "everyone-finishes",
    sentence: "Each episode ends for every agent.",
    run: everyoneFinishes,
  },
  { number: 47, name: "limit-exact", sentence: "No episode is longer than its limit of steps.", run: limitExact },
  only(({ facts }) => (facts.mode === "single" ? "there is one agent" : undefined), {
    number: 50,
    name: "results-in-order",
    sentence: "Results list the agents in the order of their names.",
    run: inOrder,
  }),
]
