/** Builds the events of one imported run as a task. */

import type { InputDelivery } from "../../events/vocabulary/Deciding.ts"
import type { Unseen } from "../../events/vocabulary/Notes.ts"
import type { TaskOutcome } from "../../events/vocabulary/Tasks.ts"
import type { PayloadOf } from "../../events/vocabulary/Vocabulary.ts"
import { sha256 } from "../../values/Digest.ts"
import { defined } from "../../values/defined.ts"
import { type Json, type JsonObject, plainText } from "../../values/Json.ts"
import { Commands } from "./Commands.ts"
import { unseenOf } from "./FormatCapture.ts"
import { ModelTurns } from "./ModelTurns.ts"
import { RunEnvironment } from "./RunEnvironment.ts"
import {
  type Body,
  type ImportedRun,
  ofAgent,
  type RunEvent,
  type RunSink,
  type RunStart,
  type When,
} from "./RunEvent.ts"
import { increase } from "./Tally.ts"
import { asObject, logJson, nameFrom } from "./Untrusted.ts"

/** Usage that a source states for all model calls together. */
export type StatedUse = NonNullable<PayloadOf<"SourceStated">["used"]>

interface Saying {
  /** The speaker. Default: `user`. */
  readonly source?: string
  readonly delivery?: InputDelivery
  /** The text that the model read, if the program added something. */
  readonly told?: Json
}

/** A run being mapped. Its methods write events, whose keys derive from the source's ids. */
export class MappedRun implements ImportedRun {
  readonly taskId: string
  readonly model: ModelTurns
  readonly commands: Commands
  readonly environment: RunEnvironment
  /** The last known time in the source. */
  lastAt: number | null
  closed = false
  readonly #runs: RunSink
  #start: RunStart
  /** Whether the records being mapped are copies from another run: they update the state and write no events. */
  #isCopied: boolean
  /** Keys of the last event and of the last failure. */
  #last = "opened"
  #lastFailed: string | undefined

