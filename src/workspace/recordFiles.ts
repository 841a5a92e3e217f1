/** Records the files of a kernel's workspace. `Hindcast.layer` takes it as `files`. */

import * as fs from "node:fs"
import { Cause, Effect, Exit, Runtime } from "effect"
import * as Secrets from "../agents/models/secrets/Secrets.ts"
import type { AppendError } from "../events/log/EventLog.ts"
import type { Event } from "../events/vocabulary/Event.ts"
import type { FileRecorder, RecordFiles, RestoredFiles, TaskFiles } from "../kernel/context/FileRecorder.ts"
import { visible } from "../values/PlainText.ts"
import * as Looks from "./history/Looks.ts"
import * as SeenContents from "./history/SeenContents.ts"
import type { OwnChange } from "./model/Changes.ts"
import type { Tree } from "./model/Entry.ts"
import * as PastFiles from "./PastFiles.ts"
import * as Root from "./Root.ts"
import * as IgnoredThen from "./restore/IgnoredThen.ts"
import * as InPlace from "./restore/InPlace.ts"
import type * as Removal from "./restore/Removal.ts"
import { notedAmong } from "./restore/RemovalEvidence.ts"
import * as IgnoreRules from "./scan/IgnoreRules.ts"
import type { ContentStore } from "./store/ContentStore.ts"
import * as Recorded from "./TaskFiles.ts"
import * as Workspaces from "./Workspaces.ts"

/**
 * Records the repository around the workspace, or the workspace itself. Stores contents once, in a file next to the
 * log; of files with secrets, only a digest. Throws if the workspace is a home directory or a whole file system.
 */
export const recordFiles: RecordFiles = ({ log, workspace }) => {
  const around = Root.around(workspace)
  if ("refused" in around) throw new Error(around.refused)
  return recorder(around.root, log)
}

/**
 * Like `recordFiles`, for a kernel that opens no new tasks: continued tasks keep recording files if they began so. If
 * the workspace cannot be recorded, they note it.
 */
export const continueFiles: RecordFiles = ({ log, workspace }) => {
  const around = Root.around(workspace)
  const recorded = "refused" in around ? noting(around.refused) : recorder(around.root, log)
  return {
    of: (task) =>
      task.past !== undefined && PastFiles.isRecordedIn(task.past) ? recorded.of(task) : Effect.succeed(undefined),
  }
}

/** Records nothing, and notes the reason in each task. */
const noting = (reason: string): FileRecorder => ({
  of: ({ openedBy, recorder }) => {
    const unseen = [{ what: Recorded.NO_SNAPSHOTS, target: reason, count: 1 }]
    return Effect.as(
      recorder.recordAll([{ type: "CaptureNoted", causationId: openedBy, payload: { unseen } }]),
      undefined,
    )
  },
})

const recorder = (root: string, log: string): FileRecorder => {
  const shared = sharedBy(log)
  return {
    of: ({ openedBy, past, abandoned, recorder }) =>
      Effect.gen(function* () {
        if (past !== undefined && !PastFiles.isRecordedIn(past)) return undefined
        const workspaces = yield* Effect.acquireRelease(Effect.sync(shared.enter), () => Effect.sync(shared.leave))
        const runtime = yield* Effect.runtime()
        const tell: Recorded.TaskFilesOptions["tell"] = async (...events) => {
          const caused = events.map((event) => ({ causationId: openedBy, ...event }))
          const [first, ...others] = caused
          if (first === undefined) return
          const exit = await Runtime.runPromiseExit(runtime)(recorder.recordAll([first, ...others]))
          if (Exit.isFailure(exit)) throw Cause.squash(exit.cause)
        }
        const options = { workspaces, root, past: past ?? [], openedBy, tell }
        const files = yield* Effect.acquireRelease(
          Effect.sync(() => Recorded.make(options)),
          ({ leave }) => Effect.sync(leave),
        )
        return { root, ...filesOf(files, { past: options.past, abandoned }, log) }
      }),
  }
}

