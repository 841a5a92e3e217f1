/** A command's texts, and how to load it. Its options and arguments are in its own module. */
import type { CliApp, Command } from "@effect/cli"

/** A loaded command. The catalogue does not know its errors and option types. */
export type Loaded = Command.Command<string, CliApp.CliApp.Environment, unknown, unknown>

export interface Entry {
  /** Its words: `plugin add`. */
  readonly path: string
  /** Its lines in the overview: a usage and its effect. */
  readonly uses: ReadonlyArray<readonly [usage: string, does: string]>
  /** A command line that works, without the program's name. */
  readonly example: string
  /** One sentence about exit codes that mean more for this command than for others. */
  readonly exits?: string
  /** Its guide: `docs/guides/play-a-world.md`. */
  readonly page?: string
  readonly load: () => Promise<Loaded>
}

/** Types a loader as an entry's `load`. The program provides all services that the command needs. */
export const command = <Name extends string, R extends CliApp.CliApp.Environment, E, A>(
  load: () => Promise<Command.Command<Name, R, E, A>>,
): Entry["load"] => load as unknown as Entry["load"]
