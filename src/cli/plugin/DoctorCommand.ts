/** The command `hindcast doctor`: which sandbox this machine can offer to plugins. */
import { Command } from "@effect/cli"
import { Data, Effect } from "effect"
import { report, type SandboxReport } from "../../plugins/sandbox/SandboxReport.ts"
import { json, sandbox } from "../command/CommonOptions.ts"
import * as Output from "../command/Output.ts"
import * as SandboxPage from "../pages/plugins/SandboxPage.ts"

/** The machine cannot offer the requested sandbox tier. `improve` says how to recover. */
export class NoSandbox extends Data.TaggedError("NoSandbox")<Pick<SandboxReport, "wanted" | "why" | "improve">> {
  override get message() {
    return `expected to start plugins with --sandbox ${this.wanted}, found that ${this.why}. ${this.improve ?? ""}`.trim()
  }
}

export const doctor = Command.make("doctor", { json, sandbox }, ({ json, sandbox }) =>
  Effect.gen(function* () {
    const found = yield* report(sandbox)
    yield* Output.show(json, found, (style) => SandboxPage.lines(style, found))
    const { tier, wanted, why, improve } = found
    if (tier === null) return yield* new NoSandbox({ wanted, why, improve })
  }),
).pipe(Command.withDescription("Show how this machine sandboxes plugins, and how to improve that"))
