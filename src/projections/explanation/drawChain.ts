/**
 * Draws a chain of causes as one SVG image to paste into an issue: why a task failed, or why an event happened. Pure. The
 * image has no scripts, loads nothing, and brings its own paper, so that it reads the same on light and dark pages.
 */

import { type Markup, markup } from "../../values/Markup.ts"
import { visible } from "../../values/PlainText.ts"
import { INK, PAPER, SHADES } from "../../views/Colours.ts"
import { NAMES, type WhyFailed } from "./FailureChain.ts"

/** One event of a picture. */
export interface PictureLink {
  readonly position: number
  /** Its role in the chain, or its type. */
  readonly heading: string
  readonly says: string
  /** The rule that inferred the link; without one, the log records it. */
  readonly rule?: string | undefined
  readonly bad: boolean
}

/** A chain of causes, as it is drawn: from the end back. */
export interface ChainPicture {
  readonly title: string
  /** Below the title; may be empty. */
  readonly sentence: string
  readonly links: ReadonlyArray<PictureLink>
  /** The sentence of each rule. */
  readonly rules: { readonly [rule: string]: string }
}

/** Maximum number of drawn links. */
export const MAX_LINKS = 40

/** Maximum length of a text, in characters. */
const MAX_TEXT = 400

/** Sizes in units of the image: a line of text, the columns, and the margin. */
const LINE = 18
const COLUMN = { marks: 178, texts: 196 } as const
const MARGIN = 20
const WIDTH = 760

/** Characters on a line of each column, in an average font. Wide characters count twice. */
const FITS = { whole: 98, heading: 24, text: 74 } as const

const DIM = "#5b5e66"

/** Why a task failed. */
export const ofFailure = ({ taskId, sentence, chain, rules }: WhyFailed): ChainPicture => ({
  title: `Task ${taskId}`,
  sentence,
  links: chain.map(({ position, role, says, rule }, index) => ({
    ...{ position, says, rule, bad: role === "failure" },
    heading: role === chain[index - 1]?.role ? "" : NAMES[role],
  })),
  rules,
})

/** Returns the image as SVG 1.1. */
export const drawChain = ({ title, sentence, links, rules }: ChainPicture): string => {
  const drawn = links.slice(0, MAX_LINKS)
  const left = links.length - drawn.length
  const head = wrap(title, FITS.whole)
  const told = sentence === "" ? [] : wrap(sentence, FITS.whole)
  const parts: Array<Markup> = [
    lines(head, MARGIN, MARGIN, "bold"),
    lines(told, MARGIN, MARGIN + head.length * LINE + 4),
  ]
  let y = MARGIN + (head.length + told.length) * LINE + LINE
  let before: number | undefined
  for (const link of drawn) {
    const text = wrap(link.says, FITS.text)
    const basis = link.rule === undefined ? "recorded" : `inferred by ${link.rule}`
    if (before !== undefined) parts.push(connection(before, y, link))
    parts.push(
      mark(y, link),
      lines(wrap(link.heading, FITS.heading).slice(0, 1), MARGIN, y, "bold"),
      lines([`@${link.position}`], MARGIN, y + LINE, "normal", DIM),
      lines(text, COLUMN.texts, y),
      lines(wrap(basis, FITS.text).slice(0, 1), COLUMN.texts, y + text.length * LINE, "normal", DIM),
    )
    before = y
    y += Math.max(2, text.length + 1) * LINE + LINE / 2
  }
  const notes = [
    ...(left > 0 ? [`… and ${left} more ${left === 1 ? "event" : "events"}`] : []),
    ...(drawn.length === 0 ? ["No event is behind it."] : []),
    ...Object.entries(rules).map(([rule, says]) => `Inferred by ${rule}: ${says}.`),
  ].flatMap((note) => wrap(note, FITS.whole))
  parts.push(lines(notes, MARGIN, y, "normal", DIM))
  const height = Math.ceil(y + notes.length * LINE + MARGIN)
  return markup`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" font-family="system-ui,-apple-system,Segoe UI,Roboto,Helvetica,Arial,sans-serif" font-size="13" role="img" aria-labelledby="t d"><title id="t">${cut(title)}</title><desc id="d">${cut(sentence)}</desc><rect x="0.5" y="0.5" width="${WIDTH - 1}" height="${height - 1}" fill="${PAPER}" stroke="${SHADES.grey}"/>${parts}</svg>
`.source
}

/** A full mark is recorded, a hollow one inferred: the words next to it say so, too. */
const mark = (y: number, { rule, bad }: PictureLink): Markup => {
  const ink = bad ? SHADES.red : INK
  return markup`<circle cx="${COLUMN.marks}" cy="${y + 9}" r="5" fill="${rule === undefined ? ink : PAPER}" stroke="${ink}" stroke-width="2"/>`
}

const connection = (from: number, to: number, { rule }: PictureLink): Markup =>
  markup`<path d="M${COLUMN.marks} ${from + 17}V${to + 1}" fill="none" stroke="${DIM}" stroke-width="1.5"${rule === undefined ? null : DASHED}/>`

const DASHED = markup` stroke-dasharray="4 4"`

const lines = (
  texts: ReadonlyArray<string>,
  x: number,
  y: number,
  weight: "normal" | "bold" = "normal",
  ink = INK,
): Markup =>
  markup`${texts.map((text, index) => markup`<text x="${x}" y="${y + index * LINE + 13}" fill="${ink}" font-weight="${weight}" xml:space="preserve">${text}</text>`)}`

/** Breaks a text into lines that fit, at spaces where it has some. */
const wrap = (text: string, fits: number): ReadonlyArray<string> => {
  const all: Array<string> = []
  let line = ""
  for (const word of cut(text).split(" ")) {
    const longer = line === "" ? word : `${line} ${word}`
    if (widthOf(longer) <= fits) {
      line = longer
      continue
    }
    if (line !== "") all.push(line)
    line = ""
    for (const character of word) {
      if (widthOf(line + character) > fits) {
        all.push(line)
        line = ""
      }
      line += character
    }
  }
  return line === "" ? all : [...all, line]
}

/** Cuts a text to a length by itself: Studio's page has no room for what `values/Formats` imports. */
const cut = (whole: string): string => {
  const text = legal(whole.slice(0, 4 * MAX_TEXT))
  const characters = [...text]
  return characters.length <= MAX_TEXT ? text : `${characters.slice(0, MAX_TEXT - 1).join("")}…`
}

const widthOf = (text: string): number => {
  let width = 0
  for (const character of text) width += (character.codePointAt(0) ?? 0) < 0x1100 ? 1 : 2
  return width
}

/** The text without characters that XML forbids, and with invisible ones as escapes. */
const legal = (text: string): string => visible(text).replaceAll(FORBIDDEN, "\uFFFD")

const FORBIDDEN = /[^\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu
