/** Embeds the memories that lack a vector of a model, and records the vectors. */

import { Effect } from "effect"
import type { CoreNewEvent } from "../events/log/AppendRequest.ts"
import type { AppendError, EventLog, LogError } from "../events/log/EventLog.ts"
import type { PersonalData } from "../events/payload/PersonalData.ts"
import type { TimelineNotFound } from "../events/read/Timelines.ts"
import type { Event } from "../events/vocabulary/Event.ts"
import { is } from "../events/vocabulary/Vocabulary.ts"
import { type Embedder, type EmbeddingFailed, encoded } from "./Embedding.ts"
import type { MemoryPart } from "./Recalling.ts"

export interface Sources {
  readonly log: EventLog.Service
  readonly personal: PersonalData.Service
  /** Up to the head. */
  readonly parts: ReadonlyArray<MemoryPart>
  readonly embedder: Embedder
  readonly viewOf: (timeline: string) => Effect.Effect<EventLog.Service, TimelineNotFound | LogError>
}

/** Number of memories that are embedded and recorded at once. */
const PIECE = 64

/** Any text: its vector says how long the model's vectors are. */
const PROBE = "memory"

/** Returns the number of embedded memories. Recorded vectors stay, so a second call continues after a failure. */
export const run = (sources: Sources): Effect.Effect<number, EmbeddingFailed | TimelineNotFound | AppendError> =>
  Effect.gen(function* () {
    const { log, parts, embedder } = sources
    const [probe] = yield* embedder.embed([PROBE])
    const model = { model: embedder.model, dimensions: probe?.length ?? 0 }
    let embedded = 0
    for (const { index } of parts) {
      let after = 0
      for (;;) {
        const positions = (yield* index.use((of) => of.unembedded(model, after, PIECE))) ?? []
        const last = positions.at(-1)
        if (last === undefined) break
        after = last
        const pages = yield* Effect.forEach(positions, (at) => log.readPage({ after: at - 1, until: at }, 1))
        embedded += yield* record(sources, pages.flat())
      }
    }
    return embedded
  })

/** Embeds the readable memories among some events, and records their vectors, a timeline and a subject at a time. */
const record = ({ personal, embedder, viewOf }: Sources, events: ReadonlyArray<Event>) =>
  Effect.gen(function* () {
    const memories = events.flatMap((event) =>
      is(event, "MemoryStored") && event.personal?.readable !== false ? [event] : [],
    )
    if (memories.length === 0) return 0
    const vectors = yield* embedder.embed(memories.map(({ payload }) => payload.text))
    const subjects = new Map<string, string>()
    for (const { keyId, subject, shredding } of yield* personal.subjects) if (!shredding) subjects.set(keyId, subject)
    const groups = new Map<
      string,
      { readonly timeline: string; readonly subject: string | undefined; readonly made: Array<CoreNewEvent> }
    >()
    for (const [number, { id, position, timeline, personal: of }] of memories.entries()) {
      const vector = vectors[number]
      const subject = of === undefined ? undefined : subjects.get(of.keyId)
      // Its key was destroyed in the meantime.
      if (vector === undefined || (of !== undefined && subject === undefined)) continue
      const key = JSON.stringify([timeline, of?.keyId ?? null])
      const group = groups.get(key) ?? { timeline, subject, made: [] }
      groups.set(key, group)
      const embedding = { model: embedder.model, dimensions: vector.length }
      const payload = { memory: position, embedding, vector: encoded(vector) }
      group.made.push({ type: "MemoryEmbedded", causationId: id, payload })
    }
    for (const { timeline, subject, made } of groups.values()) {
      const log = yield* viewOf(timeline)
      yield* log.append({
        stream: "memories",
        actor: "agent:program",
        ...(subject === undefined ? {} : { subject }),
        events: made,
      })
    }
    return [...groups.values()].reduce((sum, { made }) => sum + made.length, 0)
  })
