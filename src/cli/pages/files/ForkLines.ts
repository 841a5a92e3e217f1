/** Formats a fork of a session into a directory: its place, its gaps, and the next step. */
import type { ForkedFrom } from "../../../events/vocabulary/Tasks.ts"
import { oneLine } from "../../../values/PlainText.ts"
import type { Left } from "../../../workspace/restore/RestoreInto.ts"
import type { Style } from "../../terminal/Style.ts"
import * as Text from "../../terminal/Text.ts"
import * as RestoreLines from "./RestoreLines.ts"

interface Carried {
  readonly omitted: ReadonlyArray<Left>
  readonly lost: ReadonlyArray<Left>
  readonly missing: ReadonlyArray<string>
}

export interface Fork extends Carried {
  readonly from: ForkedFrom
  /** The coding agent that continues, for people. */
  readonly title: string
  readonly agent: string
  readonly root: string
  readonly directory: string
  readonly filesAt: number
  readonly restored: number
  readonly handover: string
  readonly written: { readonly leftOut: number; readonly cut: number } | undefined
}

export interface Shown extends Fork {
  readonly command: string
}

/** The gaps of the directory, a sentence each, for the new session. */
export const without = ({ omitted, lost, missing }: Carried): ReadonlyArray<string> => [
  ...(missing.length === 0 ? [] : [`Missing here (not in the snapshot): ${listed(missing)}.`]),
  ...[...omitted, ...lost].slice(0, MAX_LISTED).map(({ path, why }) => `The file ${path}: ${why}.`),
  "Processes that the session had started are not running here.",
]

const listed = (all: ReadonlyArray<string>): string =>
  `${all.slice(0, MAX_LISTED).join(", ")}${all.length > MAX_LISTED ? ` and ${all.length - MAX_LISTED} more` : ""}`

const MAX_LISTED = 20

/** The directory, and its gaps. */
export const made = (style: Style, fork: Fork): ReadonlyArray<string> => {
  const { from, directory, restored, omitted, lost, missing, filesAt, written } = fork
  const left = [...omitted, ...lost]
  return [
    `${style.good("Restored")}: ${Text.count(restored, "file")} of ${Text.moment(from.timeline, filesAt)} in ${oneLine(directory)}`,
    ...(left.length === 0 ? [] : [`${style.warn("Without")} ${Text.count(left.length, "file")}:`]),
    ...RestoreLines.leftLines(left),
    ...(missing.length === 0
      ? []
      : [
          `${style.warn("Missing")}: ${oneLine(listed(missing))} (not in the snapshot). \`--copy PATH\` copies what the workspace has now.`,
        ]),
    ...conversation(written),
  ]
}

const conversation = (written: Fork["written"]): ReadonlyArray<string> => {
  if (written === undefined || (written.leftOut === 0 && written.cut === 0)) return []
  const { leftOut, cut } = written
  const parts = [
    ...(leftOut === 0 ? [] : [`omits ${leftOut} of its prompts, messages and calls`]),
    ...(cut === 0 ? [] : [`shortens ${Text.count(cut, "text")}`]),
  ]
  return [`To fit into one argument, the conversation ${parts.join(", and ")}.`]
}

/** Before the command that starts the session. */
export const printed = (style: Style, fork: Shown): ReadonlyArray<string> => [
  ...made(style, fork),
  `Start ${oneLine(fork.title)} there, with the conversation up to ${Text.moment(fork.from.timeline, fork.from.at)}:`,
]

/** The sessions that the log has of it. */
export const ended = (
  style: Style,
  { directory, tasks, from }: Shown & { readonly tasks: ReadonlyArray<string> },
): ReadonlyArray<string> =>
  tasks.length === 0
    ? [
        `${style.warn("Not recorded")}: this log has no session in ${oneLine(directory)}. \`hindcast hooks status\` shows where sessions are recorded.`,
      ]
    : tasks.map(
        (taskId) =>
          `${style.good("Recorded")}: ${oneLine(taskId)} continues ${oneLine(from.taskId)} from ${Text.moment(from.timeline, from.at)}`,
      )

/** The directory of a program that runs again, and the course of its run. */
export const program = (style: Style, fork: Fork): ReadonlyArray<string> => [
  ...made(style, fork),
  fork.filesAt === fork.from.at
    ? "The program runs again there. The log answers its requests and tools up to the moment."
    : `The program runs again there from its beginning, and repeats its calls: the files are those from before the calls. The log answers its requests up to ${Text.moment(fork.from.timeline, fork.from.at)}.`,
]
