/** Marks where a predicate becomes true in the visited course. */
import { computed, type ReadonlySignal, type Signal, signal } from "@preact/signals"
import { messageOf, type Source } from "../source/Source.ts"
import type { Visit } from "./Address.ts"

export interface Hits {
  readonly when: string
  readonly positions: ReadonlyArray<number>
  readonly done: boolean
  readonly problem: string | null
}

export class Marked {
  readonly hits: Signal<Hits | null> = signal(null)
  readonly places: ReadonlySignal<ReadonlySet<number>> = computed(() => new Set(this.hits.value?.positions))
  #key = ""
  #search = new AbortController()

  readonly #source: Source

  constructor(source: Source) {
    this.#source = source
  }

  /** Marks a visit's predicate. Does not repeat the last search. */
  look({ timeline, task, when }: Visit): void {
    const key = JSON.stringify([timeline, task, when])
    if (key === this.#key) return
    this.#key = key
    this.#search.abort()
    if (when === "") {
      this.hits.value = null
      return
    }
    this.#search = new AbortController()
    const { signal } = this.#search
    const positions: Array<number> = []
    const show = (done: boolean, problem: string | null = null) => {
      if (!signal.aborted) this.hits.value = { when, positions: [...positions], done, problem }
    }
    show(false)
    this.#source
      .find(
        { timeline, task, when },
        (line) => {
          if ("hit" in line) positions.push(line.hit.position)
          else if ("problem" in line) show(true, line.problem)
          else if ("end" in line) show(true)
          else show(false)
        },
        signal,
      )
      .catch((cause: unknown) => show(true, messageOf(cause)))
  }
}
