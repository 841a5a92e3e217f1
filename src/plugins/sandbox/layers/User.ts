import * as crypto from "node:crypto"
import * as fs from "node:fs"

/** Ids that no distribution gives to anybody: above all ranges of containers, and below 2³¹. */
const HIGH = { first: 1_900_000_000, count: 200_000_000 }

/** The same inside of a container with few ids: those that systemd's list of ranges leaves unused. */
const LOW = { first: 60_578, count: 606 }

/**
 * The id of the user, and of its group, that a plugin runs as where the kernel is root: of its own, so that plugins cannot
 * signal each other, the same at every start, and no owner of anything but the plugin's cache.
 */
export const userOf = (denoDir: string, mapped: string = readMap()): number => {
  const { first, count } = isMapped(HIGH.first + HIGH.count - 1, mapped) ? HIGH : LOW
  return first + (crypto.createHash("sha256").update(denoDir).digest().readUInt32BE() % count)
}

/**
 * setpriv(1)'s arguments that make a program another user's. Of root's capabilities it keeps the one to read and search
 * everywhere, because its files may stand in directories of root's; it has none to write, to change modes and owners, or to signal.
 */
export const userArgs = (setpriv: string, user: number): ReadonlyArray<string> => [
  ...[setpriv, "--pdeathsig", "KILL", "--no-new-privs", `--reuid=${user}`, `--regid=${user}`, "--clear-groups"],
  ...["--bounding-set", "--inh-caps", "--ambient-caps"].map((set) => `${set}=-all,+dac_read_search`),
  "--",
]

/** Whether an id exists in a user namespace, by its table in user_namespaces(7): first inside, first outside, how many. */
const isMapped = (id: number, table: string): boolean =>
  table.split("\n").some((line) => {
    const [first = 0, , count = 0] = line.trim().split(/\s+/).map(Number)
    return id >= first && id < first + count
  })

const readMap = (): string => fs.readFileSync("/proc/self/uid_map", "utf8")
