/** Maps the events of one OrcaReplay trace, in order, to a run. */

import type { ModelUsage } from "../../events/vocabulary/Deciding.ts"
import * as ProviderUsage from "../../kernel/pricing/ProviderUsage.ts"
import { bodyOf } from "../../providers/BodyPieces.ts"
import { type Asked, askedBy } from "../../providers/WireFormats.ts"
import type { Json } from "../../values/Json.ts"
import { type Answer, answered, callPart, settled } from "../messages/Answers.ts"
import { named } from "../runs/ModelName.ts"
import { type MappedRun, taskIdOf } from "../runs/Run.ts"
import type { MappedRuns } from "../runs/Runs.ts"
import { isSilent } from "../runs/Silence.ts"
import { at, field, isObject, listOf, logJson, numberOf, parsed, statedCount, textOf } from "../runs/Untrusted.ts"
import type { SourceFile } from "../Source.ts"

/** Maximum number of events to hold back until the first request, whose prompt is the goal. */
const MAX_BEFORE_GOAL = 50

/** A conversation of the traced program or of a sub-agent. */
interface Conversation {
  readonly agentId: string | undefined
  /** Number of messages so far, to find the new ones in the next request. */
  messages: number
}

export class Trace {
  readonly #runs: MappedRuns
  readonly #file: SourceFile
  readonly #manifest: unknown
  /** By system prompt and first message. */
  readonly #conversations = new Map<string, Conversation>()
  readonly #called = new Set<string>()
  #early: Array<unknown> = []
  #run: MappedRun | undefined
  #asked:
    | { readonly asked: Asked | undefined; readonly at: number | null; readonly agentId: string | undefined }
    | undefined
  #lastAt: number | null = null
  #exitCode: number | undefined

  constructor(runs: MappedRuns, file: SourceFile) {
    this.#runs = runs
    this.#file = file
    this.#manifest = parsed(file.beside("manifest.json") ?? "null")
  }

  record(event: unknown): void {
    if (this.#run !== undefined) {
      this.#map(this.#run, event)
      return
    }
    this.#early.push(event)
    const isRequest = textOf(event, "type") === "model.request"
    if (isRequest || this.#early.length >= MAX_BEFORE_GOAL) this.#begin(isRequest ? this.#goalOf(event) : "")
  }

