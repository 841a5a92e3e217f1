/** Finds names of a workspace that no recorded file has: a directory restored elsewhere is without them. */

import * as fs from "node:fs"
import type { Tree } from "../model/Entry.ts"

/** Names in the workspace's root, now, below which no tree has a file. */
export const namesIn = (root: string, ...trees: ReadonlyArray<Tree>): ReadonlyArray<string> => {
  const known = new Set(trees.flatMap((tree) => [...tree.keys()].map((file) => file.split("/", 1)[0])))
  const names = fs.existsSync(root) ? fs.readdirSync(root) : []
  return names.filter((name) => !known.has(name) && !OWN.has(name.toLowerCase())).sort()
}

const OWN: ReadonlySet<string> = new Set([".git", ".hindcast"])
