/** Chooses the SQLite driver: Node's own if recent enough, otherwise better-sqlite3. */

import * as BetterSqlite3 from "./betterSqlite3.ts"
import { DRIVER_NAMES, type Driver, type DriverName, DriverUnavailable } from "./Driver.ts"
import * as NodeSqlite from "./nodeSqlite.ts"

/** Environment variable that forces a driver, for tests. */
export const DRIVER_VARIABLE = "HINDCAST_SQLITE_DRIVER"

export interface Circumstances {
  readonly wanted: string | undefined
  readonly node: string
  /** Undefined if it is missing or lacks a function that Hindcast uses. */
  readonly nodeSqlite: string | undefined
}

/**
 * The first SQLite without a bug that damages a file when two processes write and checkpoint at the same moment
 * (https://sqlite.org/wal.html#walresetbug). Node 22.23, 24.15 and 26 have it; better-sqlite3 12 brings a later one.
 */
const MIN_SQLITE = "3.51.3"

/**
 * From this version of Node on, better-sqlite3 12 compiled there aborts the process
 * (https://github.com/nodejs/node/issues/65446).
 */
const FIRST_ABORTING_NODE = "24.19.0"

/**
 * Prefers Node's own SQLite, which needs no compiler. Throws `DriverUnavailable` if the wanted driver, or every driver,
 * is unusable.
 */
export const choose = ({ wanted, node, nodeSqlite }: Circumstances): DriverName => {
  const unavailable: { readonly [name in DriverName]: string | undefined } = {
    "node:sqlite":
      nodeSqlite !== undefined && !isBefore(nodeSqlite, MIN_SQLITE)
        ? undefined
        : `it needs SQLite ${MIN_SQLITE} or later, and this Node has ${nodeSqlite ?? "none"}`,
    "better-sqlite3": isBefore(node, FIRST_ABORTING_NODE)
      ? undefined
      : `it needs a Node before ${FIRST_ABORTING_NODE}: from then on it can abort the process`,
  }
  if (wanted === undefined) {
    const first = DRIVER_NAMES.find((name) => unavailable[name] === undefined)
    if (first !== undefined) return first
    const reasons = DRIVER_NAMES.map((name) => `${name}: ${unavailable[name]}`).join("; ")
    throw new DriverUnavailable(`Node ${node} has no usable SQLite (${reasons}); use a Node from nodejs.org`)
  }
  const found = DRIVER_NAMES.find((name) => name === wanted)
  if (found === undefined) {
    const expected = DRIVER_NAMES.map((name) => JSON.stringify(name)).join(" or ")
    throw new DriverUnavailable(`${DRIVER_VARIABLE}: expected ${expected}, or nothing, found ${JSON.stringify(wanted)}`)
  }
  if (unavailable[found] === undefined) return found
  throw new DriverUnavailable(
    `${DRIVER_VARIABLE}: ${JSON.stringify(found)} cannot be used on Node ${node}: ${unavailable[found]}`,
  )
}

const isBefore = (version: string, other: string): boolean => {
  const [theirs, ours] = [version, other].map((text) => text.split(".").map(Number))
  const difference = [0, 1, 2].map((part) => (theirs?.[part] ?? 0) - (ours?.[part] ?? 0)).find((part) => part !== 0)
  return difference !== undefined && difference < 0
}

let chosen: Driver | undefined

/** The driver of this process, chosen once. Throws `DriverUnavailable` if there is none. */
export const driver = (): Driver => {
  chosen ??= driverFor(process.env[DRIVER_VARIABLE])
  return chosen
}

export const driverFor = (wanted: string | undefined): Driver => {
  const nodeDriver = NodeSqlite.load()
  const name = choose({ wanted, node: process.versions.node, nodeSqlite: nodeDriver && process.versions.sqlite })
  return name === "node:sqlite" && nodeDriver !== undefined ? nodeDriver : BetterSqlite3.load()
}
