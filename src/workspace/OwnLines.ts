/** Follows the lines that a task's own calls wrote, from one change to the next. */

import type { Event } from "../events/vocabulary/Event.ts"
import { is } from "../events/vocabulary/Vocabulary.ts"
import { type FileState, type Source, sourceOf } from "../projections/state/files/FileStates.ts"
import type { Hunk } from "./history/LineDiff.ts"
import * as LineCounts from "./LineCounts.ts"
import type { Change } from "./model/Changes.ts"
import * as Document from "./model/Document.ts"
import type { ContentStore } from "./store/ContentStore.ts"

export interface OwnLines {
  /** Takes one more change. `isOwn`: one of the task's own calls made it. */
  readonly after: (change: Change, isOwn: boolean) => Document.Known
  /** Keeps the results since the last `begin`: their events are in the log. */
  readonly keep: () => void
  /** Forgets the changes that were not kept. */
  readonly begin: () => void
}

/** Lines `[start, end)`. */
type Range = readonly [start: number, end: number]

/** The own lines of a file, in order. */
type Ranges = ReadonlyArray<Range> | "unknown"

/** Ranges of all files in memory. */
const MAX_RANGES = 1_000_000

/** @param past the task's events from earlier processes */
export const make = (past: ReadonlyArray<Event>, store: ContentStore): OwnLines => {
  const known = new Map<string, Ranges>()
  const staged = new Map<string, Ranges>()
  let size = 0
  const histories = historiesIn(past)

  const before = (path: string): Ranges => staged.get(path) ?? known.get(path) ?? replayed(histories.get(path), store)
  const isFirst = (path: string) => !staged.has(path) && !known.has(path) && !histories.has(path)

  return {
    begin: () => staged.clear(),
    keep: () => {
      for (const [path, ranges] of staged) {
        size += sizeOf(ranges) - sizeOf(known.get(path) ?? [])
        known.set(path, size > MAX_RANGES ? "unknown" : ranges)
        if (size > MAX_RANGES) size -= sizeOf(ranges)
      }
      staged.clear()
    },
    after: (change, isOwn) => {
      const { kind, path } = change
      const first = kind === "renamed" ? change.from : path
      const entry = kind !== "added" && isFirst(first) ? change.before : undefined
      const hunks = LineCounts.hunksOf(change, store)
      const ranges = rangesAfter(before(first), change, hunks, isOwn)
      if (kind === "renamed") staged.set(first, [])
      staged.set(path, ranges)
      return {
        before: entry,
        lines: hunks === undefined ? undefined : LineCounts.ofHunks(hunks),
        kept: kind === "removed" ? undefined : countOf(ranges),
      }
    },
  }
}

const sizeOf = (ranges: Ranges): number => (ranges === "unknown" ? 0 : ranges.length)

const countOf = (ranges: Ranges): number | undefined =>
  ranges === "unknown" ? undefined : ranges.reduce((sum, [start, end]) => sum + end - start, 0)

const rangesAfter = (
  ranges: Ranges,
  { kind }: Pick<Change, "kind">,
  hunks: ReadonlyArray<Hunk> | undefined,
  isOwn: boolean,
): Ranges => {
  if (kind === "mode" || kind === "renamed") return ranges
  if (kind === "removed") return []
  const was = kind === "added" ? [] : ranges
  if (hunks !== undefined && was !== "unknown") return moved(was, hunks, isOwn)
  // Others wrote the file, so it contains none of the task's lines.
  return !isOwn && was.length === 0 ? [] : "unknown"
}

/** The own lines after a difference: those that it leaves, at their new places, and those that it adds. Pure. */
export const moved = (own: ReadonlyArray<Range>, hunks: ReadonlyArray<Hunk>, isOwn: boolean): ReadonlyArray<Range> => {
  const after: Array<Range> = []
  const push = (start: number, end: number) => {
    const last = after.at(-1)
    if (last !== undefined && last[1] === start) after[after.length - 1] = [last[0], end]
    else if (start < end) after.push([start, end])
  }
  let index = 0
  /** The own lines of `[from, to)`, between two hunks. */
  const carry = (from: number, to: number, shift: number) => {
    for (; index < own.length; index++) {
      const [start, end] = own[index] ?? [to, to]
      const [first, past] = [Math.max(start, from), Math.min(end, to)]
      if (first < past) push(first + shift, past + shift)
      if (end > to) return
    }
  }
  let [old, shift] = [0, 0]
  for (const { oldStart, oldEnd, newStart, newEnd } of hunks) {
    carry(old, oldStart, shift)
    if (isOwn) push(newStart, newEnd)
    ;[old, shift] = [oldEnd, newEnd - oldEnd]
  }
  carry(old, Number.POSITIVE_INFINITY, shift)
  return after
}

type Recorded = FileState & { readonly isOwn: boolean }

/** The history of each path since the task's files were first recorded, in order. */
const historiesIn = (past: ReadonlyArray<Event>): ReadonlyMap<string, ReadonlyArray<Recorded>> => {
  const histories = new Map<string, Array<Recorded>>()
  const commands = new Set<string>()
  for (const event of past) {
    if (is(event, "ActuatorCommanded")) commands.add(event.payload.commandId)
    if (is(event, "EnvironmentReset") && event.payload.plugin === Document.PLUGIN) histories.clear()
    if (!is(event, "EnvironmentChanged") || event.payload.plugin !== Document.PLUGIN) continue
    const isOwn = isOwnSource(sourceOf(event.payload), commands)
    for (const { path, state } of Document.read(event.payload.patch)) {
      const history = histories.get(path) ?? []
      history.push({ ...state, isOwn })
      histories.set(path, history)
    }
  }
  return histories
}

/** Whether the task's own calls made a change. */
export const isOwnSource = (source: Source, commands: { readonly has: (commandId: string) => boolean }): boolean =>
  source.kind === "call" || (source.kind === "calls" && source.commandIds.every((id) => commands.has(id)))

/** The own lines in the version that an earlier process saw last. Compares the file's contents again. */
const replayed = (history: ReadonlyArray<Recorded> | undefined, store: ContentStore): Ranges => {
  const last = history?.at(-1)
  if (history === undefined || last === undefined || last.entry === undefined || last.kept === 0) return []
  if (last.kept === undefined) return "unknown"
  const none = history.findLastIndex(({ kept, entry }) => entry === undefined || kept === 0)
  const since = history.slice(none + 1)
  if (since.length > MAX_REPLAYED || since.some(({ kind }) => kind === "renamed")) return "unknown"
  let ranges: Ranges = []
  let before = none < 0 ? history[0]?.before : history[none]?.entry
  for (const { entry, isOwn } of since) {
    if (entry === undefined) return "unknown"
    const hunks = LineCounts.hunksBetween(before, entry, store)
    ranges = rangesAfter(ranges, { kind: "changed" }, hunks, isOwn)
    before = entry
  }
  return countOf(ranges) === last.kept ? ranges : "unknown"
}

/** Each takes a comparison of two contents while a call waits. */
const MAX_REPLAYED = 100
