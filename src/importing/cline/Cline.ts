/**
 * Tasks of Cline and Roo Code: a directory `tasks/<id>` with the model's view (`api_conversation_history.json`,
 * Anthropic messages) and the person's view (`ui_messages.json`, with tokens and cost of each request). `Sessions.ts`
 * reads the sessions of later Cline versions.
 */

import { anthropic } from "../../providers/formats/Anthropic.ts"
import { defined } from "../../values/defined.ts"
import type { Json, JsonObject } from "../../values/Json.ts"
import { answered, callPart, settled } from "../messages/Answers.ts"
import { APPROVALS, DEFINITIONS, INSTRUCTIONS, REQUESTS, SETTINGS, TOOL_TIMES, WORLD } from "../runs/FormatCapture.ts"
import { type MappedRun, taskIdOf } from "../runs/Run.ts"
import type { MappedRuns } from "../runs/Runs.ts"
import { isSilent } from "../runs/Silence.ts"
import { field, listOf, logJson, nameFrom, parsed, textOf } from "../runs/Untrusted.ts"
import type { FileHead, Mapper, Source, SourceFile } from "../Source.ts"
import { type Request, Requests } from "./Requests.ts"
import * as Sessions from "./Sessions.ts"
import { callsInText, type TextCall } from "./TextCalls.ts"

const SHOWN = "ui_messages.json"
const ABOUT = "task_metadata.json"
const HISTORY = "history_item.json"

export const cline: Source = {
  name: "cline",
  title: "task or session of Cline, or task of Roo Code",
  form: "document",
  capture: { pairing: "call-id", lacks: [INSTRUCTIONS, DEFINITIONS, SETTINGS, REQUESTS, APPROVALS, TOOL_TIMES, WORLD] },
  recognizes: (head: FileHead) => isTask(head) || Sessions.isSession(head),
  beginning: (head: FileHead) => (isTask(head) ? undefined : Sessions.beginningOf(head)),
  companions: [SHOWN, ABOUT, HISTORY],
  open: (file: SourceFile, runs: MappedRuns): Mapper => ({
    record: ({ value }) => (Array.isArray(value) ? mapTask : Sessions.map)(runs, file, value),
    end: () => {},
  }),
}

