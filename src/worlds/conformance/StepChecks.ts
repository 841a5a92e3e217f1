/** Checks of steps: 20 to 24, 27 to 30, 42 to 44, 48 and 49. */

import { contains, isSpace } from "../../plugins/spaces/Space.ts"
import { isObject } from "../../values/JsonObjects.ts"
import { type Check, type Look, unseen } from "./Check.ts"
import { isOver, masksOf } from "./Episode.ts"
import { meaningless, ofResults, ofRounds, only, type SeenRound, said } from "./episodeChecks.ts"
import { formDiffers, hasLegal } from "./forms.ts"
import { hasOwnCheck, isOfMask, OUTSIDE } from "./refusals.ts"

const FIELDS = ["reward", "terminated", "truncated", "info"]

/** Checks each value of a list; `none` is the reason if the list is empty. */
const each = <A>(shown: ReadonlyArray<A>, none: string, wrong: (one: A) => string | undefined): Look =>
  shown.length === 0 ? unseen(none) : shown.flatMap((one) => wrong(one) ?? [])

const observationsOutside = ({ stepped, start }: SeenRound): Look =>
  each(
    Object.entries(stepped.observations).flatMap(([agent, observation]) => {
      const space = start.agents[agent]?.spaces.observation
      return isSpace(space) ? [{ agent, observation, space }] : []
    }),
    "no observation has a valid space",
    ({ agent, observation, space }) => {
      const why = contains(space, observation)
      return why === undefined ? undefined : `${agent}: ${why}`
    },
  )

