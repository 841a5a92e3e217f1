/** Formats the first step after which a command fails. */
import { oneLine } from "../../../values/PlainText.ts"
import * as Tested from "../../../workspace/bisect/Tested.ts"
import type { Origin } from "../../../workspace/history/Origin.ts"
import type { ComparedFile } from "../../../workspace/questions/ComparedFiles.ts"
import type { Style } from "../../terminal/Style.ts"
import { at, count, duration } from "../../terminal/Text.ts"
import * as DiffLines from "./DiffLines.ts"
import * as OriginLines from "./OriginLines.ts"

export interface BisectPage {
  readonly command: string
  readonly states: number
  readonly tested: ReadonlyArray<Tested.Tested>
  readonly good: Tested.Tested
  readonly bad: Tested.Tested
  readonly goodAfterBad: ReadonlyArray<Tested.Tested>
  readonly origin: Origin
  readonly changed: ReadonlyArray<ComparedFile>
}

export const lines = (style: Style, page: BisectPage): ReadonlyArray<string> => {
  const { command, good, bad, origin, changed } = page
  const tail = outputOf(bad)
  return [
    `${oneLine(command)} first fails after ${style.bold(at(Tested.position(bad)))}. Before it, at ${at(Tested.position(good))}, it succeeds.`,
    "",
    ...OriginLines.paragraph(style, bad.state.look, origin),
    "",
    ...DiffLines.stat(style, changed),
    "",
    `${style.bold(at(Tested.position(bad)))} ${oneLine(Tested.inWords(bad))}.${tail.length === 0 ? " It printed nothing." : " The end of its output:"}`,
    ...tail.map((line) => `  ${line}`),
    "",
    ...omittedNote(style, bad),
    methodNote(style, page),
  ]
}

const MAX_LINES = 20

/** The last lines that a command wrote. */
const outputOf = ({ output }: Tested.Tested): ReadonlyArray<string> => {
  const written = output.trimEnd()
  return written === ""
    ? []
    : written
        .split("\n")
        .slice(-MAX_LINES)
        .map((line) => oneLine(line.replace(/\r$/, "")))
}

const omittedNote = (style: Style, { omitted }: Tested.Tested): ReadonlyArray<string> => {
  const [first] = omitted
  if (first === undefined) return []
  const others = omitted.length === 1 ? "" : ` and ${count(omitted.length - 1, "more file")}`
  return [style.warn(`It ran without ${oneLine(first.path)}${others}: ${oneLine(first.why)}.`)]
}

const methodNote = (style: Style, { states, tested, goodAfterBad }: BisectPage): string => {
  const cached = tested.filter(({ isCached }) => isCached).length
  const ran = `${tested.length} of ${count(states, "state")} were examined${cached === 0 ? "" : `, ${cached} of them cached`}`
  if (goodAfterBad.length > 0) {
    const places = goodAfterBad.map((one) => at(Tested.position(one))).join(", ")
    return style.warn(
      `Not monotonic: ${ran}, and it succeeds again at ${places}. This is one of several steps after which it fails.`,
    )
  }
  if (tested.length === states) return style.dim(`Certain: ${ran}.`)
  return style.dim(`Likely: ${ran}, not all. It may also have failed for a while before that, between two of them.`)
}

/** A test during the search. */
export const progress = (tested: Tested.Tested): string => {
  const took = tested.isCached ? "cached" : duration(tested.ms)
  return `${at(Tested.position(tested))} ${tested.verdict}: it ${oneLine(Tested.inWords(tested))} (${took})`
}
