/** Hooks in a file of their own, in a directory from which the client reads all files. */

import type { HookCommand, Installer } from "./Installer.ts"
import { mentions } from "./Installer.ts"

/** @param textOf the file's text with a command */
export const of = (textOf: (command: HookCommand) => string): Pick<Installer, "installed" | "uninstalled"> => ({
  installed: (text, command) =>
    text.trim() === "" || mentions(text)
      ? textOf(command)
      : { expected: "no file, or one that Hindcast wrote", found: "another one" },
  uninstalled: (text) => (mentions(text) ? undefined : text),
})
