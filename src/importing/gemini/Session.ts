/** Maps the messages of one Gemini CLI session, in file order, to a run. */

import type { ModelUsage } from "../../events/vocabulary/Deciding.ts"
import type { Json } from "../../values/Json.ts"
import { answered, callPart, reasoningPart, textPart } from "../messages/Answers.ts"
import { contentIdOf, RecordKeys } from "../runs/RecordKeys.ts"
import { type MappedRun, taskIdOf } from "../runs/Run.ts"
import type { MappedRuns } from "../runs/Runs.ts"
import { isSilent } from "../runs/Silence.ts"
import { countOf, field, isObject, listOf, textOf } from "../runs/Untrusted.ts"
import type { SourceFile } from "../Source.ts"

/** Maximum number of messages to hold back until the first prompt, the goal. */
const MAX_BEFORE_GOAL = 100

/** User messages that Gemini CLI itself writes. */
const OF_THE_PROGRAM = /^\s*<(?:session_context|hook_context|state_snapshot|system-reminder)/

export class Session {
  readonly #runs: MappedRuns
  readonly #file: SourceFile
  readonly #keys = new RecordKeys()
  #head: unknown
  #early: Array<unknown> = []
  #run: MappedRun | undefined
  #last: unknown
  #lastAt: number | null = null
  #toldAt: number | null = null
  #open: string | undefined = "it ends before the agent answered"
  #failure: string | undefined

  constructor(runs: MappedRuns, file: SourceFile) {
    this.#runs = runs
    this.#file = file
  }

  /** The first head counts; some clients write two. */
  head(value: unknown): void {
    this.#head ??= value
  }

