/**
 * Renders streamed Markdown in a terminal: headings, strong text, code and lists; other markup stays as written.
 * Escapes control characters and invisible characters, so that text cannot control the terminal.
 */

import { visible } from "../../values/PlainText.ts"
import type { Style } from "../terminal/Style.ts"

export interface StreamedMarkdown {
  /**
   * Returns the text that one more piece makes ready to show. Text whose markup is still ambiguous waits for the next
   * piece.
   */
  readonly push: (piece: string) => string
  readonly end: () => string
}

type Paint = (text: string) => string

export const make = (style: Style): StreamedMarkdown => {
  let pending = ""
  let isLineStart = true
  let isBlock = false
  let isStrong = false
  let isCode = false
  let isHeading = false

  const paint: Paint = (text) => {
    if (text === "") return ""
    if (isBlock || isCode) return style.name(text)
    return isStrong || isHeading ? style.bold(text) : text
  }

  const newLine = () => {
    isLineStart = true
    isStrong = false
    isCode = false
    isHeading = false
  }

  /** Renders the beginning of a line; undefined if its meaning needs more text. */
  const begin = (line: string, isWhole: boolean): string | undefined => {
    if (!isWhole && MAY_BE_MARK.test(line)) return undefined
    isLineStart = false
    if (FENCE.test(line)) {
      isBlock = !isBlock
      pending = pending.slice(line.length)
      return style.dim(visible(line))
    }
    if (isBlock) return ""
    const mark = /^(#{1,6} +)/.exec(line)?.[1]
    if (mark !== undefined) {
      isHeading = true
      pending = pending.slice(mark.length)
      return ""
    }
    const item = /^( *)[-*] +/.exec(line)
    if (item === null) return ""
    pending = pending.slice(item[0].length)
    return `${item[1]}• `
  }

  /** Renders a line up to its next mark; undefined if more text is needed. */
  const stretch = (line: string, isWhole: boolean): string | undefined => {
    const at = isBlock ? -1 : line.search(isCode ? /`/ : /`|\*\*/)
    if (at > 0) {
      pending = pending.slice(at)
      return paint(visible(line.slice(0, at)))
    }
    if (at === 0) {
      const isTick = line.startsWith("`")
      pending = pending.slice(isTick ? 1 : 2)
      if (isTick) isCode = !isCode
      else isStrong = !isStrong
      return ""
    }
    // A star or half of a surrogate pair may begin something longer.
    const open = isWhole ? 0 : (OPEN_END.exec(line)?.[0].length ?? 0)
    const shown = line.slice(0, line.length - open)
    if (shown === "") return undefined
    pending = pending.slice(shown.length)
    return paint(visible(shown))
  }

  const drain = (isEnd: boolean): string => {
    let shown = ""
    while (pending !== "") {
      const end = pending.indexOf("\n")
      if (end === 0) {
        pending = pending.slice(1)
        shown += "\n"
        newLine()
        continue
      }
      const isWhole = end > 0 || isEnd
      const line = end > 0 ? pending.slice(0, end) : pending
      const part = isLineStart ? begin(line, isWhole) : stretch(line, isWhole)
      if (part === undefined) break
      shown += part
    }
    return shown
  }

  return {
    push: (piece) => {
      pending += piece.replaceAll("\r\n", "\n").replaceAll("\t", "    ")
      return drain(false)
    },
    end: () => {
      const shown = drain(true)
      pending = ""
      isBlock = false
      newLine()
      return shown
    },
  }
}

const FENCE = /^ {0,3}(```|~~~)/

/** Matches a beginning that may become a heading, a list item or a fence. */
const MAY_BE_MARK = /^ *(#{0,6} *|[-*] *|`{1,3}[^`\s]*|~{1,3}[^~\s]*)$/

/** Matches an end that must wait for the next piece: a single star, or the first half of a surrogate pair. */
const OPEN_END = /\*$|[\uD800-\uDBFF]$/
