/**
 * Writes the first prompt of a session that continues a recorded one: its place, the conversation so far, missing
 * files, and the next step. The prompt fits into one argument of a program. Pure.
 */

import type { ForkedFrom } from "../../events/vocabulary/Tasks.ts"
import { visible, visibleLines } from "../../values/PlainText.ts"
import type * as Conversation from "./Conversation.ts"

export interface Handover {
  readonly from: ForkedFrom
  /** The recorded session's client, for people. */
  readonly agent: string
  /** The recorded directory, and the one that contains its files now. */
  readonly root: string
  readonly directory: string
  readonly entries: ReadonlyArray<Conversation.Entry>
  /** The directory's gaps, a sentence each. */
  readonly without: ReadonlyArray<string>
  /** The next step. Default: to continue. */
  readonly prompt: string | undefined
}

export interface WrittenHandover {
  readonly text: string
  /** The number of omitted entries and shortened texts. */
  readonly leftOut: number
  readonly cut: number
}

/** Linux accepts 128 KiB in one argument. */
const MAX_BYTES = 96 * 1024

/** Maximum number of characters of a prompt, a message, arguments or a result. */
const MAX_SAID = 8_000
const MAX_CALL = 2_000

export const write = (handover: Handover): WrittenHandover => {
  const { from, agent, root, directory, entries, without, prompt } = handover
  const before = [
    `You continue a recorded session of ${visible(agent)} (task ${visible(from.taskId)}) from its moment ${visible(from.timeline)}@${from.at}.`,
    `The working directory is ${visible(directory)}. It has the files of that moment, with the effects of every call below: do not repeat them.`,
    `Where the conversation names ${visible(root)}, work in this directory instead. What the session did after that moment did not happen here.`,
  ].join("\n")
  const after = [
    ...(without.length === 0 ? [] : ["## What is missing here", without.map((one) => `- ${visible(one)}`).join("\n")]),
    "## Now",
    prompt === undefined ? CONTINUE : visibleLines(prompt),
  ].join("\n\n")
  let cut = 0
  const shortened = (text: string, most: number): string => {
    const shown = visibleLines(text)
    if (shown.length <= most) return shown
    cut++
    return `${shown.slice(0, most).toWellFormed()}\n[… ${shown.length - most} more characters]`
  }
  const written = entries.map((entry) => section(entry, shortened))
  const room = MAX_BYTES - bytesOf(before) - bytesOf(after) - MARGIN
  const { kept, leftOut } = fitting(written, room)
  const conversation = kept.length === 0 ? "(Nothing was said or done yet.)" : kept.join("\n\n")
  return { text: `${before}\n\n## The conversation so far\n\n${conversation}\n\n${after}\n`, leftOut, cut }
}

const CONTINUE = "Continue from that moment."

/** For headings and the line about omissions. */
const MARGIN = 1_024

const bytesOf = (text: string): number => Buffer.byteLength(text, "utf8") + 2

/** Keeps the first section, which introduces the session, and the last ones. */
const fitting = (sections: ReadonlyArray<string>, room: number) => {
  const [first, ...others] = sections
  if (first === undefined) return { kept: [], leftOut: 0 }
  let left = room - bytesOf(first)
  let from = others.length
  for (; from > 0; from--) {
    left -= bytesOf(others[from - 1] ?? "")
    if (left < 0) break
  }
  const gap = from === 0 ? [] : [`[… ${from} more prompts, messages and calls]`]
  return { kept: [first, ...gap, ...others.slice(from)], leftOut: from }
}

const section = (entry: Conversation.Entry, shortened: (text: string, most: number) => string): string => {
  const who = entry.agentId === undefined ? "" : ` (sub-agent ${visible(entry.agentId)})`
  switch (entry.kind) {
    case "prompt":
      return `### Prompt${who}\n${quoted(shortened(entry.text, MAX_SAID))}`
    case "said":
      return `### Answer${who}\n${quoted(shortened(entry.text, MAX_SAID))}`
    case "call": {
      const { outcome } = entry
      const ended =
        outcome === undefined
          ? "It was in progress at that moment. Its process is not here."
          : `It ${OUTCOME[outcome.kind]}${outcome.text === "" ? "." : ":"}`
      const result = outcome === undefined || outcome.text === "" ? [] : [quoted(shortened(outcome.text, MAX_CALL))]
      return [
        `### Call of ${visible(entry.tool)}${who}`,
        quoted(shortened(entry.args, MAX_CALL)),
        ended,
        ...result,
      ].join("\n")
    }
  }
}

const OUTCOME = {
  succeeded: "succeeded",
  failed: "failed",
  denied: "was denied, and did not run",
  unknown: "ended, and nobody knows how",
} as const

/** As a quotation, so that no recorded text passes for a heading. */
const quoted = (text: string): string =>
  text
    .split("\n")
    .map((line) => `> ${line}`)
    .join("\n")
