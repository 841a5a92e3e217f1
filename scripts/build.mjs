/**
 * `node scripts/build.mjs [--force]`: builds `dist/`, unless it is up to date. `npm run build` and `prepare` run it,
 * and the tests before they start the built program (`test/build.ts`).
 *
 * `dist/built` holds the digest of the build's inputs. A build writes it last: without it, `dist/` is incomplete or
 * older than this script, and is rebuilt.
 */
import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("..", import.meta.url))
const dist = path.join(root, "dist")
const stamp = path.join(dist, "built")

/** A build's inputs. The build includes digests of plugins, packages and examples. */
const SOURCES = [
  ...[
    "src",
    "plugins",
    "packages",
    "examples/plugins",
    "examples/PackageFiles.ts",
    "examples/demo",
    "examples/season",
    "scripts",
    "python/src",
    "python/README.md",
  ],
  ...["package.json", "package-lock.json", "tsconfig.json"],
  ...["tsconfig.build.json", "tsconfig.library.json", "tsconfig.examples.json"],
]

/** Made by a build or npm inside the sources. */
const MADE = new Set(["vendor", "node_modules", "__pycache__"])

/**
 * TypeScript 7 writes the same modules as 5.9 in a third of the time. `npm run check` checks types with 5.9, as users
 * do.
 */
const STEPS = [
  ["node_modules/typescript-7/bin/tsc", "-b", "tsconfig.build.json", "--force"],
  ["scripts/source-maps.mjs"],
  ["packages/python/vendor.mjs"],
  ["packages/worlds/vendor.mjs"],
  ["scripts/shipped.mjs"],
  ["scripts/bundle.mjs"],
  ["scripts/studio.mjs"],
  ["scripts/wheel.mjs"],
]

/** A source's files from the repository's root, in the same order on every machine. */
const filesOf = (source) =>
  fs.statSync(path.join(root, source)).isDirectory()
    ? fs
        .readdirSync(path.join(root, source))
        .filter((name) => !MADE.has(name))
        .sort()
        .flatMap((name) => filesOf(`${source}/${name}`))
    : [source]

const digestOfSources = () => {
  const digest = createHash("sha256")
  for (const file of SOURCES.flatMap(filesOf)) {
    const contents = fs.readFileSync(path.join(root, file))
    digest.update(`${file}\0${contents.length}\0`).update(contents)
  }
  return digest.digest("hex")
}

const isBuiltFrom = (digest) =>
  MADE_OUTSIDE.every((file) => fs.existsSync(path.join(root, file))) &&
  fs.existsSync(stamp) &&
  fs.readFileSync(stamp, "utf8") === digest

/** Made outside of `dist/`. */
const MADE_OUTSIDE = ["packages/python/vendor", "packages/worlds/physics/vendor"]

const build = (force) => {
  if (!force && isBuiltFrom(digestOfSources())) return
  const unlock = lock()
  // Another process may have built meanwhile.
  const digest = digestOfSources()
  if (!force && isBuiltFrom(digest)) return unlock()
  // Removes what was built from deleted sources.
  fs.rmSync(dist, { recursive: true, force: true })
  for (const step of STEPS) {
    const { status, error } = spawnSync(process.execPath, step, { cwd: root, stdio: "inherit" })
    if (status !== 0) {
      console.error(`dist/ cannot be built: ${step.join(" ")} ${error?.message ?? "failed, as it says above"}`)
      unlock()
      process.exit(1)
    }
  }
  // A source written meanwhile is not in this digest, so the next build runs again.
  fs.writeFileSync(stamp, digest)
  unlock()
}

const LOCK = path.join(root, "node_modules", ".cache", "hindcast-build.lock")

/**
 * Waits until no other process builds, since two builds would mix their files in `dist/`. A lock whose process has
 * ended is ignored. Returns the function that unlocks.
 */
const lock = () => {
  fs.mkdirSync(path.dirname(LOCK), { recursive: true })
  for (let waited = false; ; waited = true) {
    try {
      fs.writeFileSync(LOCK, String(process.pid), { flag: "wx" })
      return () => fs.rmSync(LOCK, { force: true })
    } catch (cause) {
      if (cause.code !== "EEXIST") throw cause
    }
    const holder = holderOf(LOCK)
    if (holder === undefined) fs.rmSync(LOCK, { force: true })
    else if (!waited) console.error(`Waiting for process ${holder}, which builds dist/.`)
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200)
  }
}

/** The live process that holds the lock. The file is empty for an instant after its creation. */
const holderOf = (file) => {
  try {
    const { mtimeMs } = fs.statSync(file)
    const pid = Number(fs.readFileSync(file, "utf8"))
    if (pid === 0) return Date.now() - mtimeMs < 10_000 ? "that has just begun" : undefined
    process.kill(pid, 0)
    return pid
  } catch (cause) {
    return cause.code === "EPERM" ? "of another user" : undefined
  }
}

build(process.argv.includes("--force"))
