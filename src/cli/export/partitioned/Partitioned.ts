/** The command `hindcast export partitioned`: all events as a Parquet dataset in directories by bucket and day. */
import * as fs from "node:fs"
import * as path from "node:path"
import { Command, Options } from "@effect/cli"
import { Effect, Option, Schema, Stream } from "effect"
import { EventLog } from "../../../events/log/EventLog.ts"
import { MAX_PARTS, type TaskPart } from "../../../events/log/TaskPart.ts"
import { sha256 } from "../../../values/Digest.ts"
import { BadInput } from "../../command/BadInput.ts"
import { common, flag, optionalText, text, wholeNumber } from "../../command/CommonOptions.ts"
import * as OpenLog from "../../command/OpenLog.ts"
import * as AuditParts from "../../parts/AuditParts.ts"
import * as MergedParts from "../../parts/MergedParts.ts"
import * as PartLines from "../../parts/PartLines.ts"
import * as PartOption from "../../parts/PartOption.ts"
import * as PartProcesses from "../../parts/PartProcesses.ts"
import { at, count, size } from "../../terminal/Text.ts"
import * as V8Tuning from "../../terminal/V8Tuning.ts"
import * as ExportSummary from "../ExportSummary.ts"
import * as OutputFile from "../OutputFile.ts"
import * as Buckets from "./Buckets.ts"

/** The file that lists a whole dataset. Without it, the dataset is not complete. */
export const LIST = "hindcast.json"

export const partitioned = Command.make(
  "partitioned",
  {
    ...common,
    directory: text("directory", "The directory of the dataset, which has no files yet").pipe(
      Options.withPseudoName("dir"),
    ),
    buckets: wholeNumber("buckets", 1).pipe(
      Options.withDescription("The number of buckets into which the hash of the task divides events. Default: 8"),
      Options.withDefault(8),
    ),
    until: optionalText("until", "Only events up to this moment. With --part and --merge the same for all parts"),
    decrypt: OpenLog.decrypt,
    parts: PartOption.parts,
    part: PartOption.part,
    merge: PartOption.merge,
    output: optionalText("output", "With --part: the file that lists what it wrote, for --merge"),
    force: flag("force", "With --part: replace the list if it exists"),
  },
  ({ log, json, directory, buckets, until, decrypt, output, force, ...divided }) =>
    Effect.gen(function* () {
      yield* PartOption.checkOutput({ part: divided.part, output, force })
      yield* V8Tuning.limitHeapGrowth
      if (buckets > MAX_PARTS)
        return yield* new BadInput({ input: "--buckets", expected: `at most ${MAX_PARTS}`, found: `${buckets}` })
      const isWhole = Option.isNone(divided.part) && divided.merge.length === 0
      const how = yield* AuditParts.mode({ ...divided, until: isWhole ? Option.none() : until }, AuditParts.momentOf)
      const { position } = yield* (yield* EventLog).head
      const last = isWhole && Option.isSome(until) ? yield* AuditParts.momentOf(until.value) : position
      const head = yield* AuditParts.headAt("until" in how ? how.until : last)
      const options = { directory, buckets, head, decrypted: decrypt }
      const work = yield* workOf(options)
      if (how._tag === "Part") {
        const file = yield* PartOption.outputOf(output)
        const written = yield* writePart(work, how.part, options, { file, force })
        const summary = { part: PartOption.textOf(how.part), files: written.length, events: sum(written) }
        const line = `Wrote ${count(summary.events, "event")}, the part ${summary.part}, to ${directory}.`
        return yield* ExportSummary.printSummary({ output: file, json }, summary, line)
      }
      yield* assertUnlisted(directory)
      if (how._tag !== "Merge") yield* assertEmpty(directory)
      const items =
        how._tag === "Merge"
          ? MergedParts.ofFiles(work, how.files)
          : PartProcesses.run({
              work,
              count: how._tag === "Processes" ? how.count : 1,
              command: [
                ...["export", "partitioned", "--json", "--directory", directory, "--buckets", String(buckets)],
                ...["--until", `@${head.position}`],
                ...(decrypt ? ["--decrypt"] : []),
              ],
              log: (yield* OpenLog.placeToLookAt(log)).open,
            })
      const files = yield* Stream.runCollect(Stream.mapEffect(items, fileIn))
      yield* finish([...files], options)
      const total = [...files].reduce((bytes, file) => bytes + file.bytes, 0)
      yield* ExportSummary.printSummary(
        { output: directory, json },
        { directory, buckets, files: files.length, events: sum(files), bytes: total, head },
        `Exported ${count(sum(files), "event")} (${size(total)}) in ${count(files.length, "file")} to ${directory}, of the log up to ${at(head.position)}.`,
      )
    }).pipe(Effect.provide(OpenLog.forSharing(log, { decrypted: decrypt }))),
).pipe(
  Command.withDescription(
    "Write all events as a Parquet dataset in directories by bucket and day, for DuckDB, ClickHouse and other engines",
  ),
)

