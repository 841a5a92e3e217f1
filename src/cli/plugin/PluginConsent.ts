/** Asks the user for consent to run a plugin that only Deno's permissions confine, and records the consent. */
import { Effect } from "effect"
import { EventLog } from "../../events/log/EventLog.ts"
import * as SandboxConsents from "../../kernel/instances/SandboxConsents.ts"
import type { CheckedPlugin } from "../../kernel/registry/Registry.ts"
import { userAsActor } from "../../platform/user/Machine.ts"
import { layerOf, PluginHost } from "../../plugins/process/PluginHost.ts"
import type { SandboxConsentMissing } from "../../plugins/sandbox/Consent.ts"
import * as CommandHints from "../command/CommandHints.ts"
import * as Output from "../command/Output.ts"
import * as Question from "../terminal/Question.ts"

type Imported = Pick<CheckedPlugin, "manifest" | "digest">

const versionOf = ({ manifest, digest }: Imported): SandboxConsents.Version => ({
  plugin: manifest.name,
  version: manifest.version,
  digest,
  runtime: manifest.runtime,
})

/**
 * The consent that starting the plugin on this machine still needs, or `undefined`. `givenByOption` records a consent
 * first.
 */
export const settle = (imported: Imported, givenByOption: boolean) =>
  Effect.gen(function* () {
    if (!SandboxConsents.isStarted(imported.manifest)) return undefined
    const log = yield* EventLog
    const version = versionOf(imported)
    if (givenByOption) yield* give(version)
    return yield* Effect.flatMap(PluginHost, (host) => SandboxConsents.missing(log, host, version)).pipe(
      Effect.provide(layerOf({})),
      // Without any sandbox, starting the plugin reports the problem.
      Effect.catchTag("SandboxUnavailable", () => Effect.succeed(undefined)),
    )
  })

export const give = (version: SandboxConsents.Version) =>
  Effect.flatMap(EventLog, (log) => SandboxConsents.record(log, version, "option", userAsActor()))

/** Asks for consent. Without a terminal or after a no, prints a warning that names the missing consent. */
export const askOrTell = (missing: SandboxConsentMissing, imported: Imported) =>
  Effect.gen(function* () {
    if (yield* ask(missing, versionOf(imported))) return
    yield* Output.note(`warning: ${CommandHints.inText(missing.message)}`)
  })

/** Asks for consent, and records a yes. Returns whether the user consented; false without a terminal. */
export const ask = ({ why, improve, runtime }: SandboxConsentMissing, version: SandboxConsents.Version) =>
  Effect.gen(function* () {
    if (!Question.isPossible()) return false
    const [confinement, flaw] =
      runtime === "python"
        ? ["as Python code it has no confinement of its own on this machine", "if it is hostile,"]
        : ["only Deno's permissions would confine it on this machine", "through a flaw in them"]
    const lines = [
      `${version.plugin} ${version.version} does not come with Hindcast, and ${confinement}`,
      `(${why}): ${flaw} it could do anything that you may do.${improve === undefined ? "" : ` A second layer is safer. ${improve}`}`,
    ]
    yield* Output.write(CommandHints.inText(lines.join("\n")))
    const answer = yield* Question.ask("Run this version here anyway? [y/N] ")
    if (!Question.isYes(answer)) return false
    yield* SandboxConsents.record(yield* EventLog, version, "prompt", userAsActor())
    return true
  })
