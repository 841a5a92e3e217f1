/** The user's choices at installation: the log, and the gate's rules, bound to their text. */

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
import * as HookLog from "./HookLog.ts"

/** The accepted rules. If the file changes later, its new rules decide nothing. */
export interface AcceptedGate {
  readonly file: string
  readonly digest: string
}

export interface HookSettings {
  readonly log: string
  readonly gate?: AcceptedGate | undefined
  /** Whether the files of a session's directory are recorded. Default: true. */
  readonly files?: boolean | undefined
}

/** The default log for all sessions of this user. Throws as `UserStore.open`. */
export const defaultLog = (): string => path.join(UserStore.open("hooks", { readonly: false }), HookLog.DEFAULT)

/** The settings, or the defaults before an installation. Throws as `UserStore.open`, and if the file is damaged. */
export const read = (): HookSettings => {
  const directory = UserStore.open("hooks", { readonly: false })
  const file = path.join(directory, HookLog.SETTINGS)
  if (!fs.existsSync(file)) return { log: path.join(directory, HookLog.DEFAULT) }
  const found: unknown = JSON.parse(fs.readFileSync(file, "utf8"))
  const { log, gate, files } = found as {
    readonly log?: unknown
    readonly gate?: Partial<AcceptedGate>
    readonly files?: unknown
  }
  if (typeof log !== "string") throw new Error(`${file}: expected the path of a log, found none`)
  const chosen: HookSettings = files === false ? { log, files: false } : { log }
  if (gate === undefined) return chosen
  if (typeof gate.file !== "string" || typeof gate.digest !== "string") {
    throw new Error(`${file}: expected the file of the gate's rules with its digest, found something else`)
  }
  return { ...chosen, gate: { file: gate.file, digest: gate.digest } }
}

/** Stores settings. Throws as `UserStore.open`. */
export const write = (settings: HookSettings): void => {
  const file = path.join(UserStore.open("hooks", { readonly: false }), HookLog.SETTINGS)
  const partial = AtomicFile.nameFor(file)
  fs.writeFileSync(partial, `${JSON.stringify(settings, undefined, 2)}\n`, { mode: OwnerOnly.FILE_MODE })
  fs.renameSync(partial, file)
}

/** Reads a file of rules that the user accepts. */
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

/** The rule of a gate whose rules changed or cannot be read. */
export const CHANGED_RULE = "rules-changed"

/**
 * The current gate. It denies every call if the rules changed after the user accepted them, or cannot be read: an agent
 * could have written them.
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

const closed = (reason: string): Gate.GateConfig =>
  Either.getOrThrow(Gate.decode({ rules: [{ name: CHANGED_RULE, decision: "deny", ...defined({ reason }) }] }))
