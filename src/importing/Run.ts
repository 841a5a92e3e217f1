/** One run of another program as a task: builds its events in the words of the log. */

import type { ModelFailureKind, ModelUsage } from "../events/vocabulary/Deciding.ts"
import type { PatchOperation } from "../events/vocabulary/Sensing.ts"
import type { TaskOutcome } from "../events/vocabulary/Tasks.ts"
import type { CoreName, PayloadOf } from "../events/vocabulary/Vocabulary.ts"
import { digest, sha256 } from "../values/Digest.ts"
import type { Json, JsonObject } from "../values/Json.ts"
import { plainText } from "../values/Json.ts"
import { EditedFiles } from "./EditedFiles.ts"
import { elapsed } from "./SourceTimes.ts"
import { increase } from "./Tally.ts"
import { asObject, filePointer, logJson, nameFrom } from "./Untrusted.ts"

/** The type and payload of an event. */
type Body = { [Name in CoreName]: { readonly type: Name; readonly payload: PayloadOf<Name> } }[CoreName]

/** An event of a run before it has its ids: keys name events within their run. */
export interface RunEvent {
  readonly run: Run
  /** Names the event within its run. It follows from the source's own ids. */
  readonly key: string
  /** The key of the event that caused it. */
  readonly cause: string | null
  /** The source's clock, in milliseconds since 1970; null if it has none. */
  readonly at: number | null
  readonly body: Body
  /** Its approximate size, in bytes. */
  readonly bytes: number
}

/** Takes the events of runs, and counts. */
export interface RunSink {
  /** The source's name. */
  readonly source: string
  /** Records that are kept as they are, by kind. */
  readonly kept: Map<string, number>
  readonly add: (event: RunEvent) => void
  readonly remark: (what: string) => void
}

/** How a run begins. */
export interface RunStart {
  /** The source's id of the run. */
  readonly id: string
  readonly goal: string
  /** `name@version` of the agent. */
  readonly agent: string
  readonly at: number | null
  /** What the source says of the run: its directory, its settings. */
  readonly about: JsonObject
}

/** An answer of a model, with what it was told before. */
export interface ModelTurn {
  readonly key: string
  readonly provider: string
  readonly model: string
  /** The parts of the answer: text, reasoning and calls. */
  readonly parts: ReadonlyArray<Json>
  readonly usage: ModelUsage
  readonly askedAt: number | null
  readonly at: number | null
  readonly agentId?: string
  /** The whole request, where the source has it. Default: the messages since the last turn. */
  readonly messages?: ReadonlyArray<Json>
}

/** A command that was begun and has no outcome yet. */
export interface PendingCommand {
  readonly commandId: string
  readonly tool: string
  readonly args: unknown
  readonly at: number | null
  readonly agentId: string | undefined
}

/** Optional circumstances of an event. */
interface When {
  readonly at: number | null
  readonly cause?: string | null
  readonly agentId?: string | undefined
}

/** The part of a payload that names the agent. */
const ofAgent = (agentId: string | undefined) => (agentId === undefined ? {} : { agentId })

/** A run that is being mapped. Its methods write events; keys follow from the source's ids. */
export class Run {
  readonly taskId: string
  readonly start: RunStart
  readonly files = new EditedFiles()
  /** The commands that have no outcome yet, by the source's id of the call. */
  readonly pending = new Map<string, PendingCommand>()
  /** The last known time of the source. */
  lastAt: number | null
  closed = false
  readonly #runs: RunSink
  /** What the model of each agent will be told with its next request. */
  readonly #untold = new Map<string, Array<Json>>()
  /** The key of the last event that each agent was told something by. */
  readonly #lastTold = new Map<string, string>()
  #environmentShown = false

  constructor(runs: RunSink, start: RunStart) {
    this.#runs = runs
    this.start = start
    this.lastAt = start.at
    this.taskId = taskIdOf(runs.source, start.id)
    this.#write("opened", this.#opening(start.about), { at: start.at, cause: null })
  }

  /** The next record of the source has this time. A clock that goes back changes no order, and is remarked on. */
  tick(at: number | null): void {
    if (at === null) return
    if (this.lastAt !== null && at < this.lastAt) this.#runs.remark("times that go back: the order is the file's")
    this.lastAt = at
  }

  /** The same for records whose times need not be in order, since some of them were made at the same time. */
  reach(at: number | null): void {
    if (at !== null && (this.lastAt === null || at > this.lastAt)) this.lastAt = at
  }