/** The workspaces of a kernel, open while one of its tasks needs them. Its tasks see each other's calls. */
const sharedBy = (log: string) => {
  const secrets = Secrets.of(Secrets.keysOfEnvironment())
  let workspaces: Workspaces.Workspaces | undefined
  let users = 0
  return {
    enter: () => {
      users++
      // The kernel has opened the log: its file exists.
      workspaces ??= Workspaces.make({ log: fs.realpathSync(log), hasSecret: secrets.isIn })
      return workspaces
    },
    leave: () => {
      users--
      if (users > 0) return
      workspaces?.close()
      workspaces = undefined
    },
  }
}

const filesOf = (
  files: Recorded.TaskFiles,
  { past, abandoned }: { readonly past: ReadonlyArray<Event>; readonly abandoned: ReadonlyArray<Event> | undefined },
  log: string,
): Omit<TaskFiles, "root"> => ({
  look: recording(files.look),
  before: (calls) => recording(() => files.before(...calls)),
  after: (calls) => recording(() => files.after(...calls.map(({ commandId, last }) => ({ commandId, end: last })))),
  restore: (at) =>
    Effect.suspend(() => {
      const until = past.filter(({ position }) => position <= at)
      let left: RestoredFiles["left"] = []
      const write: Recorded.Restoring = (present, { store, root }) => {
        const recorded = PastFiles.treeAfter(until, store)
        if (recorded === undefined) {
          left = [{ path: ".", why: "the store lacks the files of that moment" }]
          return []
        }
        const then = PastFiles.rootOf(until)
        if (abandoned === undefined && then !== undefined && then !== root) {
          // A resume counts all files besides the recorded ones as unfinished work: elsewhere, they belong to somebody
          // else.
          left = [{ path: ".", why: `its recorded files are those of ${visible(then)}, not of ${root}` }]
          return []
        }
        const own = [fs.realpathSync(log)]
        const seen =
          abandoned &&
          seenIn([...past, ...abandoned], new Map([...present].filter(([file]) => !recorded.has(file))), store)
        const evidence: Removal.Evidence = {
          isSeen: (file) => seen?.has(file) !== false,
          wasHidden: IgnoredThen.of({
            tree: recorded,
            contents: store,
            isIgnoredToday: IgnoreRules.outside(root),
            ...notedAmong([...past, ...(abandoned ?? [])], at),
          }),
          wasAbsent: () => false,
        }
        const planned = InPlace.plan({ root, present, recorded, store, own, evidence, willHold: false })
        const { done, failed } = carriedOut(planned.steps, { root, contents: store, stays: root })
        left = [...planned.left, ...failed]
        return done
      }
      return Effect.map(
        recording(() => files.restored(write)),
        (done) =>
          done === undefined
            ? { restored: 0, left: [{ path: ".", why: "no snapshot could be taken" }] }
            : { restored: done.length, left },
      )
    }),
})

/** The files whose contents a task's looks contain. */
const seenIn = (events: ReadonlyArray<Event>, files: Tree, store: ContentStore) =>
  SeenContents.of(files, Looks.among(events), (base, paths, found) => store.search(base, paths, found))

/** Carries out steps, and checks each on the disk. Returns those that hold, and why others do not. */
const carriedOut = (steps: ReadonlyArray<OwnChange>, place: InPlace.Place) => {
  const done: Array<OwnChange> = []
  const failed: Array<RestoredFiles["left"][number]> = []
  for (const step of steps) {
    const why = InPlace.carryOut(place, step) ?? InPlace.difference(place.root, step)
    if (why === undefined) done.push(step)
    else failed.push({ path: step.path, why })
  }
  return { done, failed }
}

/** Runs work that rejects only with errors of the log. */
const recording = <A>(work: () => Promise<A>): Effect.Effect<A, AppendError> =>
  Effect.tryPromise({
    try: work,
    catch: (cause) => {
      if (cause instanceof Error && "_tag" in cause) return cause as AppendError
      throw cause
    },
  })
