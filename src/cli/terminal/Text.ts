/** Formats values for people: `Formats`, and the command line's own additions. */
import { MAIN } from "../../events/log/EventLog.ts"
import { at } from "../../values/Formats.ts"
import { oneLine } from "../../values/PlainText.ts"

export * from "../../values/Formats.ts"
export { oneLine, visibleLines } from "../../values/PlainText.ts"

/** A position on a timeline: `@412`, or `fork-1@412` off `main`. */
export const moment = (timeline: string, position: number): string =>
  timeline === MAIN ? at(position) : `${oneLine(timeline)}@${position}`

export const MORE_HINT = "--limit N shows more."
