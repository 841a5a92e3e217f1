/** Checks of Hindcast's own requirements, on which replays and forks depend: 51 to 55. */

import { Effect, Either } from "effect"
import * as MonotonicClock from "../../platform/MonotonicClock.ts"
import { toFirstEnd, toLimit } from "./AgentChecks.ts"
import { type Check, type CheckOutcome, type Drive, failed, inapplicable, outcomeOf, passed, untried } from "./Check.ts"
import type { DrivenWorld, Refusal, Start } from "./DrivenWorld.ts"
import { answered, EPISODE_MS, type Episode, masksOf, type Round } from "./Episode.ts"
import { differs, everything, notReset, only, said, stepsDiffer, UNPLAYABLE } from "./episodeChecks.ts"

/** Maximum number of steps after a restore. */
const MOST_STEPS = 50

/** Maximum number of steps between which the world is observed twice. */
const MOST_OBSERVED = 10

type Begun = Episode & { readonly start: Start }

/** The first episode, if the world repeats it exactly; otherwise the outcome. */
const repeated = (drive: Drive): Effect.Effect<Either.Either<Begun, CheckOutcome>> =>
  Effect.gen(function* () {
    const first = yield* drive.episode(drive.plan)
    const { start } = first
    if (start === undefined) return Either.left(notReset(first.failure))
    if (first.unplayable) return Either.left(UNPLAYABLE)
    for (const again of [yield* drive.episode(drive.plan, 0, 1), yield* drive.episode(drive.plan, 1)]) {
      const isAlike =
        again.start !== undefined &&
        differs("the documents", start.document, again.start.document).length === 0 &&
        stepsDiffer(first, again, everything).length === 0
      if (!isAlike) return Either.left(untried("the world does not repeat an episode exactly"))
    }
    return Either.right({ ...first, start })
  })

/** A check of the first episode, which applies only if the world repeats it exactly. */
const ofRepeated = (
  title: Pick<Check, "number" | "name" | "sentence">,
  judge: (first: Begun, drive: Drive) => Effect.Effect<CheckOutcome>,
): Check => ({
  ...title,
  run: (drive) =>
    Effect.flatMap(repeated(drive), Either.match({ onLeft: Effect.succeed, onRight: (first) => judge(first, drive) })),
})

const shownBy = (copy: Either.Either<CheckOutcome, Refusal>): CheckOutcome =>
  Either.getOrElse(copy, (refusal) => untried(`the world did not start (${said(refusal)})`))

const after = ({ start, rounds }: Begun, steps: number, { facts }: DrivenWorld) => {
  const stepped = rounds[steps - 1]?.stepped
  const { observations, masks } = stepped ?? {
    observations: Object.fromEntries(
      Object.entries(start.agents).map(([agent, { observation }]) => [agent, observation]),
    ),
    masks: masksOf(start),
  }
  return { document: stepped?.document ?? start.document, shown: { observations, masks: facts.mask ? masks : {} } }
}

const looking = ({ facts, observe }: DrivenWorld) =>
  Effect.map(observe, ({ observations, masks }) => ({ observations, masks: facts.mask ? masks : {} }))

/** Repeats steps. Returns the first difference, and the number of steps compared. */
const again = (world: DrivenWorld, rounds: ReadonlyArray<Round>, from: number, until: number) =>
  Effect.gen(function* () {
    for (const [index, { actions, stepped }] of rounds.entries()) {
      if (index > 0 && (yield* MonotonicClock.now) >= until) return { compared: index, found: undefined }
      const step = `step ${from + index + 1}`
      const answer = yield* answered(world.step(actions))
      const [found] = Either.isLeft(answer)
        ? [`${step} was refused (${said(answer.left)})`]
        : differs(step, everything(stepped), everything(answer.right))
      if (found !== undefined) return { compared: index, found }
    }
    return { compared: rounds.length, found: undefined }
  })

/** Restores a new copy to the state before a step and continues. Returns the first difference. */
const continued = (world: DrivenWorld, first: Begun, cut: number): Effect.Effect<string | undefined> =>
  Effect.gen(function* () {
    const until = (yield* MonotonicClock.now) + EPISODE_MS
    const { document, shown } = after(first, cut, world)
    const restored = yield* answered(world.restore?.(document) ?? Effect.succeed(document))
    if (Either.isLeft(restored)) return `the restore was refused (${said(restored.left)})`
    const [other] = differs("the documents before and after", document, restored.right)
    if (other !== undefined) return other
    const observed = yield* answered(looking(world))
    if (Either.isLeft(observed)) return `the observation was refused (${said(observed.left)})`
    const [unlike] = differs("the observations and masks", shown, observed.right)
    if (unlike !== undefined) return unlike
    return (yield* again(world, first.rounds.slice(cut, cut + MOST_STEPS), cut, until)).found
  })

const restoreContinues = (first: Begun, drive: Drive): Effect.Effect<CheckOutcome> =>
  Effect.gen(function* () {
    const { length } = first.rounds
    if (length === 0) return untried("no step was taken")
    const cuts = [...new Set([Math.floor(length / 2), length - 1])]
    for (const cut of cuts) {
      const found = yield* drive.fresh((world) => continued(world, first, cut))
      const where = `restored to step ${cut} of ${length} in a new process`
      const outcome = shownBy(Either.map(found, (why) => (why === undefined ? passed : failed(`${where}: ${why}`))))
      if (outcome.status !== "passed") return outcome
    }
    return passed
  })

