/** Answers `/api/relatives`: the task that started a task, and the tasks that it started, with the calls that did. */

import { Effect } from "effect"
import type { LogError } from "../../../events/log/EventLog.ts"
import * as Pages from "../../../events/read/Pages.ts"
import { is } from "../../../events/vocabulary/Vocabulary.ts"
import type { TimelineHistory } from "../../../projections/timetravel/TimelineHistory.ts"
import type { Json } from "../../../values/Json.ts"
import { asObject } from "../../../values/JsonObjects.ts"
import * as SafeRecord from "../../../values/SafeRecord.ts"
import * as TaskRows from "../../course/TaskRows.ts"
import type { Child } from "../../index/TaskFamilies.ts"
import { StudioLog } from "../../StudioLog.ts"
import type { Relative, Relatives } from "../../wire/Task.ts"
import type { TaskQuery } from "../Tasks.ts"

/** Maximum number of listed children: the first ones. */
const MOST = 500

/** Minimum length of a prompt by which a call is recognized, in characters. */
const SHORTEST_PROMPT = 12

export const relatives = ({ timeline, task }: typeof TaskQuery.Type) =>
  Effect.gen(function* () {
    const studio = yield* StudioLog
    const past = yield* studio.past(timeline)
    const families = yield* studio.families(past)
    const rows = yield* TaskRows.of(past)
    const isKnown = (id: string) => SafeRecord.get(rows.standings.tasks, id) !== undefined
    const told = (id: string, call: StartingCall | undefined) =>
      Effect.map(
        TaskRows.some(past, rows, [id]),
        ([row]): ReadonlyArray<Relative> =>
          row === undefined
            ? []
            : [
                {
                  ...{ task: id, goal: row.goal, agent: row.agent, outcome: row.outcome, activity: row.activity },
                  ...{ call: call?.position ?? null, isInferred: call?.isInferred ?? false },
                },
              ],
      )
    const all = families.childrenOf(task).filter((child) => isKnown(child.task))
    const listed = all.slice(0, MOST)
    const calls = yield* callsOf(past, task, listed)
    const children = yield* Effect.forEach(listed, (child) => told(child.task, calls.get(child.task)))
    const origin = families.originOf(task)
    const isThere = origin !== undefined && isKnown(origin.parent)
    const started = isThere ? yield* callsOf(past, origin.parent, families.childrenOf(origin.parent)) : undefined
    const [parent = null] = isThere ? yield* told(origin.parent, started?.get(task)) : []
    return { parent, children: children.flat(), left: all.length - listed.length } satisfies Relatives
  })

interface StartingCall {
  readonly position: number
  readonly isInferred: boolean
}

/**
 * The calls that started tasks. Where the log names no cause, it is the first call whose arguments have the goal as their
 * prompt, and which started no other task: that is inferred.
 */
const callsOf = (
  past: TimelineHistory,
  parent: string,
  children: ReadonlyArray<Child>,
): Effect.Effect<ReadonlyMap<string, StartingCall>, LogError> =>
  Effect.gen(function* () {
    const found = new Map<string, StartingCall>()
    const wanted = new Map<string, Array<string>>()
    for (const { task, cause, goal } of children) {
      const prompt = goal.trim()
      if (cause !== null) found.set(task, { position: cause, isInferred: false })
      else if (prompt.length >= SHORTEST_PROMPT) wanted.set(prompt, [...(wanted.get(prompt) ?? []), task])
    }
    if (wanted.size === 0) return found
    yield* Pages.forEach(past.readPage, { taskId: parent, types: ["ActuatorCommanded"] }, (page) => {
      for (const event of page) {
        if (!is(event, "ActuatorCommanded")) continue
        const task = textsIn(event.payload.args).flatMap((text) => wanted.get(text.trim()) ?? [])[0]
        if (task === undefined) continue
        found.set(task, { position: event.position, isInferred: true })
        for (const waiting of wanted.values()) if (waiting[0] === task) waiting.shift()
      }
    })
    return found
  })

const textsIn = (args: Json): ReadonlyArray<string> =>
  Object.values(asObject(args)).filter((value) => typeof value === "string")
