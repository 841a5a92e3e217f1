/**
 * Logs of the PiaAGI Agent Analysis and Visualization Toolkit (`PiaAVT/Logging_Specification.md` of PiaCRUE), in both
 * dialects: `event_data`, `simulation_run_id` and `source_component_id`, or the older `data` and `source`.
 */

import type { TaskOutcome } from "../../events/vocabulary/Tasks.ts"
import { APPROVALS, MODELS, TOOL_TIMES, WORLD } from "../runs/FormatCapture.ts"
import { contentIdOf, RecordKeys } from "../runs/RecordKeys.ts"
import type { MappedRun } from "../runs/Run.ts"
import type { MappedRuns } from "../runs/Runs.ts"
import { isSilent } from "../runs/Silence.ts"
import { timeOf } from "../runs/SourceTimes.ts"
import { field, isObject, nameFrom, textOf } from "../runs/Untrusted.ts"
import type { FileHead, Mapper, Source, SourceFile } from "../Source.ts"

const isOwn = (line: unknown): boolean =>
  textOf(line, "event_type") !== undefined &&
  field(line, "timestamp") !== undefined &&
  ((isObject(field(line, "event_data")) && textOf(line, "agent_id") !== undefined) ||
    (isObject(field(line, "data")) && textOf(line, "source") !== undefined))

export const piaAvt: Source = {
  name: "piaavt",
  title: "log of PiaAVT",
  form: "lines",
  capture: { pairing: null, lacks: [MODELS, APPROVALS, TOOL_TIMES, WORLD] },
  recognizes: ({ lines }: FileHead) => lines.length > 0 && isOwn(lines[0]),
  open: (file: SourceFile, runs: MappedRuns): Mapper => {
    const simulations = new Map<string, Simulation>()
    /** The run of lines that name none. It derives from the first line, since the file may be rotated or restarted. */
    let unnamed: string | undefined
    return {
      record: ({ value, where }) => {
        if (!isOwn(value)) {
          runs.leaveOut("line", "it has no event_type, timestamp and data")
          return
        }
        const named = textOf(value, "simulation_run_id")
        if (named === undefined) unnamed ??= contentIdOf(value)
        const id = named ?? unnamed ?? ""
        let simulation = simulations.get(id)
        if (simulation === undefined) {
          simulation = new Simulation(runs, id, value)
          simulations.set(id, simulation)
        }
        simulation.record(value, where)
      },
      end: () => {
        for (const simulation of simulations.values()) simulation.end(file)
      },
    }
  },
}

/** Goal states and task statuses that end a run. */
const ENDS = new Map<string, TaskOutcome>([
  ["ACHIEVED", "achieved"],
  ["COMPLETED", "achieved"],
  ["FAILED", "failed"],
  ["ABANDONED", "abandoned"],
  ["CANCELLED", "abandoned"],
])

/** Maps one simulation run: actions become commands, all other lines are kept. */
class Simulation {
  readonly #runs: MappedRuns
  readonly #run: MappedRun
  readonly #keys = new RecordKeys()
  #lastAt: number | null
  #outcome: { readonly outcome: TaskOutcome; readonly reason: string } | undefined
  #number = 0

  constructor(runs: MappedRuns, id: string, first: unknown) {
    this.#runs = runs
    this.#lastAt = timeOf(field(first, "timestamp"))
    const data = dataOf(first)
    this.#run = runs.open({
      id,
      goal: textOf(data, "description") ?? textOf(data, "task_name") ?? `simulation ${id}`,
      agent: nameFrom(textOf(first, "agent_id") ?? "unknown"),
      at: this.#lastAt,
      about: { simulation: id, experiment: textOf(first, "experiment_id") ?? null },
    })
  }

  record(line: unknown, where: string): void {
    const at = this.#runs.timeOf(field(line, "timestamp"))
    const type = textOf(line, "event_type") ?? "unknown"
    // Lines have no ids. An identical line with the same time is a duplicate.
    const key = this.#keys.ofNew(line)
    if (key === undefined) {
      this.#runs.repeated(type, "line")
      return
    }
    this.#number += 1
    this.#run.tick(at)
    this.#lastAt = at ?? this.#lastAt
    const data = dataOf(line)
    const agentId = textOf(line, "agent_id")
    const when = { at, agentId: agentId === undefined ? undefined : nameFrom(agentId) }
    if (type === "AGENT_ACTION_EXECUTED" || type === "ACTION_EXECUTED") this.#action(data, key, at)
    else this.#run.keep(key, type, line, when)
    const state = textOf(data, "new_state") ?? textOf(data, "status")
    const outcome = /GOAL_STAT(?:E|US)_CHANGED|TASK_STATUS_UPDATE/.test(type) ? ENDS.get(state ?? "") : undefined
    if (outcome !== undefined) this.#outcome = { outcome, reason: `${type}: ${state}, in line ${where}` }
  }

  /** Maps an executed action to a command with its outcome. */
  #action(data: unknown, key: string, at: number | null): void {
    const details = field(data, "action_details")
    const tool = textOf(details, "type") ?? textOf(data, "action_type") ?? textOf(data, "action") ?? "action"
    const args = field(details, "parameters") ?? field(data, "parameters") ?? data
    const result = field(data, "outcome") ?? field(data, "result") ?? null
    const status = textOf(result, "status") ?? (typeof result === "string" ? result : "")
    this.#run.commands.called(key, tool, args, { at })
    this.#run.commands.result(key, { ok: !/fail|error/i.test(status), content: result, at })
  }

  end(file: SourceFile): void {
    if (!isSilent(file, this.#lastAt)) return
    const { outcome, reason } = this.#outcome ?? { outcome: "abandoned", reason: "no line says how it ended" }
    this.#run.close(String(this.#number), outcome, reason, this.#lastAt)
  }
}

const dataOf = (line: unknown): unknown => field(line, "event_data") ?? field(line, "data")
