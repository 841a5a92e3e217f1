/**
 * Sessions of opencode from `opencode export`: a document with `info` and messages, whose parts are steps (one request
 * each), text, reasoning, and calls with results.
 */

import type { ModelUsage } from "../../events/vocabulary/Deciding.ts"
import * as ProviderUsage from "../../kernel/pricing/ProviderUsage.ts"
import type { Json } from "../../values/Json.ts"
import { answered, callPart, reasoningPart, settled, textPart } from "../messages/Answers.ts"
import { APPROVALS, DEFINITIONS, INSTRUCTIONS, REQUESTS, SETTINGS, WORLD } from "../runs/FormatCapture.ts"
import { type MappedRun, taskIdOf } from "../runs/Run.ts"
import type { MappedRuns } from "../runs/Runs.ts"
import { isSilent } from "../runs/Silence.ts"
import { at, field, isObject, listOf, numberOf, plus, statedCount, textOf } from "../runs/Untrusted.ts"
import type { FileHead, Mapper, Source, SourceFile } from "../Source.ts"

export const openCode: Source = {
  name: "opencode",
  title: "session of opencode",
  form: "document",
  capture: { pairing: "call-id", lacks: [INSTRUCTIONS, DEFINITIONS, SETTINGS, REQUESTS, APPROVALS, WORLD] },
  recognizes: ({ text }: FileHead) => /^\s*\{\s*"info"\s*:\s*\{/.test(text) && /"id"\s*:\s*"ses_/.test(text),
  open: (file: SourceFile, runs: MappedRuns): Mapper => {
    let document: unknown
    return {
      record: ({ value }) => {
        document = value
      },
      end: () => mapSession(runs, file, document),
    }
  },
}

const mapSession = (runs: MappedRuns, file: SourceFile, document: unknown): void => {
  const info = field(document, "info")
  const messages = listOf(document, "messages")
  const id = textOf(info, "id") ?? file.name
  const parent = textOf(info, "parentID")
  const prompt = messages.find((message) => textOf(field(message, "info"), "role") === "user")
  const run = runs.open({
    id,
    goal: wordsIn(prompt) || textOf(info, "title") || `session ${id}`,
    agent: `opencode@${textOf(info, "version") ?? "unknown"}`,
    at: runs.timeOf(at(info, "time", "created")),
    about: {
      session: id,
      ...(textOf(info, "directory") === undefined ? {} : { cwd: textOf(info, "directory") ?? "" }),
      ...(parent === undefined ? {} : { parent: taskIdOf("opencode", parent) }),
    },
  })
  const session = new Session(run, runs, parent !== undefined)
  for (const message of messages) session.message(message)
  const last = runs.timeOf(at(info, "time", "updated")) ?? session.lastAt
  if (!isSilent(file, last)) return
  if (session.failure !== undefined) run.close("end", "failed", session.failure, last)
  else if (session.open !== undefined) run.close("end", "abandoned", session.open, last)
  else run.close("end", "finished", "the agent ended its turn; the source has no verdict", last)
}

class Session {
  lastAt: number | null = null
  open: string | undefined = "it ends before the agent answered"
  failure: string | undefined
  readonly #run: MappedRun
  readonly #runs: MappedRuns
  readonly #isOfAgent: boolean
  #toldAt: number | null = null

  constructor(run: MappedRun, runs: MappedRuns, isOfAgent: boolean) {
    this.#run = run
    this.#runs = runs
    this.#isOfAgent = isOfAgent
  }

  message(message: unknown): void {
    const info = field(message, "info")
    const key = textOf(info, "id") ?? String(this.lastAt)
    const created = this.#runs.timeOf(at(info, "time", "created"))
    this.#run.tick(created)
    this.lastAt = this.#runs.timeOf(at(info, "time", "completed")) ?? created ?? this.lastAt
    if (textOf(info, "role") === "user") this.#said(message, key, created)
    else if (textOf(info, "role") === "assistant") this.#answer(message, info, key, created)
    else this.#run.keep(key, "message", message, { at: created })
  }

  #said(message: unknown, key: string, time: number | null): void {
    const words = wordsIn(message)
    const told = listOf(message, "parts").flatMap((part) => textPart(textOf(part, "text")))
    if (words === "") this.#run.model.told({ role: "user", content: told, author: "harness" })
    else this.#run.said(key, words, { at: time, source: this.#isOfAgent ? "agent" : "user", told })
    this.#toldAt = time
    this.open = "it ends before the agent answered"
    for (const part of listOf(message, "parts"))
      if (textOf(part, "type") !== "text")
        this.#run.keep(textOf(part, "id") ?? key, textOf(part, "type") ?? "part", part, { at: time })
  }

  /** An answer may have several steps, each one request. */
  #answer(message: unknown, info: unknown, key: string, created: number | null): void {
    const steps: Array<Array<unknown>> = [[]]
    for (const part of listOf(message, "parts")) {
      const type = textOf(part, "type")
      if (type === "step-start" && (steps.at(-1)?.length ?? 0) > 0) steps.push([])
      if (type !== "step-start") steps.at(-1)?.push(part)
    }
    const named = { provider: textOf(info, "providerID") ?? "unknown", model: textOf(info, "modelID") ?? "unknown" }
    const last = steps.length - 1
    for (const [index, parts] of steps.entries()) {
      const finish = parts.find((part) => textOf(part, "type") === "step-finish") ?? (last === 0 ? info : undefined)
      this.#step(parts, finish, { key: index === 0 ? key : `${key}:${index}`, named, at: created })
    }
    const error = field(info, "error")
    this.failure = undefined
    if (isObject(error)) {
      const reason = textOf(field(error, "data"), "message") ?? textOf(error, "name") ?? "an error of the provider"
      this.#run.model.failed({ key: `${key}:error`, ...named, kind: "unreachable", reason, at: this.lastAt })
      this.failure = reason
    }
    const finished = textOf(info, "finish")
    this.open = finished === undefined || finished === "tool-calls" ? "it ends before the agent answered" : undefined
  }

  #step(
    parts: ReadonlyArray<unknown>,
    finish: unknown,
    answer: { readonly key: string; readonly named: { provider: string; model: string }; readonly at: number | null },
  ): void {
    const said = parts.flatMap((part): ReadonlyArray<Json> => {
      const type = textOf(part, "type")
      if (type === "text") return textPart(textOf(part, "text"))
      if (type === "reasoning") return reasoningPart(textOf(part, "text"))
      return type === "tool"
        ? [callPart(callIdOf(part), textOf(part, "tool") ?? "unknown", at(part, "state", "input"))]
        : []
    })
    const end = this.lastAt
    if (said.length > 0 || finish !== undefined) {
      const usage = finish === undefined ? undefined : usageOf(field(finish, "tokens"))
      const usd = finish === undefined ? undefined : numberOf(finish, "cost")
      const begun = parts.flatMap((part) => this.#runs.timeOf(at(part, "state", "time", "start")) ?? [])
      answered(this.#run, {
        key: answer.key,
        ...answer.named,
        parts: said,
        usage,
        usd,
        askedAt: this.#toldAt,
        at: begun[0] ?? (parts.some((part) => textOf(part, "type") === "tool") ? answer.at : end),
      })
    }
    for (const part of parts) this.#part(part)
  }

  #part(part: unknown): void {
    const type = textOf(part, "type") ?? "part"
    const state = field(part, "state")
    if (type === "tool") {
      const status = textOf(state, "status")
      const time = this.#runs.timeOf(at(state, "time", "end"))
      const ok = status === "completed"
      if (ok || status === "error") {
        const content = field(state, ok ? "output" : "error") ?? null
        settled(
          this.#run,
          callIdOf(part),
          { ok, content, at: time },
          { key: textOf(part, "id") ?? callIdOf(part), record: part },
        )
        this.#toldAt = time
      }
    } else if (!SHOWN.has(type)) this.#run.keep(textOf(part, "id") ?? type, type, part, { at: this.lastAt })
  }
}

/** Parts already in the answer. */
const SHOWN = new Set(["text", "reasoning", "step-finish", "step-start"])

const callIdOf = (part: unknown): string => textOf(part, "callID") ?? textOf(part, "id") ?? "call"

/** The typed text; opencode marks its own text. */
const wordsIn = (message: unknown): string =>
  listOf(message, "parts")
    .flatMap((part) =>
      textOf(part, "type") === "text" && field(part, "synthetic") !== true ? (textOf(part, "text") ?? []) : [],
    )
    .join("\n")

/** `input` excludes cached tokens, and `output` excludes reasoning. */
const usageOf = (tokens: unknown): ModelUsage | undefined => {
  if (!isObject(tokens)) return undefined
  const cache = field(tokens, "cache")
  const [cachedTokens, cacheWriteTokens] = [statedCount(cache, "read"), statedCount(cache, "write")]
  const reasoningTokens = statedCount(tokens, "reasoning")
  return ProviderUsage.whole({
    inputTokens: plus(statedCount(tokens, "input"), cachedTokens, cacheWriteTokens),
    outputTokens: plus(statedCount(tokens, "output"), reasoningTokens),
    cachedTokens,
    cacheWriteTokens,
    reasoningTokens,
  })
}
