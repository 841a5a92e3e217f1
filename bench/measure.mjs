/** Measuring: interleaved runs, medians, ratios. */
import { spawnSync } from "node:child_process"

/** Interpolates between two numbers. */
export const quantile = (numbers, part) => {
  const sorted = [...numbers].sort((a, b) => a - b)
  const place = (sorted.length - 1) * part
  const below = sorted[Math.floor(place)]
  return below + (sorted[Math.ceil(place)] - below) * (place % 1)
}

/** The 0.5-quantile. */
export const median = (numbers) => quantile(numbers, 0.5)

/** Milliseconds of one call. */
export const timed = async (run) => {
  const startedAt = performance.now()
  await run()
  return performance.now() - startedAt
}

/** Returns a function for the milliseconds since now, and for those of processor time on this process's threads. */
export const stopwatch = () => {
  const [startedAt, before] = [performance.now(), process.cpuUsage()]
  return () => {
    const ms = performance.now() - startedAt
    const { user, system } = process.cpuUsage(before)
    return { ms, cpuMs: (user + system) / 1000 }
  }
}

/** A call's duration, and the processor time of this process's threads, which other processes hardly affect. */
export const spentBy = async (run) => {
  const spent = stopwatch()
  await run()
  return spent()
}

/** Rounds that do not count. */
export const WARM_UP = 3

/**
 * Runs contenders in turn, so that other load on the machine affects all of them alike. The first three rounds warm up,
 * because a kernel runs for long. Returns each one's median duration (`ms`) and processor time (`cpuMs`), in
 * milliseconds.
 */
export const spend = async (contenders, rounds) => {
  const spent = Object.fromEntries(Object.keys(contenders).map((name) => [name, []]))
  for (let round = 0; round < WARM_UP + rounds; round++) {
    for (const [name, run] of Object.entries(contenders)) {
      const one = await spentBy(run)
      if (round >= WARM_UP) spent[name].push(one)
    }
  }
  const middle = (all) => ({ ms: median(all.map(({ ms }) => ms)), cpuMs: median(all.map(({ cpuMs }) => cpuMs)) })
  return Object.fromEntries(Object.entries(spent).map(([name, all]) => [name, middle(all)]))
}

/** `spend` by duration only, for work that other processes share. */
export const interleave = async (contenders, rounds) =>
  Object.fromEntries(Object.entries(await spend(contenders, rounds)).map(([name, { ms }]) => [name, ms]))

/** Makes `calls` calls, `lanes` of them in flight at any time. */
export const inLanes = async (call, calls, lanes) => {
  const lane = async () => {
    for (let index = 0; index < calls / lanes; index++) await call()
  }
  await Promise.all(Array.from({ length: lanes }, lane))
}

/** Preloaded into a measured process: reports processor time (user and system) and peak memory at its end. */
const TELLS = `data:text/javascript,${encodeURIComponent(`
process.on("exit", () => {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage()
  process.stderr.write("\\n" + JSON.stringify({ cpuMs: (userCPUTime + systemCPUTime) / 1000, megabytes: maxRSS / 1000 }))
})`)}`

/** Runs Node to its end. Returns its processor time and peak memory. */
export const started = (args, env) => {
  const { status, stderr } = spawnSync(process.execPath, ["--import", TELLS, ...args], {
    env,
    encoding: "utf8",
    stdio: ["ignore", "ignore", "pipe"],
  })
  if (status !== 0) throw new Error(stderr)
  return JSON.parse(stderr.split("\n").at(-1))
}
