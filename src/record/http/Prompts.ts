/**
 * Records the system prompt, tools and settings of model requests once. Programs repeat them in every request, and they
 * are the larger part of it.
 */

import { Option, Schema } from "effect"
import type { Event } from "../../events/vocabulary/Event.ts"
import { is } from "../../events/vocabulary/Vocabulary.ts"
import { sha256 } from "../../values/Digest.ts"
import { Json } from "../../values/Json.ts"

export interface Prompt {
  readonly system: string
  readonly tools: Json
  readonly settings: Json
}

/** A prompt, or the id of an earlier request (`ModelCalled`) with the same one. */
export type ToldPrompt = Prompt | { readonly like: string }

/** Returns what to record for the prompt of the request recorded as event `id`. */
export type Prompts = (id: string, prompt: Prompt) => ToldPrompt

/** @param past earlier events of the run, whose prompts are known */
export const make = (past: ReadonlyArray<Event>): Prompts => {
  const known = new Map<string, string>()
  for (const event of past) {
    const told = is(event, "ModelCalled") ? asPrompt(event.payload.request) : Option.none()
    if (Option.isSome(told)) known.set(keyOf(told.value), event.id)
  }
  return (id, prompt) => {
    const key = keyOf(prompt)
    const like = known.get(key)
    if (like !== undefined) return { like }
    known.set(key, id)
    const { system, tools, settings } = prompt
    return { system, tools, settings }
  }
}

const keyOf = ({ system, tools, settings }: Prompt): string => sha256(JSON.stringify({ system, tools, settings }))

const asPrompt = Schema.decodeUnknownOption(Schema.Struct({ system: Schema.String, tools: Json, settings: Json }))
