/**
 * The beginning of a rollout: holds lines back until the first prompt, the goal, and separates turns copied from the
 * rollout that it was forked from or that started its agent.
 */

import { defined } from "../../values/defined.ts"
import { contentIdOf } from "../runs/RecordKeys.ts"
import { type MappedRun, taskIdOf } from "../runs/Run.ts"
import type { RunStart } from "../runs/RunEvent.ts"
import type { MappedRuns } from "../runs/Runs.ts"
import { timeOf } from "../runs/SourceTimes.ts"
import { field, isObject, logJson, numberOf, textOf, at as valueAt } from "../runs/Untrusted.ts"
import type { SourceFile } from "../Source.ts"
import { CopiedTurns } from "./CopiedTurns.ts"
import { goalIn } from "./Items.ts"

/** Maximum number of lines to hold back. */
const MAX_BEFORE_GOAL = 200

interface Receiver {
  readonly map: (run: MappedRun, line: unknown) => void
  /** Called after the last copied line. */
  readonly endCopied: (run: MappedRun) => void
}

export class Beginning {
  meta: unknown
  /** The run, once its goal is known. */
  run: MappedRun | undefined
  readonly #runs: MappedRuns
  readonly #file: SourceFile
  readonly #receiver: Receiver
  #early: Array<unknown> = []
  /** Set while lines are copies, and the run built from them. */
  #copies: CopiedTurns | undefined
  #copied: MappedRun | undefined

  constructor(runs: MappedRuns, file: SourceFile, receiver: Receiver) {
    this.#runs = runs
    this.#file = file
    this.#receiver = receiver
  }

  get lastAt(): number | null {
    const times = this.#early.map((value) => timeOf(field(value, "timestamp"))).filter((time) => time !== null)
    return times.at(-1) ?? null
  }

  /** Whether token totals include those of another rollout whose lines are not in this one. */
  get goesOn(): boolean {
    return textOf(this.meta, "forked_from_id") !== undefined && this.#copied === undefined
  }

  /** Whether this is a sub-agent's rollout, whose prompts come from its parent. */
  get isOfAgent(): boolean {
    return isObject(valueAt(this.meta, "source", "subagent"))
  }

  record(value: unknown): void {
    if (this.#copies !== undefined) this.#copy(this.#copies, value)
    else if (this.#isOfAnother(value)) this.#beginCopied()
    else this.#wait(value)
  }

  end(settled: boolean): void {
    if (this.#copies !== undefined) this.#mapCopied(this.#copies.end())
    if (this.run === undefined && settled && this.#early.length > 0) this.#begin("")
  }

  #wait(value: unknown): void {
    if (this.meta === undefined && field(value, "type") === "session_meta") this.meta = field(value, "payload")
    else if (this.meta === undefined && this.#early.length === 0 && textOf(value, "id") !== undefined) this.meta = value
    this.#early.push(value)
    const goal = goalIn(value)
    if (goal !== undefined || this.#early.length >= MAX_BEFORE_GOAL) this.#begin(goal ?? "")
  }

  /** Whether a line is another rollout's metadata, after which copied lines follow. */
  #isOfAnother(value: unknown): boolean {
    const [own, id] = [textOf(this.meta, "id"), textOf(field(value, "payload"), "id")]
    return this.#copied === undefined && field(value, "type") === "session_meta" && own !== undefined && id !== own
  }

  #beginCopied(): void {
    const early = this.#early.splice(0)
    const start = this.#start("", early)
    const run = this.#runs.openCopied(start)
    this.#copies = new CopiedTurns(start.at ?? Number.NEGATIVE_INFINITY)
    this.#copied = run
    for (const value of early) this.#receiver.map(run, value)
  }

  #copy(copies: CopiedTurns, value: unknown): void {
    const { copied, own } = copies.take(value)
    this.#mapCopied(copied)
    if (own === undefined) return
    this.#copies = undefined
    if (this.#copied !== undefined) this.#receiver.endCopied(this.#copied)
    for (const line of own)
      if (this.run === undefined) this.#wait(line)
      else this.#receiver.map(this.run, line)
  }

  #mapCopied(lines: ReadonlyArray<unknown>): void {
    if (this.#copied === undefined || lines.length === 0) return
    for (const line of lines) this.#receiver.map(this.#copied, line)
    this.#runs.leaveOut(
      "turn of another rollout",
      "it was copied from the rollout that this one continues",
      lines.length,
    )
  }

  #begin(goal: string): void {
    const early = this.#early
    this.#early = []
    const start = this.#start(goal, early)
    this.#copied?.beginOwn({ ...start, at: timeOf(field(early[0], "timestamp")) ?? start.at })
    const run = this.#copied ?? this.#runs.open(start)
    this.run = run
    for (const value of early) this.#receiver.map(run, value)
  }

  #start(goal: string, early: ReadonlyArray<unknown>): RunStart {
    const { meta } = this
    const id = textOf(meta, "id") ?? idIn(this.#file.name) ?? contentIdOf(early[0])
    const named = ["cwd", "originator", "cli_version", "model_provider", "forked_from_id"].flatMap((name) => {
      const text = textOf(meta, name)
      return text === undefined ? [] : [[name, text] as const]
    })
    const git = field(meta, "git")
    const spawned = textOf(valueAt(meta, "source", "subagent", "thread_spawn"), "parent_thread_id")
    const parent = textOf(meta, "forked_from_id") ?? textOf(meta, "parent_thread_id") ?? spawned
    const forkedAt = numberOf(meta, "forked_from_ordinal_exclusive")
    return {
      id,
      goal: goal === "" ? `rollout ${id}` : goal,
      agent: `codex@${textOf(meta, "cli_version") ?? "unknown"}`,
      at: timeOf(field(meta, "timestamp") ?? field(early[0], "timestamp")),
      about: {
        session: id,
        ...Object.fromEntries(named),
        ...(isObject(git) ? { git: logJson(git).json } : {}),
        ...(parent === undefined ? {} : { parent: taskIdOf("codex", parent) }),
        ...defined({ forkedAt }),
      },
    }
  }
}

/** The rollout id in a file name. */
export const idIn = (name: string): string | undefined => /([0-9a-f-]{36})\.jsonl$/i.exec(name)?.[1]
