/** Checks of resets: 11 to 19, 25, 26, 31 and 46. Some compare episodes that should be equal. */

import { Effect } from "effect"
import { contains, isSpace } from "../../plugins/spaces/Space.ts"
import type { Json } from "../../values/Json.ts"
import { isObject } from "../../values/JsonObjects.ts"
import {
  type Check,
  type CheckOutcome,
  failed,
  inapplicable,
  outcomeOf,
  outcomeOfLooks,
  passed,
  unseen,
} from "./Check.ts"
import type { Start, Stepped } from "./DrivenWorld.ts"
import type { Episode } from "./Episode.ts"
import {
  compared,
  difference,
  differs,
  episodeIn,
  everything,
  meaningless,
  NO_AGENT,
  NO_SPACE,
  notReset,
  ofStart,
  said,
  stepsDiffer,
  type Title,
} from "./episodeChecks.ts"
import { INFO, isOfMask, OUTSIDE } from "./refusals.ts"

const SEEDS = [0, 2 ** 32, Number.MAX_SAFE_INTEGER]

/** A check that compares two plays of the first plan; `copy` and `run` select the second one. */
const ofTwo = (
  title: Title,
  [copy, run]: readonly [0 | 1, 0 | 1],
  judge: (first: Episode & { readonly start: Start }, second: Episode & { readonly start: Start }) => CheckOutcome,
): Check => ({
  ...title,
  run: (drive) =>
    Effect.gen(function* () {
      const first = yield* drive.episode(drive.plan)
      const second = yield* drive.episode(drive.plan, copy, run)
      if (first.start === undefined) return notReset(first.failure)
      if (second.start === undefined) return failed(`the second reset failed (${said(second.failure)})`)
      return judge({ ...first, start: first.start }, { ...second, start: second.start })
    }),
})

/** The agents' view of a reset, without the world's document. */
const shown = ({ agents, turn }: Start): Json => ({
  turn,
  agents: Object.fromEntries(
    Object.entries(agents).map(([agent, { observation, info, mask }]) => [agent, { observation, info, mask }]),
  ),
})

/** The agents' view of a step, without the world's document. */
const got = ({ results, observations, masks, turn }: Stepped): Json => ({ results, observations, masks, turn })

const generatorIn = (document: Json): Json => episodeIn(document)?.rng ?? null

