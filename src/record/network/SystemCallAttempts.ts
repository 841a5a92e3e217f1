/**
 * Attempts of programs in any language to reach an address, from their system calls: strace(1) names the address, the
 * process and, if it can, the stack. For a namespace with only a loopback, which refuses these calls.
 */

import { execFile, execFileSync } from "node:child_process"
import * as fs from "node:fs"
import net from "node:net"
import * as path from "node:path"
import { promisify } from "node:util"
import { onPath } from "../../plugins/sandbox/Tools.ts"
import { isLoopback, written } from "./AllowedHosts.ts"
import type { NetworkAttempt } from "./NetworkAttempt.ts"

export interface SystemCallAttempts {
  /** Runs the command that follows it, and reports its calls. */
  readonly command: ReadonlyArray<string>
  /** All attempts of a program that has ended, given its process id. */
  readonly ended: (pid: number | undefined) => Promise<ReadonlyArray<NetworkAttempt>>
  readonly close: () => void
}

/** Maximum number of attempts that are kept; a program may try again without end. */
const MOST = 1_000

/** Maximum length of a line, in characters. */
const LONGEST = 64 * 1024

/** Milliseconds in which the last calls of an ended program arrive. */
const LAST_MS = 2_000

const TRIAL_MS = 10_000

/**
 * Traces the calls of one program. Returns undefined if the machine has no strace, or forbids its use.
 *
 * @param directory a directory of this run
 * @param within the command in front, which enters the namespace
 */
export const start = async (
  directory: string,
  within: ReadonlyArray<string>,
): Promise<SystemCallAttempts | undefined> => {
  const [strace, mkfifo] = [onPath("strace"), onPath("mkfifo")]
  if (strace === undefined || mkfifo === undefined) return undefined
  // Not every strace can read stacks.
  for (const stacks of [["-k"], []]) {
    const arguments_ = [strace, ...OPTIONS, ...stacks, "-o"]
    if (await works([...within, ...arguments_, "/dev/null"])) {
      const pipe = path.join(directory, "calls.fifo")
      execFileSync(mkfifo, ["-m", "600", pipe])
      return { command: [...arguments_, pipe], ...reading(pipe) }
    }
  }
  return undefined
}

/**
 * `-D`: the program stays the direct child of whoever starts it. `--seccomp-bpf`: only the traced calls stop it.
 * Strings, such as the data of a datagram, are not read (`-s 0`).
 */
const OPTIONS = [
  ...["-D", "-f", "--seccomp-bpf", "-q", "-Y", "-yy", "-s", "0"],
  ...["-e", "trace=connect,sendto,sendmsg,sendmmsg", "-e", "signal=none"],
]

const works = async ([command = "", ...args]: ReadonlyArray<string>): Promise<boolean> => {
  try {
    await promisify(execFile)(command, [...args, "/bin/sh", "-c", "exit 7"], { timeout: TRIAL_MS })
    return false
  } catch (error) {
    return Reflect.get(Object(error), "code") === 7
  }
}

const reading = (pipe: string): Pick<SystemCallAttempts, "ended" | "close"> => {
  const calls = parsing()
  // Open for writing, too, so that opening it waits for nobody.
  const handle = fs.openSync(pipe, fs.constants.O_RDWR | fs.constants.O_NONBLOCK)
  const socket = new net.Socket({ fd: handle, readable: true, writable: false })
  let told = () => {}
  socket.setEncoding("utf8").on("data", (text: string) => {
    calls.take(text)
    told()
  })
  socket.on("error", () => socket.destroy())
  return {
    ended: async (pid) => {
      if (pid !== undefined && !calls.hasEnded(pid)) {
        await new Promise<void>((resolve) => {
          const late = setTimeout(resolve, LAST_MS)
          told = () => {
            if (!calls.hasEnded(pid)) return
            clearTimeout(late)
            resolve()
          }
        })
      }
      return calls.attempts()
    },
    close: () => socket.destroy(),
  }
}