  /** Takes a message, which is final once the next one comes. */
  message(value: unknown): void {
    const [id, before] = [textOf(value, "id"), textOf(this.#last, "id")]
    if (this.#last !== undefined && (id === undefined || id !== before)) this.#take(this.#last)
    this.#last = value
  }

  rewound(id: string): void {
    if (this.#last !== undefined) this.#take(this.#last)
    this.#last = undefined
    this.#run?.note(`rewound:${id}`, `the conversation was rewound to message ${id}`, this.#lastAt)
    this.#runs.remark(
      "a conversation that was rewound: both branches are in the task, in the order in which they were lived",
    )
  }

  end(): void {
    const last = this.#last
    const isCalling = listOf(last, "toolCalls").some((call) => !ENDED.has(textOf(call, "status") ?? ""))
    const settled = isSilent(this.#file, this.#runs.timeOf(field(last, "timestamp")) ?? this.#lastAt)
    if (last !== undefined && (settled || !isCalling)) this.#take(last)
    if (this.#run === undefined && settled && this.#early.length > 0) this.#begin("")
    const run = this.#run
    if (run === undefined) return
    if (!settled) {
      if (isCalling) run.waits(textOf(last, "id") ?? "last", "an answer whose calls are under way", this.#lastAt)
      return
    }
    if (this.#failure !== undefined) run.close("end", "failed", this.#failure, this.#lastAt)
    else if (this.#open !== undefined) run.close("end", "abandoned", this.#open, this.#lastAt)
    else run.close("end", "finished", "the agent ended its turn; the source has no verdict", this.#lastAt)
  }

  #take(message: unknown): void {
    if (this.#run !== undefined) {
      this.#map(this.#run, message)
      return
    }
    this.#early.push(message)
    const goal = textOf(message, "type") === "user" ? wordsIn(message) : ""
    if (goal !== "" || this.#early.length >= MAX_BEFORE_GOAL) this.#begin(goal)
  }

  #begin(goal: string): void {
    const id = textOf(this.#head, "sessionId") ?? contentIdOf(this.#early[0])
    const [, directory] = /\/chats\/([0-9a-f-]{36})\/[^/]+$/i.exec(this.#file.path) ?? []
    const isAgent = textOf(this.#head, "kind") === "subagent"
    const run = this.#runs.open({
      id,
      goal: goal === "" ? `session ${id}` : goal,
      agent: "gemini-cli@unknown",
      at: this.#runs.timeOf(field(this.#head, "startTime")),
      about: {
        session: id,
        ...(isAgent && directory !== undefined ? { parent: taskIdOf("gemini-cli", directory) } : {}),
      },
    })
    this.#run = run
    for (const message of this.#early.splice(0)) this.#map(run, message)
  }

  #map(run: MappedRun, message: unknown): void {
    const key = textOf(message, "id") ?? this.#keys.of(message)
    const at = this.#runs.timeOf(field(message, "timestamp"))
    if (at !== null) this.#lastAt = at
    run.tick(at)
    const type = textOf(message, "type") ?? "unknown"
    if (type === "user") this.#user(run, message, key, at)
    else if (type === "gemini") this.#answer(run, message, key, at)
    else {
      run.keep(key, type, message, { at })
      if (type === "error") this.#failure = textIn(field(message, "content")) || "an error"
    }
  }

  #user(run: MappedRun, message: unknown, key: string, at: number | null): void {
    const content = field(message, "content")
    const isResult = listOf(message, "content").some((part) => field(part, "functionResponse") !== undefined)
    // The calls have their results.
    if (isResult && textIn(content) === "") return
    const words = wordsIn(message)
    this.#toldAt = at
    if (words === "" || isResult) {
      run.model.told({ role: "user", content: textPart(textIn(content)), author: "harness" })
      return
    }
    run.said(key, words, { at, source: textOf(this.#head, "kind") === "subagent" ? "agent" : "user" })
    this.#open = "it ends before the agent answered"
  }

  #answer(run: MappedRun, message: unknown, key: string, at: number | null): void {
    const calls = listOf(message, "toolCalls")
    const thoughts = listOf(message, "thoughts").map((thought) =>
      [textOf(thought, "subject"), textOf(thought, "description")].filter((text) => text !== undefined).join(": "),
    )
    const parts: ReadonlyArray<Json> = [
      ...thoughts.flatMap(reasoningPart),
      ...textPart(textIn(field(message, "content"))),
      ...calls.map((call) => callPart(callIdOf(call, key), textOf(call, "name") ?? "unknown", field(call, "args"))),
    ]
    const model = textOf(message, "model") ?? "unknown"
    const provider = model.startsWith("gemini-") ? "google" : "unknown"
    answered(run, { key, provider, model, parts, usage: usageOf(field(message, "tokens")), askedAt: this.#toldAt, at })
    this.#failure = undefined
    this.#open = calls.length > 0 ? "it ends before the agent answered" : undefined
    for (const call of calls) this.#call(run, call, callIdOf(call, key))
  }

  #call(run: MappedRun, call: unknown, callId: string): void {
    const at = this.#runs.timeOf(field(call, "timestamp"))
    const status = textOf(call, "status") ?? "unknown"
    const content = resultOf(call)
    this.#toldAt = at ?? this.#toldAt
    if (!ENDED.has(status)) return
    if (status === "cancelled") {
      run.commands.unknown(callId, {
        reason: "it was refused, or interrupted while it ran",
        told: content,
        begun: false,
        at,
      })
      return
    }
    run.commands.result(callId, { ok: status === "success", content, at })
    const shown = field(call, "resultDisplay")
    const [path, before, after] = [
      textOf(shown, "filePath"),
      field(shown, "originalContent"),
      field(shown, "newContent"),
    ]
    if (status !== "success" || path === undefined || typeof after !== "string") return
    const isNew = field(shown, "isNewFile") === true
    const known = run.environment.files.get(path)
    run.environment.fileChanged(
      callId,
      path,
      isNew ? undefined : typeof before === "string" ? before : known,
      after,
      at,
    )
  }
}

const ENDED = new Set(["success", "error", "cancelled"])

const callIdOf = (call: unknown, key: string): string =>
  textOf(call, "id") ?? `${key}:${textOf(call, "name") ?? "call"}`

const textIn = (content: unknown): string => {
  if (typeof content === "string") return content
  const parts = Array.isArray(content) ? content : [content]
  return parts.flatMap((part) => (typeof part === "string" ? part : (textOf(part, "text") ?? []))).join("\n")
}

/** The typed text of a message. */
const wordsIn = (message: unknown): string => {
  const content = field(message, "content")
  const parts = Array.isArray(content) ? content : [content]
  return parts
    .map(textIn)
    .filter((text) => text !== "" && !OF_THE_PROGRAM.test(text))
    .join("\n")
}

/** A call's result as the model read it. */
const resultOf = (call: unknown): unknown => {
  const responses = listOf(call, "result").map((part) => field(field(part, "functionResponse"), "response"))
  const outputs = responses.map((response) => field(response, "output") ?? field(response, "error") ?? response)
  return outputs.length === 1 ? outputs[0] : outputs.length === 0 ? (field(call, "resultDisplay") ?? null) : outputs
}

/** Only the total shows whether the output includes thoughts. */
const usageOf = (tokens: unknown): ModelUsage | undefined => {
  if (!isObject(tokens)) return undefined
  const [input, output, cachedTokens] = [countOf(tokens, "input"), countOf(tokens, "output"), countOf(tokens, "cached")]
  const [reasoningTokens, tool, total] = [
    countOf(tokens, "thoughts"),
    countOf(tokens, "tool"),
    countOf(tokens, "total"),
  ]
  const outputTokens = total > 0 ? Math.max(output, total - input - tool) : output + reasoningTokens
  return {
    inputTokens: input + tool,
    outputTokens,
    cachedTokens,
    reasoningTokens: Math.min(reasoningTokens, outputTokens),
  }
}
