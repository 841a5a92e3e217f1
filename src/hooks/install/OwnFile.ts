/** Hooks in a file of their own, in a directory from which the client reads all files. */

import type { HookCommand, Installer } from "./Installer.ts"
import { isOurs } from "./Installer.ts"

/** @param textOf the file's text with a command */
export const of = (textOf: (command: HookCommand) => string): Pick<Installer, "installed" | "uninstalled"> => ({
  installed: (text, command) =>
    text.trim() === "" || isOurs(text)
      ? textOf(command)
      : { expected: "no file, or one that Hindcast wrote", found: "another one" },
  uninstalled: (text) => (isOurs(text) ? undefined : text),
})
