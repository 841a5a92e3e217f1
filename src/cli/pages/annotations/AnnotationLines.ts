/** Formats annotations: in a list, and under the event or task that they are about. */
import type { Annotation } from "../../../projections/annotations/Annotations.ts"
import * as Labels from "../../../projections/annotations/Labels.ts"
import { oneLine } from "../../../values/PlainText.ts"
import type { Style } from "../../terminal/Style.ts"
import * as Table from "../../terminal/Table.ts"
import { at, shorten, time } from "../../terminal/Text.ts"

const MARKS = { note: "note", star: "★", tag: "tag", label: "label" } as const

/** A table of annotations: subject, content, author, and the annotation's own position. */
export const table = (style: Style, annotations: ReadonlyArray<Annotation>): ReadonlyArray<string> =>
  Table.lines(
    style,
    ["about", "", "text", "by", "recorded", ...Table.right("at")],
    annotations.map((annotation) => [
      style.name(aboutWords(annotation)),
      MARKS[annotation.kind],
      shorten(oneLine(Labels.said(annotation)), LENGTH),
      oneLine(annotation.by),
      time(annotation.recordedAt),
      at(annotation.at),
    ]),
  )

const LENGTH = 160

/** A line for each annotation under its subject. Notes keep their whole text. */
export const under = (style: Style, annotations: ReadonlyArray<Annotation>): ReadonlyArray<string> =>
  linesOf(style, annotations, Number.MAX_SAFE_INTEGER)

/** Like `under`, with long texts cut. */
export const shortUnder = (style: Style, annotations: ReadonlyArray<Annotation>): ReadonlyArray<string> =>
  linesOf(style, annotations, LENGTH)

const linesOf = (style: Style, annotations: ReadonlyArray<Annotation>, length: number): ReadonlyArray<string> =>
  annotations.map((annotation) => {
    const where = annotation.subject.moment === null ? "" : `${at(annotation.subject.moment)} `
    const by = style.dim(`by ${oneLine(annotation.by)}, ${at(annotation.at)}`)
    return [`${where}${style.bold(MARKS[annotation.kind])}`, shorten(oneLine(Labels.said(annotation)), length), by]
      .filter((part) => part !== "")
      .join("  ")
  })

const aboutWords = ({ subject: { task, timeline, moment } }: Annotation): string => {
  const on = timeline === "main" ? "" : oneLine(timeline)
  if (moment !== null) return `${on}${at(moment)}${task === null ? "" : ` of ${oneLine(task)}`}`
  return `${oneLine(task ?? "")}${on === "" ? "" : ` on ${on}`}`
}