  end(): void {
    if (this.#run === undefined && this.#early.length > 0) this.#begin("")
    const run = this.#run
    if (run === undefined || (this.#exitCode === undefined && !isSilent(this.#file, this.#lastAt))) return
    if (this.#exitCode === 0)
      run.close("end", "finished", "the program ended with 0; the source has no verdict", this.#lastAt)
    else if (this.#exitCode === undefined)
      run.close("end", "abandoned", "the trace does not say how it ended", this.#lastAt)
    else run.close("end", "failed", `the program ended with ${this.#exitCode}`, this.#lastAt)
  }

  #goalOf(event: unknown): string {
    const asked = this.#requestOf(event)
    const prompt = asked?.request.messages.find(({ role }) => role === "user")
    return (prompt?.content ?? []).flatMap((part) => textOf(part, "text") ?? []).join("\n")
  }

  #begin(goal: string): void {
    const manifest = this.#manifest
    const id =
      textOf(manifest, "run_id") ??
      /\/(run_[0-9a-f]+)\/[^/]+$/.exec(this.#file.path)?.[1] ??
      this.#file.digest.slice(0, 16)
    const adapter = field(manifest, "adapter")
    const parent = textOf(manifest, "parent_run")
    const run = this.#runs.open({
      id,
      goal: goal === "" ? `trace ${id}` : goal,
      agent: `${textOf(adapter, "id") ?? "orca"}@${textOf(adapter, "harness_version") ?? "unknown"}`,
      at: this.#runs.timeOf(field(this.#early[0], "ts")),
      about: {
        run: id,
        ...(textOf(manifest, "cwd") === undefined ? {} : { cwd: textOf(manifest, "cwd") ?? "" }),
        argv: logJson(field(manifest, "argv") ?? null).json,
        ...(parent === undefined ? {} : { parent: taskIdOf("orca-trace", parent) }),
      },
    })
    this.#run = run
    for (const event of this.#early.splice(0)) this.#map(run, event)
  }

  #map(run: MappedRun, event: unknown): void {
    const time = this.#runs.timeOf(field(event, "ts"))
    if (time !== null) this.#lastAt = time
    run.tick(time)
    const key = String(numberOf(event, "seq") ?? "event")
    const type = textOf(event, "type") ?? "unknown"
    const attrs = field(event, "attrs")
    switch (type) {
      case "model.request":
        this.#request(run, event, key, time)
        break
      case "model.response":
        this.#answer(run, event, key, time)
        break
      case "tool.call":
        this.#call(run, attrs, key, time)
        break
      case "tool.result": {
        const id = textOf(attrs, "tool_use_id") ?? this.#causeOf(event) ?? key
        const result = { ok: field(attrs, "is_error") !== true, content: this.#payloadOf(event) ?? null, at: time }
        settled(run, id, result, { key, record: event })
        break
      }
      case "run.end":
        this.#exitCode = numberOf(attrs, "exit_code")
        run.keep(key, type, event, { at: time })
        break
      default:
        run.keep(key, type, event, { at: time })
    }
  }

  /** The event's cause, which names a call without an id. */
  #causeOf(event: unknown): string | undefined {
    const [cause] = listOf(event, "causes")
    return typeof cause === "number" ? String(cause) : undefined
  }

  /** Returns a payload, from its blob if it has one; undefined if the blob is missing. */
  #payloadOf(event: unknown): unknown {
    const payload = field(event, "payload")
    const digest = /^sha256:([0-9a-f]{64})$/.exec(textOf(payload, "$blob") ?? "")?.[1]
    if (digest === undefined) return payload
    const text = this.#file.blob(`blobs/${digest.slice(0, 2)}/${digest}`)
    if (text === undefined) this.#runs.remark("payloads whose blobs are not beside the trace: they are not known")
    return text
  }

  #requestOf(event: unknown): Asked | undefined {
    const payload = this.#payloadOf(event)
    const body = typeof payload === "string" ? parsed(payload) : payload
    return askedBy("POST", { host: "", path: textOf(field(event, "attrs"), "path") ?? "" }, logJson(body ?? null).json)
  }

  /** Maps the new user messages of a request. Results of calls have events of their own. */
  #request(run: MappedRun, event: unknown, key: string, time: number | null): void {
    const asked = this.#requestOf(event)
    if (asked === undefined) {
      this.#asked = { asked, at: time, agentId: undefined }
      run.keep(key, "model.request", event, { at: time })
      return
    }
    const { system, messages } = asked.request
    const begin = JSON.stringify([system.slice(0, 200), messages[0] ?? null])
    const isFirst = this.#conversations.size === 0
    const known = this.#conversations.get(begin)
    const conversation = known ?? {
      agentId: isFirst ? undefined : `agent-${this.#conversations.size}`,
      messages: 0,
    }
    this.#conversations.set(begin, conversation)
    const { agentId } = conversation
    if (known === undefined && isFirst && system !== "") run.model.guided(key, system, time)
    const fresh = messages.length >= conversation.messages ? messages.slice(conversation.messages) : []
    conversation.messages = messages.length
    for (const [index, message] of fresh.entries()) {
      if (message.role !== "user") continue
      const text = message.content.length === 1 ? textOf(message.content[0], "text") : undefined
      const content = text ?? message.content.map((part) => logJson(part).json)
      run.said(`${key}:${index}`, content, { at: time, agentId, source: agentId === undefined ? "user" : "agent" })
    }
    this.#asked = { asked, at: time, agentId }
  }

  #answer(run: MappedRun, event: unknown, key: string, time: number | null): void {
    const { asked, agentId, at: askedAt = null } = this.#asked ?? {}
    this.#asked = undefined
    const attrs = field(event, "attrs")
    const payload = this.#payloadOf(event)
    const model = textOf(attrs, "model") ?? asked?.request.model ?? "unknown"
    const provider = asked?.request.provider ?? named(model).provider
    if (payload === undefined) {
      this.#counted(run, attrs, { key, provider, model, askedAt, at: time, agentId })
      return
    }
    const text = typeof payload === "string" ? payload : JSON.stringify(payload ?? null)
    const answer = asked?.wire.answer(bodyOf(text), (index) => `${key}:${index}`)
    const status = numberOf(attrs, "status") ?? 200
    if (answer === undefined || answer.error !== undefined || status >= 400 || !answer.hasBegun) {
      const reason = textOf(at(answer?.error, "error"), "message") ?? `the server answered with ${status}`
      if (answer === undefined) run.keep(key, "model.response", event, { at: time })
      else run.model.failed({ key, provider, model, kind: "unreachable", reason, at: time, agentId })
      return
    }
    const parts = answer.parts.map((part): Json => logJson(part).json)
    const usage = answer.usage ?? usageIn(attrs)
    if (answer.finish === undefined) {
      const reason = "the recorded answer does not reach its end"
      run.model.failed({ key, provider, model, kind: "cut-off", reason, parts, usage, at: time, agentId })
      return
    }
    for (const part of parts) {
      const id = field(part, "type") === "call" ? textOf(part, "callId") : undefined
      if (id !== undefined) this.#called.add(id)
    }
    answered(run, { key, provider, model, parts, usage, usd: answer.cost, askedAt, at: time, agentId })
    const conversation = [...this.#conversations.values()].find((one) => one.agentId === agentId)
    // The next request repeats the answer.
    if (conversation !== undefined) conversation.messages += 1
  }

  /** Records an answer of which the trace has only token counts. */
  #counted(run: MappedRun, attrs: unknown, answer: Omit<Answer, "parts" | "usage">): void {
    this.#runs.remark("answers whose text is not in the trace")
    answered(run, { ...answer, parts: [], usage: usageIn(attrs) })
  }

  /** Skips calls that an answer already contained. */
  #call(run: MappedRun, attrs: unknown, key: string, time: number | null): void {
    const id = textOf(attrs, "tool_use_id") ?? key
    if (this.#called.delete(id)) {
      this.#runs.leaveOut("tool.call", "it repeats a call of an answer")
      return
    }
    // Without an input, the event's other attributes are the arguments.
    const { name: _, tool_use_id: __, ...rest } = isObject(attrs) ? attrs : {}
    const call = callPart(id, textOf(attrs, "name") ?? "unknown", field(attrs, "input") ?? rest)
    run.commands.called(id, textOf(call, "tool") ?? "unknown", field(call, "args"), { at: time })
  }
}

const usageIn = (attrs: unknown): ModelUsage | undefined =>
  ProviderUsage.whole({
    inputTokens: statedCount(attrs, "input_tokens"),
    outputTokens: statedCount(attrs, "output_tokens"),
  })
