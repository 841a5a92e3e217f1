/** Maps a conversation, in the form that recordings use, to a run. */

import type { ModelUsage } from "../../events/vocabulary/Deciding.ts"
import type { Json } from "../../values/Json.ts"
import type { MappedRun } from "../runs/Run.ts"
import { field, isObject, logJson, textOf } from "../runs/Untrusted.ts"
import { answered, settled } from "./Answers.ts"

/** A message in the form of `Message`, not yet checked. */
export interface ReadMessage {
  readonly role: string
  readonly content: ReadonlyArray<unknown>
}

/** A message with its source's metadata. */
export interface Told {
  readonly message: ReadMessage
  readonly key: string
  readonly at: number | null
  readonly provider: string
  readonly model: string
  readonly usage?: ModelUsage | undefined
  readonly usd?: number | undefined
}

export class Conversation {
  /** Why the conversation is unfinished; undefined once the agent has ended its turn. */
  open: string | undefined = "it ends before the agent answered"
  readonly #run: MappedRun
  #toldAt: number | null = null
  /** Number of uses of each call id; some sources reuse ids. */
  readonly #calls = new Map<string, number>()

  constructor(run: MappedRun) {
    this.#run = run
  }

  message(told: Told): void {
    const { message, key, at } = told
    this.#run.tick(at)
    switch (message.role) {
      case "assistant":
        this.#answer(told, message.content)
        break
      case "tool":
        for (const [index, result] of message.content.entries()) this.#result(result, `${key}:${index}`, at)
        break
      case "user":
        this.#said(message.content, key, at)
        break
      case "system":
        this.#run.model.told({ role: "system", content: message.content.map((part) => logJson(part).json) })
        break
      default:
        this.#run.keep(key, "message", message, { at })
    }
    if (message.role !== "assistant") this.#toldAt = at
  }

  #said(content: ReadonlyArray<unknown>, key: string, at: number | null): void {
    const [only, ...others] = content
    const text = others.length === 0 ? textOf(only, "text") : undefined
    this.#run.said(key, text ?? content.map((part) => logJson(part).json), { at })
    this.open = "it ends before the agent answered"
  }

  #answer({ message: _, ...told }: Told, content: ReadonlyArray<unknown>): void {
    const parts = content.map((part): Json => {
      const { json } = logJson(part)
      const callId = textOf(json, "callId")
      if (!isObject(json) || json.type !== "call" || callId === undefined) return json
      this.#calls.set(callId, (this.#calls.get(callId) ?? 0) + 1)
      return { ...json, callId: this.#idOf(callId) }
    })
    answered(this.#run, { ...told, parts, askedAt: this.#toldAt })
    this.open = parts.some((part) => field(part, "type") === "call")
      ? "it ends with calls that have no result"
      : undefined
  }

  #result(result: unknown, key: string, at: number | null): void {
    const outcome = { ok: field(result, "isError") !== true, content: field(result, "content") ?? null, at }
    settled(this.#run, this.#idOf(textOf(result, "callId") ?? ""), outcome, { key, record: result })
    this.open = "it ends before the agent answered"
  }

  #idOf(callId: string): string {
    const times = this.#calls.get(callId) ?? 1
    return times === 1 ? callId : `${callId}#${times}`
  }
}
