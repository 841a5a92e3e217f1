/** Turns a failed command into an exit code and a message. */
import { stripVTControlCharacters } from "node:util"
import { HelpDoc, ValidationError } from "@effect/cli"
import { Cause, Chunk, Option } from "effect"
import * as ExitCode from "../catalogue/ExitCode.ts"
import * as Text from "../terminal/Text.ts"
import * as CommandHints from "./CommandHints.ts"
import * as HooksLog from "./HooksLog.ts"
import * as Output from "./Output.ts"

export interface Failure {
  readonly exitCode: number
  readonly tag: string
  /** For people: what was expected, what was found and what to do. */
  readonly message: string
  /** Details for programs, such as the stack trace of a plugin that threw. */
  readonly details?: string
}

const NOT_FOUND: ReadonlySet<string> = new Set([
  "ClientMissing",
  "ContentNotRecorded",
  "CurriculumNotFound",
  "EventNotFound",
  "FileNotRecorded",
  "LogMissing",
  "MeasureNotFound",
  "NoFilesRecorded",
  "NoKernel",
  "MetadataNotFound",
  "ModelNotFound",
  "NoSuchRun",
  "NothingGrouped",
  "NothingInCommon",
  "NothingScored",
  "NothingToUndo",
  "NotInRegistry",
  "NothingListed",
  "NoSuchSubject",
  "NoTaskOfBoth",
  "NoTaskSelected",
  "NotPending",
  "PathNeverExisted",
  "PathNotFound",
  "PositionElsewhere",
  "PositionOutOfRange",
  "PredicatePathNeverExisted",
  "RequestNotFound",
  "RolloutNotFound",
  "RunnerNotFound",
  "ScoringNotFound",
  "StepNotFound",
  "TaskNotFound",
  "TimelineNotFound",
  "VersionNotFound",
  "ViewNotFound",
  "WorkspaceMissing",
])

/** Errors whose cause another log may not have. */
const OF_LOG: ReadonlySet<string> = new Set([
  ...["ContentNotRecorded", "EventNotFound", "FileNotRecorded", "NoFilesRecorded", "NothingListed"],
  ...["NothingToUndo", "NotPending", "NoTaskSelected", "PositionOutOfRange", "RequestNotFound"],
  ...["RolloutNotFound", "StepNotFound"],
  ...["TaskNotFound"],
])

const DAMAGED: ReadonlySet<string> = new Set([
  ...["Diverged", "NotCompared", "NothingDecided", "NothingReplayed", "TreeNotReplayed", "MainThreadBlocked"],
  ...["LogCorrupt", "LogDamaged", "ManifestUnreadable", "Tampered"],
])

/**
 * Maps an error to a failure. Only this function assigns exit codes.
 *
 * @param path the words of the failed command, for the hint at its help
 */
export const ofCause = (cause: Cause.Cause<unknown>, path: ReadonlyArray<string>): Failure => {
  const failure = Cause.failureOption(cause)
  if (Option.isSome(failure)) {
    if (ValidationError.isValidationError(failure.value)) return usage(failure.value, path)
    if (isTagged(failure.value)) return expected(failure.value)
  }
  const damage = Chunk.findFirst(Cause.defects(cause), isManifestUnreadable)
  if (Option.isSome(damage)) return expected(damage.value)
  if (Cause.isInterruptedOnly(cause)) {
    return { exitCode: ExitCode.interrupted, tag: "Interrupted", message: "Interrupted." }
  }
  const message = `This is a bug in Hindcast. Please report it with the following text.\n${Cause.pretty(cause)}`
  return { exitCode: ExitCode.bug, tag: "Defect", message }
}

/**
 * Renders a failure for the standard error. For people: `error: …`, wrapped to the terminal's width, with commands for
 * the user's shell. For programs: one line of JSON that does not depend on how the program was called.
 */
export const render = ({ tag, message, details }: Failure, json: boolean): string =>
  json
    ? Text.json({ error: { tag, message, details } })
    : Output.fitted(
        `error: ${[CommandHints.inText(message), ...(OF_LOG.has(tag) ? HooksLog.hint() : [])].join("\n").split("\n").map(Text.oneLine).join("\n")}`,
        process.stderr,
      )

interface Tagged {
  readonly _tag: string
  readonly message: string
  readonly details?: unknown
  readonly missing?: unknown
}

const isTagged = (error: unknown): error is Tagged =>
  error instanceof Error && "_tag" in error && typeof error._tag === "string"

/** Every read of a plugin's manifest may die with `ManifestUnreadable`, which means that the log is damaged. */
const isManifestUnreadable = (defect: unknown): defect is Tagged =>
  isTagged(defect) && defect._tag === "ManifestUnreadable"

/**
 * A system error as Node formats it: a code, the reason, the system call, and the file, which our message already
 * names.
 */
const SYSTEM_ERROR = /\bE[A-Z]{2,}: ([a-z][^,\n]*), [a-z]+(?: '[^'\n]*')?(?: -> '[^'\n]*')?/g

const expected = ({ _tag: tag, message: written, details, missing }: Tagged): Failure => {
  const message = written.replaceAll(SYSTEM_ERROR, "$1")
  const report = { tag, message, ...(typeof details === "string" ? { details } : {}) }
  if (NOT_FOUND.has(tag) || missing === true) return { exitCode: ExitCode.notFound, ...report }
  return { exitCode: DAMAGED.has(tag) ? ExitCode.damaged : ExitCode.badInput, ...report }
}

const usage = ({ error }: ValidationError.ValidationError, path: ReadonlyArray<string>): Failure => {
  const text = stripVTControlCharacters(HelpDoc.toAnsiText(error)).trim().replace(/\.$/, "")
  const help = ["hindcast", ...path, "--help"].join(" ")
  return {
    exitCode: ExitCode.badInput,
    tag: "Usage",
    message: `${text}${/[?!]$/.test(text) ? "" : "."} See \`${help}\`.`,
  }
}
