/** Formats a file's lines with their origins. */
import { oneLine } from "../../../values/PlainText.ts"
import type { Attribution } from "../../../workspace/history/Blame.ts"
import { type BlamedFile, type BlamedLine, versionOf } from "../../../workspace/history/BlamedFile.ts"
import type { FileVersion } from "../../../workspace/history/FileVersions.ts"
import type { Origin } from "../../../workspace/history/Origin.ts"
import type { Style } from "../../terminal/Style.ts"
import * as Text from "../../terminal/Text.ts"
import * as OriginLines from "./OriginLines.ts"

export const lines = (style: Style, blamed: BlamedFile): ReadonlyArray<string> => [
  ...rows(style, blamed),
  ...notes(style, blamed),
]

/** The lines, each with its position and who wrote it. */
export const rows = (style: Style, { lines, origins }: BlamedFile): ReadonlyArray<string> => {
  const cells = lines.map(({ line, text, from }) => [String(line), ...placeOf(from, origins), text] as const)
  const width = (column: 0 | 1 | 2) =>
    Math.min(
      MAX_WIDTH,
      cells.reduce((widest, row) => Math.max(widest, row[column].length), 0),
    )
  const [numbers, places, names] = [width(0), width(1), width(2)]
  return cells.map(([line, place, who, text]) =>
    [
      style.dim(line.padStart(numbers)),
      style.bold(place.padStart(places)),
      style.name(Text.shorten(who, MAX_WIDTH).padEnd(names)),
      visible(text),
    ]
      .join(" ")
      .trimEnd(),
  )
}

/** The origins that the lines name, and a legend of their words. */
export const notes = (style: Style, { lines, origins, readings, hasDropped }: BlamedFile): ReadonlyArray<string> => {
  const named = new Set(lines.map(({ from }) => versionOf(from)))
  const all = [...origins].filter(([version]) => named.has(version))
  const seen = all.slice(0, MAX_ORIGINS)
  const others = all.length - seen.length
  return [
    ...seen.flatMap(([version, origin]) => [
      "",
      ...OriginLines.paragraph(style, version.look, origin, readings.get(version)),
    ]),
    ...(others > 0 ? ["", style.dim(`${Text.count(others, "more origin")}; FILE:LINE shows that of one line.`)] : []),
    ...meanings(style, lines, hasDropped),
  ]
}

const MAX_WIDTH = 28
const MAX_ORIGINS = 20

const placeOf = (
  from: Attribution<FileVersion>,
  origins: ReadonlyMap<FileVersion, Origin>,
): readonly [place: string, who: string] => {
  switch (from.kind) {
    case "seen": {
      const origin = origins.get(from.origin)
      return [Text.at(from.origin.look.event.position), origin === undefined ? "" : OriginLines.who(origin)]
    }
    case "unknown":
      return [Text.at(from.since.look.event.position), "unknown since then"]
    case "too-different":
      return [from.version === undefined ? "" : Text.at(from.version.look.event.position), "this or older"]
    case "not-seen":
      return ["", "not seen"]
  }
}

const meanings = (style: Style, lines: ReadonlyArray<BlamedLine>, hasDropped: boolean): ReadonlyArray<string> => {
  const has = (kind: Attribution<FileVersion>["kind"]) => lines.some(({ from }) => from.kind === kind)
  const all = [
    ...(has("not-seen") ? ["not seen: no recorded version has the line."] : []),
    ...(has("unknown")
      ? ["unknown since then: the line first appears after a version whose content was not recorded."]
      : []),
    ...(has("too-different")
      ? ["this or older: the versions before and after differ too much to be compared line by line."]
      : []),
    ...(hasDropped ? ["The history is too large: lines that came back from its beginning count as new."] : []),
  ]
  return all.length === 0 ? [] : ["", ...all.map(style.dim)]
}

/** Tabs would push a line out of its column. */
const visible = (text: string): string => oneLine(text.replaceAll("\t", "    "))
