import { execFile } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { promisify } from "node:util"
import { Effect } from "effect"
import { MAIN } from "./built.ts"
import { placeOf, removeLeftOver } from "./demoLogPlace.ts"
import { trusted } from "./trusted.ts"

const SAID = "said.txt"

/**
 * The log of `hindcast demo --tasks … --seed …`, made once for each run of tests, to look at and not to change: who does
 * takes a copy. Answers the file.
 */
export const demoLog = async (tasks: number, seed: number): Promise<string> => {
  removeLeftOver()
  const directory = path.join(placeOf(process.ppid), `${tasks}-${seed}`)
  const file = path.join(directory, "demo.db")
  if (fs.existsSync(directory)) return file
  fs.mkdirSync(placeOf(process.ppid), { recursive: true })
  const own = fs.mkdtempSync(`${directory}-`)
  const { stdout } = await promisify(execFile)(process.execPath, [
    ...[MAIN, "demo", "--tasks", String(tasks), "--seed", String(seed)],
    ...["--log", path.join(own, "demo.db")],
  ])
  fs.writeFileSync(path.join(own, SAID), stdout.replaceAll(/\S*demo\.db/g, "demo.db"))
  try {
    // Where another process was faster, its log stands, and says the same.
    fs.renameSync(own, directory)
  } catch (cause) {
    if (!fs.existsSync(file)) throw cause
    fs.rmSync(own, { recursive: true })
  }
  return file
}

/** What `hindcast demo --tasks … --seed … --log demo.db` said when it made that log. */
export const saidOfDemoLog = async (tasks: number, seed: number): Promise<string> =>
  fs.readFileSync(path.join(path.dirname(await demoLog(tasks, seed)), SAID), "utf8")

/** A copy of that log, to change at will, with what belongs to it. Answers the file, in a directory that is made. */
export const copyOfDemoLog = async (tasks: number, seed: number, directory: string): Promise<string> => {
  fs.cpSync(path.dirname(await demoLog(tasks, seed)), directory, { recursive: true })
  const file = path.join(directory, "demo.db")
  await Effect.runPromise(trusted(file))
  return file
}
