/** The user of the process at the other end of a connection on the loopback. */
import * as fs from "node:fs"
import type { Socket } from "node:net"

/**
 * The user's id, from the kernel's table of connections, proc_pid_net_tcp(5). Undefined where there is no such table, or if
 * the other end has closed.
 */
export const of = ({ remotePort, localPort }: Pick<Socket, "remotePort" | "localPort">): number | undefined => {
  if (remotePort === undefined || localPort === undefined) return undefined
  try {
    return inTable(fs.readFileSync("/proc/self/net/tcp", "utf8"), remotePort, localPort)
  } catch {
    // Other systems have no such file. The token still proves that the client may read the owner's file.
    return undefined
  }
}

/** Finds the end of a connection on 127.0.0.1 by its own port and that of the other end. */
export const inTable = (table: string, own: number, other: number): number | undefined => {
  for (const line of table.split("\n").slice(1)) {
    const [, local = "", remote = "", state, , , , user] = line.trim().split(/\s+/)
    if (state === ESTABLISHED && isAt(local, own) && isAt(remote, other)) return Number(user)
  }
  return undefined
}

const ESTABLISHED = "01"

/** 127.0.0.1 in the order of bytes of this machine, which is little-endian. */
const isAt = (address: string, port: number): boolean =>
  address === `0100007F:${port.toString(16).toUpperCase().padStart(4, "0")}`
