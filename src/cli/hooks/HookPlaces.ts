/** Coding agents by name, and the files of their settings on this machine. */
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { Args } from "@effect/cli"
import { Effect } from "effect"
import type { HookCommand, Installer, Place } from "../../hooks/install/Installer.ts"
import * as Installers from "../../hooks/install/Installers.ts"
import * as AtomicFile from "../../platform/AtomicFile.ts"
import { adviceOf, BadInput } from "../command/BadInput.ts"
import { argument, flag } from "../command/CommonOptions.ts"
import { attempt } from "./Attempt.ts"

const NAMES = Installers.all.map(({ name }) => name)

export const client = argument("client", `The coding agent: ${NAMES.join(", ")}`).pipe(Args.withDefault("claude-code"))

export const project = flag("project", "Change the settings of this directory's project. Default: your user settings")

export const installerOf = (name: string): Effect.Effect<Installer, BadInput> => {
  const found = Installers.named(name)
  return found === undefined
    ? new BadInput({
        input: "the client",
        expected: `one of ${NAMES.join(", ")}`,
        found: JSON.stringify(name),
        ...adviceOf(name, NAMES),
      })
    : Effect.succeed(found)
}

export const placeOf = (project: boolean): Place => ({
  home: os.homedir(),
  project: project ? process.cwd() : undefined,
  env: (name) => process.env[name] || undefined,
})

/** The package's hook command. */
export const HOOK_FILE = fileURLToPath(new URL("../../hook.js", import.meta.url))

/** The hook's command for a client. */
export const commandOf = (name: string): HookCommand => [process.execPath, HOOK_FILE, name]

/** The text of a file; empty if there is none. */
export const textOf = (file: string) => attempt(() => textNow(file))

const textNow = (file: string): string => (fs.existsSync(file) ? fs.readFileSync(file, "utf8") : "")

/**
 * Replaces a file atomically: a concurrent reader sees the old file or the new one. Undefined removes it. Throws, and
 * changes nothing, if the file no longer has the text `before`: a coding agent that runs writes its settings, too.
 */
export const replace = (file: string, before: string, text: string | undefined): void => {
  if (text === undefined) {
    refuseChanged(file, before)
    fs.rmSync(file, { force: true })
    return
  }
  fs.mkdirSync(path.dirname(file), { recursive: true })
  const mode = fs.existsSync(file) ? fs.statSync(file).mode & 0o777 : 0o600
  const target = fs.existsSync(file) ? fs.realpathSync(file) : file
  const partial = AtomicFile.nameFor(target)
  fs.writeFileSync(partial, text, { mode })
  try {
    refuseChanged(file, before)
    fs.renameSync(partial, target)
  } finally {
    fs.rmSync(partial, { force: true })
  }
}

const refuseChanged = (file: string, before: string): void => {
  if (textNow(file) !== before)
    throw new Error(`${file} changed while it was edited, and was left as it is: run the command again.`)
}
