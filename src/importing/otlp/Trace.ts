/** Maps the spans of one conversation to a run, by start time: spans are written when they end. */

import type { Json, JsonObject } from "../../values/Json.ts"
import type { MappedRun } from "../runs/Run.ts"
import type { MappedRuns } from "../runs/Runs.ts"
import { logJson, nameFrom } from "../runs/Untrusted.ts"
import { evaluationsOf } from "./Evaluations.ts"
import { type Meaning, type ModelMeaning, meaningOf, type ToolMeaning } from "./Meaning.ts"
import type { Call, Message } from "./Messages.ts"
import type { Span } from "./Span.ts"

/** Maps a conversation and closes its run if it has ended. */
export const mapTrace = (runs: MappedRuns, id: string, spans: ReadonlyArray<Span>, ended: boolean): void => {
  const all = [...spans]
    .sort((a, b) => (a.start ?? 0) - (b.start ?? 0) || (a.spanId < b.spanId ? -1 : 1))
    .map((span) => ({ span, meaning: meaningOf(span) }))
  const meant = withoutRepeated(all)
  const repeated = all.length - meant.length
  if (repeated > 0)
    runs.leaveOut("span", "another one, within it or around it, is of the same request or call", repeated)
  const run = runs.open({
    id,
    goal: goalOf(meant) ?? `trace ${id}`,
    agent: `${nameOf(meant)}@unknown`,
    at: meant[0]?.span.start ?? null,
    about: { traces: [...new Set(spans.map(({ traceId }) => traceId))] },
  })
  new TraceMapper(runs, run, meant).map(ended)
  for (const span of spans) for (const one of evaluationsOf(span)) runs.score({ taskId: run.taskId, ...one })
}

interface Meant {
  readonly span: Span
  readonly meaning: Meaning
}

/**
 * Drops spans that two instrumentations wrote for the same request or call: of a nested pair, the one with less
 * content.
 */
const withoutRepeated = (meant: ReadonlyArray<Meant>): ReadonlyArray<Meant> => {
  const byId = new Map(meant.map((one) => [keyOf(one.span.traceId, one.span.spanId), one] as const))
  const repeated = new Set<Meant>()
  for (const inner of meant) {
    const outer = byId.get(keyOf(inner.span.traceId, inner.span.parentSpanId ?? ""))
    if (outer === undefined || outer === inner || !isSame(outer.meaning, inner.meaning)) continue
    repeated.add(saidIn(outer.meaning) >= saidIn(inner.meaning) ? inner : outer)
  }
  return meant.filter((one) => !repeated.has(one))
}

const keyOf = (traceId: string, spanId: string): string => `${traceId}/${spanId}`

/** Whether nested spans describe the same request or call. */
const isSame = (outer: Meaning, inner: Meaning): boolean =>
  (outer.kind === "model" && inner.kind === "model") ||
  (outer.kind === "tool" && inner.kind === "tool" && outer.tool === inner.tool)

const saidIn = (meaning: Meaning): number => {
  if (meaning.kind === "model") return Math.min(1, meaning.input.length) + Math.min(1, meaning.output.length)
  return meaning.kind === "tool" ? [meaning.args, meaning.result].filter((value) => value !== undefined).length : 0
}

/** The first user message, otherwise an agent's prompt. */
const goalOf = (meant: ReadonlyArray<Meant>): string | undefined => {
  for (const { meaning } of meant) {
    const said =
      meaning.kind === "model"
        ? meaning.input.find(({ role, text }) => role === "user" && text !== "")?.text
        : undefined
    const text = said ?? (meaning.kind === "agent" ? meaning.text : undefined)
    if (text !== undefined && text !== "") return text
  }
  return undefined
}

const nameOf = (meant: ReadonlyArray<Meant>): string => {
  const named = meant.flatMap(({ span, meaning }) =>
    meaning.kind === "agent" ? [meaning.name] : span.service === undefined ? [] : [span.service],
  )
  return nameFrom(named[0] ?? meant[0]?.span.name ?? "unknown")
}

/** A call from an answer that no span has matched yet. */
interface OpenCall extends Call {
  readonly key: string
}

class TraceMapper {
  readonly #runs: MappedRuns
  readonly #run: MappedRun
  readonly #meant: ReadonlyArray<Meant>
  /** Messages of the last request, with its answer. */
  #told: ReadonlyArray<string> = []
  #calls: Array<OpenCall> = []
  #system = ""
  #said = 0
  #lastError: string | undefined

  constructor(runs: MappedRuns, run: MappedRun, meant: ReadonlyArray<Meant>) {
    this.#runs = runs
    this.#run = run
    this.#meant = meant
  }

