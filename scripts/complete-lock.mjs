/**
 * `node scripts/complete-lock.mjs [DIRECTORY]`: adds optional packages of other platforms, which npm left out, to a
 * directory's package-lock.json, with the registry's `integrity`, so that `npm ci` refuses other bytes on every
 * platform. `npm ci` of npm 11 refuses a lock without them. Run it after `npm install`. Default: the repository's own
 * lock; `bench/peers` has another.
 */
import { execFile } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"

const directory = process.argv[2] ?? fileURLToPath(new URL("..", import.meta.url))
const file = path.join(directory, "package-lock.json")
const lock = JSON.parse(fs.readFileSync(file, "utf8"))

const OS = /(?:^|[-/])(android|darwin|freebsd|linux|netbsd|openbsd|openharmony|sunos|win32|aix)(?:[-.]|$)/
const CPU = /-(arm64|arm|x64|ia32|loong64|mips64el|ppc64|riscv64|s390x)(?:[-.]|$)/

const libcOf = (name) => (name.includes("musl") ? "musl" : /-(gnu|glibc)$/.test(name) ? "glibc" : undefined)

let added = 0
for (const [path, found] of Object.entries(lock.packages)) {
  for (const [name, version] of Object.entries(found.optionalDependencies ?? {})) {
    const known = [`${path}/node_modules/${name}`, `node_modules/${name}`].some((key) => key in lock.packages)
    if (known || !/^\d/.test(version)) continue
    const [os, cpu, libc] = [OS.exec(name)?.[1], CPU.exec(name)?.[1], libcOf(name)]
    lock.packages[`node_modules/${name}`] = {
      version,
      ...(cpu === undefined ? {} : { cpu: [cpu] }),
      ...(found.dev === true ? { dev: true } : {}),
      optional: true,
      ...(os === undefined ? {} : { os: [os] }),
      ...(libc === undefined ? {} : { libc: [libc] }),
    }
    added += 1
  }
}

const run = promisify(execFile)

/** A release's integrity in the registry. Undefined if the registry does not have the release. */
const integrityOf = async (release) => {
  const { stdout } = await run("npm", ["view", release, "dist.integrity"], { encoding: "utf8" }).catch(() => ({
    stdout: "",
  }))
  return /^sha512-\S+$/.test(stdout.trim()) ? stdout.trim() : undefined
}

/** Concurrent requests to the registry. */
const AT_ONCE = 4

const isInstalled = ([place, found]) => place.includes("node_modules/") && found.link !== true
const without = Object.entries(lock.packages).filter((entry) => isInstalled(entry) && entry[1].integrity === undefined)
const missing = []
for (let first = 0; first < without.length; first += AT_ONCE) {
  const asked = without.slice(first, first + AT_ONCE).map(async ([place, found]) => {
    const name = found.name ?? place.slice(place.lastIndexOf("node_modules/") + "node_modules/".length)
    const integrity = await integrityOf(`${name}@${found.version}`)
    if (integrity === undefined) return missing.push(`${name}@${found.version}`)
    const { version, ...rest } = found
    lock.packages[place] = { version, integrity, ...rest }
  })
  await Promise.all(asked)
}

const byName = ([a], [b]) => (a === "" ? -1 : b === "" ? 1 : a.localeCompare(b, "en"))
lock.packages = Object.fromEntries(Object.entries(lock.packages).sort(byName))
fs.writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`)
process.stdout.write(`${added} added, ${without.length - missing.length} with a new integrity\n`)
if (missing.length > 0) {
  process.stderr.write(
    `The registry states no integrity for ${missing.join(", ")}. Try again, or install another version.\n`,
  )
  process.exitCode = 1
}
