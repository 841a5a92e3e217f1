/** How Hindcast's hooks get into a coding agent's settings. Pure: text in, text out. */

import * as path from "node:path"
import { quoteWord } from "../../values/ShellWord.ts"

/** A hook's program and arguments, without a shell. */
export type HookCommand = readonly [program: string, ...args: ReadonlyArray<string>]

/** Where the settings are looked for. */
export interface Place {
  /** The user's home directory. */
  readonly home: string
  /** The project's directory; undefined for the user's own settings. */
  readonly project: string | undefined
  readonly env: (name: string) => string | undefined
}

/** Settings that cannot be changed. */
export interface Refused {
  readonly expected: string
  readonly found: string
}

export interface Installer {
  /** The client's name, as in `Clients`. */
  readonly name: string
  /** The file of the settings. */
  readonly file: (place: Place) => string
  /** The settings with the hooks: once, next to everything that is there. Unchanged if they have them. */
  readonly installed: (text: string, command: HookCommand) => string | Refused
  /** The settings without the hooks. Undefined: the file holds nothing else, and goes. */
  readonly uninstalled: (text: string) => string | undefined | Refused
  /** Actions of the client that no hook can prevent or see, one sentence each. */
  readonly limits: ReadonlyArray<string>
}

/** Whether the settings have the hooks. */
export const has = ({ uninstalled }: Installer, text: string): boolean => {
  const without = uninstalled(text)
  return without === undefined || (typeof without === "string" && without !== text)
}

/** A command as one line of a POSIX shell, for clients that take no list of arguments. */
export const lineOf = (command: HookCommand): string => command.map(quoteWord).join(" ")

/** Whether a command, or its first argument, is this package's hook command. */
export const isOurs = (text: string): boolean => /[\\/]dist[\\/]hook\.js(?=['"\s]|$)/.test(text)

/** A file in the user's directory of a client, or in the project's. */
export const placed = ({ home, project }: Place, directory: string, ...names: ReadonlyArray<string>): string =>
  path.join(project ?? home, directory, ...names)

/**
 * Whether hooks that look like Hindcast's run another command: that of another copy of the package, or of somebody who
 * imitates one.
 */
export const isForeign = (installer: Installer, text: string, command: HookCommand): boolean => {
  const line = lineOf(command)
  let settings: unknown
  try {
    settings = JSON.parse(text)
  } catch {
    // A plugin is a file of its own.
    return installer.installed("", command) !== text
  }
  return linesIn(settings).some((one) => isOurs(one) && !isWritten(one, line))
}

/** The line itself, or with the name of an event, as Copilot has it. */
const isWritten = (one: string, line: string): boolean =>
  one === line || (one.startsWith(`${line} `) && /^\w+$/.test(one.slice(line.length + 1)))

/** The command lines of all hooks. */
const linesIn = (value: unknown): ReadonlyArray<string> => {
  if (Array.isArray(value)) return value.flatMap(linesIn)
  if (typeof value !== "object" || value === null) return []
  const { command, bash, args } = value as { readonly [name: string]: unknown }
  const program = typeof command === "string" ? command : bash
  const own =
    typeof program === "string" ? [Array.isArray(args) ? lineOf([program, ...args.map(String)]) : program] : []
  return [...own, ...Object.values(value).flatMap(linesIn)]
}