  map(ended: boolean): void {
    let isEmpty = true
    for (const { span, meaning } of this.#meant) {
      this.#run.reach(span.start)
      if (meaning.kind === "model") this.#model(span, meaning)
      else if (meaning.kind === "tool") this.#tool(span, meaning)
      else this.#runs.leaveOut(meaning.kind === "agent" ? "agent span" : "span", "its inner spans say what was done")
      this.#run.reach(span.end)
      isEmpty &&= meaning.kind !== "model" || meaning.input.length + meaning.output.length === 0
    }
    if (isEmpty) this.#runs.remark("its spans have no messages: what was said was not recorded")
    if (!ended) return
    const { lastAt } = this.#run
    if (this.#lastError !== undefined) this.#run.close("end", "failed", this.#lastError, lastAt)
    else this.#run.close("end", "finished", "the trace has ended; it has no verdict", lastAt)
  }

  #model({ spanId, start, end, error }: Span, { provider, model, usage, usd, input, output }: ModelMeaning): void {
    const key = spanId
    const told = input.filter(isTold)
    const texts = told.map(textOfMessage)
    const fresh = told.slice(this.#sameOf(texts))
    this.#guide(input, key, start)
    for (const { role, text, results } of fresh) {
      if (role === "user" && text !== "") {
        this.#said += 1
        this.#run.said(`${key}:${this.#said}`, text, { at: start })
      }
      for (const { id, content } of results) this.#settle(id, content, start)
    }
    const messages = fresh.filter(({ role }) => role === "user" || role === "tool").map(asMessage)
    this.#told = [...texts, ...output.map(textOfMessage)]
    this.#lastError = error
    const request = { key, provider, model, messages }
    if (error !== undefined && output.length === 0) {
      this.#run.model.failed({ ...request, kind: "unreachable", reason: error, at: end ?? start })
      return
    }
    const parts = output.flatMap((message, index) => partsOf(message, `${key}:${index}`))
    this.#run.model.turn({ ...request, parts, usage, usd, askedAt: end === undefined ? null : start, at: end ?? start })
    for (const [index, { text, calls }] of output.entries()) {
      if (text !== "" && calls.length === 0)
        this.#run.spoke(`${key}:${index}`, text, { at: end ?? start, cause: `answered:${key}` })
      for (const [number, call] of calls.entries()) {
        const callKey = `${key}:${index}:${call.id ?? number}`
        this.#calls.push({ ...call, key: callKey })
        this.#run.commands.called(callKey, call.tool, call.args, { at: end ?? start, cause: `answered:${key}` })
      }
    }
  }

  /** Number of leading messages that the last request and answer already had. */
  #sameOf(texts: ReadonlyArray<string>): number {
    const other = texts.findIndex((text, index) => text !== this.#told[index])
    return other < 0 ? texts.length : other
  }

  #guide(input: ReadonlyArray<Message>, key: string, at: number | null): void {
    const system = input
      .filter((message) => !isTold(message))
      .map(({ text }) => text)
      .join("\n\n")
    if (system === "" || system === this.#system) return
    this.#system = system
    this.#run.model.guided(key, system, at)
  }

  /** Matches a tool span to a call by id, otherwise to the oldest one with that name. */
  #tool({ spanId, start, end, error }: Span, { tool, callId, args, result }: ToolMeaning): void {
    const known =
      this.#calls.find(({ id }) => id !== undefined && id === callId) ??
      this.#calls.find((call) => call.tool === tool && (callId === undefined || call.id === undefined))
    const key = known?.key ?? spanId
    const by = known === undefined ? null : callId === undefined ? "call-order" : "call-id"
    if (known === undefined) this.#run.commands.called(key, tool, args ?? {}, { at: start })
    else this.#calls = this.#calls.filter((call) => call !== known)
    this.#run.commands.result(key, { ok: error === undefined, content: error ?? result ?? null, at: end ?? start, by })
    this.#run.model.untold()
  }

  /** Settles a call whose result appears only in the next request. */
  #settle(id: string | undefined, content: unknown, at: number | null): void {
    const known = this.#calls.find((call) => call.id !== undefined && call.id === id)
    if (known === undefined) return
    this.#calls = this.#calls.filter((call) => call !== known)
    this.#run.commands.result(known.key, { ok: true, content, at })
    this.#run.model.untold()
  }
}

const isTold = ({ role }: Message): boolean => role !== "system" && role !== "developer"

const textOfMessage = (message: Message): string => JSON.stringify(logJson(message).json)

const partsOf = ({ text, reasoning, calls }: Message, key: string): ReadonlyArray<Json> => [
  ...(reasoning === "" ? [] : [{ type: "reasoning", text: reasoning }]),
  ...(text === "" ? [] : [{ type: "text", text }]),
  ...calls.map(({ id, tool, args }, index) => ({
    type: "call",
    callId: nameFrom(`${key}:${id ?? index}`),
    tool: nameFrom(tool),
    args: logJson(args ?? {}).json,
  })),
]

const asMessage = ({ role, text, results }: Message): JsonObject =>
  role === "tool" || results.length > 0
    ? {
        role: "tool",
        content: results.map(({ id, content }) => ({
          callId: nameFrom(id ?? "unknown"),
          tool: "",
          isError: false,
          content: logJson(content).json,
        })),
      }
    : { role: "user", content: [{ type: "text", text: String(logJson(text).json) }] }
