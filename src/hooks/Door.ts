/**
 * The address of this user's hook server: a file in the user's own store with the server's socket and token. A socket,
 * because after a server's death another user's program could take its port, and let every call pass.
 */

import * as fs from "node:fs"
import * as http from "node:http"
import * as path from "node:path"
import * as AtomicFile from "../platform/AtomicFile.ts"
import { isAlive } from "../platform/LiveProcess.ts"
import * as OwnerOnly from "../platform/OwnerOnly.ts"
import * as UserStore from "../platform/user/UserStore.ts"

export interface Door {
  /** The path of a Unix socket that only this user can open; on Windows, the name of a pipe. */
  readonly socket: string
  readonly token: string
  readonly pid: number
  readonly log: string
}

const NAME = "door.json"

const fileIn = (readonly: boolean): string => path.join(UserStore.open("hooks", { readonly }), NAME)

/** The door; undefined if no server opened one, or the file is invalid. */
export const read = (): Door | undefined => {
  try {
    return parsed(fs.readFileSync(fileIn(true), "utf8"))
  } catch {
    // No server has run, or its file was removed.
    return undefined
  }
}

const parsed = (text: string): Door | undefined => {
  const found: unknown = JSON.parse(text)
  if (typeof found !== "object" || found === null) return undefined
  const { socket, token, pid, log } = found as { readonly [name: string]: unknown }
  return typeof socket === "string" && typeof token === "string" && typeof pid === "number" && typeof log === "string"
    ? { socket, token, pid, log }
    : undefined
}

/** Opens a door, or returns that of another responding server. Rejects as `UserStore.open` throws. */
export const open = async (door: Door): Promise<Door | undefined> => {
  const file = fileIn(false)
  AtomicFile.removeAbandonedFile(file)
  for (;;) {
    const partial = AtomicFile.nameFor(file)
    fs.writeFileSync(partial, JSON.stringify(door), { mode: OwnerOnly.FILE_MODE, flag: "wx" })
    try {
      AtomicFile.moveNew(partial, file)
      return undefined
    } catch (cause) {
      fs.rmSync(partial, { force: true })
      if (!(cause instanceof Error && "code" in cause && cause.code === "EEXIST")) throw cause
    }
    const other = read()
    if (other !== undefined && (await isServed(other))) return other
    // Its server was killed. Another program may have its process id by now.
    fs.rmSync(file, { force: true })
    if (other !== undefined) removeSocket(other.socket)
  }
}

/** A server that accepts the token answers an unknown path with 404. */
const isServed = ({ socket, token, pid }: Door): Promise<boolean> =>
  new Promise((resolve) => {
    if (!isAlive(pid)) return resolve(false)
    const headers = { authorization: `Bearer ${token}` }
    const request = http.get({ socketPath: socket, path: "/", headers, agent: false }, (response) => {
      response.resume()
      resolve(response.statusCode === 404)
    })
    request.on("error", () => resolve(false))
    request.setTimeout(PROBE_MS, () => request.destroy(new Error("no answer")))
  })

/** Time for an answer, in milliseconds. A slower server counts as none; it keeps its sessions. */
const PROBE_MS = 5_000

/** Closes the door, unless another server has replaced it. */
export const close = ({ token }: Door): void => {
  if (read()?.token === token) fs.rmSync(fileIn(false), { force: true })
}

/** Removes a server's socket, and its directory if that holds nothing else (`ServerSocket`). */
export const removeSocket = (socket: string): void => {
  fs.rmSync(socket, { force: true })
  try {
    fs.rmdirSync(path.dirname(socket))
  } catch {
    // It is the store, which has other files, or is gone.
  }
}
