/** Reads the kernel's mount table, and writes lines of fstab(5). */
import * as fs from "node:fs"
import { isInside } from "../../manifest/paths.ts"

/** Mount points below a directory, parents first, without the directory itself. */
export const mountPointsBelow = (directory: string): ReadonlyArray<string> =>
  mountPoints(fs.readFileSync("/proc/self/mountinfo", "utf8")).filter(
    (point) => point !== directory && isInside(point, directory),
  )

/** Parses a table of proc_pid_mountinfo(5): the fifth field, with blanks escaped in octal. */
export const mountPoints = (table: string): ReadonlyArray<string> =>
  table.split("\n").flatMap((line) => {
    const point = line.split(" ")[4]
    return point === undefined ? [] : [unescaped(point)]
  })

const unescaped = (field: string): string =>
  field.replace(/\\([0-7]{3})/g, (_, octal) => String.fromCharCode(parseInt(octal, 8)))

/** A line of fstab(5). */
export interface Mount {
  readonly source: string
  readonly target: string
  readonly type: string
  readonly options: string
}

/** Formats a line of fstab(5) for mount(8). Paths may contain any bytes. */
export const fstabLine = ({ source, target, type, options }: Mount): string =>
  `${escaped(source)} ${escaped(target)} ${type} ${options} 0 0`

/** Escapes, in octal, every byte with a possible meaning in fstab(5). */
const escaped = (place: string): string =>
  [...Buffer.from(place, "utf8")]
    .map((byte) =>
      /[\w/.-]/.test(String.fromCharCode(byte)) ? String.fromCharCode(byte) : `\\${byte.toString(8).padStart(3, "0")}`,
    )
    .join("")
