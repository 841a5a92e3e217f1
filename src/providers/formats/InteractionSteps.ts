/** The steps of Gemini's interactions and their contents, whole or streamed. */

import type { AnswerPart, ToldPart } from "../../agents/models/Message.ts"
import { defined } from "../../values/defined.ts"
import { fieldOf, textOf } from "../../values/JsonObjects.ts"
import * as Parts from "../parts.ts"

const CONTENTS: ReadonlySet<unknown> = new Set(["text", "image", "audio", "video", "document"])

/** Whether an item is bare content, which names no role. */
export const isContent = (item: unknown): boolean => typeof item === "string" || CONTENTS.has(fieldOf(item, "type"))

/** Whether an item is a step of the model. */
export const isOfModel = (item: unknown): boolean => {
  const type = Parts.anyText(fieldOf(item, "type")) ?? ""
  return MODEL.has(type) || HOSTED.test(type)
}

const MODEL: ReadonlySet<string> = new Set(["model_output", "thought", "function_call"])

/** Hosted calls and their results: `google_search_call`, `google_search_result` … */
const HOSTED = /^(?!function_)(\w+?)_(?:tool_)?(call|result)$/

export const contentPart = (content: unknown): ToldPart => {
  const text = Parts.anyText(content) ?? Parts.anyText(fieldOf(content, "text"))
  if (text !== undefined) return { type: "text", text }
  return isContent(content)
    ? Parts.filePart(fieldOf(content, "mime_type"), fieldOf(content, "data"), content)
    : Parts.unreadPart(content)
}

/** The parts of steps or outputs, in order. A hosted call includes its result. */
export const partsOf = (steps: ReadonlyArray<unknown>, callId: () => string): ReadonlyArray<AnswerPart> => {
  const results = new Map<unknown, unknown>()
  const calls = new Set<unknown>()
  for (const step of steps) {
    const kind = hostedKind(step)
    if (kind === "result") results.set(fieldOf(step, "call_id"), step)
    if (kind === "call") calls.add(fieldOf(step, "id"))
  }
  const parts: Array<AnswerPart> = []
  for (const step of steps) {
    const isKnown = hostedKind(step) === "result" && calls.has(fieldOf(step, "call_id"))
    if (!isKnown) for (const part of partsOfStep(step, results, callId)) Parts.join(parts, part)
  }
  return parts
}

const hostedKind = (step: unknown): string | undefined => HOSTED.exec(Parts.anyText(fieldOf(step, "type")) ?? "")?.[2]

const partsOfStep = (
  step: unknown,
  results: ReadonlyMap<unknown, unknown>,
  callId: () => string,
): ReadonlyArray<AnswerPart> => {
  const type = Parts.anyText(fieldOf(step, "type")) ?? ""
  const signature = textOf(fieldOf(step, "signature"))
  const metadata = signature === undefined ? undefined : { google: { thoughtSignature: signature } }
  switch (type) {
    case "model_output":
      return Parts.listOf(fieldOf(step, "content")).map(contentPart).filter(isNotEmpty)
    case "thought": {
      const summary = fieldOf(step, "summary")
      return Parts.reasoningParts(Parts.textIn(summary) || (Parts.anyText(fieldOf(step, "text")) ?? ""), metadata)
    }
    case "function_call": {
      const id = textOf(fieldOf(step, "id")) ?? callId()
      const call = Parts.callPart(id, fieldOf(step, "name"), fieldOf(step, "arguments"))
      return [{ ...call, ...defined({ providerMetadata: metadata }) }]
    }
  }
  if (isContent(step)) return [contentPart(step)].filter(isNotEmpty)
  const kind = hostedKind(step)
  if (kind === undefined) return [Parts.unreadPart(step)]
  const tool = textOf(fieldOf(step, "name")) ?? HOSTED.exec(type)?.[1]
  const end = endOf(kind === "call" ? results.get(fieldOf(step, "id")) : step)
  const id = fieldOf(step, kind === "call" ? "id" : "call_id")
  return [Parts.hostedPart(id, tool, kind === "call" ? fieldOf(step, "arguments") : {}, end)]
}

const isNotEmpty = (part: ToldPart): boolean => part.type !== "text" || part.text !== ""

const endOf = (result: unknown) => ({
  result: fieldOf(result, "result"),
  isError: fieldOf(result, "is_error") === true,
})

/** The steps, or contents, of an answer while it streams. */
export class GrowingSteps {
  readonly #steps = new Map<unknown, GrowingStep>()

  /** Takes an event about a step (`step.start`, `step.delta`) or a content (`content.start`, `content.delta`). */
  take(type: string, event: unknown): void {
    const index = fieldOf(event, "index")
    const started = fieldOf(event, "step") ?? fieldOf(event, "content")
    if (type.endsWith(".start")) this.#steps.set(index, { ...NOTHING, step: started })
    else if (type.endsWith(".delta")) {
      this.#steps.set(index, grown(this.#steps.get(index) ?? NOTHING, fieldOf(event, "delta")))
    }
  }

  steps(): ReadonlyArray<unknown> {
    return [...this.#steps.values()].map(({ step, contents, summary, args, signature }) => {
      const begun = typeof step === "object" && step !== null ? step : {}
      const more = {
        ...(summary.length === 0 ? {} : { summary }),
        ...defined({ signature }),
        ...(args === "" ? {} : { arguments: args }),
      }
      if (contents.length === 0) return { ...begun, ...more }
      // A content may begin with nothing but its type.
      const isEmpty = typeof step === "object" && step !== null && Object.keys(step).length <= 1
      const before = !isContent(step) ? Parts.listOf(fieldOf(step, "content")) : isEmpty ? [] : [step]
      return { ...begun, ...more, type: "model_output", content: [...before, ...contents] }
    })
  }
}

interface GrowingStep {
  readonly step: unknown
  readonly contents: ReadonlyArray<unknown>
  readonly summary: ReadonlyArray<unknown>
  readonly args: string
  readonly signature: string | undefined
}

const NOTHING: GrowingStep = { step: undefined, contents: [], summary: [], args: "", signature: undefined }

const grown = (before: GrowingStep, delta: unknown): GrowingStep => {
  const type = fieldOf(delta, "type")
  if (CONTENTS.has(type)) return { ...before, contents: [...before.contents, delta] }
  switch (type) {
    case "thought_summary":
      return { ...before, summary: [...before.summary, fieldOf(delta, "content")] }
    case "thought_signature":
      return { ...before, signature: textOf(fieldOf(delta, "signature")) ?? before.signature }
    case "arguments_delta":
      return {
        ...before,
        args: before.args + (Parts.anyText(fieldOf(delta, "arguments")) ?? ""),
        signature: textOf(fieldOf(delta, "signature")) ?? before.signature,
      }
    case "text_annotation":
    case "text_annotation_delta":
      return before
    default:
      // A step that arrives whole.
      return { ...before, step: { ...(before.step ?? {}), ...(typeof delta === "object" ? delta : {}) } }
  }
}
