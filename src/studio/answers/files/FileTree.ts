/** Answers `/api/files`: the files of a task's workspace after an event. */
import { Effect, Schema } from "effect"
import { defined } from "../../../values/defined.ts"
import * as Content from "../../../workspace/history/Content.ts"
import type { Look } from "../../../workspace/history/Looks.ts"
import * as Changes from "../../../workspace/model/Changes.ts"
import type { Entry } from "../../../workspace/model/Entry.ts"
import * as RecordedContent from "../../../workspace/questions/RecordedContent.ts"
import * as RecordedFiles from "../../../workspace/questions/RecordedFiles.ts"
import { type FileRow, type FilesThen, MAX_FILES } from "../../wire/Files.ts"
import * as Query from "../Query.ts"
import * as OpenedAt from "./OpenedAt.ts"

export const FilesQuery = Schema.Struct({
  timeline: Query.Timeline,
  task: Schema.NonEmptyString,
  position: Query.Position,
})

export const files = (asked: typeof FilesQuery.Type) =>
  Effect.gen(function* () {
    const opened = yield* OpenedAt.find(asked)
    const { looks } = yield* RecordedFiles.withLooks(opened)
    const now = yield* RecordedContent.treeAfter(opened, looks)
    const start = yield* RecordedContent.treeAfter(opened, looks.slice(0, 1))
    const changes = Changes.between(start, now)
    const last = looks.at(-1)
    const changed = changes.map((change) => changedRow(change, last))
    const paths = new Set(changes.map(({ path }) => path))
    const others: Array<readonly [path: string, entry: Entry]> = []
    for (const file of now) if (!paths.has(file[0])) others.push(file)
    others.sort(([one], [other]) => (one < other ? -1 : 1))
    return {
      root: opened.root,
      at: opened.position,
      changedAt: last?.event.position ?? opened.position,
      ...defined({ stopped: opened.stopped }),
      files: [...changed, ...others.slice(0, MAX_FILES).map(([path, entry]) => rowOf(path, entry))].slice(0, MAX_FILES),
      changed: changed.length,
      total: changed.length + others.length,
    } satisfies FilesThen
  }).pipe(Effect.scoped)

const rowOf = (path: string, { kind, size, omitted }: Entry): FileRow => ({
  path,
  kind,
  size,
  ...defined({ omitted: omitted && Content.WHY[omitted] }),
})

const changedRow = (change: Changes.Change, last: Look | undefined): FileRow => ({
  ...rowOf(change.path, change.kind === "removed" ? change.before : change.after),
  change: change.kind,
  ...defined({
    from: change.kind === "renamed" ? change.from : undefined,
    now: last?.base === undefined && last?.files.some(({ path }) => path === change.path) ? (true as const) : undefined,
  }),
})
