/** Texts that somebody typed and that are kept nowhere else: they outlive the part of the page in which they are typed. */
import { computed, type ReadonlySignal, type Signal, signal } from "@preact/signals"

/** A text that is not kept yet. */
export interface Draft {
  readonly text: string
  /** The digest of what it is to replace; empty if it replaces nothing. */
  readonly over: string
}

export class Drafts {
  readonly #drafts: Signal<ReadonlyMap<string, Draft>> = signal(new Map())

  /** Whether nothing would be lost if the page were closed. */
  readonly isEmpty: ReadonlySignal<boolean> = computed(() => this.#drafts.value.size === 0)

  /** The draft of a name; null if there is none. */
  of(name: string): Draft | null {
    return this.#drafts.value.get(name) ?? null
  }

  /** Keeps a draft, in place of the one before; null: there is none any more. */
  keep(name: string, draft: Draft | null): void {
    if (draft === null && !this.#drafts.value.has(name)) return
    const next = new Map(this.#drafts.value)
    if (draft === null) next.delete(name)
    else next.set(name, draft)
    this.#drafts.value = next
  }
}
