/** Maps one epoch of an Inspect sample, with its scores, to a run. */

import type { PatchOperation } from "../../events/vocabulary/Sensing.ts"
import { UNKNOWN } from "../../kernel/pricing/ProviderUsage.ts"
import { named } from "../runs/ModelName.ts"
import { contentIdOf } from "../runs/RecordKeys.ts"
import type { MappedRun } from "../runs/Run.ts"
import type { MappedRuns } from "../runs/Runs.ts"
import { timeOf } from "../runs/SourceTimes.ts"
import { asText, field, isObject, listOf, logJson, numberOf, textOf } from "../runs/Untrusted.ts"
import type { SourceFile } from "../Source.ts"
import { answerParts, textIn, toldMessage, usageOf } from "./Messages.ts"
import { SampleMessages } from "./SampleMessages.ts"
import { addScores, judgedBy } from "./Scores.ts"

/** Events that record no action. */
const STRUCTURE = new Map([
  ["span_begin", "the structure of the solver"],
  ["span_end", "the structure of the solver"],
  ["step", "the structure of the solver"],
  ["subtask", "the structure of the solver"],
  ["state", "the solver's state, which repeats messages and store"],
  ["sample_init", "the sample, which is the task's goal"],
])

/** `header` is undefined for a log without one. */
export const mapSample = (runs: MappedRuns, file: SourceFile, header: unknown, sample: unknown): void => {
  if (!isObject(sample)) {
    runs.leaveOut("sample", "it is no object")
    return
  }
  const spec = field(header, "eval")
  const id = asText(field(sample, "id"))
  const epoch = numberOf(sample, "epoch") ?? 1
  const events =
    listOf(sample, "events").length > 0 ? listOf(sample, "events") : listOf(field(sample, "transcript"), "events")
  const started =
    timeOf(field(sample, "started_at")) ?? timeOf(field(events[0], "timestamp")) ?? timeOf(field(spec, "created"))
  const named = ["task", "model", "task_version", "run_id", "task_id"].flatMap((name) => {
    const value = field(spec, name)
    return typeof value === "string" || typeof value === "number" ? [[name, value] as const] : []
  })
  const run = runs.open({
    id: `${evaluationOf(file, spec)}.${id}.${epoch}`,
    goal: inputText(field(sample, "input")),
    agent: `${textOf(spec, "task") ?? "inspect"}@${textOf(spec, "model") ?? "unknown"}`,
    at: started,
    about: { ...Object.fromEntries(named), sample: id, epoch, target: logJson(field(sample, "target") ?? null).json },
  })
  new SampleMapper(runs, run, sample, events).map()
}

/** Length of a derived evaluation id in characters, enough to avoid collisions. */
const ID_LENGTH = 18

/** Identifies an evaluation by its ids, otherwise by its header, otherwise by the file's content. */
const evaluationOf = (file: SourceFile, spec: unknown): string => {
  const named = textOf(spec, "eval_id") ?? [textOf(spec, "run_id"), textOf(spec, "task_id")].filter(Boolean).join(".")
  if (named !== "") return named
  return (isObject(spec) ? contentIdOf(spec) : file.digest).slice(0, ID_LENGTH)
}

const inputText = (input: unknown): string => {
  if (typeof input === "string") return input
  const messages = Array.isArray(input) ? input.filter((message) => field(message, "role") === "user") : []
  return messages.map(textIn).join("\n\n")
}

class SampleMapper {
  readonly #runs: MappedRuns
  readonly #run: MappedRun
  readonly #sample: unknown
  readonly #events: ReadonlyArray<unknown>
  readonly #messages: SampleMessages
  /** The key of the last call with an id; some models reuse ids. */
  readonly #calls = new Map<string, string>()
  #system = ""
  #hasStore = false

  constructor(runs: MappedRuns, run: MappedRun, sample: unknown, events: ReadonlyArray<unknown>) {
    this.#runs = runs
    this.#run = run
    this.#sample = sample
    this.#events = events
    this.#messages = new SampleMessages(sample)
  }

