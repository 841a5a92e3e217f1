/** The reasoning in a chat completion; each provider has its own field for it. */

import type { AnswerPart } from "../../agents/models/Message.ts"
import { type Json, type JsonObject, wellFormed } from "../../values/Json.ts"
import { fieldOf, isObject, textOf } from "../../values/JsonObjects.ts"
import * as Parts from "../parts.ts"

/**
 * The reasoning of an answer so far: `reasoning_content` (DeepSeek, vLLM), `reasoning` (OpenRouter, Groq, Ollama),
 * `reasoning_details` (OpenRouter), `thinking` in the content (Mistral).
 */
export class ChatReasoning {
  #text = ""
  /** OpenRouter requires these back unchanged. */
  readonly #details: Array<JsonObject> = []

  take(said: unknown): void {
    const details = Parts.listOf(fieldOf(said, "reasoning_details"))
    const text = Parts.anyText(fieldOf(said, "reasoning_content")) ?? Parts.anyText(fieldOf(said, "reasoning"))
    // The details repeat the text.
    this.#text += text ?? details.map(textOfDetail).join("")
    for (const detail of details) this.#gather(detail)
  }

  /** Takes a content part of type `thinking`. */
  takeThinking(part: unknown): void {
    const thinking = fieldOf(part, "thinking")
    this.#text += Parts.textIn(thinking)
  }

  parts(): ReadonlyArray<AnswerPart> {
    const details = wellFormed(this.#details)
    return Parts.reasoningParts(
      this.#text,
      this.#details.length === 0 || details === undefined ? undefined : { openrouter: { reasoning_details: details } },
    )
  }

  /** Merges successive pieces with the same type and index into one detail. */
  #gather(detail: unknown): void {
    if (!isObject(detail as Json)) return
    const [piece, last] = [detail as JsonObject, this.#details.at(-1)]
    if (last === undefined || last.type !== piece.type || last.index !== piece.index) {
      this.#details.push(piece)
      return
    }
    const grown = GROWING.flatMap((name) =>
      typeof piece[name] === "string" ? [[name, `${Parts.anyText(last[name]) ?? ""}${piece[name]}`]] : [],
    )
    const others = Object.entries(piece).filter(([name, value]) => value !== null && !GROWING.includes(name))
    this.#details[this.#details.length - 1] = { ...last, ...Object.fromEntries(others), ...Object.fromEntries(grown) }
  }
}

const GROWING = ["text", "summary", "data"]

const textOfDetail = (detail: unknown): string =>
  textOf(fieldOf(detail, "text")) ?? textOf(fieldOf(detail, "summary")) ?? ""
