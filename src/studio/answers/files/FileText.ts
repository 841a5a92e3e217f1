/** Answers `/api/file`: a file's lines after an event, each with the call that wrote it. */
import { Effect, Schema } from "effect"
import { defined } from "../../../values/defined.ts"
import type { Json } from "../../../values/Json.ts"
import * as Content from "../../../workspace/history/Content.ts"
import type * as OriginDocument from "../../../workspace/questions/OriginDocument.ts"
import * as RecordedBlame from "../../../workspace/questions/RecordedBlame.ts"
import * as RecordedContent from "../../../workspace/questions/RecordedContent.ts"
import * as RecordedFiles from "../../../workspace/questions/RecordedFiles.ts"
import {
  type FileLine,
  type FileThen,
  type FileVersion,
  MAX_ARGS,
  MAX_LINE,
  MAX_LINES,
  type WritingCall,
} from "../../wire/Files.ts"
import * as Query from "../Query.ts"
import * as OpenedAt from "./OpenedAt.ts"

export const FileQuery = Schema.Struct({
  timeline: Query.Timeline,
  task: Schema.NonEmptyString,
  position: Query.Position,
  path: Schema.NonEmptyString,
  from: Schema.optionalWith(Query.wholeNumber(1, Number.MAX_SAFE_INTEGER), { default: () => 1 }),
})

export const file = (asked: typeof FileQuery.Type) =>
  Effect.gen(function* () {
    const opened = yield* OpenedAt.find(asked)
    const { path, entry } = yield* RecordedContent.fileAt(opened, asked.path)
    const content = yield* RecordedFiles.reading(() => Content.of(entry, opened.store))
    const found = { path, at: opened.position, size: entry.size }
    const reason = whyNoLines(content)
    if (content.kind !== "text")
      return { ...found, ...defined({ reason }), lines: [], total: 0, versions: [] } satisfies FileThen
    // What other tasks in the same directory wrote is known by their calls.
    const recorded = yield* RecordedFiles.open({
      at: OpenedAt.momentOf({ ...asked, position: opened.position }),
      directory: opened.root,
      exact: true,
    })
    const blamed = yield* RecordedBlame.page(recorded, path, content.bytes, asked.from, MAX_LINES)
    const { lines, versions } = RecordedBlame.document(recorded, path, blamed.blamed)
    return {
      ...found,
      lines: lines.map(lineOf),
      total: blamed.total,
      versions: versions.map(versionOf),
    } satisfies FileThen
  }).pipe(Effect.scoped)

const whyNoLines = (content: Content.Content): string | undefined => {
  switch (content.kind) {
    case "text":
      return undefined
    case "binary":
      return "It is binary."
    case "missing":
      return `Its content was not recorded: ${Content.WHY.gone}.`
    case "unknown":
      return `Its content was not recorded: ${Content.WHY[content.why]}.`
  }
}

const lineOf = (origin: RecordedBlame.LineOrigin): FileLine => {
  const { line, text, kind } = origin
  const cut = text.length > MAX_LINE ? text.length - MAX_LINE : undefined
  const version = "version" in origin ? origin.version : undefined
  return { line, kind, text: text.slice(0, MAX_LINE), ...defined({ cut, version }) }
}

const versionOf = ({
  position,
  occurredAt,
  taskId,
  cause,
  calls,
  reading,
}: RecordedBlame.BlamedVersion): FileVersion => ({
  position,
  occurredAt,
  task: taskId,
  cause,
  calls: calls.map(callOf),
  stale: reading?.changedSince ?? [],
})

const callOf = ({
  position,
  actuator,
  args,
  decision,
  approval,
  prompt,
  goal,
}: OriginDocument.CallOrigin): WritingCall => {
  const led = prompt ?? goal
  return {
    position,
    actuator: textOf(actuator),
    args: textOf(args),
    ...defined({
      rule: decision && textOf(decision.rule),
      approval: approval && {
        position: approval.position,
        approved: approval.approved === true,
        by: textOf(approval.by),
      },
      prompt: led && { position: led.position, text: textOf(led.content) },
    }),
  }
}

const textOf = (value: Json): string => (typeof value === "string" ? value : JSON.stringify(value)).slice(0, MAX_ARGS)
