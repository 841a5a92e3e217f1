/**
 * Decides which plugin code may start: only code that this user installed on this machine, or trusted with the log. The
 * user's store keeps its digests and grants, in addition to the log's.
 */

import { Effect, Schema, Stream } from "effect"
import type { EventLog, LogError } from "../../events/log/EventLog.ts"
import { provenanceOf, type VouchedCode } from "../../events/log/Ownership.ts"
import { is } from "../../events/vocabulary/Vocabulary.ts"
import * as ProgramLog from "../../platform/ProgramLog.ts"
import * as Grants from "../../plugins/manifest/Grants.ts"
import { PluginUnavailable } from "../../plugins/PluginError.ts"
import type { Plugin } from "../../projections/state/PluginRegistry.ts"

/** Adds code to the user's store, unless it is there. */
export const vouch = (log: EventLog.Service, codes: ReadonlyArray<VouchedCode>): Effect.Effect<void> =>
  Effect.gen(function* () {
    const { ownership, name } = log
    if (ownership === undefined) return
    const known = yield* ownership.vouched
    yield* Effect.catchTag(
      ownership.vouch(codes.filter((code) => !known.some((one) => includes(one, code)))),
      "StoreUnusable",
      ({ message }) => ProgramLog.warning(`plugins of ${name} have to be imported again next time`, message),
    )
  })

/** A log in memory belongs to this process and needs no store. */
const isVouched = (log: EventLog.Service, plugin: string, { digest, grants }: Pick<Plugin, "digest" | "grants">) =>
  Effect.map(
    log.ownership?.vouched ?? Effect.succeed(undefined),
    (known) => known === undefined || known.some((one) => includes(one, { plugin, digest, grants })),
  )

/** Fails if the log is foreign, or the user's store does not know the code. */
export const assertStartable = (
  log: EventLog.Service,
  plugin: string,
  found: Plugin,
): Effect.Effect<void, PluginUnavailable | LogError> =>
  Effect.gen(function* () {
    const provenance = yield* provenanceOf(log)
    if (provenance.kind === "foreign") return yield* notStarted(plugin, provenance.why)
    if (!(yield* isVouched(log, plugin, found))) return yield* notVouched(plugin, found)
  })

/** Somebody changed the log, or it came from a bundle: this user never gave this code or these grants. */
const notVouched = (plugin: string, { digest, source }: Plugin) =>
  new PluginUnavailable({
    plugin,
    reason: `your own store does not know that you installed this code (${digest.slice(0, 16)}) with these grants. Import it again from ${source}`,
  })

const notStarted = (plugin: string, why: string) =>
  new PluginUnavailable({
    plugin,
    reason: `its log is foreign: ${why}. If you trust the log, use \`--trust-log\` once, or \`trust: true\` in a program`,
  })

const includes = (one: VouchedCode, other: VouchedCode): boolean =>
  one.plugin === other.plugin &&
  one.digest === other.digest &&
  Schema.is(Grants.Grants)(one.grants) &&
  Schema.is(Grants.Grants)(other.grants) &&
  Grants.covers(one.grants, other.grants)

/** All code that a log installed up to a position, with each of its grants. */
export const installedBy = (
  log: EventLog.Service,
  until: number,
): Effect.Effect<ReadonlyArray<VouchedCode>, LogError> =>
  Effect.map(Stream.runCollect(log.read({ types: ["PluginImported", "PluginGranted"], until })), (events) => {
    const installed = new Map<string, string>()
    const codes: Array<VouchedCode> = []
    for (const event of events) {
      if (is(event, "PluginImported")) {
        const { plugin, digest, grants } = event.payload
        installed.set(plugin, digest)
        codes.push({ plugin, digest, grants })
      } else if (is(event, "PluginGranted")) {
        const { plugin, grants } = event.payload
        const digest = installed.get(plugin)
        if (digest !== undefined) codes.push({ plugin, digest, grants })
      }
    }
    return codes
  })
