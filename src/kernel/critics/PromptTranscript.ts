/** Selects the events of a task for a model's question, within limits of size. */

import type { Event } from "../../events/vocabulary/Event.ts"
import * as Vocabulary from "../../events/vocabulary/Vocabulary.ts"
import type { JsonObject } from "../../values/Json.ts"
import type { ShownEvidence } from "./Model.ts"

/** Limits of a task's first events and of its last ones, in characters of JSON. */
const FIRST_TEXT = 16_000
const LAST_TEXT = 48_000

/** Longest payload that is shown in full, in characters of JSON. */
const PAYLOAD_TEXT = 4_000

/** Its memory does not grow with the task. */
export interface PromptTranscript {
  readonly observe: (event: Event) => void
  readonly shown: () => ReadonlyArray<ShownEvidence>
  readonly omitted: () => number
}

export const make = (): PromptTranscript => {
  const first = { shown: [] as Array<ShownEvidence>, text: 0, full: false }
  const last = { shown: [] as Array<{ readonly event: ShownEvidence; readonly text: number }>, text: 0 }
  let omitted = 0
  return {
    observe: (event) => {
      const shown = shownOf(event)
      const text = JSON.stringify(shown).length
      first.full ||= first.text + text > FIRST_TEXT
      if (!first.full) {
        first.shown.push(shown)
        first.text += text
        return
      }
      last.shown.push({ event: shown, text })
      last.text += text
      while (last.text > LAST_TEXT) {
        last.text -= last.shown.shift()?.text ?? 0
        omitted++
      }
    },
    shown: () => [...first.shown, ...last.shown.map(({ event }) => event)],
    omitted: () => omitted,
  }
}

/**
 * An event without its personal data: a recorded question contains its events and would outlive the key of the original
 * fields.
 */
export const shownOf = (event: Event): ShownEvidence => {
  const { position, type, actor } = event
  const payload = withoutPersonal(event)
  const text = JSON.stringify(payload)
  const isLong = text.length > PAYLOAD_TEXT
  const cut = { cut: text.slice(0, PAYLOAD_TEXT).toWellFormed(), characters: text.length }
  return { at: position, type, by: actor, payload: isLong ? cut : payload }
}

const withoutPersonal = ({ type, payload, personal }: Event): JsonObject => {
  if (personal === undefined) return payload
  const known = Vocabulary.core.types.get(type)
  // The personal fields of a program's own event types are unknown here, so the whole payload is omitted.
  return known === undefined ? {} : { ...payload, ...known.personal }
}
