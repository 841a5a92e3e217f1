import * as fs from "node:fs"
import * as path from "node:path"
import fc from "fast-check"
import { document, hindcast, start } from "../cli/hindcast.ts"
import { SEED } from "../events/faults/random.ts"
import { SESSION, session } from "./claudeSession.ts"
import { lines } from "./given.ts"
import { header, sample, zip } from "./inspectLog.ts"

const SESSIONS = 40

/** Writes sessions of Claude Code and a log of Inspect with scores. */
const writeSources = (directory: string): void => {
  for (let index = 0; index < SESSIONS; index++) {
    const id = `${SESSION.slice(0, -4)}${String(index).padStart(4, "0")}`
    fs.writeFileSync(path.join(directory, `${id}.jsonl`), lines(session()).replaceAll(SESSION, id))
  }
  const parts = Array.from({ length: 20 }, (_, index) => ({
    ...{ name: `samples/${index}_epoch_1.json`, json: sample(index, 1) },
  }))
  fs.writeFileSync(path.join(directory, "log.eval"), zip([...parts, { name: "header.json", json: header() }]))
}

/** What events a log has, whatever their order. */
const eventsIn = async (log: string): Promise<ReadonlyArray<string>> => {
  const file = `${log}.jsonl`
  await document(["export", "events", "--log", log, "--output", file, "--force"])
  const all = fs.readFileSync(file, "utf8").trim().split("\n")
  return all.map((line) => {
    const { id, type, stream } = JSON.parse(line)
    return [id, type, stream].join(" ")
  })
}

/** A log that was imported into, and whose imports were killed. */
export interface Killed {
  /** How many imports were killed before they had ended. */
  readonly kills: number
  readonly events: ReadonlyArray<string>
  /** What an import that nobody killed makes of the same files. */
  readonly expected: ReadonlyArray<string>
  readonly verified: string
  readonly again: string
}

/** Trials for each kill. */
const TRIALS = 5

/** Kills imports at random moments until as many were hit, then imports to the end. */
export const killImports = async (directory: string, kills: number): Promise<Killed> => {
  const sources = path.join(directory, "sources")
  fs.mkdirSync(sources)
  writeSources(sources)
  const [whole, log] = [path.join(directory, "whole.db"), path.join(directory, "killed.db")]
  const began = performance.now()
  await start(["import", sources, "--log", whole]).ended
  const took = performance.now() - began
  let killed = 0
  // One may end before it is killed, for what earlier ones imported is left out: then the moment is drawn again.
  for (const share of fc.sample(fc.double({ min: 0.2, max: 0.95, noNaN: true }), {
    numRuns: TRIALS * kills,
    seed: SEED,
  })) {
    if (killed === kills) break
    const { child, ended } = start(["import", sources, "--log", log])
    const timer = setTimeout(() => child.kill("SIGKILL"), share * took)
    if ((await ended).code === null) killed += 1
    clearTimeout(timer)
  }
  await hindcast(["import", sources, "--log", log])
  const { stdout: verified } = await hindcast(["log", "verify", "--log", log])
  const { stdout: again } = await hindcast(["import", sources, "--log", log])
  return { kills: killed, events: await eventsIn(log), expected: await eventsIn(whole), verified, again }
}
