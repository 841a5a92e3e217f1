/** What the command line says of a command before it is loaded, and where it is. Its options and arguments are in its module. */
import type { CliApp, Command } from "@effect/cli"

/** A command that was loaded. What it fails with, and what its options come to, is its own affair. */
export type Loaded = Command.Command<string, CliApp.CliApp.Environment, unknown, unknown>

/** A command: all that is said of it outside of its own module. */
export interface Entry {
  /** Its words: `plugin add`. */
  readonly path: string
  /** How it is called, and what that does: its lines in the overview. */
  readonly uses: ReadonlyArray<readonly [usage: string, does: string]>
  /** A command line that works, without the program's name. */
  readonly example: string
  /** What exit codes mean here, where it is more than they mean everywhere: a sentence. */
  readonly exits?: string
  /** Where a page tells of it: `docs/guides/play-a-world.md`. */
  readonly page?: string
  /** Loads it, with what it alone needs. */
  readonly load: () => Promise<Loaded>
}

/** How a command is loaded. It needs nothing but what the program provides. */
export const command = <Name extends string, R extends CliApp.CliApp.Environment, E, A>(
  load: () => Promise<Command.Command<Name, R, E, A>>,
): Entry["load"] => load as unknown as Entry["load"]