  /** Somebody said something to the agent. `content` is text or content parts. */
  said(key: string, content: unknown, when: When & { readonly source?: string }): void {
    const { json } = logJson(content)
    this.#write(
      `said:${key}`,
      { type: "InputReceived", payload: { source: when.source ?? "user", content: json, ...ofAgent(when.agentId) } },
      when,
    )
    this.told({ role: "user", content: partsOf(json) }, when.agentId)
    this.#lastTold.set(when.agentId ?? "", `said:${key}`)
  }

  /** The model will be told a message with its next request. */
  told(message: JsonObject, agentId?: string): void {
    const untold = this.#untold.get(agentId ?? "")
    if (untold === undefined) this.#untold.set(agentId ?? "", [message])
    else untold.push(message)
  }

  /** The agent was told who it is. */
  guided(key: string, systemPrompt: string, at: number | null): void {
    const { json } = logJson(systemPrompt)
    const guide = { systemPrompt: String(json), memoryPolicy: {}, initialMemories: [] }
    this.#write(`guided:${key}`, { type: "GuideApplied", payload: { digest: digest(guide), ...guide } }, { at })
  }

  /** Forgets what the model would be told: the source says with each request what it was. */
  untold(): void {
    this.#untold.clear()
  }

  /** A model was asked, and answered. */
  turn({ key, provider, model, parts, usage, askedAt, at, agentId, messages }: ModelTurn): void {
    this.#asked(key, provider, model, askedAt ?? at, agentId, messages)
    const finish = parts.some((part) => (part as JsonObject).type === "call") ? "calls" : "stop"
    this.#write(
      `answered:${key}`,
      {
        type: "ModelResponded",
        payload: {
          response: { parts: parts.map((part) => logJson(part).json), finish },
          usage,
          latencyMs: elapsed(askedAt, at),
        },
      },
      { at, cause: `asked:${key}` },
    )
  }

  /** A model was asked, and did not answer. */
  turnFailed(
    key: string,
    {
      provider,
      model,
      kind,
      reason,
      at,
      agentId,
    }: {
      provider: string
      model: string
      kind: ModelFailureKind
      reason: string
      at: number | null
      agentId?: string | undefined
    },
  ): void {
    this.#asked(key, provider, model, at, agentId)
    this.#write(
      `answered:${key}`,
      { type: "ModelFailed", payload: { kind, reason: plainText(reason), latencyMs: 0 } },
      { at, cause: `asked:${key}` },
    )
  }

  #asked(
    key: string,
    provider: string,
    model: string,
    at: number | null,
    agentId?: string,
    messages?: ReadonlyArray<Json>,
  ): void {
    const request = { messages: messages ?? this.#untold.get(agentId ?? "") ?? [] }
    this.#untold.delete(agentId ?? "")
    const { json } = logJson(request)
    this.#writeAt(
      `asked:${key}`,
      {
        type: "ModelCalled",
        payload: {
          provider: nameFrom(provider),
          model: nameFrom(model),
          requestDigest: sha256(JSON.stringify(json)),
          request: json,
          ...ofAgent(agentId),
        },
      },
      at,
      this.#lastTold.get(agentId ?? "") ?? "opened",
    )
  }

  /** The agent said something to whoever listens. */
  spoke(key: string, text: string, when: When): void {
    const { json } = logJson(text)
    this.#write(
      `spoke:${key}`,
      { type: "MessageSent", payload: { content: String(json), format: "markdown", ...ofAgent(when.agentId) } },
      when,
    )
  }

  /** A tool was called. Nothing in a source says what let the call pass, so that the rule is `import`. */
  called(callId: string, tool: string, args: unknown, when: When): void {
    const commandId = `${this.taskId}/${nameFrom(callId)}`
    const { json } = logJson(args ?? null)
    const key = `call:${callId}`
    this.pending.set(callId, { commandId, tool, args: json, at: when.at, agentId: when.agentId })
    this.#write(
      key,
      {
        type: "ActuatorCommanded",
        payload: {
          commandId,
          actuator: `${this.#runs.source}/${nameFrom(tool)}`,
          args: json,
          argsDigest: digest(json),
          priority: 0,
          callId: nameFrom(callId),
          ...ofAgent(when.agentId),
        },
      },
      when,
    )
  }

  /** Lets a pending call pass and begin. */
  #dispatched(callId: string, { commandId, at }: PendingCommand): void {
    this.#writeAt(
      `allowed:${callId}`,
      { type: "CommandAllowed", payload: { commandId, rule: "import" } },
      at,
      `call:${callId}`,
    )
    this.#writeAt(
      `dispatched:${callId}`,
      { type: "CommandDispatched", payload: { commandId } },
      at,
      `allowed:${callId}`,
    )
  }

  /** A call has its result. Returns the call, or undefined if it is not known, or has one already. */
  result(
    callId: string,
    { ok, content, at }: { readonly ok: boolean; readonly content: unknown; readonly at: number | null },
  ): PendingCommand | undefined {
    const command = this.#settle(callId)
    if (command === undefined) return undefined
    const { commandId, tool, agentId } = command
    const { json } = logJson(content ?? null)
    this.#dispatched(callId, command)
    const latencyMs = elapsed(command.at, at)
    const cause = `dispatched:${callId}`
    if (ok)
      this.#write(
        `outcome:${callId}`,
        { type: "CommandSucceeded", payload: { commandId, result: json, latencyMs } },
        { at, cause },
      )
    else {
      const message = plainText(typeof json === "string" ? json : JSON.stringify(json))
      this.#write(
        `outcome:${callId}`,
        { type: "CommandFailed", payload: { commandId, error: { code: "failed", message }, latencyMs } },
        { at, cause },
      )
    }
    this.#toldResult(callId, tool, !ok, json, agentId)
    return command
  }

  /** A call was refused by whoever had to approve it, as the source says. It was not executed. */
  denied(callId: string, reason: string, at: number | null): PendingCommand | undefined {
    const command = this.#settle(callId)
    if (command === undefined) return undefined
    const { commandId, tool, agentId } = command
    this.#write(
      `outcome:${callId}`,
      { type: "CommandDenied", payload: { commandId, rule: "import", reason: plainText(reason) } },
      { at, cause: `call:${callId}` },
    )
    this.#toldResult(callId, tool, true, plainText(reason), agentId)
    return command
  }

  /** A person approved a call, or refused it, as the source says. */
  confirmed(
    callId: string,
    decision: { key: string; approved: boolean; by: string; reason: string | undefined; at: number | null },
  ): void {
    const command = this.pending.get(callId)
    if (command === undefined) return
    const { commandId, tool, args } = command
    const { key, approved, by, reason, at } = decision
    const confirmationId = `${commandId}/confirmation`
    const shown = { tool, args: logJson(args).json }
    const argsDigest = digest(shown.args)
    this.#write(
      `asks:${key}`,
      {
        type: "ConfirmationRequested",
        payload: { confirmationId, commandId, argsDigest, shown, expiresAt: command.at ?? at ?? 0 },
      },
      { at: command.at, cause: `call:${callId}` },
    )
    this.#write(
      `decides:${key}`,
      {
        type: "ConfirmationDecided",
        payload: {
          ...{ confirmationId, approved, by: nameFrom(by), channel: this.#runs.source, argsDigest },
          ...(reason === undefined ? {} : { reason: plainText(reason) }),
          waitedMs: elapsed(command.at, at),
        },
      },
      { at, cause: `asks:${key}` },
    )
  }

  #settle(callId: string): PendingCommand | undefined {
    const command = this.pending.get(callId)
    this.pending.delete(callId)
    return command
  }

  #toldResult(callId: string, tool: string, isError: boolean, content: Json, agentId: string | undefined): void {
    this.told({ role: "tool", content: [{ callId: nameFrom(callId), tool, isError, content }] }, agentId)
    this.#lastTold.set(agentId ?? "", `outcome:${callId}`)
  }

  /** A conversation was replaced by a summary. */
  compacted(key: string, messages: number, summary: string, at: number | null): void {
    const { json } = logJson(summary)
    this.#write(
      `compacted:${key}`,
      {
        type: "MemoryCompacted",
        payload: { policy: this.#runs.source, messages: Math.max(1, messages), summary: String(json) },
      },
      { at },
    )
  }

  /** What is known of a file without the agent having changed it: it was read. */
  fileKnown(path: string, content: string): void {
    if (this.files.get(path) === undefined) this.files.set(path, content)
  }

  /**
   * A call changed a file: its new content, null where that is not known, or undefined where the file is gone. If the
   * file's content before is known and was not shown yet, it is shown first, so that the change is a difference.
   */
  fileChanged(
    callId: string,
    path: string,
    before: string | null | undefined,
    after: string | null | undefined,
    at: number | null,
  ): void {
    const plugin = this.#runs.source
    const patch: Array<{ op: "add"; path: string; value: Json } | { op: "remove"; path: string }> = []
    const cause = `outcome:${callId}`
    const pointer = filePointer(path.toWellFormed())
    if (!this.#environmentShown) this.#showEnvironment("environment", at)
    if (before !== undefined && !this.#shown.has(path)) {
      this.#write(
        `found:${path}:${callId}`,
        {
          type: "EnvironmentChanged",
          payload: { plugin, patch: [{ op: "add", path: pointer, value: before?.toWellFormed() ?? null }] },
        },
        { at, cause: `call:${callId}` },
      )
      this.#shown.add(path)
    }
    if (after === undefined) {
      this.files.delete(path)
      if (!this.#shown.delete(path)) return
      patch.push({ op: "remove", path: pointer })
    } else {
      const kept = this.files.set(path, after)
      this.#shown.add(path)
      patch.push({ op: "add", path: pointer, value: kept?.toWellFormed() ?? null })
    }
    this.#write(`changed:${path}:${callId}`, { type: "EnvironmentChanged", payload: { plugin, patch } }, { at, cause })
  }

  /** The files that are in the environment's document. */
  readonly #shown = new Set<string>()

  #showEnvironment(key: string, at: number | null): void {
    this.#environmentShown = true
    this.#write(key, this.#environment(), { at })
  }

  #environment(): Body {
    const files = Object.fromEntries(
      [...this.#shown].map((path) => [path.toWellFormed(), this.files.get(path)?.toWellFormed() ?? null]),
    )
    return { type: "EnvironmentReset", payload: { plugin: this.#runs.source, seed: 0, options: {}, state: { files } } }
  }

  /** A world's own reward or state document, where a source has one. */
  stateSet(key: string, state: Json, at: number | null): void {
    this.#environmentShown = true
    this.#write(
      key,
      {
        type: "EnvironmentReset",
        payload: { plugin: this.#runs.source, seed: 0, options: {}, state: logJson(state).json },
      },
      { at },
    )
  }

  /** Operations of a JSON Patch that a source recorded of its state. */
  stateChanged(key: string, patch: ReadonlyArray<PatchOperation>, at: number | null): void {
    this.#write(key, { type: "EnvironmentChanged", payload: { plugin: this.#runs.source, patch } }, { at })
  }

  /** Keeps a record as it is: no other type of event stands for it. */
  keep(key: string, kind: string, record: unknown, when: When): void {
    increase(this.#runs.kept, kind)
    this.#write(
      `kept:${key}`,
      {
        type: "SourceRecordKept",
        payload: {
          source: this.#runs.source,
          kind: nameFrom(kind),
          record: logJson(record).json,
          ...ofAgent(when.agentId),
        },
      },
      when,
    )
  }

  /** A remark of the import on the run. */
  note(key: string, text: string, at: number | null): void {
    this.#write(`note:${key}`, { type: "NoteAdded", payload: { about: this.taskId, text: plainText(text) } }, { at })
  }

  /** Ends the run. Calls without a result have an outcome that is not known. */
  close(key: string, outcome: TaskOutcome, reason: string, at: number | null): void {
    for (const [callId, command] of this.pending) {
      this.#dispatched(callId, command)
      this.#write(
        `unknown:${callId}`,
        { type: "CommandOutcomeUnknown", payload: { commandId: command.commandId } },
        { at, cause: `dispatched:${callId}` },
      )
    }
    this.pending.clear()
    this.closed = true
    this.#write(`closed:${key}`, { type: "TaskClosed", payload: { outcome, reason: plainText(reason) } }, { at })
  }

  /**
   * The first events of the task in which the run goes on, since the log has closed the one before: its opening, and
   * its files as they are now.
   */
  continuedAs(part: number): ReadonlyArray<RunEvent> {
    const about = { ...this.start.about, continues: this.taskId, part }
    const opened = {
      run: this,
      key: `opened:${part}`,
      cause: null,
      at: this.lastAt,
      bytes: 0,
      body: this.#opening(about),
    }
    if (!this.#environmentShown) return [opened]
    return [opened, { ...opened, key: `environment:${part}`, cause: opened.key, body: this.#environment() }]
  }

  #opening(about: JsonObject): Body {
    const { goal, agent } = this.start
    return {
      type: "TaskOpened",
      payload: {
        goal: plainText(goal),
        agent: nameFrom(agent),
        measures: [],
        environment: { [this.#runs.source]: asObject(about) },
      },
    }
  }

  /** Writes an event, at the time of the record that is mapped. */
  #write(key: string, body: Body, { at, cause = "opened" }: When): void {
    this.#writeAt(key, body, at ?? this.lastAt, cause)
  }

  /** Writes an event at a time of its own, such as that of the call that a result belongs to. */
  #writeAt(key: string, body: Body, at: number | null, cause: string | null): void {
    this.#runs.add({ run: this, key, cause, at, body, bytes: logJson(body.payload).bytes })
  }
}

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