export const resetChecks: ReadonlyArray<Check> = [
  {
    number: 11,
    name: "seeds-accepted",
    sentence: "A reset accepts any seed: whole numbers from 0 to 2^53 - 1.",
    run: (drive) =>
      Effect.gen(function* () {
        const first = yield* drive.episode(drive.plan)
        if (first.start === undefined) return notReset(first.failure)
        const episodes = yield* Effect.forEach(SEEDS, (seed) => drive.episode({ seed, steps: 0 }))
        return outcomeOf(
          episodes.flatMap(({ start, failure }, index) =>
            start === undefined ? [`the seed ${SEEDS[index]} was refused (${said(failure)})`] : [],
          ),
        )
      }),
  },
  {
    number: 12,
    name: "options-accepted",
    sentence: "A reset accepts options, and uses the defaults without any.",
    run: (drive) =>
      Effect.gen(function* () {
        const first = yield* drive.episode(drive.plan)
        if (first.start === undefined) return notReset(first.failure)
        const { start, failure } = yield* drive.episode({ seed: drive.plan.seed, options: {}, steps: 0 })
        return start === undefined ? failed(`the options {} were refused (${said(failure)})`) : passed
      }),
  },
  meaningless(
    { number: 13, name: "no-legacy-signature", sentence: "The functions have the current signature." },
    "worlds have no older interface",
  ),
  {
    number: 14,
    name: "reset-answered",
    sentence: "A reset returns an observation for each agent.",
    run: (drive) =>
      Effect.map(drive.episode(drive.plan), ({ start, failure }) => {
        if (start === undefined) {
          if (failure?.code === INFO) return inapplicable("see info-is-an-object")
          if (failure !== undefined && isOfMask(failure, drive.facts)) return inapplicable("see masks-respected")
          return failure?.code === OUTSIDE
            ? inapplicable("see observation-after-reset-in-space")
            : failed(said(failure))
        }
        return outcomeOfLooks(
          Object.entries(start.agents).map(([agent, { observation }]) =>
            observation === undefined ? [`${agent}: expected an observation, found nothing`] : [],
          ),
          NO_AGENT,
        )
      }),
  },
  {
    number: 15,
    name: "info-is-an-object",
    sentence: "The info of a reset is a JSON object.",
    run: (drive) =>
      Effect.map(drive.episode(drive.plan), ({ start, failure }) => {
        if (start === undefined) return failure?.code === INFO ? failed(said(failure)) : notReset(failure)
        return outcomeOfLooks(
          Object.entries(start.agents).map(([agent, { info }]) =>
            isObject(info) ? [] : [`${agent}: expected an object, found ${JSON.stringify(info)}`],
          ),
          NO_AGENT,
        )
      }),
  },
  {
    number: 16,
    name: "observation-after-reset-in-space",
    sentence: "The observation after a reset is in its space.",
    run: (drive) =>
      Effect.map(drive.episode(drive.plan), ({ start, failure }) => {
        if (start === undefined) return failure?.code === OUTSIDE ? failed(said(failure)) : notReset(failure)
        return outcomeOfLooks(
          Object.entries(start.agents).map(([agent, { spaces, observation }]) => {
            if (!isSpace(spaces.observation)) return unseen(NO_SPACE)
            const why = contains(spaces.observation, observation)
            return why === undefined ? [] : [`${agent}: ${why}`]
          }),
          NO_AGENT,
        )
      }),
  },
  ofTwo(
    { number: 17, name: "same-seed-same-reset", sentence: "The same seed gives the same observations and infos." },
    [0, 1],
    (first, second) => outcomeOf(differs("two resets", shown(first.start), shown(second.start))),
  ),
  meaningless(
    {
      number: 18,
      name: "unseeded-reset-after-seeded",
      sentence: "The unseeded reset after a seeded one is reproducible too.",
    },
    "every reset has a seed: the task's",
  ),
  {
    number: 19,
    name: "generator-follows-the-seed",
    sentence: "Equal seeds give equal states of the generator, and different seeds different ones.",
    run: (drive) =>
      Effect.gen(function* () {
        const first = yield* drive.episode(drive.plan)
        const again = yield* drive.episode(drive.plan, 0, 1)
        const other = yield* drive.episode({ seed: drive.plan.seed + 1000, steps: 0 })
        if (first.start === undefined || again.start === undefined || other.start === undefined)
          return notReset(first.failure ?? again.failure ?? other.failure)
        const state = generatorIn(first.start.document)
        if (state === null) return inapplicable("the document has no state of a generator")
        if (difference(state, generatorIn(other.start.document)) === undefined)
          return failed("two different seeds give the same state of the generator")
        return outcomeOf(differs("two resets", state, generatorIn(again.start.document)))
      }),
  },
  ofTwo(
    {
      number: 25,
      name: "same-seed-same-steps",
      sentence: "The same seed and actions give the same steps, with their infos.",
    },
    [0, 1],
    (first, second) => compared(first, second, stepsDiffer(first, second, got)),
  ),
  ofTwo(
    {
      number: 26,
      name: "generator-deterministic-after-reset",
      sentence: "After a reset, the same actions lead to the same states of the generator.",
    },
    [0, 1],
    (first, second) => {
      if (generatorIn(first.start.document) === null) return inapplicable("the document has no state of a generator")
      const found = stepsDiffer(first, second, ({ document }) => generatorIn(document))
      return compared(first, second, found)
    },
  ),
  ofStart(
    { number: 31, name: "active-after-reset", sentence: "After a reset, no agent's episode is over." },
    ({ document }) => {
      const agents = episodeIn(document)?.agents
      if (!isObject(agents)) return inapplicable("the document has no statuses of agents")
      return outcomeOfLooks(
        Object.entries(agents).map(([agent, its]) => {
          if (!isObject(its)) return unseen("the document has no statuses of agents")
          return its.status === "active" ? [] : [`${agent} is ${JSON.stringify(its.status)}`]
        }),
        NO_AGENT,
      )
    },
  ),
  ofTwo(
    {
      number: 46,
      name: "two-copies-agree",
      sentence: "Two copies of the world with the same seed and actions agree.",
    },
    [1, 0],
    (first, second) =>
      compared(first, second, [
        ...differs("the resets", shown(first.start), shown(second.start)),
        ...differs("the documents after the reset", first.start.document, second.start.document),
        ...stepsDiffer(first, second, everything),
      ]),
  ),
]
