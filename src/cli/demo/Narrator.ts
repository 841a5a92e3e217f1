import { stripVTControlCharacters } from "node:util"
import { Effect } from "effect"
import * as Output from "../command/Output.ts"
import type { Style } from "../terminal/Style.ts"
import * as StyleOf from "../terminal/Style.ts"

/** Who tells the person at the terminal what is going on. For programs (`--json`) nothing is told. */
export interface Narrator {
  readonly style: Style
  /** Begins a part: its heading, and a sentence or two about what is seen and why it matters. */
  readonly part: (title: string, ...about: ReadonlyArray<string>) => Effect.Effect<void>
  /** Lines, as they are. */
  readonly say: (...lines: ReadonlyArray<string>) => Effect.Effect<void>
  /** Lines about what is in the log, each cut to the width of the page. */
  readonly show: (lines: ReadonlyArray<string>) => Effect.Effect<void>
}

/** Columns of the page. */
export const WIDTH = 100

/** Tells on the standard output. */
export const onOutput = (): Narrator => {
  const style = Output.styleOf(process.stdout)
  const say = (...lines: ReadonlyArray<string>) => Effect.forEach(lines, Output.write, { discard: true })
  return {
    style,
    say,
    show: (lines) => say(...lines.map((line) => cut(line, WIDTH))),
    part: (title, ...about) => say("", style.bold(title), ...about.map((line) => style.dim(line)), ""),
  }
}

/** Tells nobody. */
export const silent: Narrator = {
  style: StyleOf.plain,
  part: () => Effect.void,
  say: () => Effect.void,
  show: () => Effect.void,
}

/** A line of at most `width` visible characters; colours count nothing and are kept. */
export const cut = (line: string, width: number): string => {
  let left = [...stripVTControlCharacters(line)].length <= width ? Number.POSITIVE_INFINITY : width - 1
  return line
    .split(COLOUR)
    .map((piece) => {
      if (piece.startsWith(ESCAPE)) return piece
      const characters = [...piece]
      const kept = characters.slice(0, left).join("")
      const ends = left > 0 && characters.length > left
      left = Math.max(0, left - characters.length)
      return ends ? `${kept}…` : kept
    })
    .join("")
}

const ESCAPE = "\u001b"

/** What sets a colour (ECMA-48 SGR), as `Style` writes it. */
const COLOUR = new RegExp(`(${ESCAPE}\\[[\\d;]*m)`)