const workOf = ({ buckets, head, decrypted }: Buckets.BucketOptions) =>
  Effect.gen(function* () {
    const [first] = yield* (yield* EventLog).readPage({}, 1)
    const about = JSON.stringify([first?.hash, head.position, head.hash, buckets, decrypted])
    return { kind: "files", about: sha256(about) } satisfies MergedParts.Work
  })

/** Writes the buckets of a part: every Nth. */
const writePart = (
  work: MergedParts.Work,
  part: TaskPart,
  options: Buckets.BucketOptions,
  list: { readonly file: string; readonly force: boolean },
) =>
  Effect.gen(function* () {
    const { name } = yield* EventLog
    const lines = new PartLines.PartWriter()
    const written: Array<Buckets.WrittenFile> = []
    yield* OutputFile.withOutputFile({ ...list, log: name }, (file) =>
      Effect.gen(function* () {
        yield* file.write(lines.begin({ ...work, part }))
        for (let bucket = part.index; bucket < options.buckets; bucket += part.of) {
          const files = yield* Buckets.write(bucket, options)
          yield* file.write(files.map((one, index) => lines.item([bucket, index], one)))
          written.push(...files)
        }
        yield* file.write(lines.end())
      }),
    )
    return written
  })

const decodeFile = Schema.decodeUnknown(Buckets.WrittenFile)

const fileIn = ({ value }: PartLines.Item) =>
  Effect.mapError(
    decodeFile(value),
    () => new PartLines.PartUnusable({ part: "of files", reason: "an item is no file of a dataset" }),
  )

const sum = (files: Iterable<Buckets.WrittenFile>): number =>
  [...files].reduce((events, file) => events + file.events, 0)

/** Checks that the dataset has each event once, and lists it. */
const finish = (files: ReadonlyArray<Buckets.WrittenFile>, { directory, head, buckets }: Buckets.BucketOptions) =>
  Effect.gen(function* () {
    const incomplete = (expected: string, found: string) =>
      new BadInput({ input: directory, expected, found, advice: "Remove the directory, and export again." })
    const events = sum(files)
    if (events !== head.position)
      return yield* incomplete(`the ${head.position} events of the log in its files`, String(events))
    for (const { file, bytes } of files) {
      const found = fs.statSync(path.join(directory, file), { throwIfNoEntry: false })?.size
      if (found !== bytes)
        return yield* incomplete(`the file ${file} of ${bytes} bytes`, found === undefined ? "none" : `${found}`)
    }
    const listed = new Set(files.map(({ file }) => file))
    const other = filesIn(directory).find((file) => file.endsWith(".parquet") && !listed.has(file))
    if (other !== undefined) return yield* incomplete("no other files of events", other)
    const { name } = yield* EventLog
    const list = { log: path.basename(name), head, buckets, events, files }
    yield* OutputFile.writeAll(
      { file: path.join(directory, LIST), log: name },
      Stream.succeed(`${JSON.stringify(list, undefined, 2)}\n`),
    )
  })

const filesIn = (directory: string): ReadonlyArray<string> =>
  fs.existsSync(directory)
    ? fs
        .readdirSync(directory, { recursive: true, withFileTypes: true })
        .flatMap((entry) =>
          entry.isDirectory()
            ? []
            : [
                path
                  .relative(directory, path.join(entry.parentPath ?? entry.path, entry.name))
                  .replaceAll(path.sep, "/"),
              ],
        )
    : []

const assertEmpty = (directory: string) =>
  Effect.suspend(() => {
    const [first] = filesIn(directory)
    return first === undefined
      ? Effect.void
      : new BadInput({
          input: "--directory",
          expected: "a directory without files",
          found: `${directory} with ${first}`,
        })
  })

const assertUnlisted = (directory: string) =>
  Effect.suspend(() =>
    fs.existsSync(path.join(directory, LIST))
      ? new BadInput({ input: "--directory", expected: "a directory without a dataset", found: `one in ${directory}` })
      : Effect.void,
  )
