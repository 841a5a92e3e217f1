/** Follows the pointers of a view into a state document, and notes those that point nowhere. */
import { type Json, pointerKeys, valueAt } from "../values/Json.ts"
import { oneLine } from "../values/PlainText.ts"
import { formatted, type Lookups, MISSING } from "./Format.ts"
import { pieces } from "./Template.ts"

/** Most values that a pattern is followed through, whether they match or not. */
const MAX_VISITED = 20_000

/** Most matches of one pattern. */
export const MAX_MATCHES = 5_000

/** Most notes below a drawing, and most pointers in the note about those that point nowhere. */
const MAX_NOTES = 8
const MAX_POINTERS = 6

/** A value that a pattern matches, under the key that its last `*` stands for. */
export interface Match {
  readonly key: string
  readonly value: Json
}

/** A state document while it is drawn: what is in it, and what has to be said about the drawing. */
export class Bindings {
  readonly document: Json
  readonly lookups: Lookups
  readonly #notes: Notes

  constructor(document: Json, lookups: Lookups, notes: Notes = new Notes()) {
    this.document = document
    this.lookups = lookups
    this.#notes = notes
  }

  /** The same view of a part of the document, to which pointers are then relative. */
  within(part: Json): Bindings {
    return new Bindings(part, this.lookups, this.#notes)
  }

  /** The value at a pointer; undefined, and noted, if there is none. */
  at(pointer: string): Json | undefined {
    const value = valueAt(this.document, pointerKeys(pointer))
    if (value === undefined) this.#notes.missing.add(pointer)
    return value
  }

  /** The number at a pointer or in the view; undefined, and noted, if there is none. */
  number(quantity: number | string): number | undefined {
    if (typeof quantity === "number") return quantity
    const value = this.at(quantity)
    if (typeof value === "number") return value
    if (value !== undefined) this.note(`no number at ${quantity}`)
    return undefined
  }

  /** The text of the value at a pointer. */
  text(pointer: string, format: string | undefined): string {
    return formatted(this.at(pointer), format, this.lookups)
  }

  /** A text with its bindings filled in. */
  filled(template: string): string {
    return pieces(template)
      .map(({ text, pointer, format }) => text ?? this.text(pointer, format))
      .join("")
  }

  /**
   * The values that a pattern matches, at most `limit`, in the document's order. A pattern that leads nowhere is noted;
   * one that leads to an empty list is not.
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

  /** Adds a note below the drawing. */
  note(text: string): void {
    if (this.#notes.others.size < MAX_NOTES) this.#notes.others.add(oneLine(text))
  }

  /** What has to be said below the drawing. */
  notes(): ReadonlyArray<string> {
    const { missing, others } = this.#notes
    const pointers = [...missing].map((pointer) => oneLine(pointer) || "(the whole)")
    const shown = pointers.slice(0, MAX_POINTERS).join(", ")
    const more = pointers.length > MAX_POINTERS ? ` and ${pointers.length - MAX_POINTERS} more` : ""
    return [...(pointers.length === 0 ? [] : [`${MISSING} nothing at ${shown}${more}`]), ...others]
  }
}

/** What is noted while a document is drawn, of all its parts. The pointers are those of the view, so that they are few. */
class Notes {
  readonly missing = new Set<string>()
  readonly others = new Set<string>()
}
