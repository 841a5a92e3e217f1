/** The differences of recorded files between two moments. */
import { Data, Effect } from "effect"
import * as Moment from "../../events/read/Moment.ts"
import * as Changes from "../model/Changes.ts"
import * as ComparedFiles from "./ComparedFiles.ts"
import * as RecordedContent from "./RecordedContent.ts"
import * as RecordedFiles from "./RecordedFiles.ts"

/** The moments are on different timelines. */
export class TwoTimelines extends Data.TaggedError("TwoTimelines")<{
  readonly input: string
  readonly timelines: readonly [string, string]
}> {
  override get message() {
    return `${this.input}: expected two moments of one timeline, found ${this.timelines.join(" and ")}.`
  }
}

export interface Asked extends Pick<RecordedFiles.Asked, "taskId" | "directory"> {
  readonly a: Moment.Moment
  readonly b: Moment.Moment
  /** Only this file. */
  readonly file?: string | undefined
}

export interface FilesBetween {
  readonly recorded: RecordedFiles.RecordedFiles
  readonly from: number
  readonly to: number
  readonly timeline: string
  readonly changes: ReadonlyArray<Changes.Change>
}

/** The differences ordered by path, from `a` to `b` in either order. */
export const load = ({ a, b, file, ...asked }: Asked) =>
  Effect.gen(function* () {
    const [from, to] = [yield* Moment.locate(a), yield* Moment.locate(b)]
    if (from.timeline !== to.timeline)
      return yield* new TwoTimelines({ input: `${a} ${b}`, timelines: [from.timeline, to.timeline] })
    const recorded = yield* RecordedFiles.open({ ...asked, at: from.position > to.position ? a : b })
    const only = file === undefined ? undefined : yield* RecordedFiles.pathOf(recorded, file)
    const treeAt = (position: number) => {
      const looks = recorded.looks.filter(({ event }) => event.position <= position)
      // Nothing is known from before the first snapshot.
      return looks.length === 0
        ? new RecordedContent.ContentNotRecorded({
            file: recorded.root,
            position,
            reason: `the first snapshot is at @${recorded.looks[0]?.event.position ?? 0}`,
          })
        : RecordedContent.treeAfter({ ...recorded, position }, looks)
    }
    const [before, after] = [yield* treeAt(from.position), yield* treeAt(to.position)]
    const changes = Changes.between(before, after).filter(
      (change) => only === undefined || change.path === only || (change.kind === "renamed" && change.from === only),
    )
    return { recorded, from: from.position, to: to.position, timeline: to.timeline, changes } satisfies FilesBetween
  })

/** Compares the changes one after the other: all differences at once may exceed the memory. */
export const forEach = <A, E, R>(
  { recorded: { store }, changes }: FilesBetween,
  work: (compared: ComparedFiles.ComparedFile) => Effect.Effect<A, E, R>,
) =>
  Effect.forEach(changes, (change) =>
    Effect.flatMap(
      RecordedFiles.reading(() => ComparedFiles.of(change, store)),
      work,
    ),
  )

/** The differences for one answer; with `stat`, only their counts. */
export const compared = (found: FilesBetween, stat: boolean) =>
  Effect.suspend(() => {
    const within = stat ? ComparedFiles.numbers : ComparedFiles.withinAnswer()
    return forEach(found, (one) => Effect.succeed(within(one)))
  })

/** The differences of recorded files from one moment to another, in either order. */
export interface FilesDiff {
  readonly root: string
  readonly timeline: string
  readonly from: number
  readonly to: number
  readonly files: ReadonlyArray<ComparedFiles.FileDifference>
}

/** @param stat leaves out the hunks */
export const document = (
  { recorded: { root }, timeline, from, to }: FilesBetween,
  files: ReadonlyArray<ComparedFiles.ComparedFile>,
  stat: boolean,
): FilesDiff => ({ root, timeline, from, to, files: files.map((one) => ComparedFiles.document(one, stat)) })
