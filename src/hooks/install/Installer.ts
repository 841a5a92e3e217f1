/** How Hindcast's hooks get into a coding agent's settings. Pure: text in, text out. */

import * as path from "node:path"
import { digest } from "../../values/Digest.ts"
import type { Json, JsonObject } from "../../values/Json.ts"
import { isObject } from "../../values/JsonObjects.ts"
import { quoteWord } from "../../values/ShellWord.ts"
import * as Clients from "../clients/Clients.ts"

/** A hook's program and arguments, without a shell. */
export type HookCommand = readonly [program: string, ...args: ReadonlyArray<string>]

/** Where the settings are looked for. */
export interface Place {
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

/** Whether a text mentions a hook command like this package's: its own, another copy's, or an imitation. */
export const mentions = (text: string): boolean => /[\\/]dist[\\/]hook\.js(?=['"\s]|$)/.test(text)

/** Whether a whole command line ends as this package's hook command does. Another program may have a `dist/hook.js`. */
export const isOurs = (line: string): boolean => OURS.test(line)

const OURS = new RegExp(
  `[\\\\/]dist[\\\\/]hook\\.js['"]? (?:${Clients.all.map(({ name }) => name).join("|")})(?: \\w+)?$`,
)

/** A file in the user's directory of a client, or in the project's. */
export const placed = ({ home, project }: Place, directory: string, ...names: ReadonlyArray<string>): string =>
  path.join(project ?? home, directory, ...names)

/**
 * Whether the settings have a hook like Hindcast's that this copy of the package would not write: of another copy, edited,
 * or of somebody who imitates one.
 */
export const isForeign = (installer: Installer, text: string, command: HookCommand): boolean => {
  const fresh = installer.installed("", command)
  if (typeof fresh !== "string") return true
  const found = parsed(text)
  // A plugin is a file of its own.
  if (found === undefined) return fresh !== text
  const written = new Set(hooksIn(parsed(fresh)).map((hook) => digest(hook)))
  return hooksIn(found).some((hook) => !written.has(digest(hook)))
}

const parsed = (text: string): Json | undefined => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The objects with a text, or with a list of texts, that mentions a hook command. */
const hooksIn = (value: Json | undefined): ReadonlyArray<JsonObject> => {
  if (Array.isArray(value)) return value.flatMap(hooksIn)
  if (!isObject(value)) return []
  const texts = Object.values(value).flatMap((one) => (Array.isArray(one) ? one : [one]))
  const isHook = texts.some((one) => typeof one === "string" && mentions(one))
  return [...(isHook ? [value] : []), ...Object.values(value).flatMap(hooksIn)]
}
