/**
 * Rewrites the commands that messages suggest (`hindcast …`) into commands that work in the user's shell, with the
 * program's real path and the `--log` that was given.
 */
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { quoteWord } from "../../values/ShellWord.ts"

/** The path of this program's executable module, `main.js`. */
export const main = fileURLToPath(new URL("../main.js", import.meta.url))

/** A path relative to the working directory if that is shorter, else the path unchanged. */
export const shortest = (file: string): string => {
  const relative = path.relative(process.cwd(), file)
  return relative.length < file.length ? relative : file
}

/** How this program is called: `npx hindcast` if it is installed as a dependency, `node …/main.js` in a checkout. */
const programWords = (): string =>
  (main.split(path.sep).includes("node_modules") ? ["npx", "hindcast"] : ["node", shortest(main)])
    .map(quoteWord)
    .join(" ")

/** A command of this program that can be pasted into the user's shell. */
export const command = (args: ReadonlyArray<string>): string => [programWords(), ...args.map(quoteWord)].join(" ")

/** The words of a command, as the library writes it, for `inText`: `hindcast …`, quoted for the shell. */
export const written = (...args: ReadonlyArray<string>): string => ["hindcast", ...args.map(quoteWord)].join(" ")

/**
 * Turns a command as the library writes it (`hindcast …`) into one for the user's shell, with the log that this process was
 * given, before a `--`, after which the words are another program's.
 */
export const shellCommand = (command: string): string => {
  const log = namedLog()
  const end = command.indexOf(" -- ")
  const [own, others] = end < 0 ? [command, ""] : [command.slice(0, end), command.slice(end)]
  const words = own.replace(/^hindcast(?= )/, programWords)
  const isComplete = log === undefined || / --(?:log|help)(?![\w-])/.test(own)
  return isComplete ? words + others : `${words} --log ${quoteWord(log)}${others}`
}

/** The log of this process: `--log` on its command line, else `HINDCAST_LOG`, which the user's shell may not have. */
const namedLog = (): string | undefined => typedLog(process.argv.slice(2)) ?? (process.env.HINDCAST_LOG || undefined)

/** The log that is named on a command line, apart or attached. No option takes `--log` for its value. */
export const typedLog = (words: ReadonlyArray<string>): string | undefined => {
  const end = words.indexOf("--")
  const before = end < 0 ? words : words.slice(0, end)
  const index = before.findIndex((word) => word === "--log" || word.startsWith("--log="))
  const word = before[index]
  return word === "--log" ? before[index + 1] : word?.slice("--log=".length)
}

/**
 * A message with its commands rewritten for the user's shell. The library is not a program, so it writes `hindcast …`.
 */
export const inText = (text: string): string => text.replaceAll(/(?<=`|^Grant it: )hindcast [^`\n]+/gm, shellCommand)
