/** Which machine this is, and which of its users: a consent that was given here counts here, and nowhere else. */
import { execFile } from "node:child_process"
import * as crypto from "node:crypto"
import * as fs from "node:fs"
import * as os from "node:os"
import { Effect } from "effect"

/** A machine and a user of it, as the log names them. */
export interface Machine {
  /**
   * A digest of the machine's own id and the user's: nobody learns the id from a log, and nobody who does not know it can
   * write a log that has it. Undefined where the machine has no id.
   */
  readonly id: string | undefined
  readonly platform: string
  /** The user's name, else the number. */
  readonly user: string
}

/** Looked up once. Never fails: a machine that does not say which it is has no id. */
export const machine: Effect.Effect<Machine> = Effect.suspend(() => {
  found ??= find()
  const looked = found
  return Effect.promise(() => looked)
})

let found: Promise<Machine> | undefined

const find = async (): Promise<Machine> => {
  const id = await idOf(process.platform)
  const user = userName()
  return {
    id: id === undefined ? undefined : identify(id, `${process.getuid?.() ?? user}`),
    platform: `${process.platform}-${process.arch}`,
    user,
  }
}

const identify = (id: string, user: string): string =>
  crypto.createHash("sha256").update(`hindcast machine\0${id}\0${user}`).digest("hex")

const userName = (): string => {
  try {
    return os.userInfo().username
  } catch {
    // A user without an entry in the system's list has no name.
    return `uid-${process.getuid?.() ?? "unknown"}`
  }
}

/**
 * Linux: machine-id(5), else the id of this boot, as in a container that has none. macOS: the hardware's UUID. Windows: the
 * GUID that its installation drew.
 */
const idOf = async (platform: NodeJS.Platform): Promise<string | undefined> => {
  switch (platform) {
    case "linux":
      return LINUX_IDS.map(read).find((id) => id !== undefined)
    case "darwin":
      return /"IOPlatformUUID" = "([^"]+)"/.exec(await answerOf("ioreg", ["-rd1", "-c", "IOPlatformExpertDevice"]))?.[1]
    case "win32":
      return /MachineGuid\s+REG_SZ\s+(\S+)/.exec(
        await answerOf("reg", ["query", WINDOWS_KEY, "/v", "MachineGuid"]),
      )?.[1]
    default:
      return undefined
  }
}

const LINUX_IDS = ["/etc/machine-id", "/var/lib/dbus/machine-id", "/proc/sys/kernel/random/boot_id"]
const WINDOWS_KEY = "HKLM\\SOFTWARE\\Microsoft\\Cryptography"

const read = (file: string): string | undefined => {
  try {
    const id = fs.readFileSync(file, "utf8").trim()
    // An image may have the file empty, or with this word, until it is first booted.
    return id === "" || id === "uninitialized" ? undefined : id
  } catch {
    return undefined
  }
}

/** How long a program may take to answer, in milliseconds. */
const ANSWER_MS = 5_000

const answerOf = (program: string, args: ReadonlyArray<string>): Promise<string> =>
  new Promise((resolve) => {
    execFile(program, [...args], { timeout: ANSWER_MS, windowsHide: true }, (error, stdout) =>
      resolve(error === null ? stdout : ""),
    )
  })
