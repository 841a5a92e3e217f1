/** Resolves the pointers of a view in a state document, and notes those that resolve to nothing. */
import { type Json, pointerKeys, valueAt } from "../values/Json.ts"
import { oneLine } from "../values/PlainText.ts"
import { formatted, type Lookups, MISSING } from "./Format.ts"
import { pieces } from "./Template.ts"

/** Values that a pattern visits, matches or not. */
const MAX_VISITED = 20_000

/** Per pattern. */
export const MAX_MATCHES = 5_000

/** In a drawing, and in the note about missing values. */
const MAX_NOTES = 8
const MAX_POINTERS = 6

/** A value that a pattern matches, under the key of its last `*`. */
export interface Match {
  readonly key: string
  readonly value: Json
}

/** A state document while it is drawn, and the notes about the drawing. */
export class Bindings {
  readonly document: Json
  readonly lookups: Lookups
  readonly #notes: Notes

  constructor(document: Json, lookups: Lookups, notes: Notes = new Notes()) {
    this.document = document
    this.lookups = lookups
    this.#notes = notes
  }

  /** Bindings relative to a part of the document, with the same notes. */
  within(part: Json): Bindings {
    return new Bindings(part, this.lookups, this.#notes)
  }

  /** The value at a pointer. Notes a missing one. */
  at(pointer: string): Json | undefined {
    const value = valueAt(this.document, pointerKeys(pointer))
    if (value === undefined) this.#notes.missing.add(pointer)
    return value
  }

  /** The number at a pointer, or the number itself. Notes a missing or wrong value. */
  number(quantity: number | string): number | undefined {
    if (typeof quantity === "number") return quantity
    const value = this.at(quantity)
    if (typeof value === "number") return value
    if (value !== undefined) this.note(`no number at ${quantity}`)
    return undefined
  }

  text(pointer: string, format: string | undefined): string {
    return formatted(this.at(pointer), format, this.lookups)
  }

  /** Fills in the bindings of a text. */
  filled(template: string): string {
    return pieces(template)
      .map(({ text, pointer, format }) => text ?? this.text(pointer, format))
      .join("")
  }

  /**
   * Values that a pattern matches, at most `limit`, in document order. Notes a pattern whose path does not exist; an
   * empty list is fine.
   */
  matches(pattern: string, limit = MAX_MATCHES): ReadonlyArray<Match> {
    const keys = pointerKeys(pattern)
    const found: Array<Match> = []
    let visited = 0
    const isDone = () => found.length > limit || visited > MAX_VISITED
    const follow = (value: Json, index: number, name: string): void => {
      visited += 1
      const key = keys[index]
      if (isDone()) return
      if (key === undefined) return void found.push({ key: name, value })
      if (key !== "*") {
        const member = valueAt(value, [key])
        if (member !== undefined) follow(member, index + 1, name === "" ? key : name)
        else if (!keys.slice(0, index).includes("*")) this.#notes.missing.add(pattern)
        return
      }
      if (typeof value !== "object" || value === null) return void this.#notes.missing.add(pattern)
      for (const each in value) {
        if (isDone()) return
        const member = valueAt(value, [each])
        if (member !== undefined) follow(member, index + 1, each)
      }
    }
    follow(this.document, 0, "")
    if (isDone()) this.note(`only the first ${Math.min(limit, found.length)} of ${pattern} are drawn`)
    return found.slice(0, limit)
  }

  note(text: string): void {
    if (this.#notes.others.size < MAX_NOTES) this.#notes.others.add(oneLine(text))
  }

  notes(): ReadonlyArray<string> {
    const { missing, others } = this.#notes
    const pointers = [...missing].map((pointer) => oneLine(pointer) || "(the whole)")
    const shown = pointers.slice(0, MAX_POINTERS).join(", ")
    const more = pointers.length > MAX_POINTERS ? ` and ${pointers.length - MAX_POINTERS} more` : ""
    return [...(pointers.length === 0 ? [] : [`${MISSING} nothing at ${shown}${more}`]), ...others]
  }
}

/** Shared by all parts of a document. It keeps the view's pointers, not resolved ones, so they stay few. */
class Notes {
  readonly missing = new Set<string>()
  readonly others = new Set<string>()
}
