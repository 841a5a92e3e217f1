/**
 * Identifies a process beyond its id, which the system reuses: an id is valid only within one boot of one machine, and
 * there within one PID namespace.
 */

import * as fs from "node:fs"
import * as os from "node:os"
import { isAlive } from "./LiveProcess.ts"

/** A process and its place. Null if the system does not report a value. */
export interface ProcessPlace {
  /** For messages: it can change, and two machines can share one. */
  readonly host: string
  readonly pid: number
  readonly boot: string | null
  /** The PID namespace of `pid`, and the namespace of the monotonic clock. */
  readonly namespaces: string | null
  readonly started: string | null
}

export const own = (): ProcessPlace => {
  const isOurs = seesItself()
  return {
    host: os.hostname(),
    pid: process.pid,
    boot: bootOf(),
    namespaces: isOurs ? namespacesOf() : null,
    started: isOurs ? (tickOf(process.pid) ?? null) : null,
  }
}

/** The state of a process, as far as this one can tell. */
export type Existence = "exists" | "gone" | "unreachable"

/**
 * Looks at a process within the same boot and PID namespace; on systems without `/proc`, the machines' names must be
 * the same.
 */
export const look = (place: ProcessPlace, here: ProcessPlace = own()): Existence => {
  if (!isReachable(place, here)) return "unreachable"
  if (!isAlive(place.pid)) return "gone"
  const started = tickOf(place.pid)
  // Without a start time (another user's process where `/proc` is hidden) the id alone decides.
  return started === undefined || place.started === null || started === place.started ? "exists" : "gone"
}

const isReachable = (place: ProcessPlace, here: ProcessPlace): boolean => {
  if (place.boot === null && here.boot === null) return place.host === here.host
  return place.boot === here.boot && place.namespaces !== null && pidNamespaceOf(place) === pidNamespaceOf(here)
}

/** Tells whether two processes have the same monotonic clock. */
export const sharesClock = (place: ProcessPlace, here: ProcessPlace): boolean =>
  place.boot !== null &&
  place.boot === here.boot &&
  place.namespaces !== null &&
  here.namespaces !== null &&
  clockNamespaceOf(place) === clockNamespaceOf(here)

/** Milliseconds of the machine's monotonic clock, which all processes of a boot share. */
export const monotonicNow = (): number => Number(process.hrtime.bigint() / 1000n) / 1000

/**
 * Boot id, start tick and PID namespace: no other process has all three. Undefined if there is no such process, or the
 * system has no `/proc`.
 */
export const birthOf = (pid: number): string | undefined => {
  const { boot, namespaces } = own()
  const tick = tickOf(pid)
  if (tick === undefined || boot === null) return undefined
  return namespaces === null ? `${boot}/${tick}` : `${boot}/${tick}/${namespaces.split(" ")[0]}`
}

/** Births recorded before 0.3.1 name no namespace. */
export const isBornAs = (pid: number, birth: string): boolean => {
  const found = birthOf(pid)
  return found !== undefined && (found === birth || found.startsWith(`${birth}/`))
}

/** The command line of a process; empty if it is unreadable. */
export const argumentsOf = (pid: number): ReadonlyArray<string> => read(`/proc/${pid}/cmdline`)?.split("\0") ?? []

const pidNamespaceOf = ({ namespaces }: ProcessPlace): string | undefined => namespaces?.split(" ")[0]

const clockNamespaceOf = ({ namespaces }: ProcessPlace): string | undefined => namespaces?.split(" ")[1]

/** Tests whether `/proc` shows this process: it may belong to another PID namespace. */
const seesItself = (): boolean => link("/proc/self") === String(process.pid)

const bootOf = (): string | null => read("/proc/sys/kernel/random/boot_id")?.trim() ?? null

const namespacesOf = (): string | null => {
  const pid = link("/proc/self/ns/pid")
  return pid === undefined ? null : `${pid} ${link("/proc/self/ns/time") ?? "-"}`
}

// Count fields from behind the name, which may contain anything: the start time is field 22, the 20th behind it.
const tickOf = (pid: number): string | undefined => {
  const stat = read(`/proc/${pid}/stat`)
  return stat?.slice(stat.lastIndexOf(")") + 2).split(" ")[19]
}

const read = (file: string): string | undefined => {
  try {
    return fs.readFileSync(file, "utf8")
  } catch {
    return undefined // It has ended, or this system has no /proc.
  }
}

const link = (file: string): string | undefined => {
  try {
    return fs.readlinkSync(file)
  } catch {
    return undefined
  }
}
