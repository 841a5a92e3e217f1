/** The state of an agent at work and its current answer, from outside the log, while somebody looks. */
import { type Signal, signal } from "@preact/signals"
import type { AgentState, AnswerPart, Delta } from "../../../wire/Talk.ts"
import type { LiveEvent, Source } from "../../source/Source.ts"
import type { Course } from "../Address.ts"

/** Wait before a reconnection, in milliseconds. */
const WAIT = 1_000

export interface Piece {
  readonly kind: AnswerPart["type"]
  readonly text: string
}

export interface Streaming {
  /** The id of its `ModelCalled` event. */
  readonly request: string
  /** By index. */
  readonly pieces: ReadonlyArray<Piece | undefined>
}

export class LiveAnswer {
  readonly state: Signal<AgentState | null> = signal(null)
  readonly streaming: Signal<Streaming | null> = signal(null)

  take({ name, data }: LiveEvent): void {
    if (name === "state") this.state.value = (data as { readonly state: AgentState }).state
    if (name === "delta") this.streaming.value = continued(this.streaming.value, data as Delta)
  }

  /** Listens until the signal, and reconnects after a loss of the connection. */
  async listen(source: Source, { timeline, task }: Course, stop: AbortSignal): Promise<void> {
    const { follow } = source
    if (follow === null) return
    while (!stop.aborted) {
      // A new connection sends an answer in progress from its beginning.
      this.streaming.value = null
      try {
        await follow("talk", { timeline, task }, (event) => this.take(event), stop)
      } catch {
        // The bar shows the loss of the connection, and the loop reconnects.
      }
      this.state.value = null
      await new Promise((resolve) => setTimeout(resolve, WAIT))
    }
  }
}

/** An answer with one more piece. A piece of another request starts a new answer. */
export const continued = (known: Streaming | null, { request, index, kind, text }: Delta): Streaming => {
  const pieces = known?.request === request ? [...known.pieces] : []
  pieces[index] = { kind, text: (pieces[index]?.text ?? "") + text }
  return { request, pieces }
}
