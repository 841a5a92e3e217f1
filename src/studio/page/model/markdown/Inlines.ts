/**
 * Parses the text of a Markdown block into a tree: emphasis, code, links, images and line breaks. Takes time in
 * proportion to any text. HTML is text.
 */

import { canParseUrl } from "../../../../values/url/canParseUrl.ts"

export type Inline =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "strong" | "em" | "strike"; readonly inlines: ReadonlyArray<Inline> }
  | { readonly kind: "code"; readonly text: string }
  /** `href` is an address of http, https or mailto, normalized by the browser's parser. */
  | { readonly kind: "link"; readonly href: string; readonly inlines: ReadonlyArray<Inline> }
  | { readonly kind: "image"; readonly src: string; readonly alt: string }
  | { readonly kind: "break" }

export const inlinesOf = (text: string): ReadonlyArray<Inline> => new Reader(text).read()

/** The text of inlines without their forms. */
export const textOf = (inlines: ReadonlyArray<Inline>): string =>
  inlines
    .map((one) => {
      if (one.kind === "text" || one.kind === "code") return one.text
      if (one.kind === "image") return one.alt
      return one.kind === "break" ? "\n" : textOf(one.inlines)
    })
    .join("")

/** The address of a link that people may open; undefined for others, such as `javascript:`. */
export const addressOf = (href: string): string | undefined => {
  if (!canParseUrl(href)) return undefined
  const url = new URL(href)
  return /^(https?|mailto):$/.test(url.protocol) ? url.href : undefined
}

/** A link contains no links: an address in its text is text. */
const withoutLinks = (inlines: ReadonlyArray<Inline>): ReadonlyArray<Inline> =>
  inlines.flatMap((one) => {
    if (one.kind === "link") return one.inlines
    return "inlines" in one ? [{ ...one, inlines: withoutLinks(one.inlines) }] : [one]
  })

const FORMS: { readonly [marker: string]: "strong" | "em" | "strike" } = {
  "**": "strong",
  __: "strong",
  "*": "em",
  _: "em",
  "~~": "strike",
}

/**
 * An open marker or bracket: its text is the inline with this index, and the inlines that it may enclose come after it.
 */
interface Open {
  readonly marker: string
  readonly index: number
}

/** Longest address of a link, in characters. */
const LONGEST_ADDRESS = 2_048

const LONGEST_ALT = 300

