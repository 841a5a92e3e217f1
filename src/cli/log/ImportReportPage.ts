/** The report of `hindcast import` for people. */
import type { FileReport, ImportReport, RunPreview } from "../../importing/ImportReport.ts"
import * as EventSummary from "../../projections/summary/EventSummary.ts"
import { oneLine } from "../../values/PlainText.ts"
import type { Style } from "../terminal/Style.ts"
import * as Text from "../terminal/Text.ts"
import { count, shorten } from "../terminal/Text.ts"

const MAX_LISTED = 20

const GOAL = 70

/** Lists new files, and only counts known ones. */
export const lines = (style: Style, report: ImportReport): ReadonlyArray<string> => {
  const { files, unknown, unknownBecause, links, others, dryRun, added, preview } = report
  const known = files.filter((file) => file.known)
  const read = files.filter((file) => !file.known)
  const changed = read.reduce((sum, { counts }) => sum + counts.changed, 0)
  const done = dryRun ? "Would import" : "Imported"
  return [
    ...read.flatMap((file) => fileLines(style, file)),
    ...(known.length === 0
      ? []
      : [`${count(known.length, "file")} ${known.length === 1 ? "was" : "were"} already imported completely.`]),
    ...skippedLines(
      style,
      unknown,
      (of) => `${count(unknown.length, "file")} in an unknown format ${of} skipped:`,
      unknownBecause,
    ),
    ...skippedLines(
      style,
      links,
      (of) =>
        `${count(links.length, "symbolic link")} in the directories ${of} skipped; to import what a link leads to, name the link:`,
    ),
    ...notRead(others),
    ...stillOpen(read),
    ...(preview === undefined ? [] : previewLines(style, preview)),
    added === 0 ? "Nothing was imported." : `${style.good(done)} ${count(added, "event")} of ${count(changed, "run")}.`,
  ]
}

/** Says when open runs end. Those that a file waits for say so themselves. */
const stillOpen = (files: ReadonlyArray<FileReport>): ReadonlyArray<string> =>
  files.some(({ runs }) => runs.some(({ ended, closed, waits }) => !ended && closed !== true && waits !== true))
    ? [
        "Still open: a session's file does not say that it has ended. After an hour of silence it counts as ended, and the next import closes its task.",
      ]
    : []

const skippedLines = (
  style: Style,
  paths: ReadonlyArray<string>,
  heading: (of: "was" | "were") => string,
  because: Readonly<Record<string, string>> = {},
): ReadonlyArray<string> =>
  paths.length === 0
    ? []
    : [
        heading(paths.length === 1 ? "was" : "were"),
        ...paths.slice(0, MAX_LISTED).map((file) => {
          const is = because[file] === undefined ? "" : `: ${oneLine(because[file])}`
          return `  ${style.dim(oneLine(file))}${is}`
        }),
        ...more(paths.length),
      ]

/** Counts files whose names are not those of runs, by ending. */
const notRead = (others: ImportReport["others"]): ReadonlyArray<string> => {
  const all = Object.entries(others).sort(([, a], [, b]) => b - a)
  const [first, ...rest] = all.slice(0, MAX_ENDINGS).map(([ending, times]) => `${oneLine(ending)} ${times}`)
  if (first === undefined) return []
  const sum = all.reduce((before, [, times]) => before + times, 0)
  const endings = [first, ...rest, ...(all.length > MAX_ENDINGS ? ["…"] : [])].join(", ")
  return [
    `${count(sum, "file")} ${sum === 1 ? "was" : "were"} not read, because of ${sum === 1 ? "its name" : "their names"} (${endings}); to import one, name it.`,
  ]
}

const MAX_ENDINGS = 6

const previewLines = (style: Style, { taskId, goal, events, of }: RunPreview): ReadonlyArray<string> => {
  const width = events.reduce((widest, { type }) => Math.max(widest, type.length), 0)
  return [
    `${style.bold("The first run would be imported as:")} ${style.name(oneLine(taskId))}, ${shorten(oneLine(goal), GOAL)}`,
    ...events.map(
      (event) =>
        `  ${style.dim(event.at === null ? "without a time" : Text.time(event.at))}  ${style.name(event.type.padEnd(width))}  ${EventSummary.of(event)}`,
    ),
    ...(of > events.length ? [`  and ${of - events.length} more`] : []),
  ]
}

const fileLines = (style: Style, file: FileReport): ReadonlyArray<string> => [
  `${style.bold(oneLine(file.file))} ${style.dim(`${file.source}, ${count(file.records, "record")}, sha256 ${file.digest.slice(0, 12)}`)}`,
  ...file.parts.slice(1, MAX_LISTED).map((part) => `  and ${oneLine(part)}, of the same run`),
  ...more(file.parts.length),
  ...file.runs
    .slice(0, MAX_LISTED)
    .map(
      ({ taskIds, goal, ended, closed, added }) =>
        `  ${style.name(oneLine(taskIds.at(-1) ?? ""))} ${added === 0 ? "nothing new" : `+${count(added, "event")}`}${ended || closed === true ? "" : ", still open"}: ${shorten(oneLine(goal), GOAL)}`,
    ),
  ...more(file.counts.runs),
  ...file.scorers.map((scorer) => `  scored by ${oneLine(scorer)}`),
  ...counted("kept as it was", file.kept),
  ...counted("left out", file.leftOut),
  ...counted("note", file.remarks),
]

const more = (length: number): ReadonlyArray<string> =>
  length > MAX_LISTED ? [`  and ${length - MAX_LISTED} more`] : []

const counted = (what: string, counts: Readonly<Record<string, number>>): ReadonlyArray<string> =>
  Object.entries(counts).map(([name, times]) => `  ${what}: ${times} × ${oneLine(name)}`)
