/** The text of a tool's answer: lines of the log within a fence, cut to a budget of bytes, and how to continue. */
import { count } from "../../terminal/Text.ts"
import * as Fence from "./Fence.ts"

/** A call of a tool, as an answer proposes it. */
export interface Call {
  readonly tool: string
  readonly args: Readonly<Record<string, string | number | boolean | ReadonlyArray<string>>>
}

export interface Answer {
  /** The server's own words, before the fence. */
  readonly head?: ReadonlyArray<string>
  /** Text from the log. */
  readonly lines: ReadonlyArray<string>
  /** The server's own words, after the fence. */
  readonly foot?: ReadonlyArray<string>
  readonly next?: ReadonlyArray<readonly [call: Call, reason: string]>
  /** Data for the page that shows the answer, without text of the log. */
  readonly structured?: Readonly<Record<string, string>>
}

/**
 * Maximum size of an answer, in bytes. Claude Code cuts an answer at 25,000 tokens; a fifth of that leaves room for
 * the conversation.
 */
export const MAX_BYTES = 16_000

/** Maximum size of one line, in bytes, so that no line fills an answer. */
const MAX_LINE_BYTES = 2_000

const bytesOf = (line: string): number => Buffer.byteLength(line) + 1

/** A call in the form in which a model writes it: `why(event: "@412")`. */
export const written = ({ tool, args }: Call): string =>
  Fence.escaped(
    `${tool}(${Object.entries(args)
      .map(([name, value]) => `${name}: ${JSON.stringify(value)}`)
      .join(", ")})`,
  )

export const text = ({ head = [], lines, foot = [], next = [] }: Answer): string =>
  [
    ...head.map(Fence.escaped),
    ...Fence.around(lines),
    ...foot.map(Fence.escaped),
    ...(next.length === 0 ? [] : ["Next:"]),
    ...next.map(([call, reason]) => `- ${written(call)}: ${Fence.escaped(reason)}`),
  ].join("\n")

/** Lines cut to a budget, and how many of them remain. */
export interface Cut {
  readonly lines: ReadonlyArray<string>
  readonly remaining: number
}

/** As many lines as fit into the budget, at least one. A long line is shortened; its end says how long it was. */
export const cut = (lines: ReadonlyArray<string>, maxBytes = MAX_BYTES): Cut => {
  const kept: Array<string> = []
  let bytes = 0
  for (const line of lines) {
    const short = shortLine(line)
    bytes += bytesOf(short)
    if (kept.length > 0 && bytes > maxBytes) break
    kept.push(short)
  }
  return { lines: kept, remaining: lines.length - kept.length }
}

const shortLine = (line: string): string => {
  const bytes = Buffer.byteLength(line)
  if (bytes <= MAX_LINE_BYTES) return line
  return `${Buffer.from(line)
    .subarray(0, MAX_LINE_BYTES)
    .toString("utf8")
    .replace(/\uFFFD$/u, "")}… (cut: the line has ${bytes} B)`
}

/**
 * A page of a list that is complete in memory: the lines after `skip`, as many as fit. The foot says which lines these
 * are, and which call continues.
 */
export const page = (all: ReadonlyArray<string>, skip: number, call: Call, noun = "line"): Answer => {
  const { lines, remaining } = cut(all.slice(skip))
  if (skip === 0 && remaining === 0) return { lines }
  const range = `Lines ${skip + 1} to ${skip + lines.length} of ${count(all.length, noun)}.`
  if (remaining === 0) return { lines, foot: [lines.length === 0 ? `There are ${count(all.length, noun)}.` : range] }
  return {
    lines,
    foot: [range],
    next: [[{ tool: call.tool, args: { ...call.args, skip: skip + lines.length } }, "the following lines"]],
  }
}
