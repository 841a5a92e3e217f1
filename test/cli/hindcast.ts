import { spawn } from "node:child_process"
import { MAIN } from "../built.ts"
import { inRepository } from "../repository.ts"
import { runInProcess } from "./inProcess.ts"

/** How a process ended, and what it wrote. */
export interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface Starting {
  /** Default: the working directory of the tests. */
  readonly cwd?: string
  readonly env?: NodeJS.ProcessEnv
  /** Run as this user and group. */
  readonly uid?: number
}

/** Starts the program; `ended` says how it ended. */
export const start = (args: ReadonlyArray<string>, { cwd, env, uid }: Starting = {}) => {
  const child = spawn(process.execPath, [MAIN, ...args], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, HINDCAST_LOG: undefined, ...env },
    ...(cwd === undefined ? {} : { cwd }),
    ...(uid === undefined ? {} : { uid, gid: uid }),
  })
  let [stdout, stderr] = ["", ""]
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text
  })
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text
  })
  const ended = new Promise<Ended>((resolve, reject) => {
    child.on("error", reject)
    child.on("close", (code) => resolve({ code, stdout, stderr }))
  })
  return { child, ended }
}

/** Runs the program to its end: in this process, unless it is to run as somebody else. */
export const hindcast = (args: ReadonlyArray<string>, starting: Starting = {}): Promise<Ended> =>
  starting.uid === undefined ? runInProcess(args, starting) : start(args, starting).ended

/** What people are told, with its commands as the library writes them: they are shown as they are typed here. */
export const asLibraryWrites = (told: string): string =>
  told.replaceAll(
    /`node \S+main\.js ([^`]*)`/g,
    (_, words: string) => `\`hindcast ${words.replace(/ --log (?:'[^']*'|\S+)/, "")}\``,
  )

/** Runs the program with `--json`, expects it to succeed, and answers its document. */
export const document = async (args: ReadonlyArray<string>, starting?: Starting): Promise<Record<string, unknown>> => {
  const { code, stdout, stderr } = await hindcast([...args, "--json"], starting)
  if (code !== 0) throw new Error(`hindcast ${args.join(" ")} ended with ${code}: ${stderr}`)
  return JSON.parse(stdout)
}

/** Runs `log ls` with `--json`, and answers its events: none where it ended with 3 as nothing fits its filters. */
export const listed = async (
  filters: ReadonlyArray<string>,
  starting?: Starting,
): Promise<ReadonlyArray<Record<string, unknown>>> => {
  const { code, stdout, stderr } = await hindcast(["log", "ls", ...filters, "--json"], starting)
  const isEmpty = code === 3 && JSON.parse(stderr).error.tag === "NothingListed"
  if (code !== 0 && !isEmpty) throw new Error(`hindcast log ls ${filters.join(" ")} ended with ${code}: ${stderr}`)
  const { events } = JSON.parse(stdout)
  if (isEmpty !== (events.length === 0)) throw new Error(`it ended with ${code}, and listed ${events.length} events`)
  return events
}

/** The sorted keys of an object; of a list, those of its first item. */
export const keysOf = (value: unknown): ReadonlyArray<string> => {
  const object = Array.isArray(value) ? value[0] : value
  return typeof object === "object" && object !== null ? Object.keys(object).sort() : []
}

/** Plays The Lost Key on a log with a seed; answers the task's id. */
export const playLostKey = async (log: string): Promise<string> => {
  const audit = await document([
    "run",
    ...["--log", log, "--agent", inRepository("examples", "agents", "knows-the-way.mjs")],
    ...["--goal", "Find the document", "--plugin", inRepository("plugins", "text-room"), "--seed", "7"],
  ])
  return String(audit.taskId)
}
