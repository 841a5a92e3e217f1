/**
 * Consent to starting a version of a plugin that only Deno's permissions confine (`Consent`).
 *
 * A consent is an event in the plugin's stream. It holds for the digest, machine and user that it names, until the
 * plugin is removed. A log from another machine or person gives no consent, because it may bring the very plugin that
 * needs it. Each start reads the events.
 */
import { Effect, Stream } from "effect"
import type { AppendError, EventLog, LogError } from "../../events/log/EventLog.ts"
import { provenanceOf } from "../../events/log/Ownership.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
import { is } from "../../events/vocabulary/Vocabulary.ts"
import { type Machine, machine } from "../../platform/user/Machine.ts"
import type { Manifest } from "../../plugins/manifest/Manifest.ts"
import type { PluginHost } from "../../plugins/process/PluginHost.ts"
import { isShipped } from "../../plugins/Shipped.ts"
import * as Consent from "../../plugins/sandbox/Consent.ts"

export interface Version {
  readonly plugin: string
  readonly version: string
  readonly digest: string
  /** The manifest's. Default: Deno. */
  readonly runtime?: Consent.Runtime
}

export const isGiven = (
  events: Iterable<Event>,
  { plugin, digest }: Pick<Version, "plugin" | "digest">,
  { id }: Pick<Machine, "id">,
): boolean => {
  let isConsented = false
  for (const event of events) {
    if (is(event, "PluginRemoved") && event.payload.plugin === plugin) isConsented = false
    if (!is(event, "SandboxConsentGiven")) continue
    const { payload } = event
    // Consent never holds on a machine without an id.
    isConsented ||= id !== undefined && payload.machine === id && payload.plugin === plugin && payload.digest === digest
  }
  return isConsented
}

/** Records the consent of the person who runs this program, if the version needs it and has none. */
export const record = (
  log: EventLog.Service,
  version: Version,
  how: "option" | "prompt",
  actor?: string,
): Effect.Effect<void, LogError | AppendError> =>
  Effect.unlessEffect(give(log, version, how, actor), mayStart(log, version)(false))

const give = (
  log: EventLog.Service,
  { plugin, version, digest }: Version,
  how: "option" | "prompt",
  actor?: string,
): Effect.Effect<void, AppendError> =>
  Effect.gen(function* () {
    const { id, platform, user } = yield* machine
    yield* log.append({
      stream: streamOf(plugin),
      actor: actor ?? "kernel",
      events: [
        {
          type: "SandboxConsentGiven",
          payload: { plugin, version, digest, by: user, how, platform, machine: id ?? null },
        },
      ],
    })
  })

/**
 * Whether a version may start where it needs consent: it ships with Hindcast, has consent, or receives it now, in which
 * case the log records the consent first.
 */
export const mayStart =
  (log: EventLog.Service, version: Version): ((said: boolean) => Effect.Effect<boolean, LogError | AppendError>) =>
  (said) =>
    Effect.gen(function* () {
      if (isShipped(version.digest)) return true
      const provenance = yield* provenanceOf(log)
      if (provenance.kind === "own") {
        // Every log with a consent holds the machine's digest, so a stranger may know it: only own events count.
        const own = { stream: streamOf(version.plugin), types: TYPES, after: provenance.foreignUpTo }
        if (isGiven(yield* Stream.runCollect(log.read(own)), version, yield* machine)) return true
      }
      if (said) yield* give(log, version, "option")
      return said
    })

/** The consent that a version lacks to start here, or undefined. If no plugin can start here, none is missing. */
export const missing = (
  log: EventLog.Service,
  host: PluginHost.Service,
  version: Version,
): Effect.Effect<Consent.SandboxConsentMissing | undefined, LogError | AppendError> =>
  Effect.gen(function* () {
    const confinement = yield* Effect.option(host.confinement)
    if (confinement._tag === "None" || !Consent.isNeeded(confinement.value.layer, version.runtime)) return undefined
    const { isConsented, why, improve } = confinement.value
    if (yield* mayStart(log, version)(isConsented)) return undefined
    const { plugin, version: name, runtime } = version
    const better = improve === undefined ? {} : { improve }
    return new Consent.SandboxConsentMissing({ plugin, version: name, why, runtime, ...better })
  })

export const isStarted = ({ peas }: Manifest): boolean =>
  peas.environment !== undefined || (peas.sensors ?? []).length + (peas.actuators ?? []).length > 0

const TYPES = ["SandboxConsentGiven", "PluginRemoved"] as const

const streamOf = (plugin: string): string => `plugin/${plugin}`