interface Calls {
  readonly take: (text: string) => void
  readonly hasEnded: (pid: number) => boolean
  readonly attempts: () => ReadonlyArray<NetworkAttempt>
}

interface Found {
  readonly attempt: NetworkAttempt
  readonly frames: Array<string>
  readonly command: string
}

/** Reads strace's output as it arrives. */
export const parsing = (): Calls => {
  const found: Array<Found> = []
  const over = new Set<number>()
  /** Attempts of processes whose call has not returned: the stack follows its return. */
  const unfinished = new Map<string, Found>()
  let rest = ""
  /** The attempt whose stack follows; undefined after any other call. */
  let last: Found | undefined

  const line = (text: string) => {
    const frame = /^ > (.*)$/.exec(text)?.[1]
    if (frame !== undefined) {
      const written = frameOf(frame)
      if (written !== undefined) last?.frames.push(written)
      return
    }
    last = undefined
    const [, pid = "", command = "", call = ""] =
      /^(\d+)(?:<(.*?)>)?\s+((?:connect|send\w+)\(.*|<\.\.\. .*|\+\+\+ .*)$/.exec(text) ?? []
    if (call.startsWith("+++ ")) over.add(Number(pid))
    if (call.startsWith("<... ")) {
      last = unfinished.get(pid)
      unfinished.delete(pid)
      return
    }
    const attempt = attemptOf(call)
    if (attempt === undefined || found.length >= MOST) return
    last = { attempt, frames: [], command: command === "" ? `process ${pid}` : `${command} (process ${pid})` }
    found.push(last)
    if (call.endsWith("<unfinished ...>")) unfinished.set(pid, last)
  }

  return {
    take: (text) => {
      const lines = `${rest}${text}`.split("\n")
      rest = (lines.pop() ?? "").slice(0, LONGEST)
      for (const one of lines) line(one)
    },
    hasEnded: (pid) => over.has(pid),
    attempts: () =>
      found.map(({ attempt, frames, command }) => ({
        ...attempt,
        at: frames.find((frame) => !IN_LIBRARY.test(frame)) ?? command,
        stack: [command, ...frames].map((frame) => `    at ${frame}`).join("\n"),
      })),
  }
}

/**
 * The attempt that a call shows. None are calls to the loopback, and those that connect a datagram socket, which sends
 * nothing: programs find out their own address so.
 */
const attemptOf = (call: string): NetworkAttempt | undefined => {
  const [, name = "", protocol = ""] = /^(connect|sendto|sendmsg|sendmmsg)\(\d+(?:<(\w+))?/.exec(call) ?? []
  const isDatagram = /^UDP/.test(protocol)
  if (name === "" || (name === "connect" && (isDatagram || / = 0$/.test(call)))) return undefined
  const [, port] = /\bsin6?_port=htons\((\d+)\)/.exec(call) ?? []
  const [, four] = /\bsin_addr=inet_addr\("([\d.]+)"\)/.exec(call) ?? []
  const [, six] = /\binet_pton\(AF_INET6, "([\da-f:.]+)"/i.exec(call) ?? []
  const host = (four ?? six)?.replace(/^::ffff:(?=[\d.]+$)/i, "")
  if (host === undefined || port === undefined || ANY.test(host) || isLoopback(host)) return undefined
  const means = isDatagram || name !== "connect" ? "datagram" : "connection"
  return { means, target: written({ host, port: Number(port) }), at: null, stack: "" }
}

/** A connection to any address is one to this machine. */
const ANY = /^(0\.0\.0\.0|::)$/

/** `/usr/bin/bash(netopen+0x12e) [0xbdc9e]` as `netopen (/usr/bin/bash)`. */
const frameOf = (text: string): string | undefined => {
  const [, file, name = ""] = /^(.*?)\(([^()]*?)(?:\+0x[\da-f]+)?\) \[0x[\da-f]+\]$/i.exec(text) ?? []
  if (file === undefined) return undefined
  return name === "" ? file : `${name} (${file})`
}

const IN_LIBRARY = /\.so[.\d]*\)?$/
