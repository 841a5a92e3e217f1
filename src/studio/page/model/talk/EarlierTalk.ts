/** What was said before the chunk of the position, as far as the reader asked for it. */
import { type Signal, signal } from "@preact/signals"
import type { Entry } from "../../../wire/Chunk.ts"
import type { CourseHistory } from "../CourseHistory.ts"

/** Most chunks that are shown together with that of the position: about 2,000 events. Further back, the reader goes there. */
export const MOST = 10

export class EarlierTalk {
  /** Of the chunks that were loaded, oldest first. */
  readonly entries: Signal<ReadonlyArray<Entry>> = signal([])
  readonly isLoading: Signal<boolean> = signal(false)
  #loaded = 0
  readonly #history: CourseHistory
  /** The number of the chunk of the position. */
  readonly #number: number

  constructor(history: CourseHistory, number: number) {
    this.#history = history
    this.#number = number
  }

  /** How many chunks are before those that are shown. */
  get left(): number {
    return this.#number - this.#loaded
  }

  /** Whether one more is shown when it is asked for. */
  get canLoad(): boolean {
    return this.left > 0 && this.#loaded < MOST
  }

  /** Loads the chunk before. What is wrong, the history says; it can be asked for again. */
  async load(): Promise<void> {
    if (!this.canLoad || this.isLoading.value) return
    this.isLoading.value = true
    const chunk = await this.#history.chunk(this.left - 1)
    if (chunk !== null) {
      this.#loaded += 1
      this.entries.value = [...chunk.entries, ...this.entries.value]
    }
    this.isLoading.value = false
  }
}
