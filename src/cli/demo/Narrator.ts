/** Prints the parts of the demo to the terminal, or nothing with `--json`. */
import { stripVTControlCharacters } from "node:util"
import { Effect } from "effect"
import * as Output from "../command/Output.ts"
import type { Style } from "../terminal/Style.ts"
import * as StyleOf from "../terminal/Style.ts"

/** Prints the demo's text. With `--json` it prints nothing. */
export interface Narrator {
  readonly style: Style
  /** Starts a part: its title, and a sentence or two about what it shows and why it matters. */
  readonly part: (title: string, ...about: ReadonlyArray<string>) => Effect.Effect<void>
  /** Prints lines unchanged. */
  readonly say: (...lines: ReadonlyArray<string>) => Effect.Effect<void>
  /** Prints lines about the log, each cut to `WIDTH`. */
  readonly show: (lines: ReadonlyArray<string>) => Effect.Effect<void>
}

/** Columns of the demo's text. */
export const WIDTH = 100

/** A narrator that writes to the standard output. */
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

/** A narrator that prints nothing. */
export const silent: Narrator = {
  style: StyleOf.plain,
  part: () => Effect.void,
  say: () => Effect.void,
  show: () => Effect.void,
}

/** Cuts a line to at most `width` visible characters. Colours are kept and not counted. */
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

/** An escape sequence that sets a colour (ECMA-48 SGR). */
const COLOUR = new RegExp(`(${ESCAPE}\\[[\\d;]*m)`)
