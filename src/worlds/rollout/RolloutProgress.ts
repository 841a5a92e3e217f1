/** Finds out from the log how far a rollout is, to continue it. */

import { Data, Effect, Option } from "effect"
import type { EventLog, LogError } from "../../events/log/EventLog.ts"
import * as Pages from "../../events/read/Pages.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
import { is, type PayloadOf } from "../../events/vocabulary/Vocabulary.ts"
import * as EnvironmentState from "../../projections/state/EnvironmentState.ts"
import { scoreSetOf } from "../../projections/state/WorldReturn.ts"
import type { Json } from "../../values/Json.ts"
import * as SafeRecord from "../../values/SafeRecord.ts"
import * as Sum from "../../values/Sum.ts"
import type { EpisodePlace, LeftEpisode } from "./EpisodeRecorder.ts"
import type { EpisodeResult } from "./RolloutOptions.ts"

/** The log has no such rollout to continue. */
export class RolloutNotFound extends Data.TaggedError("RolloutNotFound")<{
  readonly rolloutId: string
  readonly found: string
}> {
  override get message() {
    return `Expected the id of a rollout that has not ended, found ${this.rolloutId}: ${this.found}. \`hindcast log ls --type RolloutStarted\` lists rollouts.`
  }
}

/** An open episode, with the world's document in which it stopped. */
export interface OpenEpisode extends LeftEpisode, EpisodePlace {
  readonly document: Json
}

/** The part of a rollout that the log has. */
export interface RolloutProgress {
  readonly started: PayloadOf<"RolloutStarted"> & { readonly episodes: number }
  readonly ended: ReadonlyArray<EpisodeResult>
  readonly open: ReadonlyArray<OpenEpisode>
  /** The last document of each slot's last episode that ended, from which the next one may continue. */
  readonly documents: ReadonlyMap<number, Json>
}

/** Reads a rollout that has not ended. */
export const read = (
  log: EventLog.Service,
  rolloutId: string,
): Effect.Effect<RolloutProgress, RolloutNotFound | LogError> =>
  Effect.gen(function* () {
    const stream = `rollout/${rolloutId}`
    const [first] = yield* log.readPage({ timeline: log.timeline, stream }, 1)
    if (first === undefined || !is(first, "RolloutStarted")) {
      return yield* new RolloutNotFound({ rolloutId, found: "the log has none with this id" })
    }
    const { episodes } = first.payload
    if (episodes === undefined) {
      return yield* new RolloutNotFound({ rolloutId, found: "a program steps its episodes itself" })
    }
    const last = yield* log.readPage({ timeline: log.timeline, stream, types: ["RolloutEnded"] }, 1)
    if (last.length > 0) return yield* new RolloutNotFound({ rolloutId, found: "it has ended" })
    const opened: Array<Event & { readonly taskId: string }> = []
    yield* Pages.forEach(
      log.readPage,
      { timeline: log.timeline, types: ["TaskOpened"], after: first.position },
      (page) => {
        for (const event of page) {
          if (event.taskId === null || !is(event, "TaskOpened")) continue
          if (event.payload.rollout?.rolloutId === rolloutId) opened.push({ ...event, taskId: event.taskId })
        }
      },
    )
    const ended: Array<EpisodeResult> = []
    const open: Array<OpenEpisode> = []
    const documents = new Map<number, readonly [episode: number, document: Json]>()
    for (const event of opened) {
      const found = yield* episodeOf(log, event, first.payload.plugin)
      if (found === undefined) continue
      if (found.outcome === undefined) {
        open.push(found)
        continue
      }
      const { episode, slot, taskId, seed, steps, earned, lost, outcome, document } = found
      ended.push({ episode, taskId, seed, steps, return: Sum.round(earned - lost), outcome })
      if (episode >= (documents.get(slot)?.[0] ?? 0)) documents.set(slot, [episode, document])
    }
    return {
      started: { ...first.payload, episodes },
      ended: ended.sort((a, b) => a.episode - b.episode),
      open: open.sort((a, b) => a.episode - b.episode),
      documents: new Map([...documents].map(([slot, [, document]]) => [slot, document])),
    }
  })

type FoundEpisode = OpenEpisode & { readonly outcome: EpisodeResult["outcome"] | undefined }

/** Undefined if a person or another program closed it as something that no rollout does. */
const episodeOf = (
  log: EventLog.Service,
  opened: Event & { readonly taskId: string },
  plugin: string,
): Effect.Effect<FoundEpisode | undefined, LogError> =>
  Effect.gen(function* () {
    const { taskId } = opened
    const { rollout, seed = 0 } = opened.payload as PayloadOf<"TaskOpened">
    const scope = EnvironmentState.ofTask()
    const returned = scoreSetOf(taskId)
    let [steps, earned, lost] = [0, 0, 0]
    let continued = false
    let closed: string | undefined
    yield* Pages.forEach(log.readPage, { timeline: log.timeline, taskId }, (page) => {
      for (const event of page) {
        scope.apply(event)
        if (is(event, "StepsRecorded")) {
          steps += event.payload.steps
          continued ||= event.payload.begin?.continued === true
        } else if (is(event, "RewardGiven") && event.payload.scoreSetId === returned) earned += event.payload.amount
        else if (is(event, "PunishmentGiven") && event.payload.scoreSetId === returned) lost += event.payload.amount
        else if (is(event, "TaskClosed")) closed = event.payload.outcome
      }
    })
    if (closed === "abandoned") return undefined
    const document = Option.fromNullable(SafeRecord.get(scope.state().environment, plugin))
    if (Option.isNone(document)) return undefined
    return {
      taskId,
      openedBy: opened.id,
      episode: rollout?.episode ?? 0,
      slot: rollout?.slot ?? 0,
      seed,
      continued,
      steps,
      earned,
      lost,
      document: document.value,
      outcome: closed as EpisodeResult["outcome"] | undefined,
    }
  })
