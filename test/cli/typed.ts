/** Commands of the program as people type them in a shell. */
import { exec } from "node:child_process"
import { runInProcess } from "./inProcess.ts"

/**
 * The arguments of a command of the program, as a shell passes them; undefined where it is another program's, or the shell finds something
 * in it to replace. Such a command can be run by `runInProcess`: a start of the program costs more than most commands.
 */
export const argumentsOf = (command: string): ReadonlyArray<string> | undefined => {
  if (!PLAIN.test(command)) return undefined
  const words = [...command.matchAll(WORDS)].map(([word]) => word.replaceAll(/'([^']*)'|"([^"]*)"/g, "$1$2"))
  if (words[0] === "hindcast") return words.slice(1)
  return words[0] === "node" && words[1]?.endsWith("/dist/cli/main.js") === true ? words.slice(2) : undefined
}

const WORD = /(?:[\w@%+=:,./-]|'[^'\n]*'|"[^"$`\\!\n]*")+/

const WORDS = new RegExp(WORD, "g")

const PLAIN = new RegExp(`^${WORD.source}(?: ${WORD.source})*$`)

/** Runs a command in a directory. Answers what it wrote as errors, or says how it failed. */
export const wrongWith = async (command: string, cwd: string): Promise<string> => {
  const args = argumentsOf(command)
  if (args === undefined) return inShell(command, cwd)
  const { code, stderr } = await runInProcess(args, { cwd })
  return code === 0 ? stderr : `it ended with ${code}: ${stderr}`
}

const inShell = (command: string, cwd: string): Promise<string> =>
  new Promise((resolve) => {
    exec(command, { cwd, env: { ...process.env, HINDCAST_LOG: undefined } }, (error, _, stderr) =>
      resolve(error === null ? stderr : `${error.message} ${stderr}`),
    )
  })
