/** The tools that a recorded program ran itself. A log answers only requests, so whenever the program runs again, so do they. */
import { Effect, Option } from "effect"
import { EventLog, MAIN } from "../../../events/log/EventLog.ts"
import * as Pages from "../../../events/read/Pages.ts"
import * as Timelines from "../../../events/read/Timelines.ts"
import type { Event } from "../../../events/vocabulary/Event.ts"
import { is } from "../../../events/vocabulary/Vocabulary.ts"
import * as ProcessRun from "../../../record/process/ProcessRun.ts"
import * as Output from "../../command/Output.ts"

/** The tools of a task's observed commands, each once, in the order of their first command. */
export const of = (taskId: string, timeline?: string) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const named =
      timeline === undefined || timeline === MAIN || timeline === log.timeline
        ? log
        : yield* Effect.map(Timelines.named(log, timeline), (found) => Timelines.view(log, found))
    const commands: Array<Event> = []
    const sought = { timeline: named.timeline, taskId, types: ["ActuatorCommanded"] } as const
    yield* Pages.forEach(named.readPage, sought, (page) => void commands.push(...page))
    return among(commands)
  })

/** The same, from a task's events. */
export const among = (events: ReadonlyArray<Event>): ReadonlyArray<string> => [
  ...new Set(
    events.flatMap((event) =>
      is(event, "ActuatorCommanded") && event.payload.observed === true
        ? [event.payload.actuator.slice(event.payload.actuator.indexOf("/") + 1)]
        : [],
    ),
  ),
]

const MAX_NAMED = 5

/** Says, before a program runs, which of its tools run for real. */
export const note = (tools: ReadonlyArray<string>, { isNode }: { readonly isNode: boolean }) =>
  tools.length === 0 ? Effect.void : Output.note(sentence(tools, isNode))

const sentence = (tools: ReadonlyArray<string>, isNode: boolean): string => {
  const more = tools.length > MAX_NAMED ? [`${tools.length - MAX_NAMED} more`] : []
  const [last = "", ...others] = [...tools.slice(0, MAX_NAMED), ...more].reverse()
  const named = others.length === 0 ? last : `${others.reverse().join(", ")} and ${last}`
  const [run, them] = tools.length === 1 ? ["runs", "it"] : ["run", "them"]
  const wrap = isNode ? `wrap ${them} with \`run.tool\`, or ` : ""
  return `The program's own ${tools.length === 1 ? "tool" : "tools"} ${named} ${run} for real again: the log answers only requests. To prevent that, ${wrap}let the program check ${ProcessRun.REPLAYING}.`
}

/** Runs of the doctor on a recording. */
const EXAMINED = 6

/** Says, before the doctor starts, how often it runs the program. */
export const noteRuns = (task: Option.Option<string>) =>
  Output.note(
    Option.isSome(task)
      ? `\`record doctor\` runs the program ${EXAMINED} times on its recording.`
      : `\`record doctor\` runs the program ${EXAMINED + 1} times: once to record it, then ${EXAMINED} times on the recording. Tools that the program calls itself run each time.`,
  )