  /** @param isCopied whether it begins with copied records, until `beginOwn` */
  constructor(runs: RunSink, start: RunStart, isCopied = false) {
    this.#runs = runs
    this.#start = shortened(start)
    this.#isCopied = isCopied
    this.lastAt = start.at
    this.taskId = taskIdOf(runs.source, start.id)
    const writer = {
      source: runs.source,
      prices: runs.prices,
      capture: runs.capture,
      taskId: this.taskId,
      write: (key: string, body: Body, when: When) => this.#write(key, body, when),
      writeAt: (key: string, body: Body, at: number | null, cause: string | null) =>
        this.#writeAt(key, body, at, cause),
    }
    this.model = new ModelTurns(writer)
    this.commands = new Commands(writer, this.model)
    this.environment = new RunEnvironment(writer)
    if (!this.#isCopied) this.#open()
  }

  get start(): RunStart {
    return this.#start
  }

  /** Whether everything so far was copied. */
  get isCopied(): boolean {
    return this.#isCopied
  }

  /** Ends the copied part: the run's own events begin, with the files as they are now. */
  beginOwn(start: Pick<RunStart, "goal" | "at">): void {
    this.#isCopied = false
    this.#start = shortened({ ...this.#start, ...start })
    this.lastAt = start.at
    this.commands.pending.clear()
    this.#open()
    const environment = this.environment.now()
    if (environment !== undefined) this.#write("environment", environment, { at: start.at })
  }

  /** Advances to a record's time. A clock that goes back gives a remark and no reordering. */
  tick(at: number | null): void {
    if (at === null) return
    if (this.lastAt !== null && at < this.lastAt && !this.#isCopied)
      this.#runs.remark("times that go back: the order is the file's")
    this.lastAt = at
  }

  /** The same for records of concurrent activities, whose times need not be in order. */
  reach(at: number | null): void {
    if (at !== null && (this.lastAt === null || at > this.lastAt)) this.lastAt = at
  }

  /** Records an input. `content` is text or content parts. */
  said(key: string, content: unknown, when: When & Saying): void {
    const { json } = logJson(content)
    const { source = "user", delivery, told = json } = when
    const payload = { source, content: json, ...defined({ delivery }), ...ofAgent(when.agentId) }
    this.#write(`said:${key}`, { type: "InputReceived", payload }, when)
    this.model.told({ role: "user", content: partsOf(told) }, when.agentId, `said:${key}`)
  }

  spoke(key: string, text: string, when: When): void {
    const { json } = logJson(text)
    const payload = { content: String(json), format: "markdown", ...ofAgent(when.agentId) } as const
    this.#write(`spoke:${key}`, { type: "MessageSent", payload }, when)
  }

  /** Keeps a record unchanged, since no event type fits it. */
  keep(key: string, kind: string, record: unknown, when: When): void {
    if (this.#isCopied) return
    increase(this.#runs.kept, kind)
    const { source } = this.#runs
    const payload = { source, kind: nameFrom(kind), record: logJson(record).json, ...ofAgent(when.agentId) }
    this.#write(`kept:${key}`, { type: "SourceRecordKept", payload }, when)
  }

  /** Records a run of a world's steps in compact form. `first` is the index of its first step. */
  stepped(payload: PayloadOf<"StepsRecorded">, at: number | null): void {
    this.#write(`steps:${payload.first}`, { type: "StepsRecorded", payload }, { at })
  }

  note(key: string, text: string, at: number | null): void {
    this.#write(`note:${key}`, { type: "NoteAdded", payload: { about: this.taskId, text: plainText(text) } }, { at })
  }

  /** Records usage that the source states for all calls so far together. */
  stated(key: string, used: StatedUse, at: number | null): void {
    const payload = { source: this.#runs.source, used }
    this.#write(`stated:${key}`, { type: "SourceStated", payload }, { at })
  }

  /** Records that something is not imported yet because the source may continue it. `key` names it. */
  waits(key: string, what: string, at: number | null): void {
    this.#runs.remarkOnFile(what)
    this.#write(`waits:${key}`, { type: "SourceStated", payload: { source: this.#runs.source, waits: what } }, { at })
  }

  /**
   * Closes the task. `finished`: the work ended, and the source does not judge it. The cause is the last failure if it
   * failed, otherwise the last event. Open calls get unknown outcomes.
   */
  close(key: string, end: TaskOutcome | "finished", reason: string, at: number | null): void {
    this.commands.endAll(at)
    const unseen = unseenOf(this.#runs.takeCounts())
    if (unseen.length > 0) this.#write(`captured:${key}`, this.#captured(unseen), { at })
    this.closed = true
    const cause = end === "failed" ? (this.#lastFailed ?? this.#last) : this.#last
    const judged = end === "finished" ? ({ outcome: "achieved", unjudged: true } as const) : { outcome: end }
    const payload = { ...judged, reason: plainText(reason) }
    this.#write(`closed:${key}`, { type: "TaskClosed", payload }, { at, cause })
  }

  /**
   * First events of a further task for the run, after the log closed the earlier one: the opening and the current
   * files.
   */
  continuedAs(part: number): ReadonlyArray<RunEvent> {
    const body = this.#opening({ ...this.start.about, continues: this.taskId, part })
    const opened = { run: this, key: `opened:${part}`, cause: null, at: this.lastAt, bytes: 0, body }
    const environment = this.environment.now()
    const captured = { ...opened, key: `capture:${part}`, cause: opened.key, body: this.#captured() }
    if (environment === undefined) return [opened, captured]
    return [opened, captured, { ...opened, key: `environment:${part}`, cause: opened.key, body: environment }]
  }

  #open(): void {
    const { at, about, begins } = this.#start
    this.#write("opened", this.#opening(about, begins), { at, cause: null })
    this.#write("capture", this.#captured(), { at })
  }

  /** The capture: the source's gaps or, at the end, omitted and shortened parts. */
  #captured(unseen?: ReadonlyArray<Unseen>): Body {
    const { source, capture } = this.#runs
    const payload = unseen === undefined ? { source, unseen: [], lacks: capture.lacks } : { source, unseen }
    return { type: "CaptureNoted", payload }
  }

  #opening(about: JsonObject, begins?: RunStart["begins"]): Body {
    const { goal, agent } = this.start
    const environment = { [this.#runs.source]: asObject(about) }
    return {
      type: "TaskOpened",
      payload: { goal, agent: nameFrom(agent), measures: [], environment, ...defined({ begins }) },
    }
  }

  /** Writes an event at its own or the last known time. */
  #write(key: string, body: Body, { at, cause = "opened" }: When): void {
    this.#writeAt(key, body, at ?? this.lastAt, cause)
  }

  #writeAt(key: string, body: Body, at: number | null, cause: string | null): void {
    if (this.#isCopied) return
    if (!ASIDE.has(body.type)) this.#last = key
    if (body.type === "ModelFailed" || body.type === "CommandFailed") this.#lastFailed = key
    this.#runs.add({ run: this, key, cause, at, body, bytes: logJson(body.payload).bytes })
  }
}

/** A goal may be as long as a file, and stays in memory until the report. */
const shortened = (start: RunStart): RunStart => ({ ...start, goal: plainText(start.goal) })

/** Event types that do not show how a run went. */
const ASIDE: ReadonlySet<string> = new Set(["SourceRecordKept", "NoteAdded", "SourceStated", "CaptureNoted"])

/** The task id of a run. An id that does not fit a name is replaced by its digest. */
export const taskIdOf = (source: string, id: string): string =>
  /^[\w.@=-]{1,200}$/.test(id) ? `${source}-${id}` : `${source}-${sha256(id).slice(0, 32)}`

const partsOf = (content: Json): Json =>
  typeof content === "string"
    ? [{ type: "text", text: content }]
    : Array.isArray(content)
      ? content
      : [{ type: "text", text: JSON.stringify(content) }]
