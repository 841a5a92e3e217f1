/** Findings about a log's file and its siblings, without SQLite. */

import * as fs from "node:fs"
import * as path from "node:path"
import type { Finding } from "../../log/Verification.ts"
import { targetOf } from "../file/fileIdentity.ts"
import { HEADER_BYTES, MAGIC, readHeader } from "../file/header.ts"
import { recovery } from "./recovery.ts"

/** In bytes. A larger write-ahead log was kept from shrinking. */
const LARGE_WAL_BYTES = 128 * 1024 * 1024

/** In bytes. With less free space, a log may soon be unable to grow. */
const LITTLE_SPACE_BYTES = 256 * 1024 * 1024

export const fileFindings = (filename: string): ReadonlyArray<Finding> => [
  ...headerFindings(filename),
  ...journalFindings(filename),
  ...permissionFindings(filename),
  ...spaceFindings(filename),
]

/** Compares the file's size with its header (https://sqlite.org/fileformat.html, §1.3). */
const headerFindings = (filename: string): ReadonlyArray<Finding> => {
  const { size, header } = readHeader(filename)
  if (size === 0) return []
  if (header.toString("latin1", 0, MAGIC.length) !== MAGIC) {
    return [
      {
        severity: "damage",
        what: "header",
        expected: "a file that begins like an SQLite database",
        found: `other bytes at its start, ${size} bytes in total`,
        advice: `If this never was a log, name the right file. If it was, its first page was overwritten. ${recovery()}`,
      },
    ]
  }
  if (header.length < HEADER_BYTES) return [cutShort("at least one page", size)]
  const pageSize = header.readUInt16BE(16) === 1 ? 65_536 : header.readUInt16BE(16)
  // The header's page count is valid only if the writer of the change counter wrote it.
  const counted = header.readUInt32BE(24) === header.readUInt32BE(92)
  const expected = counted ? header.readUInt32BE(28) * pageSize : pageSize
  return size < expected ? [cutShort(`${expected} bytes, as its header says`, size)] : []
}

const cutShort = (expected: string, size: number): Finding => ({
  severity: "damage",
  what: "size",
  expected,
  found: `${size} bytes: the file was cut short`,
  advice: `A copy or a transfer may have stopped half-way: take the source again. ${recovery()}`,
})

const journalFindings = (filename: string): ReadonlyArray<Finding> => {
  const wal = sizeOf(`${filename}-wal`)
  const journal = sizeOf(`${filename}-journal`)
  const findings: Array<Finding> = []
  if (wal > 0) {
    findings.push({
      severity: wal > LARGE_WAL_BYTES ? "warning" : "note",
      what: "write-ahead log",
      expected: "none while no process has the log open",
      found: `${wal} bytes in ${path.basename(filename)}-wal`,
      advice:
        wal > LARGE_WAL_BYTES
          ? "A long read by another process keeps it from shrinking: end that process. It then shrinks with the next writes."
          : "If a process has the log open, this is normal. If none has, a process was killed and nothing is lost: " +
            "the file holds acknowledged events, which the next process that writes takes over. Never delete it, and copy it along.",
    })
  }
  if (journal > 0) {
    findings.push({
      severity: "warning",
      what: "rollback journal",
      expected: "none",
      found: `${journal} bytes in ${path.basename(filename)}-journal: a process died while it made the log`,
      advice:
        "Never delete it: the next process that opens the log for writing uses it to roll back the unfinished write.",
    })
  }
  return findings
}

const sizeOf = (filename: string): number => fs.statSync(filename, { throwIfNoEntry: false })?.size ?? 0

const permissionFindings = (filename: string): ReadonlyArray<Finding> => {
  const findings: Array<Finding> = [...opennessFindings(filename)]
  for (const [kind, at] of [
    ["file", filename],
    ["directory", path.dirname(filename)],
  ] as const) {
    if (mayWrite(at)) continue
    findings.push({
      severity: "warning",
      what: "permissions",
      expected: `a ${kind} that this user may write`,
      found: `${at} is read-only`,
      advice:
        "The log can be read but not appended to. Make the file and its directory writable, or work as its owner.",
    })
  }
  return findings
}

const PARTS = ["", "-wal", "-shm", "-journal", ".keys", ".snapshot-key", ".memories", ".segments", ".plugins"]

/** Files of the log that other users may read or write. */
const opennessFindings = (filename: string): ReadonlyArray<Finding> => {
  const target = targetOf(filename)
  const open = PARTS.flatMap((suffix) => {
    const mode = fs.statSync(target + suffix, { throwIfNoEntry: false })?.mode ?? 0
    return (mode & 0o077) === 0 ? [] : [{ file: target + suffix, mode: mode & 0o777 }]
  })
  if (process.platform === "win32" || open.length === 0) return []
  const listed = open.map(({ file, mode }) => `${path.basename(file)} has mode ${mode.toString(8)}`).join(", ")
  const mayWrite = open.some(({ mode }) => (mode & 0o022) !== 0)
  return [
    {
      severity: "warning",
      what: "permissions",
      expected: "files that are for their owner alone, as Hindcast makes them",
      found: `${listed}: other users of this machine may ${mayWrite ? "change" : "read"} the log`,
      advice: `Unless that is intended, run: chmod go= ${open.map(({ file }) => file).join(" ")}`,
    },
  ]
}

const mayWrite = (file: string): boolean => {
  try {
    fs.accessSync(file, fs.constants.W_OK)
    return true
  } catch {
    return false
  }
}

const spaceFindings = (filename: string): ReadonlyArray<Finding> => {
  const { bavail, bsize } = fs.statfsSync(path.dirname(filename))
  const free = bavail * bsize
  if (free >= LITTLE_SPACE_BYTES) return []
  return [
    {
      severity: "warning",
      what: "disk space",
      expected: `at least ${LITTLE_SPACE_BYTES} bytes free`,
      found: `${free} bytes free`,
      advice: "Make room. Appends that no longer fit fail with DiskFull and leave the log as it is.",
    },
  ]
}
