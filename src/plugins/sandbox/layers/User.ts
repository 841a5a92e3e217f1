/** The layer `user`: if the kernel runs as root, each plugin runs as an unprivileged user of its own. */
import * as crypto from "node:crypto"
import * as fs from "node:fs"

/** Ids that no distribution assigns: above all id ranges of containers, and below 2³¹. */
const HIGH = { first: 1_900_000_000, count: 200_000_000 }

/** Ids for containers with few of them: a range that systemd's documentation lists as unused. */
const LOW = { first: 60_578, count: 606 }

/**
 * A plugin's user and group id, the same at every start. Plugins have different ids, so they cannot signal each other,
 * and their users own nothing but their caches.
 */
export const userOf = (denoDir: string, mapped: string = readMap()): number => {
  const { first, count } = isMapped(HIGH.first + HIGH.count - 1, mapped) ? HIGH : LOW
  return first + (crypto.createHash("sha256").update(denoDir).digest().readUInt32BE() % count)
}

/**
 * setpriv(1)'s arguments that run a program as another user. It keeps one of root's capabilities, to read and search
 * everywhere, because its files may lie in root's directories; none to write, change modes and owners, or signal.
 */
export const userArgs = (setpriv: string, user: number): ReadonlyArray<string> => [
  ...[setpriv, "--pdeathsig", "KILL", "--no-new-privs", `--reuid=${user}`, `--regid=${user}`, "--clear-groups"],
  ...["--bounding-set", "--inh-caps", "--ambient-caps"].map((set) => `${set}=-all,+dac_read_search`),
  "--",
]

/** Whether a user namespace has an id, by its table in user_namespaces(7): first inside, first outside, count. */
const isMapped = (id: number, table: string): boolean =>
  table.split("\n").some((line) => {
    const [first = 0, , count = 0] = line.trim().split(/\s+/).map(Number)
    return id >= first && id < first + count
  })

const readMap = (): string => fs.readFileSync("/proc/self/uid_map", "utf8")
