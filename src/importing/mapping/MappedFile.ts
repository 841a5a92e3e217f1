/** Applies a mapping to the records of one file, in order. */

import type { TaskOutcome } from "../../events/vocabulary/Tasks.ts"
import { IdSet, idOf } from "../runs/EventIds.ts"
import { contentIdOf, RecordKeys } from "../runs/RecordKeys.ts"
import type { MappedRun } from "../runs/Run.ts"
import type { MappedRuns } from "../runs/Runs.ts"
import { isSilent } from "../runs/Silence.ts"
import { timeOf } from "../runs/SourceTimes.ts"
import { logJson, nameFrom } from "../runs/Untrusted.ts"
import type { SourceFile } from "../Source.ts"
import { AskedValues } from "./AskedValues.ts"
import type { Meaning } from "./Document.ts"
import { answer } from "./MappedAnswer.ts"
import { isTrue, jsonIn, type Readers, textFrom } from "./MappedValues.ts"
import type { Row } from "./Rows.ts"

export interface Rule {
  readonly is: Meaning["is"]
  /** Its path in the mapping, for messages. */
  readonly place: string
  readonly holds: (record: object) => boolean
  readonly readers: Readers
}

interface Mapped {
  readonly run: MappedRun
  readonly seen: IdSet
  readonly keys: RecordKeys
  number: number
  lastCall: string | undefined
  lastAt: number | null
  open: string | undefined
}

/** Maximum number of records to hold back until the first text, the goal. */
const MAX_BEFORE_GOAL = 100

export class MappedFile {
  readonly #runs: MappedRuns
  readonly #file: SourceFile
  readonly #name: string
  readonly #heads: Readers
  readonly #rules: ReadonlyArray<Rule>
  readonly #mapped = new Map<string, Mapped>()
  readonly #early = new Map<string, Array<Row>>()
  #unnamed: string | undefined
  readonly #values = new AskedValues()

