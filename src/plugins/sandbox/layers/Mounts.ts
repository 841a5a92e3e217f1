/** Reads mount points from the kernel's mount table, and writes lines of fstab(5). */
import * as fs from "node:fs"
import { isInside } from "../../manifest/paths.ts"

/** The mount points below a directory of this machine, parents first, without the directory itself. */
export const mountPointsBelow = (directory: string): ReadonlyArray<string> =>
  mountPoints(fs.readFileSync("/proc/self/mountinfo", "utf8")).filter(
    (point) => point !== directory && isInside(point, directory),
  )

/**
 * The mount points in a table of proc_pid_mountinfo(5). They are the fifth field, in which blanks are escaped in octal.
 */
export const mountPoints = (table: string): ReadonlyArray<string> =>
  table.split("\n").flatMap((line) => {
    const point = line.split(" ")[4]
    return point === undefined ? [] : [unescaped(point)]
  })

const unescaped = (field: string): string =>
  field.replace(/\\([0-7]{3})/g, (_, octal) => String.fromCharCode(parseInt(octal, 8)))

/** One mount: a line of fstab(5). */
export interface Mount {
  readonly source: string
  readonly target: string
  readonly type: string
  readonly options: string
}

/** Formats a line of fstab(5) for mount(8). The paths may contain any bytes. */
export const fstabLine = ({ source, target, type, options }: Mount): string =>
  `${escaped(source)} ${escaped(target)} ${type} ${options} 0 0`

/** Escapes, in octal, every byte that could have a meaning in fstab(5). */
const escaped = (place: string): string =>
  [...Buffer.from(place, "utf8")]
    .map((byte) =>
      /[\w/.-]/.test(String.fromCharCode(byte)) ? String.fromCharCode(byte) : `\\${byte.toString(8).padStart(3, "0")}`,
    )
    .join("")
