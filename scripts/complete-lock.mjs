/**
 * `node scripts/complete-lock.mjs [DIRECTORY]`: adds to a directory's package-lock.json the optional packages of other
 * platforms that the lock's packages name and the registry did not serve. `npm ci` of npm 11 refuses a lock without them.
 * Run it after `npm install`. Default: the repository's own lock; `bench/peers` has another.
 */
import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath } from "node:url"

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
const byName = ([a], [b]) => (a === "" ? -1 : b === "" ? 1 : a.localeCompare(b, "en"))
lock.packages = Object.fromEntries(Object.entries(lock.packages).sort(byName))
fs.writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`)
process.stdout.write(`${added} added\n`)
