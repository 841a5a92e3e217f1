/** The commands `hindcast plugin grant` and `revoke`: the permissions of an imported plugin. */
import { Command } from "@effect/cli"
import { Data, Effect } from "effect"
import type { GrantedPermissions } from "../../events/vocabulary/Plugins.ts"
import { NotInRegistry, Registry } from "../../kernel/registry/Registry.ts"
import type { Held } from "../../projections/state/PluginRegistry.ts"
import * as SafeRecord from "../../values/SafeRecord.ts"
import { quoteWord } from "../../values/ShellWord.ts"
import { common } from "../command/CommonOptions.ts"
import * as OpenLog from "../command/OpenLog.ts"
import * as Output from "../command/Output.ts"
import * as GrantPage from "../pages/plugins/GrantPage.ts"
import { grants, name, named } from "./PluginOptions.ts"

export class NoGrantNamed extends Data.TaggedError("NoGrantNamed")<{
  readonly plugin: string
  readonly held: Held | null
}> {
  override get message() {
    const expected =
      "expected at least one of --grant-read, --grant-write, --grant-net, --grant-env, --grant-run NAME, --grant-run-any"
    const waits =
      this.held === null
        ? `\`hindcast plugin show ${quoteWord(this.plugin)}\` lists what it asks for and has`
        : `its update ${this.held.version} waits for \`${GrantPage.command(this.plugin, this.held.missing)}\``
    return `Plugin ${this.plugin}: ${expected}, found none; ${waits}.`
  }
}

const changeGrants = (word: "grant" | "revoke") =>
  Command.make(word, { ...common, name, ...grants }, ({ log, json, name, ...typed }) =>
    Effect.gen(function* () {
      const registry = yield* Registry
      const before = SafeRecord.get(yield* registry.state, name)
      if (before === undefined) {
        return yield* new NotInRegistry({ name, known: Object.keys(yield* registry.state) })
      }
      const given = named(typed)
      if (!isAny(given)) return yield* new NoGrantNamed({ plugin: name, held: before.held })
      const status = yield* registry[word](name, given)
      const after = SafeRecord.get(yield* registry.state, name)
      yield* Output.show(json, GrantPage.document(name, status, after), (style) =>
        GrantPage.lines(style, name, status, after),
      )
    }).pipe(Effect.provide(OpenLog.forWriting(log))),
  )

const isAny = ({ runAny, ...lists }: GrantedPermissions): boolean =>
  runAny === true || Object.values(lists).some((names) => names.length > 0)

export const grant = changeGrants("grant").pipe(
  Command.withDescription(
    "Grant permissions to the installed code of a plugin, or to an update that waits for them, and install that update",
  ),
)

export const revoke = changeGrants("revoke").pipe(
  Command.withDescription(
    "Revoke permissions of a plugin; a plugin that asks for them is inactive until it has them again",
  ),
)
