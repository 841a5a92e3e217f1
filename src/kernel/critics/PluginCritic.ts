import { Effect } from "effect"
import type { LogError } from "../../events/log/EventLog.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
import type { Page } from "../../plugins/process/PluginProcess.ts"
import type { JsonObject } from "../../values/Json.ts"
import { type Critic, type Target, type TaskEvents, unscored } from "./Critic.ts"
import * as Answer from "./decodeVerdicts.ts"
import type { PluginCriticProcesses } from "./PluginCriticProcess.ts"
import * as TaskObservation from "./TaskObservation.ts"

/**
 * Judges by functions of one plugin, in its sandbox: each measure's function is called once a task, when all of the task
 * has passed, and reads its events page by page.
 *
 * What a function does wrong leaves the rewards that it should have judged unscored, with the reason, and the scoring goes
 * on: it throws, answers with what is no verdict, cites what is not the task's, takes too long, or ends its process.
 *
 * @param targets what it decides, all of measures of this plugin
 */
export const make = (judges: PluginCriticProcesses, targets: ReadonlyArray<Target>): Critic => {
  const { plugin, version, digest } = judges
  const measures = [...new Set(targets.map(({ measure }) => measure))]
  return {
    name: `plugin:${plugin}@${version}`,
    digest,
    exact: true,
    start: (task) => {
      const seen = TaskObservation.make()
      const judge = (measure: Target["measure"]) => {
        const asked = targets.filter((target) => target.measure === measure)
        return Effect.map(ask(judges, measure, task, seen), (answer) =>
          typeof answer === "string"
            ? asked.map((target) => unscored(target, answer))
            : Answer.judgementsOf(asked, answer, seen, `${plugin} ${version}`),
        )
      }
      return {
        see: (event) => void seen.see(event),
        decide: Effect.map(Effect.forEach(measures, judge), (judged) => judged.flat()),
      }
    },
  }
}

/** What each event adds to the time that judging a task may take, in milliseconds. */
const JUDGE_MS_PER_EVENT = 1

/** Asks for a measure's verdicts; answers them, or why there are none. */
const ask = (
  judges: PluginCriticProcesses,
  measure: Target["measure"],
  task: TaskEvents,
  seen: TaskObservation.TaskObservation,
) => {
  const last = seen.last()
  /** The log's own error is not the plugin's: it ends the scoring. */
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
    timeoutMs: judges.judgeMs + JUDGE_MS_PER_EVENT * seen.count(),
    ...(last === undefined ? {} : { now: last.recordedAt }),
  }
  return judges.judge(measure.name, describe(task.taskId, measure, seen), options).pipe(
    Effect.merge,
    Effect.flatMap((answer) => (broken === undefined ? Effect.succeed(answer) : Effect.fail(broken))),
  )
}

const describe = (taskId: string, measure: Target["measure"], seen: TaskObservation.TaskObservation): JsonObject => {
  const { name, description, rewards = [], punishments = [], metadata = {} } = measure
  return {
    ...{ id: taskId, goal: seen.goal(), agent: seen.agent(), outcome: seen.outcome() },
    state: { ...seen.state() },
    measure: { name, description, rewards: rewards.map(plain), punishments: punishments.map(plain), metadata },
  }
}

const plain = (reward: Target["reward"]): JsonObject => ({ ...reward })

/** Events of a page at most, and how much JSON text in all, in characters: far below what a frame holds. */
const PAGE_EVENTS = 500
const PAGE_TEXT = 1024 * 1024

/** The page of a task's events after a position, without what is not judged; at least one event, where there is one. */
const pageAfter = (task: TaskEvents, after: number, until: number): Effect.Effect<Page, LogError> =>
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
    // A page of nothing but scorings is not the end.
    if (events.length === 0 && last !== undefined) return yield* pageAfter(task, last.position, until)
    return { events, more: read.length === PAGE_EVENTS }
  })

const shownOf = ({ position, id, type, actor, causationId, occurredAt, recordedAt, payload }: Event): JsonObject => ({
  ...{ position, id, type, actor, causationId, occurredAt, recordedAt, payload },
})
