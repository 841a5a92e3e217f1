/** The commands `hindcast plugin check`, `remove`, `activate` and `deactivate`. */
import { Command } from "@effect/cli"
import { Effect } from "effect"
import { grantCommand, Registry } from "../../kernel/registry/Registry.ts"
import { common, flag } from "../command/CommonOptions.ts"
import * as OpenLog from "../command/OpenLog.ts"
import * as Output from "../command/Output.ts"
import * as EphemeralRegistry from "./EphemeralRegistry.ts"
import { GrantsMissing } from "./GrantsMissing.ts"
import * as PluginCheck from "./PluginCheck.ts"
import { importing, importOptions, name, sandbox, source, target } from "./PluginOptions.ts"

const running = flag("run", "If it is a world, also run it to check that it behaves like one. Only for a directory")

export const check = Command.make(
  "check",
  { ...common, source, ...importing, running, sandbox },
  ({ log, json, source, running, sandbox, ...options }) =>
    PluginCheck.check({
      source,
      json,
      workspace: options.workspace,
      run: running,
      sandbox,
      options: importOptions(options),
    }).pipe(Effect.provide(EphemeralRegistry.registry(log, options.workspace))),
).pipe(Command.withDescription("Check a plugin's directory without importing it"))

export const remove = Command.make("remove", { ...common, name }, ({ log, json, name }) =>
  Effect.gen(function* () {
    yield* (yield* Registry).remove(name)
    yield* Output.show(json, { removed: name }, () => [`Removed ${name}. Its past events stay in the log.`])
  }).pipe(Effect.provide(OpenLog.forWriting(log))),
).pipe(Command.withDescription("Take a plugin out of the registry"))

const activation = (word: "activate" | "deactivate") =>
  Command.make(word, { ...common, target }, ({ log, json, target }) =>
    Effect.gen(function* () {
      yield* (yield* Registry)[word](target).pipe(
        Effect.catchTag("GrantRefused", ({ message: refused, plugin, refusals }) => {
          const remedy = `Grant it: ${grantCommand(plugin, refusals)}`
          return new GrantsMissing({ refused, remedy })
        }),
      )
      const active = word === "activate"
      yield* Output.show(json, { target, active }, () => [
        active ? `${target} is active from the next turn on.` : `${target} is inactive from the next turn on.`,
      ])
    }).pipe(Effect.provide(OpenLog.forWriting(log))),
  )

export const activate = activation("activate").pipe(Command.withDescription("Activate a plugin or a component again"))

export const deactivate = activation("deactivate").pipe(Command.withDescription("Deactivate a plugin or a component"))
