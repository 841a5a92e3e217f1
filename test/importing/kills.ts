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
    name: `samples/${index}_epoch_1.json`,
    json: sample(index, 1),
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
  let took = performance.now() - began
  let killed = 0
  // One may end before it is killed: then the moment is drawn again, for a new log if nothing was killed yet.
  for (const share of fc.sample(fc.double({ min: 0.2, max: 0.95, noNaN: true }), {
    numRuns: TRIALS * kills,
    seed: SEED,
  })) {
    if (killed === kills) break
    const { child, ended } = start(["import", sources, "--log", log])
    const startedAt = performance.now()
    const timer = setTimeout(() => child.kill("SIGKILL"), share * took)
    if ((await ended).code === null) killed += 1
    else if (killed === 0) {
      took = performance.now() - startedAt
      for (const file of [log, `${log}-wal`, `${log}-shm`]) fs.rmSync(file, { force: true })
    }
    clearTimeout(timer)
  }
  await hindcast(["import", sources, "--log", log])
  const { stdout: verified } = await hindcast(["log", "verify", "--log", log])
  const { stdout: again } = await hindcast(["import", sources, "--log", log])
  return { kills: killed, events: await eventsIn(log), expected: await eventsIn(whole), verified, again }
}

/** A followed directory whose imports were killed while its sessions were written. */
export interface KilledFollowing {
  readonly kills: number
  readonly events: ReadonlyArray<string>
  /** What one import of the whole sessions makes of them. */
  readonly expected: ReadonlyArray<string>
  readonly verified: string
}

/** Follows sessions that grow, kills that at random moments, and imports the rest. */
export const killFollowing = async (directory: string, kills: number): Promise<KilledFollowing> => {
  const sources = path.join(directory, "sources")
  fs.mkdirSync(sources)
  const [whole, log] = [path.join(directory, "whole.db"), path.join(directory, "killed.db")]
  // Their last records are of a moment ago: they do not end while the test runs.
  const now = Date.now()
  const texts = Array.from({ length: kills }, (_, index) => {
    const id = `${SESSION.slice(0, -4)}${String(index).padStart(4, "0")}`
    const records = session().map((record, at) => ({ ...record, timestamp: new Date(now - 60_000 + at).toISOString() }))
    return { file: path.join(sources, `${id}.jsonl`), text: lines(records).replaceAll(SESSION, id) }
  })
  const moments = fc.sample(fc.record({ cut: fc.double({ min: 0, max: 1, noNaN: true }), ms: fc.nat(30) }), {
    numRuns: kills,
    seed: SEED,
  })
  let killed = 0
  for (const [index, { cut, ms }] of moments.entries()) {
    const { child, ended } = start(["import", sources, "--log", log, "--follow", "--json"])
    // A process that ends instead is not killed, which the test finds.
    await Promise.race([new Promise((resolve) => child.stdout.once("data", resolve)), ended])
    // One session is ended, and the next one begun, while the import is at work.
    for (const { file, text } of texts.slice(Math.max(0, index - 1), index)) fs.writeFileSync(file, text)
    for (const { file, text } of texts.slice(index, index + 1))
      fs.writeFileSync(file, text.slice(0, Math.floor(cut * text.length)))
    setTimeout(() => child.kill("SIGKILL"), ms)
    if ((await ended).code === null) killed += 1
  }
  for (const { file, text } of texts) fs.writeFileSync(file, text)
  for (const into of [log, whole]) await hindcast(["import", sources, "--log", into])
  const { stdout: verified } = await hindcast(["log", "verify", "--log", log])
  const ofTasks = async (file: string) => (await eventsIn(file)).filter((event) => !event.includes(" FileImported "))
  return { kills: killed, events: await ofTasks(log), expected: await ofTasks(whole), verified }
}
