import * as fs from "node:fs"
import { isInside } from "../../manifest/paths.ts"

/** Where something is mounted below a directory of this machine, parents first; not at the directory itself. */
export const mountPointsBelow = (directory: string): ReadonlyArray<string> =>
  mountPoints(fs.readFileSync("/proc/self/mountinfo", "utf8")).filter(
    (point) => point !== directory && isInside(point, directory),
  )

/** The mount points in a table of proc_pid_mountinfo(5): the fifth field, in which blanks are written in octal. */
export const mountPoints = (table: string): ReadonlyArray<string> =>
  table.split("\n").flatMap((line) => {
    const point = line.split(" ")[4]
    return point === undefined ? [] : [unescaped(point)]
  })

const unescaped = (field: string): string =>
  field.replace(/\\([0-7]{3})/g, (_, octal) => String.fromCharCode(parseInt(octal, 8)))

/** How a file system is mounted: a line of fstab(5). */
export interface Mount {
  readonly source: string
  readonly target: string
  readonly type: string
  readonly options: string
}

/** A line of fstab(5) for mount(8), whatever bytes the paths are made of. */
export const fstabLine = ({ source, target, type, options }: Mount): string =>
  `${escaped(source)} ${escaped(target)} ${type} ${options} 0 0`

/** Every byte that could mean something to a reader of fstab(5) is written in octal. */
const escaped = (place: string): string =>
  [...Buffer.from(place, "utf8")]
    .map((byte) =>
      /[\w/.-]/.test(String.fromCharCode(byte)) ? String.fromCharCode(byte) : `\\${byte.toString(8).padStart(3, "0")}`,
    )
    .join("")