export const stepChecks: ReadonlyArray<Check> = [
  ofRounds(
    {
      number: 20,
      name: "step-answered",
      sentence: "A step returns observation, reward, terminated, truncated and info.",
    },
    ({ stepped }) =>
      each(Object.entries(stepped.results), "no step has a result", ([agent, result]) => {
        const missing = FIELDS.filter((field) => result[field] === undefined)
        return missing.length === 0 ? undefined : `${agent}: expected ${missing.join(", ")}, found nothing`
      }),
    (refusal, { steps }, { facts }) => {
      if (steps === undefined || hasOwnCheck(refusal, facts)) return undefined
      return `${steps === 0 ? "the first step" : "a step"} failed with actions from their spaces (${said(refusal)})`
    },
  ),
  ofRounds(
    {
      number: 21,
      name: "observation-after-step-in-space",
      sentence: "The observation after the first step is in its space.",
    },
    (round) => (round.number === 1 ? observationsOutside(round) : unseen("no first step was taken")),
    (refusal, { steps }) => (refusal.code === OUTSIDE && steps === 0 ? said(refusal) : undefined),
  ),
  ofRounds(
    {
      number: 22,
      name: "observation-form-stays",
      sentence: "Observations of steps have the types and keys of the reset's.",
    },
    ({ stepped, start }) =>
      each(
        Object.entries(stepped.observations).flatMap(([agent, observation]) => {
          const first = start.agents[agent]?.observation
          return first === undefined ? [] : [{ agent, first, observation }]
        }),
        "no agent has an observation of the reset and one of a step",
        ({ agent, first, observation }) => {
          const why = formDiffers(first, observation, start.agents[agent]?.spaces.observation)
          return why === undefined ? undefined : `${agent}: ${why}`
        },
      ),
  ),
  ofResults(
    { number: 23, name: "reward-finite", sentence: "A reward is a finite number." },
    ["reward"],
    ({ reward }) =>
      reward === undefined || (typeof reward === "number" && Number.isFinite(reward))
        ? undefined
        : `expected a finite number, found ${typeof reward === "number" ? reward : JSON.stringify(reward)}`,
  ),
  ofResults(
    { number: 24, name: "flags-boolean", sentence: "terminated and truncated are true or false." },
    ["terminated", "truncated"],
    (result) => {
      const wrong = ["terminated", "truncated"].filter(
        (flag) => result[flag] !== undefined && typeof result[flag] !== "boolean",
      )
      return wrong.length === 0 ? undefined : `expected ${wrong.join(" and ")} to be true or false`
    },
  ),
  only(
    ({ facts }) => (facts.maxEpisodeSteps === 1 ? "the limit is one step" : undefined),
    ofRounds(
      { number: 27, name: "no-truncation-at-step-one", sentence: "The first step truncates no episode." },
      ({ number, stepped }) =>
        number > 1
          ? unseen("no first step was taken")
          : each(Object.entries(stepped.results), "the first step has no result", ([agent, { truncated }]) =>
              truncated === true ? `${agent} is truncated` : undefined,
            ),
    ),
  ),
  meaningless(
    { number: 28, name: "render-modes-declared", sentence: "The render modes and their rate are declared." },
    "a world draws nothing: its view is data in the manifest, which is checked separately",
  ),
  meaningless(
    { number: 29, name: "render-modes-typed", sentence: "Each render mode returns its own type." },
    "a world draws nothing: its view is data in the manifest, which is checked separately",
  ),
  {
    number: 30,
    name: "second-close-harmless",
    sentence: "Closing the world a second time is harmless.",
    run: (drive) => drive.closeTwice,
  },
  ofRounds(
    {
      number: 42,
      name: "observations-stay-in-space",
      sentence: "All observations of whole episodes are in their spaces.",
    },
    (round) => (round.number > 1 ? observationsOutside(round) : unseen("no second step was taken")),
    (refusal, { steps = 0 }) => (refusal.code === OUTSIDE && steps > 0 ? said(refusal) : undefined),
  ),
  only(
    ({ facts }) => (facts.mask ? undefined : "the world has no masks"),
    ofRounds(
      {
        number: 43,
        name: "masks-respected",
        sentence: "A mask leaves at least one action, and the world accepts those that it leaves.",
      },
      ({ number, stepped, live, start }, { facts }) => {
        const next = live.filter(
          (agent) => !isOver(stepped.results[agent]) && (facts.mode !== "turn-based" || stepped.turn === agent),
        )
        const heeded = number === 1 && Object.values(masksOf(start)).some((mask) => mask !== null)
        if (!heeded && next.every((agent) => (stepped.masks[agent] ?? null) === null))
          return unseen("no step had a mask")
        return next
          .filter((agent) => !hasLegal(stepped.masks[agent] ?? null, start.agents[agent]?.spaces.action))
          .map((agent) => `${agent}: the mask allows no action`)
      },
      (refusal, { actions }, { facts }) => {
        if (!isOfMask(refusal, facts)) return undefined
        const left =
          actions === undefined ? "" : `after the actions ${JSON.stringify(actions)}, which the mask allows: `
        return `${left}${said(refusal)}`
      },
    ),
  ),
  only(
    ({ facts }) => (facts.mode === "parallel" ? undefined : "the agents do not act together"),
    ofRounds(
      { number: 44, name: "maps-cover-live-agents", sentence: "Each agent that can act next has an observation." },
      ({ stepped, live, start }) => {
        const still = live.filter((agent) => !isOver(stepped.results[agent]))
        if (still.length === 0 && Object.keys(stepped.observations).length === 0)
          return unseen("no step left an agent that can act next")
        return [
          ...still
            .filter((agent) => stepped.observations[agent] === undefined)
            .map((agent) => `${agent} has no observation`),
          // An agent whose episode is over takes part until it leaves, and may still get observations.
          ...Object.keys(stepped.observations)
            .filter((agent) => !Object.hasOwn(start.agents, agent))
            .map((agent) => `${agent} has an observation, but does not take part`),
        ]
      },
    ),
  ),
  ofRounds(
    { number: 48, name: "state-is-an-object", sentence: "The world's document is a JSON object after each step." },
    ({ stepped }) =>
      isObject(stepped.document) ? [] : [`expected an object, found ${JSON.stringify(stepped.document)}`],
  ),
  ofResults(
    { number: 49, name: "step-info-is-an-object", sentence: "The info of a step is a JSON object." },
    ["info"],
    ({ info }) =>
      info === undefined || isObject(info) ? undefined : `expected an object, found ${JSON.stringify(info)}`,
  ),
]
