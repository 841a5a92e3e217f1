/** One run of another program as a task: builds its events in the words of the log. */

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

/** What calls of models used. */
export type StatedUse = NonNullable<PayloadOf<"SourceStated">["used"]>

/** How something was said. */
interface Saying {
  /** Who said it. Default: `user`. */
  readonly source?: string
  readonly delivery?: InputDelivery
  /** What the model was told, where it is more than what was said, such as what the program added. */
  readonly told?: Json
}

/** A run that is being mapped. Its methods write events; keys follow from the source's ids. */
export class Run implements ImportedRun {
  readonly taskId: string
  readonly model: ModelTurns
  readonly commands: Commands
  readonly environment: RunEnvironment
  /** The last known time of the source. */
  lastAt: number | null
  closed = false
  readonly #runs: RunSink
  #start: RunStart
  /** Whether what is mapped was copied from another run: it is known of this one, and is in the other's task. */
  #isCopied: boolean
  /** The key of the last event, and of the last one that says that something failed. */
  #last = "opened"
  #lastFailed: string | undefined
  readonly #onOwn: () => void

  /** @param onOwn of a source that begins with what it copied from another run: is called by `beginOwn` */
  constructor(runs: RunSink, start: RunStart, onOwn?: () => void) {
    this.#runs = runs
    this.#start = shortened(start)
    this.#isCopied = onOwn !== undefined
    this.#onOwn = onOwn ?? (() => {})
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

  /** Whether all of it so far was copied from another run. */
  get isCopied(): boolean {
    return this.#isCopied
  }

  /** What follows is the run's own, which begins with the files as they are there. */
  beginOwn(start: Pick<RunStart, "goal" | "at">): void {
    this.#isCopied = false
    this.#start = shortened({ ...this.#start, ...start })
    this.lastAt = start.at
    this.commands.pending.clear()
    this.#open()
    const environment = this.environment.now()
    if (environment !== undefined) this.#write("environment", environment, { at: start.at })
    this.#onOwn()
  }

  /** The next record of the source has this time. A clock that goes back changes no order, and is remarked on. */
  tick(at: number | null): void {
    if (at === null) return
    if (this.lastAt !== null && at < this.lastAt && !this.#isCopied)
      this.#runs.remark("times that go back: the order is the file's")
    this.lastAt = at
  }

  /** The same for records whose times need not be in order, since some of them were made at the same time. */
  reach(at: number | null): void {
    if (at !== null && (this.lastAt === null || at > this.lastAt)) this.lastAt = at
  }

  /** Somebody said something to the agent. `content` is text or content parts. */
  said(key: string, content: unknown, when: When & Saying): void {
    const { json } = logJson(content)
    const { source = "user", delivery, told = json } = when
    const payload = { source, content: json, ...defined({ delivery }), ...ofAgent(when.agentId) }
    this.#write(`said:${key}`, { type: "InputReceived", payload }, when)
    this.model.told({ role: "user", content: partsOf(told) }, when.agentId, `said:${key}`)
  }

  /** The agent said something to whoever listens. */
  spoke(key: string, text: string, when: When): void {
    const { json } = logJson(text)
    const payload = { content: String(json), format: "markdown", ...ofAgent(when.agentId) } as const
    this.#write(`spoke:${key}`, { type: "MessageSent", payload }, when)
  }

  /** Keeps a record as it is: no other type of event stands for it. */
  keep(key: string, kind: string, record: unknown, when: When): void {
    if (this.#isCopied) return
    increase(this.#runs.kept, kind)
    const { source } = this.#runs
    const payload = { source, kind: nameFrom(kind), record: logJson(record).json, ...ofAgent(when.agentId) }
    this.#write(`kept:${key}`, { type: "SourceRecordKept", payload }, when)
  }

  /** A remark of the import on the run. */
  note(key: string, text: string, at: number | null): void {
    this.#write(`note:${key}`, { type: "NoteAdded", payload: { about: this.taskId, text: plainText(text) } }, { at })
  }

  /** What the source says that all calls of models so far used, where no call has a share of it. */
  stated(key: string, used: StatedUse, at: number | null): void {
    const payload = { source: this.#runs.source, used }
    this.#write(`stated:${key}`, { type: "SourceStated", payload }, { at })
  }

  /** What is not imported yet, because the source may go on with it. `key` names what that is. */
  waits(key: string, what: string, at: number | null): void {
    this.#runs.remarkOnFile(what)
    this.#write(`waits:${key}`, { type: "SourceStated", payload: { source: this.#runs.source, waits: what } }, { at })
  }

  /** Ends the run, because of what failed last or was last. Calls without a result have an outcome that is not known. */
  close(key: string, outcome: TaskOutcome, reason: string, at: number | null): void {
    this.commands.endAll(at)
    const unseen = unseenOf(this.#runs.takeCounts())
    if (unseen.length > 0) this.#write(`captured:${key}`, this.#captured(unseen), { at })
    this.closed = true
    const cause = outcome === "failed" ? (this.#lastFailed ?? this.#last) : this.#last
    this.#write(`closed:${key}`, { type: "TaskClosed", payload: { outcome, reason: plainText(reason) } }, { at, cause })
  }

  /**
   * The first events of the task in which the run goes on, since the log has closed the one before: its opening, and
   * its files as they are now.
   */
  continuedAs(part: number): ReadonlyArray<RunEvent> {
    const body = this.#opening({ ...this.start.about, continues: this.taskId, part })
    const opened = { run: this, key: `opened:${part}`, cause: null, at: this.lastAt, bytes: 0, body }
    const environment = this.environment.now()
    const captured = { ...opened, key: `capture:${part}`, cause: opened.key, body: this.#captured() }
    if (environment === undefined) return [opened, captured]
    return [opened, captured, { ...opened, key: `environment:${part}`, cause: opened.key, body: environment }]
  }

  /** Opens the task, which says what its source cannot show. */
  #open(): void {
    const { at, about, begins } = this.#start
    this.#write("opened", this.#opening(about, begins), { at, cause: null })
    this.#write("capture", this.#captured(), { at })
  }

  /** What is known of the capture: what the source lacks, or at the end what was left out or cut on the way. */
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

  /** Writes an event, at the time of the record that is mapped. */
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

/** A goal may have the length of a file, and is kept until all of its runs are reported. */
const shortened = (start: RunStart): RunStart => ({ ...start, goal: plainText(start.goal) })

/** Types of events that say nothing of how a run went. */
const ASIDE: ReadonlySet<string> = new Set(["SourceRecordKept", "NoteAdded", "SourceStated", "CaptureNoted"])

/** The task of a run. An id that could not be a name's part is replaced by its digest. */
export const taskIdOf = (source: string, id: string): string =>
  /^[\w.@=-]{1,200}$/.test(id) ? `${source}-${id}` : `${source}-${sha256(id).slice(0, 32)}`

/** Content as parts of a message to a model. */
const partsOf = (content: Json): Json =>
  typeof content === "string"
    ? [{ type: "text", text: content }]
    : Array.isArray(content)
      ? content
      : [{ type: "text", text: JSON.stringify(content) }]
