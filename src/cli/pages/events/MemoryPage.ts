/** Memories, each in two lines: its place and scope, and its text. */
import type { Memory, MemoryList, Rebuilt } from "../../../memories/Memories.ts"
import { oneLine } from "../../../values/PlainText.ts"
import type { Style } from "../../terminal/Style.ts"
import { at, time } from "../../terminal/Text.ts"

export const lines = (
  style: Style,
  { memories, unreadable }: Pick<MemoryList, "memories" | "unreadable">,
  none = "There are no memories.",
): ReadonlyArray<string> => [
  ...(memories.length === 0 ? [none] : memories.flatMap((memory) => [headOf(style, memory), `  ${textOf(memory)}`])),
  ...unreadableLines(style, unreadable),
]

/** The answer of a recall that found none of the memories. */
export const noHit = (query: string): string =>
  `No memory has a word of "${oneLine(query)}". The command line compares words, not meanings; \`hindcast memory ls\` lists the memories.`

export const rebuilt = (style: Style, { memories, unreadable }: Rebuilt): ReadonlyArray<string> => [
  `${style.good("Built")}: the index has ${memories} ${memories === 1 ? "memory" : "memories"}.`,
  ...unreadableLines(style, unreadable),
]

const headOf = (style: Style, { position, timeline, agent, user, taskId, occurredAt }: Memory): string =>
  [
    style.bold(`${timeline === "main" ? "" : oneLine(timeline)}${at(position)}`),
    style.dim(time(occurredAt)),
    ...(agent === null ? [] : [style.name(oneLine(agent))]),
    ...(user === null ? [] : [`about ${oneLine(user)}`]),
    style.dim(taskId === null ? "no task" : oneLine(taskId)),
  ].join("  ")

const textOf = ({ text }: Memory): string => oneLine(text.replaceAll(/\s+/g, " ").trim())

const unreadableLines = (style: Style, count: number): ReadonlyArray<string> =>
  count === 0
    ? []
    : [
        style.warn(
          `${count} ${count === 1 ? "memory" : "memories"} cannot be read here: ${count === 1 ? "its key is" : "their keys are"} destroyed or missing.`,
        ),
      ]
