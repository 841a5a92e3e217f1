/** The command `hindcast python`: how to install the Python package that comes with this program. */
import * as fs from "node:fs"
import { Command } from "@effect/cli"
import { Data, Effect } from "effect"
import { VERSION } from "../../kernel/versions.ts"
import { quoteWord } from "../../values/ShellWord.ts"
import { json } from "../command/CommonOptions.ts"
import * as Output from "../command/Output.ts"
import * as PackageFiles from "../command/PackageFiles.ts"

/** Reinstall Hindcast: the package lacks the wheel. */
export class WheelMissing extends Data.TaggedError("WheelMissing")<{ readonly wheel: string }> {
  override get message() {
    return `${this.wheel}: expected the wheel of the Python package, found no such file. Install hindcast again; in a clone, \`npm run build\` makes it.`
  }
}

export const python = Command.make("python", { json }, ({ json }) =>
  Effect.gen(function* () {
    const wheel = PackageFiles.inPackage("dist", "python", `hindcast-${VERSION}-py3-none-any.whl`)
    if (!fs.existsSync(wheel)) return yield* new WheelMissing({ wheel })
    const command = `python3 -m pip install --force-reinstall ${quoteWord(wheel)}`
    // One line and no other, to paste or to run.
    if (json) yield* Output.show(true, { wheel, version: VERSION, command }, () => [])
    else yield* Output.writeWhole(command)
  }),
).pipe(Command.withDescription("Print the command that installs the Python package, which comes with this program"))
