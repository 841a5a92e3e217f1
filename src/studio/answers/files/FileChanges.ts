/** Answers `/api/file-changes`: the changes of files by an event, a turn or the whole task. */
import { Effect, Schema } from "effect"
import * as Pages from "../../../events/read/Pages.ts"
import { count } from "../../../values/Formats.ts"
import type { Look } from "../../../workspace/history/Looks.ts"
import * as Changes from "../../../workspace/model/Changes.ts"
import * as ComparedFiles from "../../../workspace/questions/ComparedFiles.ts"
import * as RecordedContent from "../../../workspace/questions/RecordedContent.ts"
import * as RecordedFiles from "../../../workspace/questions/RecordedFiles.ts"
import { StudioLog } from "../../StudioLog.ts"
import {
  type FileChanges,
  type FileDifference,
  type FilesSpan,
  MAX_CHANGES,
  MAX_LINE,
  SPANS,
} from "../../wire/Files.ts"
import * as Query from "../Query.ts"
import * as OpenedAt from "./OpenedAt.ts"

export const ChangesQuery = Schema.Struct({
  timeline: Query.Timeline,
  task: Schema.NonEmptyString,
  position: Query.Position,
  span: Schema.Literal(...SPANS),
})

export const changes = ({ span, ...asked }: typeof ChangesQuery.Type) =>
  Effect.gen(function* () {
    const opened = yield* OpenedAt.find(asked)
    const { looks } = yield* RecordedFiles.withLooks(opened)
    const from = yield* startOf(span, asked, looks)
    const before = yield* RecordedContent.treeAfter(opened, looksUntil(looks, from))
    const after = yield* RecordedContent.treeAfter(opened, looks)
    const within = ComparedFiles.withinAnswer(MAX_BYTES)
    const changed = Changes.between(before, after)
    const files = yield* Effect.forEach(changed.slice(0, MAX_CHANGES), (change) =>
      RecordedFiles.reading(() =>
        withShortLines(ComparedFiles.document(within(ComparedFiles.of(change, opened.store)), false)),
      ),
    )
    return { from, to: opened.position, files, total: changed.length } satisfies FileChanges
  }).pipe(Effect.scoped)

const withShortLines = (file: FileDifference): FileDifference =>
  "reason" in file || file.hunks === undefined
    ? file
    : { ...file, hunks: file.hunks.map(({ header, lines }) => ({ header, lines: lines.map(short) })) }

const short = (line: string): string =>
  line.length > MAX_LINE ? `${line.slice(0, MAX_LINE)} … ${count(line.length - MAX_LINE, "character")} more` : line

/** The position before the changes: that of the task's start, or a later one. */
const startOf = (span: FilesSpan, asked: OpenedAt.Place, looks: ReadonlyArray<Look>) =>
  Effect.gen(function* () {
    const first = looks[0]?.event.position ?? asked.position
    if (span === "task") return first
    const start = span === "step" ? (looks.at(-1)?.event.position ?? first) - 1 : yield* turnBefore(asked)
    return Math.max(first, start)
  })

/** The files before anything that happened later; at least those of the task's start. */
const looksUntil = (looks: ReadonlyArray<Look>, position: number): ReadonlyArray<Look> =>
  looks.filter(({ event }, index) => index === 0 || event.position <= position)

/** The last request to the model or prompt up to a position; 0 if there is none. Reads back from there: payloads are large. */
const turnBefore = ({ timeline, task, position }: OpenedAt.Place) =>
  Effect.gen(function* () {
    const past = yield* (yield* StudioLog).past(timeline)
    let [until, span] = [position, FIRST_SPAN]
    while (until > 0) {
      const after = Math.max(0, until - span)
      let last = 0
      yield* Pages.forEach(past.readPage, { taskId: task, types: TURNS, after, until }, (page) => {
        last = page.at(-1)?.position ?? last
      })
      if (last > 0) return last
      ;[until, span] = [after, span * 4]
    }
    return 0
  })

const TURNS = ["ModelCalled", "InputReceived"]

/** Positions to look through first. */
const FIRST_SPAN = 200

/** Lines of one answer; the page shows no more. */
const MAX_BYTES = 4 * 1024 * 1024
