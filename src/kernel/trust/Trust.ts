/**
 * Decides whether somebody may act on a log; the one place that does. A log that this user did not write on this
 * machine is foreign: reading it needs no trust, but nothing in it starts until the user trusts it once. The user's own
 * store records the trust, which holds while only this user extends the log on this machine.
 */

import { Data, Effect } from "effect"
import { EventLog, type Head, type LogError } from "../../events/log/EventLog.ts"
import { provenanceOf, type StoreUnusable, type TrustedBy } from "../../events/log/Ownership.ts"
import * as ProgramLog from "../../platform/ProgramLog.ts"
import type { Projector } from "../../projections/projector/Projector.ts"
import { unmistakable, visible } from "../../values/PlainText.ts"
import * as VouchedCode from "../registry/VouchedCode.ts"
import type * as Brought from "./Brought.ts"

/**
 * This user did not write the log on this machine. Check its plugins, approvals and tasks, and trust it or leave it.
 * Nothing started, and nothing in it counts.
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
      `${visible(this.log)} is foreign: ${visible(this.why)}. Nothing was started. Acting on it would involve:`,
      ...describe(this.brought).map((line) => `  ${line}`),
      "You can read it as it is. If you trust it, use `--trust-log` once, or `trust: true` in a program.",
    ].join("\n")
  }
}

/**
 * Fails with `ForeignLog` if the log is foreign and not trusted. With `trusts`, records the trust; if the store cannot,
 * it holds for this call alone.
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
      // Only a foreign log needs to read plugins and their grants.
      const { read } = yield* Effect.promise(() => import("./Brought.ts"))
      return yield* new ForeignLog({ log: log.name, why, head, brought: yield* read })
    }
    yield* record(head, trusts)
  })

/**
 * Trusts the log up to a head, and the plugins that it had installed by then. If it fails, the trust holds for this
 * opening.
 */
export const trust = (head: Head, by: TrustedBy): Effect.Effect<void, StoreUnusable | LogError, EventLog> =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const { ownership } = log
    if (ownership === undefined) return
    const installed = yield* VouchedCode.installedBy(log, head.position)
    yield* Effect.ensuring(ownership.trust(head, by), VouchedCode.vouch(log, installed))
  })

/** Like `trust`, but only warns if it cannot be recorded. */
export const record = (head: Head, by: TrustedBy): Effect.Effect<void, LogError, EventLog> =>
  Effect.gen(function* () {
    const { name } = yield* EventLog
    yield* Effect.catchTag(trust(head, by), "StoreUnusable", ({ message }) =>
      ProgramLog.warning(`the trust in ${name} holds only this time: it cannot be recorded`, message),
    )
  })

/** Describes plugins, approvals and tasks in unambiguous lines. Long lists are cut, and say so. */
export const describe = ({ plugins, approvals, openTasks, partlyRead }: Brought.Brought): ReadonlyArray<string> => [
  ...listed(plugins, "plugins: `hindcast plugin ls` lists them").flatMap((plugin) =>
    typeof plugin === "string" ? plugin : describePlugin(plugin),
  ),
  ...listed(approvals, "approvals, which do not count here").map((approval) =>
    typeof approval === "string"
      ? approval
      : `an approval by ${named(approval.by)} of ${named(approval.actuator)} ${shortened(JSON.stringify(approval.args))} in task ${named(approval.taskId)}: it does not count here, and you will be asked again`,
  ),
  ...listed(openTasks, "open tasks: `hindcast task ls` lists them").map((task) =>
    typeof task === "string"
      ? task
      : `open task ${named(task.taskId)} of ${named(task.agent)}, which can be resumed: ${shortened(task.goal)}`,
  ),
  ...(partlyRead > 0
    ? [`open tasks in which not every command was read: ${partlyRead}. No approval in them counts here`]
    : []),
  ...(plugins.length + approvals.length + openTasks.length === 0
    ? ["no active plugin, no approval and no open task"]
    : []),
]

const describePlugin = ({
  plugin,
  version,
  digest,
  grants,
  intervals,
}: Brought.BroughtPlugin): ReadonlyArray<string> => {
  const given = grants.length === 0 ? "nothing" : listed(grants, "grants").map(shortened).join(" ")
  return [
    `plugin ${named(plugin)} ${named(version)} (${named(digest.slice(0, 16))}), granted ${given}`,
    ...listed(intervals, "sensors that are read at intervals").map((one) =>
      typeof one === "string" ? `  ${one}` : `  its sensor ${named(one.sensor)} would be read every ${one.everyMs} ms`,
    ),
  ]
}

const listed = <A>(all: ReadonlyArray<A>, what: string): ReadonlyArray<A | string> =>
  all.length <= MAX_LISTED ? all : [...all.slice(0, MAX_LISTED), `… and ${all.length - MAX_LISTED} more ${what}`]

const MAX_LISTED = 50

/** A stranger may have chosen the name. Quotes one that reads like other words. */
const named = (text: string): string => {
  const line = shortened(text)
  return PLAIN_NAME.test(line) ? line : JSON.stringify(line)
}

const PLAIN_NAME = /^[\w.@/+:-]+$/

const shortened = (text: string): string => {
  const line = unmistakable(text.slice(0, MAX_CHARACTERS))
  return text.length <= MAX_CHARACTERS ? line : `${line}…`
}

const MAX_CHARACTERS = 120
