/** Asks the user whether a plugin's changed code keeps the permissions that the installed code was granted by name. */
import { Effect } from "effect"
import { type CheckedPlugin, Registry, type UpdateHeld } from "../../kernel/registry/Registry.ts"
import * as Grants from "../../plugins/manifest/Grants.ts"
import { oneLine } from "../../values/PlainText.ts"
import * as SafeRecord from "../../values/SafeRecord.ts"
import * as Output from "../command/Output.ts"
import * as ImportPage from "../pages/plugins/ImportPage.ts"
import * as Question from "../terminal/Question.ts"

/**
 * Shows the changes of an update, and asks. After a yes, grants the missing permissions, which installs exactly the
 * held code as shown. Returns undefined after a no, if nobody can answer, or if the update also lacks permissions that
 * the installed code never had.
 */
export const ask = (held: UpdateHeld, { json, activate }: { readonly json: boolean; readonly activate: boolean }) =>
  Effect.gen(function* () {
    if (json || !held.lacksOnlyLapsed || !Question.isPossible()) return undefined
    const { plugin, version, digest, installed, missing, changes } = held
    const lines = [
      `${plugin} ${oneLine(version)} (${digest.slice(0, 12)}) has other code than the installed ${oneLine(installed)}:`,
      ...ImportPage.changes(changes),
      `The installed code was granted: ${Grants.remedies(missing).flags.map(oneLine).join(" ")}`,
    ]
    yield* Output.write(lines.join("\n"))
    if (!Question.isYes(yield* Question.ask("Grant this to the changed code, too? [y/N] "))) return undefined
    const registry = yield* Registry
    const { updated } = yield* registry.grant(plugin, held.kept)
    // Another process may have imported other code in the meantime.
    if (updated?.digest !== digest) return undefined
    const found = SafeRecord.get(yield* registry.state, plugin)
    if (activate && found?.active !== true) yield* registry.activate(plugin)
    const copy = yield* registry.installed(plugin)
    const origin = found?.origin ?? { kind: "directory" as const, path: copy.directory }
    return { ...copy, origin, changes } satisfies CheckedPlugin
  })
