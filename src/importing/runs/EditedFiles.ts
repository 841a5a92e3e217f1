/** The contents of a coding session's files, as far as its reads and edits show. */

/** Maximum length of a kept file, in characters. */
const MAX_FILE = 1024 * 1024

/** Maximum total length of a session's kept files, in characters. Above it, only the fact of a change is kept. */
const MAX_TOTAL = 32 * 1024 * 1024

export interface TextEdit {
  readonly from: string
  readonly to: string
  readonly all: boolean
}

/** Contents by path; null for an unknown content. */
export class EditedFiles {
  readonly #contents = new Map<string, string | null>()
  #characters = 0

  /** A file's content; null if unknown, undefined if the file was never seen. */
  get(path: string): string | null | undefined {
    return this.#contents.get(path)
  }

  entries(): IterableIterator<[string, string | null]> {
    return this.#contents.entries()
  }

  /** Sets a content. Returns the kept one: null if it is unknown or too large. */
  set(path: string, content: string | null): string | null {
    const before = this.#contents.get(path)?.length ?? 0
    const room = MAX_TOTAL - this.#characters + before
    const kept = content === null || content.length > Math.min(MAX_FILE, room) ? null : content
    this.#characters += (kept?.length ?? 0) - before
    this.#contents.set(path, kept)
    return kept
  }

  delete(path: string): void {
    this.#characters -= this.#contents.get(path)?.length ?? 0
    this.#contents.delete(path)
  }
}

/** Applies edits in order; null if one does not fit. */
export const edited = (text: string, edits: ReadonlyArray<TextEdit>): string | null => {
  let now = text
  for (const { from, to, all } of edits) {
    const found = from === "" ? (now === "" ? 0 : -1) : now.indexOf(from)
    if (found < 0) return null
    now = all && from !== "" ? now.split(from).join(to) : now.slice(0, found) + to + now.slice(found + from.length)
  }
  return now
}
