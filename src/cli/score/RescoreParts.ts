/** Re-scores in parts: over processes of this machine, or a part at a time on several machines. */
import { Chunk, Effect, Either, Option, Stream } from "effect"
import { EventLog } from "../../events/log/EventLog.ts"
import type { TaskPart } from "../../events/log/TaskPart.ts"
import * as PartialScoring from "../../kernel/scoring/PartialScoring.ts"
import * as ScoreSetWriter from "../../kernel/scoring/ScoreSetWriter.ts"
import { NotResumed, Scoring } from "../../kernel/scoring/Scoring.ts"
import { sha256 } from "../../values/Digest.ts"
import * as OpenLog from "../command/OpenLog.ts"
import * as OutputFile from "../export/OutputFile.ts"
import * as MergedParts from "../parts/MergedParts.ts"
import * as PartLines from "../parts/PartLines.ts"
import * as PartProcesses from "../parts/PartProcesses.ts"
import type { OnProgress } from "../terminal/ProgressLine.ts"

/** The work of a score set: its start names the rubric, the critic, the tasks and the last position. */
const workOf = (scoreSetId: string) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const query = { stream: ScoreSetWriter.streamOf(scoreSetId), timeline: log.timeline }
    const [started] = yield* log.readPage(query, 1)
    if (started === undefined) return yield* new NotResumed({ scoreSetId, reason: "there is no such set" })
    return { kind: "verdicts", about: sha256(`${scoreSetId} ${started.hash}`) } satisfies MergedParts.Work
  })

interface PartToWrite {
  readonly part: TaskPart
  readonly output: string
  readonly force: boolean
  readonly onProgress: OnProgress
}

/** Writes the verdicts on the tasks of a part. Reads the log, and appends nothing. */
export const write = (scoreSetId: string, { part, output, force, onProgress }: PartToWrite) =>
  Effect.gen(function* () {
    const work = yield* workOf(scoreSetId)
    const scoring = yield* Scoring
    const { name } = yield* EventLog
    const lines = new PartLines.PartWriter()
    let tasks = 0
    const written = yield* OutputFile.withOutputFile({ file: output, force, log: name }, (file) =>
      Effect.gen(function* () {
        yield* file.write(lines.begin({ ...work, part }))
        yield* scoring.judgePart(scoreSetId, {
          part,
          onProgress: ({ events, ofEvents }) => onProgress(events, ofEvents),
          onJudged: (judged) => {
            tasks += judged.length
            return file.write(judged.map((task) => lines.item([0, task.index], task)))
          },
        })
        yield* file.write(lines.end())
      }),
    )
    return { tasks, ...written }
    // Verdicts name positions, not what the events there tell.
  }).pipe(Effect.provideService(OpenLog.Shared, { decrypted: true }))

/** Finishes a score set by the files of all its parts. */
export const mergeFiles = (scoreSetId: string, files: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    return yield* merge(scoreSetId, MergedParts.ofFiles(yield* workOf(scoreSetId), files))
  })

/** Finishes a score set by processes of this machine. */
export const inProcesses = (
  scoreSetId: string,
  count: number,
  {
    log,
    timeline,
    onTask,
  }: {
    readonly log: Option.Option<string>
    readonly timeline: Option.Option<string>
    /** Called with the number of tasks that have their verdicts. */
    readonly onTask: (tasks: number) => Effect.Effect<void>
  },
) =>
  Effect.gen(function* () {
    const words = ["rescore", "--json", "--resume", scoreSetId]
    let tasks = 0
    const items = PartProcesses.run({
      work: yield* workOf(scoreSetId),
      count,
      command: Option.match(timeline, { onNone: () => words, onSome: (name) => [...words, "--timeline", name] }),
      log: (yield* OpenLog.existingPlace(log)).open,
    })
    const counted = Stream.mapChunksEffect(items, (chunk) => {
      tasks += chunk.length
      return Effect.as(onTask(tasks), chunk)
    })
    return yield* merge(scoreSetId, counted)
  })

const merge = <E, R>(scoreSetId: string, items: Stream.Stream<PartLines.Item, E, R>) =>
  Effect.flatMap(Scoring, (scoring) =>
    scoring.mergeParts(
      scoreSetId,
      Stream.mapChunksEffect(items, (chunk) => {
        const tasks = Either.all(Chunk.toReadonlyArray(chunk).map(({ value }) => PartialScoring.decodeTask(value)))
        return Either.isRight(tasks)
          ? Effect.succeed(Chunk.unsafeFromArray(tasks.right))
          : new PartLines.PartUnusable({ part: scoreSetId, reason: "an item is no judged task" })
      }),
    ),
  )
