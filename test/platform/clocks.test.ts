import * as fs from "node:fs"
import * as path from "node:path"
import { describe, expect, it } from "vitest"
import { inRepository } from "../repository.ts"

/**
 * The modules that read the wall clock, and what for. Whatever is measured or waited for within a process goes by the
 * monotonic clock (`platform/MonotonicClock.ts`, `performance.now`): a wall clock is set, and jumps.
 */
const WALL: { readonly [module: string]: string } = {
  // Stamps: when something was, for people and for other programs.
  "events/sqlite/append.ts": "stamp: recordedAt",
  "events/memory/MemoryEventLog.ts": "stamp: recordedAt",
  "events/append/AppendChecks.ts": "stamp: personal fields are encrypted as of the append",
  "events/sqlite/archive/archiveEvents.ts": "stamp: when a segment was made",
  "events/sqlite/archive/bundle.ts": "stamp: recordedAt of what is bundled",
  "events/sqlite/presence/heartbeats.ts":
    "stamp: a heartbeat's time, for people; its counter and the monotonic clock decide",
  "events/sqlite/lease.ts": "stamp: a lease's times, for people; what is watched goes by the monotonic clock",
  "events/memory/MemoryLease.ts": "stamp: a lease's times, for people",
  "events/log/RunnerSessions.ts": "on a file, the log's clock is this machine's: when a waiting task is due",
  "events/ownership/ServerOwnership.ts": "stamp: when a log on a server became this user's",
  "events/postgres/append.ts": "stamp: the server's time, read again where this one moves",
  "events/postgres/keys.ts": "stamp: when a key was made",
  "events/postgres/presence/lease.ts": "stamp: a lease's times, for people",
  "kernel/acting/policies/RecentResults.ts": "stamp: the age of recorded results, next to the monotonic clock",
  "events/sqlite/ownership/ownership.ts": "stamp: when a log became this user's",
  "events/sqlite/ownership/BackupRecord.ts": "stamp: when a backup was made",
  "events/sqlite/keys/keyFile.ts": "stamp: when a key was made",
  "events/payload/PersonalDataKeys.ts": "stamp: since when a key is used",
  "events/vocabulary/Event.ts": "stamp: the time in an id (UUIDv7)",
  "cli/gate/GateOptions.ts": "the moment of `--since 30d`",
  "cli/log/IntegrityCommands.ts":
    "stamp: an anchor's time; the age of a head, by this machine's clock, and 0 where it was set back",
  "record/http/ExchangeEvents.ts": "stamp: when a program made a request; a Retry-After that is a date",
  "platform/MonotonicClock.ts":
    "stamp: how long ago an earlier process saw something; 0 where the clock was set back since",
  "record/conversations/LeftConversations.ts":
    "stamp: how long ago an earlier process heard of a conversation; 0 where the clock was set back since",
  "record/http/ModelAnswer.ts": "stamp: a Retry-After that is a date",
  "record/replay/ReplayedRun.ts": "stamp: the program's own Date.now, where nothing is recorded",
  "record/log/RunStream.ts":
    "stamp: after a change of the clock, what happened by the clock of before is no later than now",
  "record/ObservedModel.ts": "stamp: when a model's call that was told of began and ended",
  "record/RunningTool.ts": "stamp: when a tool began and ended",
  "record/adapters/AiSdkTelemetry.ts": "stamp: when the SDK told of a call",
  "record/IoCalls.ts": "stamp: the program's own Date.now, which is recorded",
  "studio/team/AccessRecord.ts": "stamp: when somebody asked",
  "importing/Import.ts": "stamp: bounds the times of a source",
  "hooks/check/HookCheck.ts": "since when session files may be those of the check, next to the file system's times",
  "record/log/AskedPerson.ts": "how long a question still stands, for people; 0 where the clock was set forward",
  "workspace/OtherRecorders.ts":
    "the age of a left mark, next to the file system's times: after a jump it goes only if its recorder is gone",
  "importing/writing/RecordedTask.ts": "stamp: whether a recorder of the session was heard of a moment ago",
  "telemetry/Recording.ts": "stamp: bounds the times of a source",
  "workspace/scan/Scan.ts": "when a directory was listed, next to the file system's times: a jump makes it list again",
  "workspace/bisect/TreeRuns.ts": "stamp: when a run ended, which the log records",
  "workspace/bisect/Scratch.ts":
    "when a file was written, next to the file system's times: a jump makes it written again",
  "workspace/Snapshots.ts": "when a file was read, next to the file system's times: a jump makes it read again",
  "telemetry/Inbox.ts": "stamp: how long ago an earlier process heard of a conversation, to forget it",
  "kernel/program/ProgramInstances.ts": "stamp: the `now` that a program's tools are given",
  "cli/Packs.ts": "files: compared with modification times",
  "plugins/sandbox/LastUse.ts": "files: compared with modification times",
  "events/sqlite/file/fileIdentity.ts": "files: compared with modification times",
  "events/sqlite/keys/snapshotKey.ts": "files: compared with modification times",
  // Times that people or other machines were told.
  "kernel/gate/Confirmations.ts": "expiry: whether a question's time is up, which was shown",
  "kernel/gate/ConfirmationRequests.ts": "expiry: the time that is shown, and what is left of it after a restart",
  "mcp/Calls.ts": "expiry: of a question's signed state, which the client carries",
  "mcp/HeldCall.ts": "expiry: what is left of a question's time",
  "agents/models/providers/AiSdkModel.ts": "expiry: a Retry-After that is a date",
  "agents/models/plugin/PluginModel.ts": "expiry: a Retry-After that is a date",
  "listeners/http/Webhook.ts": "expiry: the signed time of a delivery",
  "listeners/sources/Cron.ts": "moment: the times of a schedule, looked at again each minute",
  "kernel/metrics/LogMetrics.ts": "moment: the age of what waits, compared with the log's own times",
  "telemetry/sending/MetricsExport.ts": "moment: when the numbers were taken",
  "telemetry/sending/Delivery.ts": "expiry: a Retry-After that is a date",
  "cli/task/Prompter.ts": "expiry: shows what is left",
  "cli/chat/ChatQuestions.ts": "expiry: shows what is left",
  "cli/pages/events/ConfirmationPage.ts": "expiry: shows what is left",
  "studio/answers/Questions.ts": "expiry: which questions still wait",
  "studio/page/screens/QuestionsScreen.tsx": "expiry: shows what is left",
  "events/read/TimeSearch.ts": "moment: one that a person named is not in the future",
  "studio/page/model/commands.ts": "moment: the day of a time of day that a person named",
  // Clocks that are handed on or replaced.
  "platform/WallClockWatch.ts": "compared with the monotonic clock, to see that it was set",
  "platform/recorded/KeptAlive.ts": "clock: hands it on",
  "plugins/testing/TestPlugin.ts": "clock: replaces it by a test's",
}