  map(): void {
    const run = this.#run
    run.said("input", inputText(field(this.#sample, "input")), { at: run.start.at, source: "dataset" })
    for (const [index, event] of this.#events.entries()) this.#event(this.#messages.resolved(event), String(index))
    if (this.#events.length === 0) this.#fromMessages()
    this.#close()
    addScores(this.#runs, this.#run, this.#sample, this.#messages.attachments)
  }

  #event(event: unknown, key: string): void {
    const time = this.#runs.timeOf(field(event, "timestamp"))
    this.#run.reach(time)
    const type = textOf(event, "event") ?? "unknown"
    if (type === "sample_init") this.#store(field(field(event, "state"), "store"), time)
    const why = STRUCTURE.get(type)
    if (why !== undefined) this.#runs.leaveOut(type, why)
    else if (type === "model") this.#model(event, key, time)
    else if (type === "tool") this.#tool(event, key, time)
    else if (type === "approval") this.#approval(event, key, time)
    else if (type === "store") this.#patch(event, key, time)
    else this.#run.keep(key, type, event, { at: time })
  }

  #model(event: unknown, key: string, askedAt: number | null): void {
    if (field(event, "pending") === true) {
      this.#runs.leaveOut("model", "it was not answered when the log ended")
      return
    }
    const input = this.#messages.askedWith(event)
    this.#guide(input, askedAt, key)
    const messages = input
      .filter((message) => this.#messages.isNew(message))
      .flatMap((message) => toldMessage(message) ?? [])
    const { provider, model } = named(textOf(event, "model") ?? "unknown")
    const output = field(event, "output")
    const message = field(listOf(output, "choices")[0], "message")
    const error = textOf(event, "error") ?? textOf(output, "error")
    const completed = timeOf(field(event, "completed")) ?? later(askedAt, numberOf(output, "time"))
    if (error !== undefined || message === undefined) {
      this.#run.model.failed({
        key,
        provider,
        model,
        kind: "unreachable",
        reason: error ?? "there is no answer",
        at: askedAt,
      })
      return
    }
    this.#messages.isNew(message)
    this.#run.model.turn({
      key,
      provider,
      model,
      messages,
      parts: answerParts(message),
      usage: usageOf(output),
      askedAt,
      at: completed,
    })
    for (const call of listOf(message, "tool_calls")) this.#called(call, key, completed)
    const text = textIn(message)
    if (listOf(message, "tool_calls").length === 0 && text !== "")
      this.#run.spoke(key, text, { at: completed, cause: `answered:${key}` })
  }

  /** Records the system messages. */
  #guide(input: ReadonlyArray<unknown>, time: number | null, key: string): void {
    const system = input
      .filter((message) => field(message, "role") === "system")
      .map(textIn)
      .join("\n\n")
    if (system === "" || system === this.#system) return
    this.#system = system
    this.#run.model.guided(key, system, time)
  }

  #called(call: unknown, turn: string, time: number | null): void {
    const id = textOf(call, "id") ?? `${turn}-call`
    const callKey = this.#calls.has(id) ? `${id}#${turn}` : id
    this.#calls.set(id, callKey)
    this.#run.commands.called(callKey, textOf(call, "function") ?? "unknown", field(call, "arguments"), {
      at: time,
      cause: `answered:${turn}`,
    })
  }

  #tool(event: unknown, key: string, time: number | null): void {
    const id = textOf(event, "id") ?? key
    const known = this.#calls.get(id)
    // A call that the solver made without a model.
    const isOwn = known === undefined || !this.#run.commands.pending.has(known)
    if (known === undefined || !this.#run.commands.pending.has(known)) {
      if (known !== undefined && this.#refused.has(known)) return
      this.#calls.set(id, known === undefined ? id : `${id}#${key}`)
      this.#run.commands.called(
        this.#calls.get(id) ?? id,
        textOf(event, "function") ?? "unknown",
        field(event, "arguments"),
        {
          at: time,
        },
      )
    }
    const error = field(event, "error")
    const done = timeOf(field(event, "completed")) ?? time
    const content = isObject(error)
      ? (textOf(error, "message") ?? textOf(error, "type") ?? "failed")
      : field(event, "result")
    this.#run.commands.result(this.#calls.get(id) ?? id, {
      ok: !isObject(error),
      content,
      at: done,
      ...(isOwn ? { by: null } : {}),
    })
    // The tool's message has the result as the model read it.
    this.#run.model.untold()
  }

  readonly #refused = new Set<string>()

  /** A person or a rule decided on a call. Only a person's decision is a confirmation. */
  #approval(event: unknown, key: string, time: number | null): void {
    const id = textOf(field(event, "call"), "id") ?? ""
    const callKey = this.#calls.get(id) ?? id
    const decision = textOf(event, "decision") ?? ""
    const by = textOf(event, "approver") ?? "unknown"
    const reason = textOf(event, "explanation")
    if (by === "human" && ["approve", "modify", "reject", "terminate"].includes(decision))
      this.#run.commands.confirmed(callKey, {
        key,
        approved: decision === "approve" || decision === "modify",
        by,
        reason,
        at: time,
      })
    if (decision === "reject" || decision === "terminate") {
      this.#refused.add(callKey)
      this.#run.commands.denied(callKey, reason ?? `${decision} by ${by}`, time)
    }
    this.#run.keep(key, "approval", event, { at: time })
  }

  #store(store: unknown, time: number | null): void {
    if (this.#hasStore) return
    this.#hasStore = true
    if (isObject(store) && Object.keys(store).length > 0)
      this.#run.environment.stateSet("store", logJson(store).json, time)
    else this.#hasStore = false
  }

  /** A JSON Patch of the store; the log supports only some operations. */
  #patch(event: unknown, key: string, time: number | null): void {
    const changes = listOf(event, "changes")
    const patch = changes.flatMap(operation)
    if (patch.length !== changes.length || patch.length === 0) {
      this.#run.keep(key, "store", event, { at: time })
      return
    }
    if (!this.#hasStore) this.#run.environment.stateSet("store", {}, time)
    this.#hasStore = true
    this.#run.environment.stateChanged(`store:${key}`, patch, time)
  }

  /** Maps a sample without events from its messages. */
  #fromMessages(): void {
    const { model } = { model: this.#run.start.agent.split("@").at(-1) ?? "unknown" }
    const input = listOf(this.#sample, "messages").map((message) => this.#messages.resolved(message))
    this.#guide(input, this.#run.start.at, "guide")
    for (const [index, message] of input.entries()) {
      const key = `message-${index}`
      const role = field(message, "role")
      if (role === "assistant") {
        this.#run.model.turn({
          key,
          ...named(model),
          parts: answerParts(message),
          usage: UNKNOWN,
          askedAt: null,
          at: null,
        })
        for (const call of listOf(message, "tool_calls")) this.#called(call, key, null)
      } else if (role === "tool") {
        const id = textOf(message, "tool_call_id") ?? ""
        this.#run.commands.result(this.#calls.get(id) ?? id, {
          ok: !isObject(field(message, "error")),
          content: textIn(message),
          at: null,
        })
      }
    }
  }

  #close(): void {
    const last = this.#run.lastAt
    const error = field(this.#sample, "error")
    const limit = field(this.#sample, "limit")
    const end = timeOf(field(this.#sample, "completed_at")) ?? last
    if (isObject(error)) this.#run.close("end", "failed", textOf(error, "message") ?? "an error", end)
    else if (isObject(limit))
      this.#run.close(
        "end",
        "truncated",
        `limit: ${textOf(limit, "type") ?? "unknown"} ${asText(field(limit, "limit") ?? "")}`.trim(),
        end,
      )
    else
      this.#run.close(
        "end",
        judgedBy(this.#sample),
        "the sample was completed; its score sets say what it was worth",
        end,
      )
  }
}

const operation = (change: unknown): ReadonlyArray<PatchOperation> => {
  const op = field(change, "op")
  const path = field(change, "path")
  if (typeof path !== "string") return []
  if (op === "remove") return [{ op, path: path.toWellFormed() }]
  return op === "add" || op === "replace"
    ? [{ op, path: path.toWellFormed(), value: logJson(field(change, "value") ?? null).json }]
    : []
}

const later = (time: number | null, seconds: number | undefined): number | null =>
  time === null || seconds === undefined ? time : Math.round(time + Math.max(0, Math.min(seconds, 1e9)) * 1000)
