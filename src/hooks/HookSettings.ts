/** What this user decided when hooks were installed: the log, and the rules, which are bound to their text. */

import * as fs from "node:fs"
import * as path from "node:path"
import { Effect, Either } from "effect"
import * as Gate from "../kernel/gate/Gate.ts"
import { type FileUnreadable, readYaml } from "../kernel/rules/YamlFile.ts"
import * as AtomicFile from "../platform/AtomicFile.ts"
import * as OwnerOnly from "../platform/OwnerOnly.ts"
import * as UserStore from "../platform/user/UserStore.ts"
import { digest } from "../values/Digest.ts"
import { defined } from "../values/defined.ts"
import type { InvalidOptions } from "../values/Options.ts"

/** The rules that this user accepted: a file that says something else later decides nothing. */
export interface AcceptedGate {
  readonly file: string
  readonly digest: string
}

export interface HookSettings {
  readonly log: string
  readonly gate?: AcceptedGate | undefined
}

const NAME = "settings.json"

/** The log where none was named: one for all sessions of this user. Throws as `UserStore.open`. */
export const defaultLog = (): string => path.join(UserStore.open("hooks", { readonly: false }), "sessions.db")

/** The settings; the default ones if nothing was installed. Throws as `UserStore.open`, and if the file is damaged. */
export const read = (): HookSettings => {
  const directory = UserStore.open("hooks", { readonly: false })
  const file = path.join(directory, NAME)
  if (!fs.existsSync(file)) return { log: path.join(directory, "sessions.db") }
  const found: unknown = JSON.parse(fs.readFileSync(file, "utf8"))
  const { log, gate } = found as { readonly log?: unknown; readonly gate?: Partial<AcceptedGate> }
  if (typeof log !== "string") throw new Error(`${file}: expected the path of a log, found none`)
  if (gate === undefined) return { log }
  if (typeof gate.file !== "string" || typeof gate.digest !== "string") {
    throw new Error(`${file}: expected the file of the gate's rules with its digest, found something else`)
  }
  return { log, gate: { file: gate.file, digest: gate.digest } }
}

/** Keeps settings. Throws as `UserStore.open`. */
export const write = (settings: HookSettings): void => {
  const file = path.join(UserStore.open("hooks", { readonly: false }), NAME)
  const partial = AtomicFile.nameFor(file)
  fs.writeFileSync(partial, `${JSON.stringify(settings, undefined, 2)}\n`, { mode: OwnerOnly.FILE_MODE })
  fs.renameSync(partial, file)
}

/** Reads a file of rules, for a user who accepts it. */
export const accept = (
  file: string,
): Effect.Effect<
  { readonly accepted: AcceptedGate; readonly gate: Gate.GateConfig },
  FileUnreadable | InvalidOptions
> =>
  Effect.gen(function* () {
    const rules = yield* readYaml(file)
    const gate = yield* Gate.decode(rules, file)
    return { accepted: { file, digest: digest(rules) }, gate }
  })

/**
 * The gate of now. Where the rules were changed since they were accepted, or cannot be read, every call is denied: an agent could have
 * written them.
 */
export const gateOf = ({ gate }: HookSettings): Effect.Effect<Gate.GateConfig | undefined> =>
  gate === undefined
    ? Effect.succeed(undefined)
    : accept(gate.file).pipe(
        Effect.map(({ accepted, gate: rules }) =>
          accepted.digest === gate.digest
            ? rules
            : closed(`${gate.file} has changed since it was accepted: read it, and install the hooks with it again`),
        ),
        Effect.catchAll(({ message }) => Effect.succeed(closed(message))),
      )

/** A gate that lets nothing pass, and says why. */
const closed = (reason: string): Gate.GateConfig =>
  Either.getOrThrow(Gate.decode({ rules: [{ name: "rules-changed", decision: "deny", ...defined({ reason }) }] }))
