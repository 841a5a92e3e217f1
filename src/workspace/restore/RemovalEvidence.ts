/** Collects evidence from the log and the store about files that a restore would remove. */

import { Effect } from "effect"
import type { EventLog, LogError } from "../../events/log/EventLog.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
import { is } from "../../events/vocabulary/Vocabulary.ts"
import * as Looks from "../history/Looks.ts"
import * as SeenContents from "../history/SeenContents.ts"
import type { Tree } from "../model/Entry.ts"
import * as IgnoreRules from "../scan/IgnoreRules.ts"
import * as OuterRules from "../scan/OuterRules.ts"
import { UNREAD_DIRECTORY } from "../scan/Scan.ts"
import type { ContentStore } from "../store/ContentStore.ts"
import * as IgnoredThen from "./IgnoredThen.ts"
import type { Evidence } from "./Removal.ts"
import type * as RestoreRecord from "./RestoreRecord.ts"

/** A task's notes on paths that its snapshots leave out. */
export interface Noted {
  /** The directories that it could not read; undefined if it does not name each. */
  readonly unread: ReadonlySet<string> | undefined
  readonly outerRules: OuterRules.OuterRules
}

/** The notes of the last look's task up to a position. */
export const notedIn = (
  log: Pick<EventLog.Service, "readPage">,
  looks: ReadonlyArray<Looks.Look>,
  until: number,
): Effect.Effect<Noted, LogError> =>
  Effect.gen(function* () {
    const taskId = looks.at(-1)?.taskId
    if (taskId === undefined) return UNKNOWN
    const notes = yield* log.readPage({ taskId, types: ["CaptureNoted"] }, MAX_NOTES)
    return notes.length < MAX_NOTES ? notedAmong(notes, until) : UNKNOWN
  })

const UNKNOWN: Noted = { unread: undefined, outerRules: undefined }

/** The notes among a task's events, up to a position. */
export const notedAmong = (events: ReadonlyArray<Event>, until: number): Noted => ({
  unread: unreadAmong(events.filter(({ position }) => position <= until)),
  outerRules: OuterRules.among(events, until),
})

const unreadAmong = (events: ReadonlyArray<Event>): ReadonlySet<string> | undefined => {
  const found = events
    .flatMap((event) => (is(event, "CaptureNoted") ? event.payload.unseen : []))
    .filter(({ what }) => what === UNREAD_DIRECTORY)
  return found.every(({ count }) => count === 1) ? new Set(found.flatMap(({ target }) => target ?? [])) : undefined
}

const MAX_NOTES = 10_000

export interface Moment {
  readonly root: string
  /** The position of the moment. */
  readonly position: number
  readonly recorded: Tree
  readonly store: ContentStore
  /** All looks at the directory up to now. */
  readonly looks: ReadonlyArray<Looks.Look>
  readonly restores: RestoreRecord.Past
  readonly noted: Noted
}

/** Throws `StoreUnavailable`. */
export const of = (moment: Moment, present: Tree): Evidence => {
  const { root, position, recorded, store, looks, restores, noted } = moment
  const known = looks.filter((look) => !restores.taskIds.has(look.taskId) || Looks.sourceOf(look).kind === "call")
  const later = new Map([...present].filter(([path]) => !recorded.has(path)))
  const seen = SeenContents.of(later, known, (base, paths, found) => store.search(base, paths, found))
  const absent = new Set(restores.begun.flatMap(({ before, unhidden }) => (before === position ? unhidden : [])))
  return {
    isSeen: (path) => seen.has(path),
    wasHidden: IgnoredThen.of({
      tree: recorded,
      contents: store,
      isIgnoredToday: IgnoreRules.outside(root),
      ...noted,
    }),
    wasAbsent: (path) => absent.has(path),
  }
}