const isTask = ({ name, text }: FileHead): boolean => name === "api_conversation_history.json" && /^\s*\[/.test(text)

const mapTask = (runs: MappedRuns, file: SourceFile, value: unknown): void => {
  const messages = Array.isArray(value) ? value : []
  const shown = parsed(file.beside(SHOWN) ?? "[]")
  const all: ReadonlyArray<unknown> = Array.isArray(shown) ? shown : []
  const history = parsed(file.beside(HISTORY) ?? "null")
  const requests = new Requests(runs, all, history !== null)
  const times = all.flatMap((one) => runs.timeOf(field(one, "ts")) ?? [])
  const prompt = all.find((one) => textOf(one, "say") === "text" || textOf(one, "say") === "task")
  const id = /\/([^/]+)\/[^/]+$/.exec(file.path)?.[1] ?? file.digest.slice(0, 16)
  const first = wordsOf(messages[0])
  const run = runs.open({
    id,
    goal: first.typed || textOf(prompt, "text") || `task ${id}`,
    agent: history === null ? `cline@${versionIn(file)}` : "roo-code@unknown",
    at: times[0] ?? runs.timeOf(field(messages[0], "ts")),
    about: { task: id, ...aboutIn(history) },
  })
  if (times.length === 0 && field(messages[0], "ts") === undefined)
    runs.remark("it has no times: those of its events are the import's")
  const task = new Task(run, runs, file, requests)
  for (const [index, message] of messages.entries()) task.message(message, `message-${index}`)
  requests.end()
  const last = Math.max(times.at(-1) ?? Number.NEGATIVE_INFINITY, task.lastAt ?? Number.NEGATIVE_INFINITY)
  const lastAt = Number.isFinite(last) ? last : null
  if (!isSilent(file, lastAt ?? file.modifiedAt)) return
  if (task.isDone) run.close("end", "finished", "the agent said that it is done; the source has no verdict", lastAt)
  else run.close("end", "abandoned", "it ends before the agent said that it is done", lastAt)
}

const aboutIn = (history: unknown): JsonObject => {
  const [cwd, parent] = [textOf(history, "workspace"), textOf(history, "parentTaskId")]
  return defined({ cwd, parent: parent === undefined ? undefined : taskIdOf("cline", parent) })
}

const versionIn = (file: SourceFile): string => {
  const history = listOf(parsed(file.beside(ABOUT) ?? "null"), "environment_history")
  return textOf(history.at(-1), "cline_version") ?? "unknown"
}

class Task {
  lastAt: number | null = null
  isDone = false
  readonly #run: MappedRun
  readonly #runs: MappedRuns
  readonly #model: string
  readonly #requests: Requests
  /** Calls that the last answer made in its text. */
  #inText: ReadonlyArray<TextCall & { readonly id: string }> = []

  constructor(run: MappedRun, runs: MappedRuns, file: SourceFile, requests: Requests) {
    this.#run = run
    this.#runs = runs
    this.#requests = requests
    const used = listOf(parsed(file.beside(ABOUT) ?? "null"), "model_usage")
    this.#model = textOf(used.at(-1), "model_id") ?? "unknown"
  }

  message(message: unknown, key: string): void {
    if (field(message, "isSummary") === true || field(message, "isTruncationMarker") === true) {
      this.#compacted(message, key)
      return
    }
    // Roo Code stores hidden reasoning between messages.
    if (textOf(message, "type") === "reasoning") {
      this.#run.keep(key, "reasoning", message, { at: this.#runs.timeOf(field(message, "ts")) })
      return
    }
    const read = anthropic.request({ host: "", path: "" }, { messages: [logJson(message).json] } as JsonObject).messages
    const own = this.#runs.timeOf(field(message, "ts"))
    const role = textOf(message, "role")
    const request = role === "assistant" ? this.#requests.of(message, own) : undefined
    const at = own ?? (role === "assistant" ? (request?.at ?? null) : null)
    if (at !== null) this.lastAt = at
    this.#run.tick(at)
    for (const one of read)
      if (one.role === "assistant") this.#answer(message, one.content, key, at, request)
      else if (one.role === "tool")
        for (const [index, result] of one.content.entries()) {
          const outcome = { ok: !result.isError, content: result.content, at }
          settled(this.#run, result.callId, outcome, { key: `${key}:${index}`, record: result })
        }
      else if (one.role === "user") this.#told(message, key, at)
      else this.#run.keep(key, "message", message, { at })
  }

  /** Earlier messages were summarized, or are omitted from later requests. */
  #compacted(message: unknown, key: string): void {
    const { texts } = wordsOf(message)
    const at = this.#runs.timeOf(field(message, "ts"))
    if (at !== null) this.lastAt = at
    this.#run.tick(at)
    this.#run.model.compacted(key, Number(/\d+$/.exec(key)?.[0] ?? 1), texts.join("\n"), at)
    if (texts.length > 0)
      this.#run.model.told({ role: "user", content: [{ type: "text", text: texts.join("\n") }], author: "harness" })
  }

  #answer(
    message: unknown,
    content: ReadonlyArray<unknown>,
    key: string,
    at: number | null,
    request: Request | undefined,
  ): void {
    const parts = content.map((part): Json => logJson(part).json)
    const hasCalls = parts.some((part) => field(part, "type") === "call")
    const text = parts
      .flatMap((part) => (field(part, "type") === "text" ? (textOf(part, "text") ?? []) : []))
      .join("\n")
    this.#inText = hasCalls ? [] : callsInText(text).map((call, index) => ({ ...call, id: `${key}:${index}` }))
    const provider = textOf(field(message, "modelInfo"), "providerId") ?? "unknown"
    const model = textOf(field(message, "modelInfo"), "modelId") ?? this.#model
    answered(this.#run, {
      key,
      provider,
      model,
      at,
      askedAt: request?.at ?? null,
      usage: request?.usage,
      usd: request?.usd,
      parts: [...parts, ...this.#inText.map(({ id, tool, args }) => callPart(id, tool, args))],
    })
    const tools = [...parts.map((part) => textOf(part, "tool")), ...this.#inText.map(({ tool }) => tool)]
    this.isDone = tools.includes("attempt_completion")
  }

  /** Maps a user message: results of calls, typed text in an element, and environment details. */
  #told(message: unknown, key: string, at: number | null): void {
    const { texts, typed } = wordsOf(message)
    const results = this.#inText
    this.#inText = []
    const told = texts.join("\n")
    for (const { id, tool } of results) {
      const isRefused = /^The user denied this operation/m.test(told)
      const content = texts.filter((text) => !text.startsWith("<environment_details>")).join("\n")
      if (isRefused) this.#run.commands.denied(id, content, at, "next-result")
      else {
        const ok = !/^(?:\[[\w-]+[^\]]*\] Result:\s*)?(?:The tool execution failed|Error)/.test(content)
        settled(
          this.#run,
          id,
          { ok, content, at, by: "next-result" },
          { key: `${key}:${nameFrom(tool)}`, record: message },
        )
      }
    }
    if (typed !== "") this.#run.said(key, typed, { at, ...(results.length > 0 ? { delivery: "steering" } : {}), told })
    else if (results.length === 0)
      this.#run.model.told({ role: "user", content: [{ type: "text", text: told }], author: "harness" })
    if (typed !== "" || results.length > 0) this.isDone = this.isDone && typed === ""
  }
}

/** Elements in which Cline wraps typed text. */
const TYPED = /<(task|feedback|user_message|answer)>\s*([\s\S]*?)\s*<\/\1>/g

const wordsOf = (message: unknown): { readonly texts: ReadonlyArray<string>; readonly typed: string } => {
  const content = field(message, "content")
  const texts =
    typeof content === "string" ? [content] : listOf(message, "content").flatMap((part) => textOf(part, "text") ?? [])
  const typed = texts.flatMap((text) => [...text.matchAll(TYPED)].map(([, , words = ""]) => words))
  return { texts, typed: typed.join("\n") }
}
