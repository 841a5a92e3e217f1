/** Measuring: interleaved runs, medians, ratios. */
import { spawnSync } from "node:child_process"

/** The number that so great a part of some numbers is not above; between two of them, in proportion. */
export const quantile = (numbers, part) => {
  const sorted = [...numbers].sort((a, b) => a - b)
  const place = (sorted.length - 1) * part
  const below = sorted[Math.floor(place)]
  return below + (sorted[Math.ceil(place)] - below) * (place % 1)
}

/** The middle of some numbers. */
export const median = (numbers) => quantile(numbers, 0.5)

/** Milliseconds that one call took. */
export const timed = async (run) => {
  const startedAt = performance.now()
  await run()
  return performance.now() - startedAt
}

/** Tells, whenever it is called, the milliseconds since now, and those that this process's threads were at work meanwhile. */
export const stopwatch = () => {
  const [startedAt, before] = [performance.now(), process.cpuUsage()]
  return () => {
    const ms = performance.now() - startedAt
    const { user, system } = process.cpuUsage(before)
    return { ms, cpuMs: (user + system) / 1000 }
  }
}

/** The time that a call takes, and the milliseconds that this process's threads were at work meanwhile: other processes hardly matter to them. */
export const spentBy = async (run) => {
  const spent = stopwatch()
  await run()
  return spent()
}

/** Rounds that do not count. */
export const WARM_UP = 3

/**
 * Runs contenders in turn, round after round, so that what else the machine does meets all of them alike; the first
 * three rounds warm up and do not count: a kernel runs for long. Answers for each the median of the milliseconds that it took (`ms`), and of those
 * that this process was at work (`cpuMs`).
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

/** The same where only the time counts that it took: for work that other processes share in. */
export const interleave = async (contenders, rounds) =>
  Object.fromEntries(Object.entries(await spend(contenders, rounds)).map(([name, { ms }]) => [name, ms]))

/** Makes so many calls, of which so many are under way at any time. */
export const inLanes = async (call, calls, lanes) => {
  const lane = async () => {
    for (let index = 0; index < calls / lanes; index++) await call()
  }
  await Promise.all(Array.from({ length: lanes }, lane))
}

/** Loaded before what is measured: as the process ends it tells the processor time that it took, user and system, and its peak memory. */
const TELLS = `data:text/javascript,${encodeURIComponent(`
process.on("exit", () => {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage()
  process.stderr.write("\\n" + JSON.stringify({ cpuMs: (userCPUTime + systemCPUTime) / 1000, megabytes: maxRSS / 1000 }))
})`)}`

/** Runs Node with these arguments to its end: the processor time and the peak memory that it took. */
export const started = (args, env) => {
  const { status, stderr } = spawnSync(process.execPath, ["--import", TELLS, ...args], {
    env,
    encoding: "utf8",
    stdio: ["ignore", "ignore", "pipe"],
  })
  if (status !== 0) throw new Error(stderr)
  return JSON.parse(stderr.split("\n").at(-1))
}
