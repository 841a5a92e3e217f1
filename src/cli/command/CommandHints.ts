/**
 * Rewrites the commands in messages (`hindcast …`) so that they work in the user's shell: with the program's real path
 * and the `--log` of this process.
 */
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import * as ServerUrl from "../../events/log/ServerUrl.ts"
import { quoteWord } from "../../values/ShellWord.ts"

export const main = fileURLToPath(new URL("../main.js", import.meta.url))

/** The path relative to the working directory, if that is shorter. The URL of a log on a server stays as it is. */
export const shortest = (file: string): string => {
  if (ServerUrl.isAddress(file)) return file
  const relative = path.relative(process.cwd(), file)
  return relative.length < file.length ? relative : file
}

/**
 * How the user calls this program: `npx hindcast` for an installed dependency, also one that is a link to a checkout,
 * and `node …/main.js` in a checkout.
 */
const programWords = (): string =>
  ([main, process.argv[1] ?? ""].some(isInstalled) ? ["npx", "hindcast"] : ["node", shortest(main)])
    .map(quoteWord)
    .join(" ")

/** Of a link in `node_modules`, `process.argv` has the link's path, and `main` that of the checkout. */
const isInstalled = (file: string): boolean =>
  file.split(path.sep).includes("node_modules") && /^(?:hindcast|main\.js)/.test(path.basename(file))

/** A command of this program that the user can paste into the shell. */
export const command = (args: ReadonlyArray<string>): string => [programWords(), ...args.map(quoteWord)].join(" ")

/** A command in the form that the library uses (`hindcast …`, quoted for the shell). `inText` rewrites it. */
export const written = (...args: ReadonlyArray<string>): string => ["hindcast", ...args.map(quoteWord)].join(" ")

/**
 * Rewrites one `hindcast …` command for the user's shell. The log option goes before a `--`, since the words after it
 * belong to another program.
 */
export const shellCommand = (command: string): string => {
  const log = namedLog()
  const end = command.indexOf(" -- ")
  const [own, others] = end < 0 ? [command, ""] : [command.slice(0, end), command.slice(end)]
  const words = own.replace(/^hindcast(?= )/, programWords)
  const isComplete = log === undefined || / --(?:log|help)(?![\w-])/.test(own)
  return isComplete ? words + others : `${words} --log ${quoteWord(log)}${others}`
}

/** The log of this process: `--log`, else `HINDCAST_LOG`, which the user's shell may not have. */
const namedLog = (): string | undefined => {
  const named = typedLog(process.argv.slice(2)) ?? (process.env.HINDCAST_LOG || undefined)
  return named !== undefined && ServerUrl.isAddress(named) ? ServerUrl.shown(named) : named
}

/** The value of `--log` or `--log=` among the words before `--`. No option takes `--log` as its value. */
export const typedLog = (words: ReadonlyArray<string>): string | undefined => {
  const end = words.indexOf("--")
  const before = end < 0 ? words : words.slice(0, end)
  const index = before.findIndex((word) => word === "--log" || word.startsWith("--log="))
  const word = before[index]
  return word === "--log" ? before[index + 1] : word?.slice("--log=".length)
}

export const inText = (text: string): string => text.replaceAll(/(?<=`|^Grant it: )hindcast [^`\n]+/gm, shellCommand)
