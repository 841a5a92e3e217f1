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

/** Maximum number of children that are listed, and whose calls are inferred: the first ones. */
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
    const childrenOf = (id: string) => families.childrenOf(id).filter((child) => isKnown(child.task))
    const all = childrenOf(task)
    const listed = all.slice(0, MOST)
    const calls = yield* callsOf(past, task, all)
    const children = yield* Effect.forEach(listed, (child) => told(child.task, calls.get(child.task)))
    const origin = families.originOf(task)
    const isThere = origin !== undefined && isKnown(origin.parent)
    const started = isThere ? yield* callsOf(past, origin.parent, childrenOf(origin.parent)) : undefined
    const [parent = null] = isThere ? yield* told(origin.parent, started?.get(task)) : []
    return { parent, children: children.flat(), left: all.length - listed.length } satisfies Relatives
  })

interface StartingCall {
  readonly position: number
  readonly isInferred: boolean
}

/** The tasks that have the same prompt, and the index of the first one that has no call yet. */
interface Waiting {
  readonly tasks: Array<string>
  next: number
}

/**
 * The calls that started tasks. Where the log names no cause, it is the first call whose arguments have the goal as their
 * prompt, and which started no other task: that is inferred, for the first `MOST` children.
 */
const callsOf = (
  past: TimelineHistory,
  parent: string,
  children: ReadonlyArray<Child>,
): Effect.Effect<ReadonlyMap<string, StartingCall>, LogError> =>
  Effect.gen(function* () {
    const found = new Map<string, StartingCall>()
    const wanted = new Map<string, Waiting>()
    for (const [index, { task, cause, goal }] of children.entries()) {
      if (cause !== null) found.set(task, { position: cause, isInferred: false })
      if (cause !== null || index >= MOST) continue
      const prompt = goal.trim()
      if (prompt.length < SHORTEST_PROMPT) continue
      const waiting = wanted.get(prompt)
      if (waiting === undefined) wanted.set(prompt, { tasks: [task], next: 0 })
      else waiting.tasks.push(task)
    }
    if (wanted.size === 0) return found
    const known = new Set(Array.from(found.values(), ({ position }) => position))
    yield* Pages.forEach(past.readPage, { taskId: parent, types: ["ActuatorCommanded"] }, (page) => {
      for (const event of page) {
        if (!is(event, "ActuatorCommanded") || known.has(event.position)) continue
        for (const text of textsIn(event.payload.args)) {
          const waiting = wanted.get(text.trim())
          const task = waiting?.tasks[waiting.next]
          if (waiting === undefined || task === undefined) continue
          waiting.next += 1
          found.set(task, { position: event.position, isInferred: true })
          break
        }
      }
    })
    return found
  })

const textsIn = (args: Json): ReadonlyArray<string> =>
  Object.values(asObject(args)).filter((value) => typeof value === "string")
