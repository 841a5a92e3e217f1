/** Extends an index to the head of its log, piece by piece. */

import { Effect } from "effect"
import type { EventLog, LogError } from "../events/log/EventLog.ts"
import type { DecodedEvent, Records } from "../events/read/Records.ts"
import { COMPACT } from "../events/steps/StepPosition.ts"
import { yieldToEventLoop } from "../platform/yieldToEventLoop.ts"
import type { EventIndex } from "./EventIndex.ts"
import type { Row } from "./IndexFile.ts"
import { textsOf } from "./StepTexts.ts"
import * as EventText from "./words/EventText.ts"
import { wordText } from "./words/Words.ts"

export interface Options {
  readonly pause?: Effect.Effect<void>
  readonly onProgress?: (position: number, head: number) => Effect.Effect<void>
}

export interface Sources {
  readonly log: EventLog.Service
  readonly records: Records.Service
  readonly index: EventIndex
}

/** Number of events per transaction: fewer make the index slower, more make other processes wait. */
const PIECE = 4_000

/** Ends at the head as of the start, without an index that may be extended, or while another process holds it. */
export const run = (
  sources: Sources,
  { pause = Effect.void, onProgress }: Options = {},
): Effect.Effect<void, LogError> =>
  Effect.gen(function* () {
    const { log, index } = sources
    const { position: head } = yield* log.head
    for (;;) {
      const after = yield* index.reached
      if (after >= head || index.problem() !== null || !index.mayExtend()) return
      const piece = yield* read(sources, after, Math.min(head, after + PIECE), pause)
      const last = piece.last
      if (last === undefined) return
      const added = yield* index.add(after, piece.rows, last)
      if (added === undefined) return
      if (onProgress !== undefined) yield* onProgress(last.position, head)
      yield* yieldToEventLoop
    }
  })

const read = ({ records }: Sources, after: number, until: number, pause: Effect.Effect<void>) =>
  Effect.gen(function* () {
    const rows: Array<Row> = []
    let last: { readonly position: number; readonly hash: string } | undefined
    // Without keys: no personal text comes near the index.
    yield* records.decoded({ after, until }, { decrypted: false }, (page) => {
      for (const event of page) {
        const row = rowOf(event)
        if (row !== undefined) rows.push(row)
      }
      const end = page.at(-1)
      if (end !== undefined) last = { position: end.link.position, hash: end.hash }
      return pause
    })
    return { rows, last }
  })

const rowOf = ({ link, text, keyId, hash }: DecodedEvent): Row | undefined => {
  const { position, taskId, type } = link
  if (keyId !== null) return { position, taskId, kinds: ["other"], words: null }
  const payload = JSON.parse(text)
  const told =
    type === COMPACT ? [...textsOf({ ...link, payload, hash })].map(({ text }) => text) : [EventText.of(type, payload)]
  const found = told.filter((one) => one !== undefined)
  // Steps repeat most of their texts.
  const words = [...new Set(found.map(({ text }) => wordText(text)))].filter((one) => one !== "").join(" ")
  return words === "" ? undefined : { position, taskId, kinds: [...new Set(found.map(({ kind }) => kind))], words }
}