  constructor(runs: MappedRuns, file: SourceFile, name: string, heads: Readers, rules: ReadonlyArray<Rule>) {
    this.#runs = runs
    this.#file = file
    this.#name = name
    this.#heads = Object.fromEntries(
      Object.entries(heads).map(([head, read]) => [head, (record: object) => this.#values.count(head, read(record))]),
    )
    this.#rules = rules
  }

  record(row: Row): void {
    const { record } = row
    const id = textFrom(this.#heads.run?.(record)) ?? row.run ?? this.#unnamedRun(record)
    const mapped = this.#mapped.get(id)
    if (mapped !== undefined) {
      this.#map(mapped, row)
      return
    }
    const early = this.#early.get(id) ?? []
    this.#early.set(id, early)
    early.push(row)
    const goal =
      textFrom(this.#heads.goal?.(record)) ?? (this.#heads.goal === undefined ? this.#saidIn(record) : undefined)
    if (goal !== undefined || early.length >= MAX_BEFORE_GOAL) this.#begin(id, goal)
  }

  /**
   * The run id for records that name none. It derives from the first record if that has a time or id, since the file
   * may be rotated or restarted with another run; otherwise it is the file's name.
   */
  #unnamedRun(first: object): string {
    this.#unnamed ??=
      timeOf(this.#heads.time?.(first)) === null && textFrom(this.#heads.id?.(first)) === undefined
        ? this.#file.name.replace(/\.\w+$/, "")
        : contentIdOf(first)
    return this.#unnamed
  }

  #saidIn(record: object): string | undefined {
    const rule = this.#ruleOf(record)
    return rule?.is === "said" ? textFrom(rule.readers.content?.(record)) : undefined
  }

  #ruleOf(record: object): Rule | undefined {
    return this.#rules.find(({ holds }) => holds(record))
  }

  #begin(id: string, goal: string | undefined): void {
    const early = this.#early.get(id) ?? []
    this.#early.delete(id)
    const agent = early.map(({ record }) => textFrom(this.#heads.agent?.(record))).find((name) => name !== undefined)
    const at = early.map(({ record }) => timeOf(this.#heads.time?.(record))).find((time) => time !== null) ?? null
    const run = this.#runs.open({
      id,
      goal: goal ?? `run ${id}`,
      agent: nameFrom(agent ?? this.#name),
      at,
      about: { run: id, file: this.#file.name },
    })
    const open = "no record says how it ended"
    const mapped = { run, seen: new IdSet(), keys: new RecordKeys(), number: 0, lastCall: undefined, lastAt: at, open }
    this.#mapped.set(id, mapped)
    for (const row of early) this.#map(mapped, row)
  }

  #map(mapped: Mapped, { record, item }: Row): void {
    const { run } = mapped
    const own = textFrom(this.#heads.id?.(record))
    if (own !== undefined && !mapped.seen.add(idOf(own))) {
      this.#runs.repeated("record", "id")
      return
    }
    mapped.number += 1
    const key = own ?? mapped.keys.of(item)
    const at = this.#runs.timeOf(this.#heads.time?.(record))
    mapped.lastAt = at ?? mapped.lastAt
    run.tick(at)
    const rule = this.#ruleOf(record)
    const kind = nameFrom(textFrom(this.#heads.kind?.(record)) ?? "record")
    if (rule === undefined || rule.is === "kept") run.keep(key, kind, item, { at })
    else if (rule.is === "nothing") this.#runs.leaveOut(kind, "the mapping says so")
    else this.#mean(mapped, rule, { record, item }, key, at)
  }

  #mean(
    mapped: Mapped,
    { is, place, readers }: Rule,
    { record, item }: Omit<Row, "run">,
    key: string,
    at: number | null,
  ): void {
    const { run } = mapped
    const read = (name: string) => this.#read(readers, name, record, place)
    const callId = () => textFrom(read("id")) ?? mapped.lastCall ?? ""
    const pairing = () => (textFrom(read("id")) === undefined ? "next-result" : "call-id")
    switch (is) {
      case "said":
        run.said(key, read("content") ?? null, { at, source: textFrom(read("source")) ?? "user" })
        break
      case "guided":
        run.model.guided(key, textFrom(read("content")) ?? "", at)
        break
      case "answer":
        mapped.lastCall = answer(run, readers, read, key, at) ?? mapped.lastCall
        break
      case "call":
        mapped.lastCall = textFrom(read("id")) ?? key
        run.commands.called(mapped.lastCall, textFrom(read("tool")) ?? "unknown", jsonIn(read("args")) ?? {}, { at })
        break
      case "result":
        if (
          run.commands.result(callId(), {
            ok: !isTrue(read("failed")),
            content: read("content") ?? null,
            at,
            by: pairing(),
          }) === undefined
        )
          this.#lacksCall(run, item, key, at)
        break
      case "denied":
        if (
          run.commands.denied(callId(), textFrom(read("reason")) ?? "a person refused it", at, pairing()) === undefined
        )
          this.#lacksCall(run, item, key, at)
        break
      case "file": {
        const path = textFrom(read("path"))
        const content = read("content")
        if (path === undefined) run.keep(key, "file", item, { at })
        else {
          const after = typeof content === "string" ? content : content === null ? undefined : null
          run.environment.fileChanged(key, path, run.environment.files.get(path), after, at)
        }
        break
      }
      case "state":
        run.environment.stateSet(`state:${key}`, logJson(read("state") ?? null).json, at)
        break
      case "score":
        this.#scored(run, read)
        break
      case "end": {
        const outcome = OUTCOMES.find((known) => known === read("outcome"))
        if (outcome === undefined)
          this.#runs.remark(`outcomes that are none of ${OUTCOMES.join(", ")}: the run is abandoned`)
        mapped.open = undefined
        run.close("end", outcome ?? "abandoned", textFrom(read("reason")) ?? "the source says so", at)
        break
      }
      default:
        run.keep(key, is, item, { at })
    }
  }

  #read(readers: Readers, name: string, record: object, place: string): unknown {
    const reader = readers[name]
    return reader === undefined ? undefined : this.#values.count(`${place}.${name}`, reader(record))
  }

  #lacksCall(run: MappedRun, item: object, key: string, at: number | null): void {
    this.#runs.remark("results of calls that are not there: they are kept as they are")
    run.keep(key, "result", item, { at })
  }

  #scored(run: MappedRun, read: (name: string) => unknown): void {
    const value = read("value")
    const [name, scorer] = [nameFrom(textFrom(read("name")) ?? "score"), textFrom(read("scorer")) ?? this.#name]
    const number = typeof value === "boolean" ? Number(value) : typeof value === "number" ? value : null
    const rationale = textFrom(read("rationale")) ?? null
    this.#runs.score({
      taskId: run.taskId,
      scorer,
      name,
      value: Number.isFinite(number) ? number : null,
      rationale,
    })
  }

  end(): void {
    for (const [id, early] of [...this.#early]) {
      const times = early.map(({ record }) => timeOf(this.#heads.time?.(record))).filter((time) => time !== null)
      // A later record may still state the goal.
      if (isSilent(this.#file, times.at(-1) ?? null)) this.#begin(id, undefined)
      else
        this.#runs.postpone(
          "postponed: a run without a goal yet. It is imported once it has one, or was silent for an hour",
        )
    }
    for (const { run, open, lastAt, number } of this.#mapped.values())
      if (open !== undefined && isSilent(this.#file, lastAt)) run.close(String(number), "abandoned", open, lastAt)
    this.#values.tellMissing(this.#runs)
  }
}

const OUTCOMES: ReadonlyArray<TaskOutcome> = ["achieved", "failed", "abandoned", "truncated"]
