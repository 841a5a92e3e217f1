/** The export formats of trajectories in one file: a line for each episode, or a row for each step. */

import * as StepPosition from "../../../events/steps/StepPosition.ts"
import type { Json } from "../../../values/Json.ts"
import * as Csv from "../Csv.ts"
import type { Encoder } from "../Encoder.ts"
import * as ParquetRows from "../ParquetRows.ts"
import type { Trajectory, TrajectoryStep } from "./Trajectory.ts"

/** Encodes trajectories as JSON Lines: one `Trajectory` per line. */
export const lines = (): Encoder<Trajectory> => ({
  add: (trajectories) => trajectories.map((trajectory) => `${JSON.stringify(trajectory)}\n`),
  end: () => "",
})

/** Encodes trajectories as a Parquet table: one row per step; observations, actions and information are JSON text. */
export const table = (about: Readonly<Record<string, string>>): Encoder<Trajectory> =>
  bySteps(ParquetRows.encoder<Row>({ columns: COLUMNS, weigh }, about))

/** Encodes trajectories as CSV, with the columns of the Parquet table. */
export const csv = (): Encoder<Trajectory> => bySteps(Csv.encoder(COLUMNS))

const bySteps = (rows: Encoder<Row>): Encoder<Trajectory> => {
  let episode = 0
  return {
    add: (trajectories) => rows.add(trajectories.flatMap((trajectory) => rowsOf(trajectory, episode++))),
    end: rows.end,
  }
}

/** A step with its episode, and its observations as text. */
interface Row extends TrajectoryStep {
  readonly of: Trajectory
  readonly episode: number
  readonly step: number
  readonly before: string
  readonly after: string
}

const rowsOf = (of: Trajectory, episode: number): ReadonlyArray<Row> => {
  let before = JSON.stringify(of.first)
  return of.steps.map((step, index) => {
    const row = { ...step, of, episode, step: index, before, after: JSON.stringify(step.observation) }
    before = row.after
    return row
  })
}

const weigh = ({ before, after }: Row): number => before.length + after.length

const jsonText = (value: Json): string => JSON.stringify(value)

const COLUMNS: ReadonlyArray<ParquetRows.Column<Row>> = [
  { name: "episode", holds: "integer", values: "rising", of: ({ episode }) => episode },
  { name: "step", holds: "integer", of: ({ step }) => step },
  { name: "task_id", holds: "text", values: "few", of: ({ of }) => of.taskId },
  { name: "timeline", holds: "text", values: "few", of: ({ of }) => of.timeline },
  { name: "agent", holds: "text", values: "few", of: ({ of }) => of.agent },
  { name: "world", holds: "text", values: "few", of: ({ of }) => of.world },
  { name: "seed", holds: "integer", optional: true, of: ({ of }) => of.seed },
  { name: "position", holds: "integer", of: ({ position }) => StepPosition.holder(position) },
  { name: "observation", holds: "text", bounds: false, of: ({ before }) => before },
  { name: "action", holds: "text", values: "few", of: ({ action }) => jsonText(action) },
  { name: "reward", holds: "number", of: ({ reward }) => reward },
  { name: "terminated", holds: "boolean", of: ({ terminated }) => terminated },
  { name: "truncated", holds: "boolean", of: ({ truncated }) => truncated },
  { name: "next_observation", holds: "text", bounds: false, of: ({ after }) => after },
  { name: "info", holds: "text", values: "few", of: ({ info }) => jsonText(info) },
]
