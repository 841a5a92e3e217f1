/** Formats recorded files: lists, contents and versions. */
import { oneLine } from "../../../values/PlainText.ts"
import type { FileVersion } from "../../../workspace/history/FileVersions.ts"
import type { Origin } from "../../../workspace/history/Origin.ts"
import type { Entry } from "../../../workspace/model/Entry.ts"
import type { Style } from "../../terminal/Style.ts"
import * as Table from "../../terminal/Table.ts"
import * as Text from "../../terminal/Text.ts"
import * as OriginLines from "./OriginLines.ts"

export const list = (
  style: Style,
  files: ReadonlyArray<readonly [path: string, entry: Entry]>,
  root: string,
  position: number,
): ReadonlyArray<string> => [
  ...Table.rows(
    style,
    files.map(([path, { kind, mode, size, omitted }]) => [
      style.dim(kind === "link" ? "link" : mode.toString(8).padStart(3, "0")),
      Text.size(size),
      oneLine(path),
      omitted === undefined ? "" : style.warn(`without its content: ${omitted}`),
    ]),
    ["left", "right"],
  ),
  style.dim(`${Text.count(files.length, "file")} in ${oneLine(root)} at ${Text.at(position)}`),
]

/** A text whose control characters are escaped, except tabs and line ends. */
export const content = (text: string): string =>
  text
    .split("\n")
    .map((line) => visible(line.replace(/\r$/, "")))
    .join("\n")

/** A line whose control characters are escaped, except tabs. */
export const visible = (line: string): string => line.split("\t").map(oneLine).join("\t")

export const history = (
  style: Style,
  versions: ReadonlyArray<{ readonly version: FileVersion; readonly origin: Origin }>,
): ReadonlyArray<string> =>
  Table.rows(
    style,
    versions.map(({ version, origin }) => [
      style.bold(Text.at(version.look.event.position)),
      style.dim(Text.time(version.look.event.occurredAt)),
      what(version),
      style.name(OriginLines.who(origin)),
    ]),
    ["right"],
  )

const what = ({ kind, entry, from, lines }: FileVersion): string => {
  const counts = lines === undefined ? "" : ` +${lines.added} −${lines.removed}`
  const omitted = entry?.omitted === undefined ? "" : ` (content not recorded: ${entry.omitted})`
  switch (kind) {
    case "start":
      return `${entry === undefined ? "missing" : "as found"} at a task's start${omitted}`
    case "unknown":
      return "unknown at a task's start"
    case "renamed":
      return `renamed from ${oneLine(from ?? "")}${omitted}`
    case "mode":
      return `mode ${entry?.mode.toString(8).padStart(3, "0") ?? ""}`
    default:
      return `${kind}${counts}${omitted}`
  }
}

export const last = (style: Style, version: FileVersion, origin: Origin): string =>
  `${oneLine(version.path)}: ${what(version)} ${style.dim(Text.at(version.look.event.position))}, ${OriginLines.who(origin)}`
