/** The conversation before the position's chunk, loaded on demand. */
import { type Signal, signal } from "@preact/signals"
import type { Entry } from "../../../wire/CourseSlice.ts"
import type { CourseHistory } from "../CourseHistory.ts"

/**
 * Maximum number of chunks shown in addition to the position's: about 2,000 events. To see more, the reader goes to an
 * earlier position.
 */
export const MOST = 10

export class EarlierTalk {
  /** The loaded chunks' entries, oldest first. */
  readonly entries: Signal<ReadonlyArray<Entry>> = signal([])
  readonly isLoading: Signal<boolean> = signal(false)
  #loaded = 0
  readonly #history: CourseHistory
  /** The number of the position's chunk. */
  readonly #number: number

  constructor(history: CourseHistory, number: number) {
    this.#history = history
    this.#number = number
  }

  get left(): number {
    return this.#number - this.#loaded
  }

  get canLoad(): boolean {
    return this.left > 0 && this.#loaded < MOST
  }

  /** Loads the previous chunk. The history reports failures; the reader can try again. */
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
