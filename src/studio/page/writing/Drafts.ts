/** Unsaved texts. They outlive the part of the page in which somebody typed them. */
import { computed, type ReadonlySignal, type Signal, signal } from "@preact/signals"

export interface Draft {
  readonly text: string
  /** The digest of the text that it will replace, or empty. */
  readonly over: string
}

export class Drafts {
  readonly #drafts: Signal<ReadonlyMap<string, Draft>> = signal(new Map())

  /** Whether closing the page loses nothing. */
  readonly isEmpty: ReadonlySignal<boolean> = computed(() => this.#drafts.value.size === 0)

  of(name: string): Draft | null {
    return this.#drafts.value.get(name) ?? null
  }

  keep(name: string, draft: Draft | null): void {
    if (draft === null && !this.#drafts.value.has(name)) return
    const next = new Map(this.#drafts.value)
    if (draft === null) next.delete(name)
    else next.set(name, draft)
    this.#drafts.value = next
  }
}
