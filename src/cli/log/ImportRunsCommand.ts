/** The command `hindcast import`: runs of other agents as tasks of a log. */
import { Args, Command, Options } from "@effect/cli"
import { Data, Effect, Option } from "effect"
import * as Follow from "../../importing/Follow.ts"
import * as Detection from "../../importing/files/Detection.ts"
import * as Listing from "../../importing/files/Listing.ts"
import * as Import from "../../importing/Import.ts"
import type { RefusedFile } from "../../importing/ImportReport.ts"
import * as Mapping from "../../importing/mapping/Mapping.ts"
import { SOURCES } from "../../importing/Sources.ts"
import { BadInput } from "../command/BadInput.ts"
import { common, flag, given, oneOf, optionalText } from "../command/CommonOptions.ts"
import * as OpenLog from "../command/OpenLog.ts"
import * as Output from "../command/Output.ts"
import * as ProgressLine from "../terminal/ProgressLine.ts"
import { count } from "../terminal/Text.ts"
import * as UntilEnded from "../terminal/UntilEnded.ts"
import * as V8Tuning from "../terminal/V8Tuning.ts"
import * as ImportReportPage from "./ImportReportPage.ts"

class FilesRefused extends Data.TaggedError("FilesRefused")<{ readonly files: ReadonlyArray<RefusedFile> }> {
  override get message() {
    const [one, isWhole] = [this.files.length === 1, this.files.every(({ added }) => added === 0)]
    const listed = this.files.map(({ file, reason, added }) => {
      const before = added === 0 ? "" : `; ${count(added, "event")} had been imported before that`
      return `\n  ${file}: ${reason}${before}`
    })
    const nothing = isWhole ? `; nothing of ${one ? "it" : "them"} was imported` : ""
    return `${one ? "One file was" : `${this.files.length} files were`} refused${nothing}:${listed.join("")}`
  }
}

const options = {
  from: Options.optional(
    oneOf(
      "from",
      SOURCES.map(({ name }) => name),
    ).pipe(Options.withDescription("The format of the files. Default: recognized by the contents of each")),
  ),
  mapping: optionalText("mapping", "A YAML file that maps JSON Lines of your own to runs"),
  subject: optionalText(
    "subject",
    "The person whose data the files contain: Hindcast encrypts messages, commands and results with this person's key",
  ),
  redact: flag("redact", "Leave out messages, commands and results: keep only structure, times, tokens and outcomes"),
  dryRun: flag("dry-run", "List the runs to import, without writing"),
  follow: flag("follow", "Keep importing new records and new files, until Ctrl-C"),
}

const paths = Args.text({ name: "path" }).pipe(
  Args.withDescription("Files and directories with their contents"),
  Args.atLeast(1),
)

export const importRuns = Command.make(
  "import",
  { ...common, ...options, paths },
  ({ log, json, paths, redact, dryRun, follow, mapping, ...typed }) =>
    Effect.gen(function* () {
      const format = yield* formatOf(mapping, typed.from)
      if (follow && dryRun)
        return yield* new BadInput({ input: "--follow", expected: "no --dry-run with it", found: "both" })
      const options = { paths, redact, ...format, ...given(typed) }
      yield* follow ? followFiles(log, options, json) : importOnce(log, { ...options, dryRun }, json)
    }),
).pipe(
  Command.withDescription(
    "Import runs of other agents, one task each. A run that the log already contains stays as it is",
  ),
)

const formatOf = (mapping: Option.Option<string>, from: Option.Option<string>) =>
  Effect.gen(function* () {
    if (Option.isNone(mapping)) return {}
    if (Option.isSome(from))
      return yield* new BadInput({ input: "--mapping", expected: "no --from with it", found: "both" })
    const taken = SOURCES.map(({ name }) => name)
    return { format: yield* Mapping.load(mapping.value, taken) }
  })

const importOnce = (log: Option.Option<string>, options: Import.ImportOptions, json: boolean) =>
  Effect.gen(function* () {
    yield* V8Tuning.forImporting
    const findings = yield* Detection.find(options.paths, Import.sourcesOf(options))
    const report = yield* ProgressLine.during({ verb: "read", unit: "KiB", json }, (onProgress) =>
      Import.importFound(findings, {
        ...options,
        onInterrupt: ({ files, of, added }) =>
          options.dryRun === true
            ? Effect.void
            : Output.note(
                `${files} of ${count(of, "file")} imported, ${count(added, "event")} new. They stay in the log, and the same command continues from there.`,
              ),
        onProgress: (bytes, of) => onProgress(Math.ceil(bytes / 1024), Math.ceil(of / 1024)),
      }),
    ).pipe(Effect.provide(OpenLog.orCreateForEvents(log, options.dryRun === true)))
    yield* Output.show(json, report, (style) => ImportReportPage.lines(style, report))
    if (report.refused.length > 0) return yield* new FilesRefused({ files: report.refused })
    if (findings.found.length > 0) return
    return yield* new BadInput({
      input: options.paths.join(", "),
      expected: "a file of a known format",
      found: report.unknown.length === 0 ? "none" : `${count(report.unknown.length, "file")} in unknown formats`,
      missing: true,
    })
  })

/** Imports until Ctrl-C. Prints each report as a paragraph or as a line of JSON. */
const followFiles = (log: Option.Option<string>, options: Omit<Follow.FollowOptions, "onReport">, json: boolean) =>
  Effect.gen(function* () {
    // Fail for a missing path before creating a log.
    for (const named of options.paths) yield* Listing.filesOf(named)
    yield* UntilEnded.begin
    yield* Follow.followFiles({
      ...options,
      onReport: (report) =>
        json
          ? Output.writeWhole(JSON.stringify(report))
          : Effect.zipRight(
              Output.show(false, report, (style) => ImportReportPage.lines(style, report)),
              report.refused.length === 0
                ? Effect.void
                : Output.note(new FilesRefused({ files: report.refused }).message),
            ),
    }).pipe(Effect.provide(OpenLog.orCreateForEvents(log, false)))
  })
