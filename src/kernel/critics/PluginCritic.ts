/** Judges tasks by functions of a plugin. */

import { Effect } from "effect"
import type { LogError } from "../../events/log/EventLog.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
import type { EventBatch } from "../../plugins/process/PluginProcess.ts"
import type { JsonObject } from "../../values/Json.ts"
import { type Critic, type Target, type TaskEvents, unscored } from "./Critic.ts"
import type { PluginCriticProcesses } from "./PluginCriticProcess.ts"
import * as PluginVerdicts from "./pluginVerdicts.ts"
import * as TaskObservation from "./TaskObservation.ts"
import * as Unreadable from "./Unreadable.ts"

/**
 * Calls the function of each measure once a task, in the plugin's sandbox, after the task's last event. The function
 * reads the events in pages.
 *
 * If it throws, returns an invalid verdict, cites events of other tasks, takes too long or ends its process, its
 * rewards are unscored, with the reason, and the scoring continues.
 *
 * @param targets the rewards that it decides, all of measures of this plugin
 */
export const make = (process: PluginCriticProcesses, targets: ReadonlyArray<Target>): Critic => {
  const { plugin, version, digest } = process
  const measures = [...new Set(targets.map(({ measure }) => measure))]
  return {
    name: `plugin:${plugin}@${version}`,
    digest,
    exact: true,
    start: (task) => {
      const observation = TaskObservation.make()
      const unreadable = Unreadable.start()
      const judge = (measure: Target["measure"]) => {
        const measureTargets = targets.filter((target) => target.measure === measure)
        const reason = unreadable.reason()
        const asked = reason === undefined ? ask(process, measure, task, observation) : Effect.succeed(reason)
        return Effect.map(asked, (answer) =>
          typeof answer === "string"
            ? measureTargets.map((target) => unscored(target, answer))
            : PluginVerdicts.verdictsOf(measureTargets, answer, observation, `${plugin} ${version}`),
        )
      }
      return {
        observe: (event) => {
          if (observation.observe(event)) unreadable.observe(event)
        },
        decide: Effect.map(
          Effect.suspend(() => Effect.forEach(measures, judge)),
          (judged) => judged.flat(),
        ),
      }
    },
  }
}

/** Milliseconds that each event adds to the time limit of a task. */
const JUDGE_MS_PER_EVENT = 1

const ask = (
  process: PluginCriticProcesses,
  measure: Target["measure"],
  task: TaskEvents,
  observation: TaskObservation.TaskObservation,
) => {
  const last = observation.last()
  let broken: LogError | undefined
  const readPage = (after: number) =>
    pageAfter(task, after, last?.position ?? 0).pipe(
      Effect.mapError((error) => {
        broken ??= error
        return { code: error._tag, message: error.message }
      }),
    )
  const options = {
    readPage,
    timeoutMs: process.judgeMs + JUDGE_MS_PER_EVENT * observation.count(),
    ...(last === undefined ? {} : { now: last.recordedAt }),
  }
  return process.judge(measure.name, describe(task.taskId, measure, observation), options).pipe(
    Effect.merge,
    Effect.flatMap((answer) => (broken === undefined ? Effect.succeed(answer) : Effect.fail(broken))),
  )
}

const describe = (
  taskId: string,
  measure: Target["measure"],
  observation: TaskObservation.TaskObservation,
): JsonObject => {
  const { name, description, rewards = [], punishments = [], metadata = {} } = measure
  return {
    id: taskId,
    goal: observation.goal(),
    agent: observation.agent(),
    outcome: observation.outcome(),
    state: { ...observation.state() },
    measure: { name, description, rewards: rewards.map(plain), punishments: punishments.map(plain), metadata },
  }
}

const plain = (reward: Target["reward"]): JsonObject => ({ ...reward })

/** Limits of a page: number of events, and characters of JSON. Far below the size limit of a frame. */
const PAGE_EVENTS = 500
const PAGE_TEXT = 1024 * 1024

/** The page of a task's events after a position, without events of scorings. It is empty only at the end. */
const pageAfter = (task: TaskEvents, after: number, until: number): Effect.Effect<EventBatch, LogError> =>
  Effect.gen(function* () {
    const read = after >= until ? [] : yield* task.read(after, until, PAGE_EVENTS)
    const events: Array<JsonObject> = []
    let text = 0
    for (const event of read.filter(TaskObservation.isJudged)) {
      const shown = shownOf(event)
      text += JSON.stringify(shown).length
      if (events.length > 0 && text > PAGE_TEXT) return { events, more: true }
      events.push(shown)
    }
    const last = read.at(-1)
    if (events.length === 0 && last !== undefined) return yield* pageAfter(task, last.position, until)
    return { events, more: read.length === PAGE_EVENTS }
  })

const shownOf = ({ position, id, type, actor, causationId, occurredAt, recordedAt, payload }: Event): JsonObject => ({
  position,
  id,
  type,
  actor,
  causationId,
  occurredAt,
  recordedAt,
  payload,
})
