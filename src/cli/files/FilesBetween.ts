/** How recorded files differ between two moments. */
import { Effect, Option } from "effect"
import * as Moment from "../../events/read/Moment.ts"
import * as Changes from "../../workspace/model/Changes.ts"
import { BadInput } from "../command/BadInput.ts"
import * as ComparedFiles from "./ComparedFiles.ts"
import * as RecordedContent from "./RecordedContent.ts"
import * as RecordedFiles from "./RecordedFiles.ts"

export interface Asked extends Pick<RecordedFiles.Asked, "log" | "task"> {
  readonly a: string
  readonly b: string
  /** Only this file. */
  readonly file: Option.Option<string>
}

export interface FilesBetween {
  readonly recorded: RecordedFiles.RecordedFiles
  readonly from: number
  readonly to: number
  readonly timeline: string
  readonly changes: ReadonlyArray<Changes.Change>
}

/** The differences, ordered by path; from `a` to `b`, whichever is earlier. */
export const load = ({ log, a, b, file, task }: Asked) =>
  Effect.gen(function* () {
    const [from, to] = [yield* Moment.locate(a), yield* Moment.locate(b)]
    if (from.timeline !== to.timeline)
      return yield* new BadInput({
        input: `${a} ${b}`,
        expected: "two moments of one timeline",
        found: `${from.timeline} and ${to.timeline}`,
      })
    const later = from.position > to.position ? a : b
    const recorded = yield* RecordedFiles.open({ ...(log === undefined ? {} : { log }), at: Option.some(later), task })
    const only = Option.isSome(file) ? yield* RecordedFiles.pathOf(recorded, file.value) : undefined
    const treeAt = (position: number) => {
      const looks = recorded.looks.filter(({ event }) => event.position <= position)
      // Before the first snapshot, nothing is known.
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

/** Compares the contents of all changes. */
export const compared = ({ recorded: { store }, changes }: FilesBetween) =>
  RecordedFiles.reading(() => changes.map((change) => ComparedFiles.of(change, store)))