const READS = /\bDate\.now\b|\bnew Date\(\)|\bcurrentTimeMillis\b/

const TIME = String.raw`\b(?:occurredAt|recordedAt|openedAt|closedAt|requestedAt)\b`
const SUBTRACTS = new RegExp(String.raw`${TIME}\)? - |- \(?(?:\w+\??\.)*${TIME}`)

/** The modules that subtract a time of an event from something else than another event's, and why. */
const SUBTRACTING: { readonly [module: string]: string } = {
  "values/time/OwnTime.ts": "the one function that does",
  "events/sqlite/writeRows.ts": "how times are stored: with their sign",
  "projections/exports/otlp/TaskTrace.ts": "a latency is subtracted from a time",
  "cli/log/IntegrityCommands.ts": "the age of a head",
  "importing/writing/Division.ts": "which part of a session a time of its source falls into",
}

/** The source modules, by their path in `src/`, without comments. The conformance tests of logs are tests. */
const modules = fs
  .readdirSync(inRepository("src"), { recursive: true, encoding: "utf8" })
  .filter((name) => /\.(ts|tsx|js|mjs)$/.test(name) && !name.startsWith(path.join("events", "testing")))
  .map((name) => ({
    name: name.split(path.sep).join("/"),
    text: fs
      .readFileSync(path.join(inRepository("src"), name), "utf8")
      .replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, ""),
  }))

const matching = (pattern: RegExp) => modules.flatMap(({ name, text }) => (pattern.test(text) ? [name] : [])).sort()

describe("the wall clock", () => {
  it("is read by the modules of the list alone, each with its reason", () => {
    expect(matching(READS)).toEqual(Object.keys(WALL).sort())
  })

  it("never gives a duration: times of events are subtracted by one function", () => {
    expect(matching(SUBTRACTS)).toEqual(Object.keys(SUBTRACTING).sort())
  })
})
