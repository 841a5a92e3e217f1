import * as path from "node:path"
import { fileURLToPath } from "node:url"
import * as Argv from "./Argv.ts"

/** The program that this is part of. */
export const main = fileURLToPath(new URL("../main.js", import.meta.url))

/** A path from the working directory, where that is shorter. */
export const shortest = (file: string): string => {
  const relative = path.relative(process.cwd(), file)
  return relative.length < file.length ? relative : file
}

/** A word as a POSIX shell takes it for one word. */
const quoted = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)

/** The words by which this program is called: `npx hindcast` where it is installed, `node …/main.js` in a checkout. */
const program = (): string =>
  (main.split(path.sep).includes("node_modules") ? ["npx", "hindcast"] : ["node", shortest(main)]).map(quoted).join(" ")

/** A command of this program, as it is typed here. */
export const command = (args: ReadonlyArray<string>): string => [program(), ...args.map(quoted)].join(" ")

/** A command as the library writes it, `hindcast …`, as it is typed here, for the log that was named here. */
export const shellCommand = (command: string): string => {
  const words = command.replace(/^hindcast(?= )/, program)
  const log = namedLog()
  return log === undefined || / --(?:log|help)\b/.test(command) ? words : `${words} --log ${quoted(log)}`
}

/** The log that this program was told to open by `--log`. */
const namedLog = (): string | undefined => {
  const { args } = Argv.arrange(process.argv.slice(2))
  const at = args.indexOf("--log")
  return at < 0 ? undefined : args[at + 1]
}

/** A text for people, with its commands as they are typed here. The library, which is no program, writes `hindcast …`. */
export const inText = (text: string): string => text.replaceAll(/(?<=`|^Grant it: )hindcast [^`\n]+/gm, shellCommand)
