/**
 * The one place that decides whether somebody may act on a log. A log that this user did not write on this machine is
 * foreign. Reading it is free. Before anything in it can start, the user says once that the log is trusted; that is
 * recorded in the user's own store, and holds while only this user extends the log on this machine.
 */

import { Data, Effect } from "effect"
import { EventLog, type Head, type LogError } from "../../events/log/EventLog.ts"
import { provenanceOf, type StoreUnusable, type TrustedBy } from "../../events/log/Ownership.ts"
import * as ProgramLog from "../../platform/ProgramLog.ts"
import type { Projector } from "../../projections/projector/Projector.ts"
import { oneLine } from "../../values/PlainText.ts"
import * as VouchedCode from "../registry/VouchedCode.ts"
import * as Brought from "./Brought.ts"

/**
 * Look at what the log brings along, and trust it or leave it: this user did not write it on this machine. Nothing was
 * started, and nothing in it counts.
 */
export class ForeignLog extends Data.TaggedError("ForeignLog")<{
  readonly log: string
  /** Why it is foreign: one sentence without a full stop. */
  readonly why: string
  readonly head: Head
  readonly brought: Brought.Brought
}> {
  override get message() {
    return [
      `${this.log} is foreign: ${this.why}. Nothing was started. Acting on it would bring along:`,
      ...describe(this.brought).map((line) => `  ${line}`),
      "Reading it is free. If you trust it, say so once: `--trust-log`, or in a program `trust: true`.",
    ].join("\n")
  }
}

/**
 * Fails with `ForeignLog` if the log is foreign and the caller does not trust it. With `trusts`, a foreign log is
 * recorded as trusted; where the store cannot record that, the trust holds for this call alone.
 */
export const assertTrusted = (
  trusts: TrustedBy | undefined,
): Effect.Effect<void, ForeignLog | LogError, EventLog | Projector> =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const provenance = yield* provenanceOf(log)
    if (provenance.kind === "own") return
    const { head, why } = provenance
    if (trusts === undefined) {
      return yield* new ForeignLog({ log: log.name, why, head, brought: yield* Brought.read })
    }
    yield* record(head, trusts)
  })

/** Trusts the log as it is at a head, and the plugins that it installed by then. If it fails, that holds for this opening. */
export const trust = (head: Head, by: TrustedBy): Effect.Effect<void, StoreUnusable | LogError, EventLog> =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const { ownership } = log
    if (ownership === undefined) return
    const installed = yield* VouchedCode.installedBy(log, head.position)
    yield* Effect.ensuring(ownership.trust(head, by), VouchedCode.vouch(log, installed))
  })

/** As `trust`, but only warns where it cannot be recorded. */
export const record = (head: Head, by: TrustedBy): Effect.Effect<void, LogError, EventLog> =>
  Effect.gen(function* () {
    const { name } = yield* EventLog
    yield* Effect.catchTag(trust(head, by), "StoreUnusable", ({ message }) =>
      ProgramLog.warning(`the trust in ${name} holds for this time only: it cannot be recorded`, message),
    )
  })

/** What a log brings along, a line each. */
export const describe = ({ plugins, approvals, openTasks }: Brought.Brought): ReadonlyArray<string> => [
  ...plugins.flatMap(({ plugin, version, digest, grants, intervals }) => [
    `plugin ${oneLine(plugin)} ${oneLine(version)} (${digest.slice(0, 16)}), granted ${grants.length === 0 ? "nothing" : grants.map(oneLine).join(" ")}`,
    ...intervals.map(({ sensor, everyMs }) => `  its sensor ${oneLine(sensor)} would be read every ${everyMs} ms`),
  ]),
  ...approvals.map(
    ({ taskId, actuator, args, by }) =>
      `an approval by ${oneLine(by)} of ${oneLine(actuator)} ${shortened(JSON.stringify(args))} in task ${oneLine(taskId)}: it does not count here and is asked again`,
  ),
  ...openTasks.map(
    ({ taskId, agent, goal }) =>
      `open task ${oneLine(taskId)} of ${oneLine(agent)}, which can be resumed: ${shortened(goal)}`,
  ),
  ...(plugins.length + approvals.length + openTasks.length === 0
    ? ["no active plugin, no approval and no open task"]
    : []),
]

const shortened = (text: string): string => {
  const line = oneLine(text)
  return line.length <= MOST_CHARACTERS ? line : `${line.slice(0, MOST_CHARACTERS)}…`
}

/** Most characters of a text from the log in one line. */
const MOST_CHARACTERS = 120
