/** Identifies this machine and its user: a consent is valid only for the machine and user that gave it. */
import { execFile } from "node:child_process"
import * as crypto from "node:crypto"
import * as fs from "node:fs"
import * as os from "node:os"
import { Effect } from "effect"

/** A machine and one of its users, as the log names them. */
export interface Machine {
  /**
   * A digest of the machine's and the user's id: the log does not reveal the machine's id, and nobody without it can
   * forge the digest. Undefined if the machine has no id.
   */
  readonly id: string | undefined
  /**
   * Like `id`, but without the id of the current boot and never in a log, so that nobody can copy it from a published
   * one. Undefined if no id outlasts a boot.
   */
  readonly unpublished: string | undefined
  readonly platform: string
  /** The user's name, or number. */
  readonly user: string
}

/** The identity of this machine, looked up once. Never fails. */
export const machine: Effect.Effect<Machine> = Effect.suspend(() => {
  found ??= find()
  const pending = found
  return Effect.promise(() => pending)
})

let found: Promise<Machine> | undefined

const find = async (): Promise<Machine> => {
  const lasting = await idOf(process.platform)
  const id = lasting ?? (process.platform === "linux" ? read(BOOT_ID) : undefined)
  const user = userName()
  const owner = `${process.getuid?.() ?? user}`
  return {
    id: id === undefined ? undefined : identify("hindcast machine", id, owner),
    unpublished: lasting === undefined ? undefined : identify("hindcast store", lasting, owner),
    platform: `${process.platform}-${process.arch}`,
    user,
  }
}

const identify = (purpose: string, id: string, user: string): string =>
  crypto.createHash("sha256").update(`${purpose}\0${id}\0${user}`).digest("hex")

/** The user's name, or number (`uid-1000`). */
export const userName = (): string => {
  try {
    return os.userInfo().username
  } catch {
    // The system's user database lacks this user.
    return `uid-${process.getuid?.() ?? "unknown"}`
  }
}

/**
 * Linux: machine-id(5), which containers often lack. macOS: the hardware's UUID. Windows: the GUID of the installation.
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

const LINUX_IDS = ["/etc/machine-id", "/var/lib/dbus/machine-id"]

/** The id of the current boot, for a machine without another one. */
const BOOT_ID = "/proc/sys/kernel/random/boot_id"
const WINDOWS_KEY = "HKLM\\SOFTWARE\\Microsoft\\Cryptography"

const read = (file: string): string | undefined => {
  try {
    const id = fs.readFileSync(file, "utf8").trim()
    // In a system image, the file may be empty or have this text until the first boot.
    return id === "" || id === "uninitialized" ? undefined : id
  } catch {
    return undefined
  }
}

const ANSWER_MS = 5_000

const answerOf = (program: string, args: ReadonlyArray<string>): Promise<string> =>
  new Promise((resolve) => {
    execFile(program, [...args], { timeout: ANSWER_MS, windowsHide: true }, (error, stdout) =>
      resolve(error === null ? stdout : ""),
    )
  })

/** The user as the actor of events that a person causes. */
export const userAsActor = (): string => `human:${userName()}`
