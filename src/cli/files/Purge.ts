/** The command `hindcast files purge`: removes contents of recorded files from the store. */
import { Args, Command } from "@effect/cli"
import { Effect, Option } from "effect"
import { EventLog } from "../../events/log/EventLog.ts"
import * as Moment from "../../events/read/Moment.ts"
import * as Timelines from "../../events/read/Timelines.ts"
import { userAsActor } from "../../platform/user/Machine.ts"
import { defined } from "../../values/defined.ts"
import { oneLine } from "../../values/PlainText.ts"
import * as Looks from "../../workspace/history/Looks.ts"
import * as Purgeable from "../../workspace/history/Purgeable.ts"
import * as Purging from "../../workspace/history/Purging.ts"
import type { Tree } from "../../workspace/model/Entry.ts"
import * as RecordedFiles from "../../workspace/questions/RecordedFiles.ts"
import { ContentStore } from "../../workspace/store/ContentStore.ts"
import { fileOf, StoreUnavailable } from "../../workspace/store/StoreFile.ts"
import { BadInput } from "../command/BadInput.ts"
import { flag, MOMENT, optionalText, text } from "../command/CommonOptions.ts"
import * as OpenLog from "../command/OpenLog.ts"
import * as Output from "../command/Output.ts"
import * as Question from "../terminal/Question.ts"
import { at, count, size } from "../terminal/Text.ts"
import * as FilesOptions from "./FilesOptions.ts"
import * as OpenedFiles from "./OpenedFiles.ts"

const options = {
  ...FilesOptions.common,
  file: FilesOptions.file.pipe(Args.optional),
  before: optionalText("before", `Instead of a file: contents that only earlier moments need. ${MOMENT}`),
  reason: text("reason", "The reason, which the log records"),
  yes: flag("yes", "Confirm that this cannot be undone"),
}

interface Chosen {
  readonly digests: ReadonlySet<string>
  /** The position up to which events were read. */
  readonly until: number
}

/** Contents to remove, and the words for them. */
interface Purge<E, R> {
  /** Chooses the contents: again once time has passed. */
  readonly choose: Effect.Effect<Chosen, E, R>
  readonly forever: boolean
  readonly what: string
  /** The payload of the event, but for the numbers and the reason. */
  readonly scope: { readonly root?: string; readonly file?: string; readonly before?: number }
  /** Other files with the same contents. */
  readonly alsoAt: ReadonlyArray<string>
}

