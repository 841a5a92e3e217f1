/** The command group `hindcast export`, and the list of all exports with their formats. */
import { Command } from "@effect/cli"
import * as Audits from "./Audits.ts"
import * as Events from "./Events.ts"
import { html } from "./Html.ts"
import { mcap } from "./Mcap.ts"
import { otlp } from "./Otlp.ts"
import type * as OutputFormat from "./OutputFormat.ts"
import { piaavt } from "./PiaAvt.ts"
import { studioFile } from "./StudioFile.ts"
import * as Transitions from "./Transitions.ts"

/** An export: its name and command, and the formats among which `--format` chooses; one format without that option. */
interface Export<Exporting> {
  readonly name: string
  readonly command: Exporting
  readonly formats: ReadonlyArray<OutputFormat.Name>
}

const exportOf = <const Name extends string, R, E, A>(
  command: Command.Command<Name, R, E, A>,
  formats: ReadonlyArray<OutputFormat.Name>,
): Export<Command.Command<Name, R, E, A>> => ({ name: [...Command.getNames(command)].join(), command, formats })

/**
 * Every export. The command line takes its commands from here, and so does the test that searches what they write for
 * personal data.
 */
export const EXPORTS = [
  exportOf(Events.events, Events.FORMATS),
  exportOf(Audits.audits, Audits.FORMATS),
  exportOf(Transitions.transitions, Transitions.FORMATS),
  exportOf(html, ["html"]),
  exportOf(studioFile, ["html"]),
  exportOf(otlp, ["otlp"]),
  exportOf(mcap, ["mcap"]),
  exportOf(piaavt, ["piaavt"]),
] as const

type Commands<Listed> = {
  readonly [Index in keyof Listed]: Listed[Index] extends Export<infer Exporting> ? Exporting : never
}

const commandsOf = <const Listed extends ReadonlyArray<Export<unknown>>>(listed: Listed): Commands<Listed> =>
  listed.map(({ command }) => command) as Commands<Listed>

/** `hindcast export events|audits|transitions|html|studio|otlp|mcap|piaavt` */
export const exporting = Command.make("export").pipe(
  Command.withDescription("Write what is in a log to a file that other programs read"),
  Command.withSubcommands(commandsOf(EXPORTS)),
)