const observedTwice = (first: Begun, drive: Drive): Effect.Effect<CheckOutcome> =>
  Effect.map(
    drive.used((world) =>
      Effect.gen(function* () {
        const until = (yield* MonotonicClock.now) + EPISODE_MS
        const begun = yield* answered(world.reset(drive.plan.seed))
        if (Either.isLeft(begun)) return notReset(begun.left)
        const rounds = first.rounds.slice(0, MOST_OBSERVED)
        for (let index = 0; index <= rounds.length; index++) {
          const { document, shown } = after(first, index, world)
          const where = `after step ${index}`
          const look = Effect.gen(function* () {
            return { shown: yield* looking(world), document: yield* world.document }
          })
          const looked = yield* answered(Effect.all([world.document, look, look]))
          if (Either.isLeft(looked)) return failed(`${where}: the observation was refused (${said(looked.left)})`)
          const [now, one, two] = looked.right
          const [found] = [
            ...differs("the document before and after observing", document, now),
            ...differs("the document before and after observing again", now, one.document),
            ...differs("the document before and after observing again", one.document, two.document),
            ...differs("two observations in a row", one.shown, two.shown),
            ...differs("two observations in a row", shown, one.shown),
          ]
          if (found !== undefined) return failed(`${where}: ${found}`)
          const { found: other } = yield* again(world, rounds.slice(index, index + 1), index, until)
          if (other !== undefined) return failed(`after additional observations: ${other}`)
          if ((yield* MonotonicClock.now) >= until) break
        }
        return passed
      }),
    ),
    shownBy,
  )

const refusedWithoutEffect = (drive: Drive): Effect.Effect<CheckOutcome> =>
  Effect.map(
    drive.probes,
    Either.match({
      onLeft: untried,
      onRight: (probes) => {
        const refused = probes.filter(({ refusal }) => refusal !== undefined)
        if (refused.length === 0) return untried("the world refused no action")
        return outcomeOf(
          refused.flatMap(({ where, changed }) => (changed === undefined ? [] : [`${where}: ${changed}`])),
        )
      },
    }),
  )

const maskNotTooStrict = (drive: Drive): Effect.Effect<CheckOutcome> =>
  Effect.map(
    drive.probes,
    Either.match({
      onLeft: untried,
      onRight: (probes) => {
        const masked = probes.filter((probe) => probe.masked)
        if (masked.length === 0) return untried("no mask excluded an action")
        const taken = masked.filter(({ refusal }) => refusal === undefined)
        return outcomeOf(
          taken.map(
            ({ where }) =>
              `${where}: expected a refusal, found a step. If the mask only advises, declare "mask": "advice"`,
          ),
        )
      },
    }),
  )

const ends = ({ live, start, probed }: Episode): boolean =>
  start !== undefined && (live.length === 0 || probed !== undefined)

const episodesEnd = (drive: Drive): Effect.Effect<CheckOutcome> =>
  Effect.gen(function* () {
    const { facts } = drive
    const episodes = yield* drive.episodes
    const [first] = episodes
    if (first?.start === undefined) return notReset(first?.failure)
    if (first.unplayable) return UNPLAYABLE
    if (episodes.some(ends)) return passed
    if (facts.endless) return inapplicable("the manifest says that an episode may never end")
    const [limited] = toLimit(drive)
    const longest = yield* drive.episode(limited ?? toFirstEnd(drive))
    if (ends(longest)) return passed
    const { rounds, failure, cut, stuck } = longest
    if (cut) return untried(`an episode took too long and was stopped after ${rounds.length} steps`)
    if (failure !== undefined) return untried(`no episode reached its end (${said(failure)})`)
    if (stuck !== undefined) return untried(`no episode reached its end: ${stuck}`)
    if (facts.maxEpisodeSteps !== null)
      return untried(`no episode ended within ${rounds.length} steps; the limit is ${facts.maxEpisodeSteps}`)
    return failed(
      `no episode ended within ${rounds.length} steps of random actions: expected an end, or max_episode_steps in the ` +
        "manifest (null if an episode may never end)",
    )
  })

export const contractChecks: ReadonlyArray<Check> = [
  only(
    ({ restores }) => (restores ? undefined : "the manifest does not say that the world can be restored (snapshot)"),
    ofRepeated(
      {
        number: 51,
        name: "restore-continues",
        sentence: "A world restored in a new process continues exactly as before.",
      },
      restoreContinues,
    ),
  ),
  ofRepeated(
    {
      number: 52,
      name: "observation-without-effect",
      sentence: "Observing again returns the same and changes nothing.",
    },
    observedTwice,
  ),
  ofRepeated(
    {
      number: 53,
      name: "refusal-without-effect",
      sentence: "An action that the world refuses changes nothing.",
    },
    (_first, drive) => refusedWithoutEffect(drive),
  ),
  only(
    ({ facts }) =>
      facts.mask
        ? facts.advice
          ? "the manifest says that the mask only advises"
          : undefined
        : "the world has no masks",
    {
      number: 54,
      name: "mask-not-too-strict",
      sentence: "The world refuses the actions that its mask excludes.",
      run: maskNotTooStrict,
    },
  ),
  {
    number: 55,
    name: "episodes-end",
    sentence: "Some episode ends, unless the manifest says that it may never end.",
    run: episodesEnd,
  },
]