export const purge = Command.make("purge", options, ({ log, json, file, before, reason, yes }) =>
  Effect.gen(function* () {
    if (Option.isSome(file) === Option.isSome(before))
      return yield* new BadInput({
        input: "The contents",
        expected: "FILE or --before MOMENT",
        found: Option.isSome(file) ? "both" : "neither",
      })
    const logFile = yield* OpenLog.fileOf(log)
    const wanted = Option.isSome(file) ? yield* ofFile(file.value) : yield* earlier(Option.getOrThrow(before))
    const store = yield* Effect.acquireRelease(
      RecordedFiles.reading(() => ContentStore.open(fileOf(logFile))),
      (opened) => Effect.sync(() => opened.close()),
    )
    const { digests } = yield* wanted.choose
    const asked = yield* RecordedFiles.reading(() => store.sizesOf(digests))
    const nothing = { ...wanted.scope, contents: 0, bytes: 0 }
    const none = Output.show(json, nothing, () => [`The store has no content of ${wanted.what}.`])
    if (asked.size === 0) return yield* none
    const inWords = (sizes: ReadonlyMap<string, number>) =>
      `${count(sizes.size, "content")} of ${wanted.what}, ${size(sum(sizes))}${others(wanted.alsoAt)}`
    const agrees = yield* Question.agrees({
      command: "hindcast files purge",
      options: ["--yes"],
      given: yes,
      json,
      about: "Removed contents cannot be restored.",
      ask: Effect.map(Question.ask(`Remove ${inWords(asked)}? They cannot be restored. [y/N] `), Question.isYes),
    })
    if (!agrees) return yield* Output.write("Nothing was removed.")
    // A recorder may have found one of them in a file again while the question was open.
    const now = yield* wanted.choose
    const { sizes, isOverwritten } = yield* Purging.purge(yield* EventLog, store, {
      digests: new Set([...asked.keys()].filter((digest) => now.digests.has(digest))),
      until: now.until,
      forever: wanted.forever,
    })
    if (sizes.size === 0) return yield* none
    const payload = { ...wanted.scope, contents: sizes.size, bytes: sum(sizes), reason }
    const { events } = yield* (yield* EventLog).append({
      stream: "files",
      actor: userAsActor(),
      events: [{ type: "FilesPurged", payload }],
    })
    const position = events[0]?.position ?? 0
    yield* Output.show(json, { ...payload, alsoAt: wanted.alsoAt, overwritten: isOverwritten, position }, (style) => [
      `${style.good("Purged")}: ${inWords(sizes)}, recorded at ${at(position)}. Backups, bundles and restored directories keep their copies.`,
      ...(isOverwritten
        ? []
        : [style.warn("Another process is reading the store. The bytes are overwritten once it has ended.")]),
      ...(wanted.forever
        ? [
            "The store will not record these contents again. To record nothing of the file from now on, list it in .gitignore.",
          ]
        : []),
    ])
  }).pipe(Effect.scoped, Effect.provide(OpenLog.forWriting(log))),
).pipe(
  Command.withDescription(
    "Remove contents of recorded files from the store: all of a file, or those of earlier moments",
  ),
)

const sum = (sizes: ReadonlyMap<string, number>): number => [...sizes.values()].reduce((all, one) => all + one, 0)

const others = (paths: ReadonlyArray<string>): string =>
  paths.length === 0
    ? ""
    : ` (also of ${paths.slice(0, MAX_NAMED).map(oneLine).join(", ")}${paths.length > MAX_NAMED ? " …" : ""})`

const MAX_NAMED = 5

const ofFile = (typed: string) =>
  Effect.gen(function* () {
    const recorded = yield* OpenedFiles.open({ at: Option.none(), task: Option.none() })
    const { root, looks, entryIn, treeOf } = recorded
    const path = yield* RecordedFiles.pathOf(recorded, typed)
    const digests = yield* RecordedFiles.reading(() => Purgeable.ofFile(looks, path, entryIn))
    const alsoAt = yield* RecordedFiles.reading(() => Purgeable.alsoAt(looks, digests, path, treeOf))
    const choose = Effect.succeed({ digests, until: recorded.position })
    return { choose, forever: true, what: oneLine(path), scope: { root, file: path }, alsoAt } satisfies Purge<
      never,
      never
    >
  })

const earlier = (moment: string) =>
  Effect.gen(function* () {
    const { position } = yield* Moment.locate(moment)
    const log = yield* EventLog
    const store = yield* RecordedFiles.storeOf(log.name)
    const choose = Effect.gen(function* () {
      const until = (yield* log.head).position
      const views = (yield* Timelines.list(log)).map((timeline) => Timelines.view(log, timeline))
      const histories = yield* Effect.forEach(views, (view) =>
        Effect.flatMap(Looks.starts(view, { until }), (starts) => Looks.since(view, starts, until)),
      )
      const trees = new Map<string, Tree | undefined>()
      const treeOf = (base: string) => {
        if (!trees.has(base)) trees.set(base, store.tree(base))
        return trees.get(base)
      }
      const digests = yield* RecordedFiles.reading(() => Purgeable.before(histories, position, treeOf))
      if (digests !== undefined) return { digests, until }
      return yield* new StoreUnavailable({ file: fileOf(log.name), reason: Purging.LACKS_A_START })
    })
    const what = `moments before ${at(position)}`
    const scope = defined({ before: position })
    return { choose, forever: false, what, scope, alsoAt: [] }
  })
