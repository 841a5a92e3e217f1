/** What an agent at work does, and the answer that it is giving: what is told beside the log, for as long as somebody looks. */
import { type Signal, signal } from "@preact/signals"
import type { AgentState, AnswerPart, Delta } from "../../../wire/Talk.ts"
import type { LiveEvent, Source } from "../../source/Source.ts"
import type { Course } from "../Address.ts"

/** How long to wait before connecting again, in milliseconds. */
const WAIT = 1_000

/** A part of an answer, as far as it has come. */
export interface Piece {
  readonly kind: AnswerPart["type"]
  readonly text: string
}

/** An answer that is under way. */
export interface Streaming {
  /** The id of its `ModelCalled` event. */
  readonly request: string
  /** By their indices. */
  readonly pieces: ReadonlyArray<Piece | undefined>
}

export class LiveTalk {
  /** What the agent does; null until it is known. */
  readonly state: Signal<AgentState | null> = signal(null)
  readonly streaming: Signal<Streaming | null> = signal(null)

  /** Takes what is told. */
  take({ name, data }: LiveEvent): void {
    if (name === "state") this.state.value = (data as { readonly state: AgentState }).state
    if (name === "delta") this.streaming.value = continued(this.streaming.value, data as Delta)
  }

  /** Listens until the signal, connecting again where it breaks off. */
  async listen(source: Source, { timeline, task }: Course, stop: AbortSignal): Promise<void> {
    const { follow } = source
    if (follow === null) return
    while (!stop.aborted) {
      // A connection tells an answer that is under way from its beginning.
      this.streaming.value = null
      try {
        await follow("talk", { timeline, task }, (event) => this.take(event), stop)
      } catch {
        // Whatever broke it off, the bar says so, and it is begun again.
      }
      this.state.value = null
      await new Promise((resolve) => setTimeout(resolve, WAIT))
    }
  }
}

/** An answer with one more piece; another request begins anew. */
export const continued = (known: Streaming | null, { request, index, kind, text }: Delta): Streaming => {
  const pieces = known?.request === request ? [...known.pieces] : []
  pieces[index] = { kind, text: (pieces[index]?.text ?? "") + text }
  return { request, pieces }
}