/** Characters that may begin something other than text. */
const SPECIAL = /[\\`*_~[\]!<\nh]/g

const ESCAPABLE = /[!-/:-@[-`{-~]/

const BARE = /https?:\/\/[^\s<>"'`[\]]{1,2048}/y

class Reader {
  readonly #text: string
  readonly #inlines: Array<Inline> = []
  /** At most one for each kind of marker, so at most five. */
  #markers: Array<Open> = []
  #brackets: Array<Open> = []
  /** Runs of backticks: the positions of each length, in order, and how many of them are behind. */
  readonly #ticks = new Map<number, { readonly at: Array<number>; next: number }>()
  #at = 0
  #plain = ""

  constructor(text: string) {
    this.#text = text
    for (const { 0: run, index } of text.matchAll(/`+/g)) {
      const known = this.#ticks.get(run.length)
      if (known === undefined) this.#ticks.set(run.length, { at: [index], next: 0 })
      else known.at.push(index)
    }
  }

  read(): ReadonlyArray<Inline> {
    while (this.#at < this.#text.length) {
      SPECIAL.lastIndex = this.#at
      const next = SPECIAL.exec(this.#text)?.index ?? this.#text.length
      this.#plain += this.#text.slice(this.#at, next)
      this.#at = next
      if (next < this.#text.length) this.#special(this.#text[next] ?? "")
    }
    this.#flush()
    return this.#inlines
  }

  #special(character: string): void {
    if (character === "\\") this.#escape()
    else if (character === "`") this.#code()
    else if (character === "*" || character === "_" || character === "~") this.#mark(character)
    else if (character === "[") this.#bracket("[")
    else if (character === "!" && this.#text[this.#at + 1] === "[") this.#bracket("![")
    else if (character === "]") this.#close()
    else if (character === "\n") this.#break()
    else if (character === "<" || character === "h") this.#bare(character === "<")
    else this.#take(1)
  }

  /** Takes characters as text. */
  #take(count: number): void {
    this.#plain += this.#text.slice(this.#at, this.#at + count)
    this.#at += count
  }

  #flush(): void {
    if (this.#plain !== "") this.#inlines.push({ kind: "text", text: this.#plain })
    this.#plain = ""
  }

  #push(inline: Inline, until: number): void {
    this.#flush()
    this.#inlines.push(inline)
    this.#at = until
  }

  #escape(): void {
    const next = this.#text[this.#at + 1] ?? ""
    if (ESCAPABLE.test(next)) {
      this.#plain += next
      this.#at += 2
    } else this.#take(1)
  }

  /** Models write lines as lines, so each break counts. */
  #break(): void {
    this.#plain = this.#plain.replace(/(?: {1,8}|\\)$/, "")
    this.#push({ kind: "break" }, this.#at + 1)
  }

  #code(): void {
    const start = this.#at
    let end = start
    while (this.#text[end] === "`") end++
    const runs = this.#ticks.get(end - start)
    while (runs !== undefined && (runs.at[runs.next] ?? Number.POSITIVE_INFINITY) <= start) runs.next++
    const close = runs?.at[runs.next]
    if (close === undefined) {
      this.#take(end - start)
      return
    }
    const text = this.#text.slice(end, close).replaceAll("\n", " ")
    const isPadded = text.startsWith(" ") && text.endsWith(" ") && text.trim() !== ""
    this.#push({ kind: "code", text: isPadded ? text.slice(1, -1) : text }, close + (end - start))
  }

  #mark(character: string): void {
    let end = this.#at
    while (this.#text[end] === character) end++
    const length = end - this.#at
    if (length > 3 || (character === "~" && length !== 2)) {
      this.#take(length)
      return
    }
    const before = this.#text[this.#at - 1] ?? " "
    const after = this.#text[end] ?? " "
    const isWord = character === "_"
    const mayOpen = !/\s/.test(after) && !(isWord && /[\p{L}\p{N}]/u.test(before))
    const mayClose = !/\s/.test(before) && !(isWord && /[\p{L}\p{N}]/u.test(after))
    const markers = length === 3 ? [character.repeat(2), character] : [character.repeat(length)]
    for (const marker of this.#isOpen(markers[0] ?? "") ? markers.toReversed() : markers)
      this.#markOne(marker, mayOpen, mayClose)
    this.#at = end
  }

  #isOpen(marker: string): boolean {
    return this.#markers.some((open) => open.marker === marker)
  }

  #markOne(marker: string, mayOpen: boolean, mayClose: boolean): void {
    const opened = this.#markers.find((open) => open.marker === marker)
    const kind = FORMS[marker]
    if (opened !== undefined && mayClose && kind !== undefined) {
      this.#inlines.push({ kind, inlines: this.#enclosed(opened) })
    } else if (opened === undefined && mayOpen) {
      this.#markers.push({ marker, index: this.#open(marker) })
    } else this.#plain += marker
  }

  /** Adds the text of a marker that may turn out to enclose the following inlines. */
  #open(marker: string): number {
    this.#flush()
    return this.#inlines.push({ kind: "text", text: marker }) - 1
  }

  /** Markers and brackets in an enclosed inline cannot be closed from outside. */
  #forget(from: number): void {
    this.#markers = this.#markers.filter(({ index }) => index < from)
    while ((this.#brackets.at(-1)?.index ?? -1) >= from) this.#brackets.pop()
  }

  #bracket(marker: string): void {
    this.#brackets.push({ marker, index: this.#open(marker) })
    this.#at += marker.length
  }

  #close(): void {
    const opened = this.#brackets.pop()
    const address = opened === undefined ? undefined : this.#destination(this.#at + 1)
    const href = address === undefined ? undefined : addressOf(address.href)
    if (opened === undefined || address === undefined) this.#take(1)
    else if (opened.marker === "![") {
      const alt = textOf(this.#enclosed(opened)).slice(0, LONGEST_ALT)
      this.#push({ kind: "image", src: address.href, alt }, address.end)
    } else if (href === undefined) this.#take(address.end - this.#at)
    else {
      this.#push({ kind: "link", href, inlines: withoutLinks(this.#enclosed(opened)) }, address.end)
      this.#brackets = []
    }
  }

  /** Takes back an opening and everything after it. */
  #enclosed({ index }: Open): ReadonlyArray<Inline> {
    this.#flush()
    const inlines = this.#inlines.splice(index + 1)
    this.#inlines.pop()
    this.#forget(index)
    return inlines
  }

  /** The address in the parentheses at a place, perhaps with a title, which is left out. */
  #destination(start: number): { readonly href: string; readonly end: number } | undefined {
    if (this.#text[start] !== "(") return undefined
    let [at, depth] = [start + 1, 0]
    for (; at - start <= LONGEST_ADDRESS; at++) {
      const character = this.#text[at] ?? "\n"
      if (/[\s[\]]/.test(character) || (character === ")" && depth === 0)) break
      if (character === "(") depth += 1
      if (character === ")") depth -= 1
    }
    const href = this.#text.slice(start + 1, at).replace(/^<|>$/g, "")
    const title = /^(?:[ \t]{1,8}(?:"[^"\n[\]]{0,512}"|'[^'\n[\]]{0,512}'))?[ \t]{0,8}\)/.exec(
      this.#text.slice(at, at + 600),
    )
    return href === "" || title === null ? undefined : { href, end: at + title[0].length }
  }

  /** An address without a form of its own, perhaps in angle brackets. */
  #bare(isBracketed: boolean): void {
    const start = this.#at + (isBracketed ? 1 : 0)
    BARE.lastIndex = start
    const isWithin = !isBracketed && /[\p{L}\p{N}]/u.test(this.#text[this.#at - 1] ?? " ")
    const found = isWithin ? undefined : BARE.exec(this.#text)?.[0]
    if (found === undefined) {
      this.#take(1)
      return
    }
    const shown = isBracketed ? found : found.replace(/[.,;:!?)\]}*_~]{1,16}$/, "")
    const end = start + shown.length
    const href = addressOf(shown)
    if (href === undefined || (isBracketed && this.#text[end] !== ">")) this.#take(end - this.#at)
    else this.#push({ kind: "link", href, inlines: [{ kind: "text", text: shown }] }, isBracketed ? end + 1 : end)
  }
}
