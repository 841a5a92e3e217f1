/** Extends an index of memories to the head of its log. */

import { Effect } from "effect"
import type { EventLog, LogError } from "../events/log/EventLog.ts"
import type { Event } from "../events/vocabulary/Event.ts"
import { SHREDDED } from "../events/vocabulary/EventType.ts"
import type { EmbeddedBy } from "../events/vocabulary/Sensing.ts"
import { is } from "../events/vocabulary/Vocabulary.ts"
import { yieldToEventLoop } from "../platform/yieldToEventLoop.ts"
import type { OpenIndex } from "../search/OpenIndex.ts"
import { wordText } from "../search/words/Words.ts"
import { decoded } from "./Embedding.ts"
import type { Change, MemoryIndex, StoredVector } from "./MemoryIndex.ts"

/** The index of memories without personal data, or of those with it. */
export type Part = "shared" | "personal"

/** Number of events per transaction. */
const PIECE = 500

const TYPES = ["MemoryStored", "MemoryEmbedded", "PayloadShredded"]

/** Returns false if the index did not come to the head as of the start: without one, or while another process holds it. */
export const run = (
  log: EventLog.Service,
  index: OpenIndex<MemoryIndex>,
  part: Part,
): Effect.Effect<boolean, LogError> =>
  Effect.gen(function* () {
    const head = yield* log.head
    for (;;) {
      const after = yield* index.reached
      if (index.problem() !== null) return false
      if (after >= head.position) return true
      const page = yield* log.readPage({ after, until: head.position, types: TYPES }, PIECE)
      const last = page.length < PIECE ? head : page.at(-1)
      if (last === undefined) return false
      const changes = page.flatMap((event) => changeBy(event, part) ?? [])
      const added = yield* index.use((file) => file.apply(after, changes, last))
      if (added === undefined) return false
      yield* yieldToEventLoop
    }
  })

const changeBy = (event: Event, part: Part): Change | undefined => {
  if (is(event, "PayloadShredded")) {
    return part === "personal" ? { kind: "shredded", keyId: event.payload.keyId } : undefined
  }
  const isPersonal = event.personal !== undefined
  if (is(event, "MemoryStored")) {
    if (part === "shared" && isPersonal) return { kind: "personal" }
    if (part === "personal" && !isPersonal) return undefined
    const { position, timeline, personal } = event
    const { text, agent = null, user = null, embedding, vector } = event.payload
    // A task whose subject was shredded records replacements.
    const isReadable = personal?.readable !== false && text !== SHREDDED
    const keyId = personal?.keyId ?? null
    return {
      kind: "memory",
      row: {
        position,
        scope: { timeline, agent, user: isReadable ? user : null, keyId },
        words: isReadable ? wordText(text) : null,
        ...(isReadable ? { embedding: storedVector(embedding, vector) } : {}),
      },
    }
  }
  if (is(event, "MemoryEmbedded") && isPersonal === (part === "personal")) {
    const { memory, embedding, vector } = event.payload
    const stored = storedVector(embedding, vector)
    return stored === undefined ? undefined : { kind: "vector", position: memory, embedding: stored }
  }
  return undefined
}

/** Undefined for an invalid vector: the memory is then found by its words, and a rebuild embeds it again. */
const storedVector = (embedding: EmbeddedBy | undefined, text: string | undefined): StoredVector | undefined => {
  if (embedding === undefined || text === undefined) return undefined
  const vector = decoded(text, embedding.dimensions)
  return vector === undefined ? undefined : { ...embedding, vector }
}
