/** Totals of the selected tasks, and the choices of each filter. */

import { Effect } from "effect"
import { Quantiles } from "../../projections/report/Quantiles.ts"
import type { TimelineHistory } from "../../projections/timetravel/TimelineHistory.ts"
import * as Sum from "../../values/Sum.ts"
import type * as TaskRows from "../course/TaskRows.ts"
import { StudioLog } from "../StudioLog.ts"
import type { Choice, Counted, States, TaskOverview } from "../wire/Overview.ts"
import * as Days from "./Days.ts"
import { type Candidate, passesBut, type Selection } from "./TaskSelection.ts"

export const of = (
  past: TimelineHistory,
  rows: TaskRows.Rows,
  { candidates, selected }: Selection,
  { all, zone }: { readonly all: number; readonly zone: string },
) =>
  Effect.gen(function* () {
    const but = (name: Parameters<typeof passesBut>[1]) => candidates.filter((task) => passesBut(task, name))
    const byState = but("state")
    return {
      tasks: selected.length,
      all,
      states: statesOf(selected),
      score: scoreOf(rows, selected),
      counted: yield* countedOf(past, rows, selected),
      choices: {
        states: statesOf(byState),
        questions: byState.filter(({ questions }) => questions > 0).length,
        agents: choicesOf(but("agent").map(({ agent }) => [agent])),
        models: rows.modelsOf === undefined ? null : choicesOf(but("model").map(({ models }) => models ?? [])),
        days: Days.of(but("day"), zone),
      },
    } satisfies TaskOverview
  })

const statesOf = (tasks: ReadonlyArray<Candidate>): States => {
  const states = new Map<string, number>()
  for (const { state } of tasks) states.set(state, (states.get(state) ?? 0) + 1)
  return Object.fromEntries(states)
}

/** The most frequent first. */
const choicesOf = (names: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<Choice> => {
  const counts = new Map<string, number>()
  for (const name of names.flat()) if (name !== "") counts.set(name, (counts.get(name) ?? 0) + 1)
  return [...counts]
    .map(([name, tasks]) => ({ name, tasks }))
    .sort((a, b) => b.tasks - a.tasks || (a.name < b.name ? -1 : 1))
    .slice(0, MAX_CHOICES)
}

const MAX_CHOICES = 200

const scoreOf = ({ standings }: TaskRows.Rows, tasks: ReadonlyArray<Candidate>): TaskOverview["score"] => {
  const scores = tasks.flatMap(({ id }) => standings.scoreOf(id) ?? [])
  if (scores.length === 0) return null
  const mean = Sum.round(Sum.of(scores.map(({ net }) => net)) / scores.length)
  return { mean, tasks: scores.length, sets: [...new Set(scores.map(({ label }) => label))].sort() }
}

/** Null until the index and the models are complete: numbers of a part of the tasks would mislead. */
const countedOf = (past: TimelineHistory, rows: TaskRows.Rows, tasks: ReadonlyArray<Candidate>) =>
  Effect.gen(function* () {
    const { index, outlineFacts } = yield* StudioLog
    const { modelsOf, useOf } = rows
    if (!index.isComplete() || modelsOf === undefined || useOf === undefined) return null
    const durations = new Quantiles()
    for (const { id } of tasks) {
      const { durationMs } = outlineFacts(past, id, rows.ends(id))
      if (durationMs !== null) durations.add(durationMs)
    }
    const spread = durations.spread()
    const ids = tasks.map(({ id }) => id)
    return {
      durationMs: spread === null ? null : { median: spread.median, tasks: spread.count },
      use: useOf(ids),
      withModels: ids.filter((id) => modelsOf(id).use !== null).length,
    } satisfies Counted
  })
