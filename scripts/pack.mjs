/**
 * `node scripts/pack.mjs FILE`: packs the build as npm would publish it, and prints its size. Part of
 * `npm run check:package`, in which `publint` and `attw` examine the package.
 */
import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"

const file = path.resolve(process.argv[2])
const directory = path.dirname(file)
fs.mkdirSync(directory, { recursive: true })
const args = ["pack", "--json", "--ignore-scripts", "--pack-destination", directory]
const [{ filename, size, unpackedSize }] = JSON.parse(execFileSync("npm", args, { encoding: "utf8" }))
fs.renameSync(path.join(directory, filename), file)
const megabytes = (bytes) => (bytes / 1e6).toFixed(1)
process.stdout.write(`the package: ${megabytes(size)} MB packed, ${megabytes(unpackedSize)} MB unpacked\n`)
