/** A program in a container, as far as the machine has any: with process ids and a name of the machine of its own. */
import { spawnSync } from "node:child_process"

const SEPARATE = ["--pid", "--fork", "--kill-child", "--uts", "--mount-proc"]

/** As root, or as a user who may make namespaces; undefined where neither is possible. */
const UNSHARE = [SEPARATE, ["--user", "--map-root-user", ...SEPARATE]].find(
  (flags) => spawnSync("unshare", [...flags, "hostname", "trial"]).status === 0,
)

/**
 * The command line that runs a program of Node in a container of its own, under a machine's name. Where the machine has no
 * containers, it runs as any other process.
 */
export const inContainer = (name: string, ...program: ReadonlyArray<string>): readonly [string, Array<string>] =>
  UNSHARE === undefined
    ? [process.execPath, [...program]]
    : ["unshare", [...UNSHARE, "sh", "-c", `hostname ${name}; exec "$@"`, "sh", process.execPath, ...program]]
