/** Base backups of a test's own server, framed by the server's own functions: what replicas and recoveries start from. */
import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { Effect } from "effect"
import pg from "pg"
import { control, own } from "./cluster.ts"

/** A server of a test's own. */
export interface OwnServer {
  readonly url: string
  readonly directory: string
}

/** A connection past any log. It goes with the scope. */
export const clientAt = (url: string) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const client = new pg.Client({ connectionString: url })
      client.on("error", () => {})
      await client.connect()
      return client
    }),
    (client) => Effect.promise(() => client.end().catch(() => {})),
  )

/** Adds settings, which a server reads when it starts. */
export const configure = (place: string, lines: ReadonlyArray<string>) =>
  fs.appendFileSync(path.join(place, "data", "postgresql.auto.conf"), `${lines.join("\n")}\n`)

/** Copies a running server's files to `place`, from where another server can start, after settings and `signal`. */
export const baseBackup = (server: OwnServer, place: string) =>
  Effect.acquireRelease(
    Effect.gen(function* () {
      const data = path.join(place, "data")
      const client = yield* clientAt(server.url)
      yield* Effect.promise(async () => {
        await client.query("SELECT pg_backup_start('test', true)")
        fs.mkdirSync(place)
        fs.cpSync(path.join(server.directory, "data"), data, { recursive: true })
        const { rows } = await client.query("SELECT labelfile FROM pg_backup_stop(false)")
        fs.writeFileSync(path.join(data, "backup_label"), rows[0].labelfile)
      })
      for (const name of ["postmaster.pid", "postmaster.opts"]) fs.rmSync(path.join(data, name), { force: true })
      fs.chmodSync(data, 0o700)
      own(place)
      return place
    }),
    () =>
      Effect.sync(() => {
        if (fs.existsSync(path.join(place, "data", "postmaster.pid"))) control(place, "stop", "immediate")
        fs.rmSync(place, { recursive: true, force: true })
      }),
  )

/** Starts a server from a base backup, as a standby or in recovery. */
export const startFrom = (
  server: OwnServer,
  place: string,
  signal: "standby.signal" | "recovery.signal",
  settings: ReadonlyArray<string>,
) =>
  Effect.sync(() => {
    fs.writeFileSync(path.join(place, "data", signal), "")
    configure(place, settings)
    const { uid, gid } = fs.statSync(path.join(server.directory, "data"))
    execFileSync("chown", ["-R", `${uid}:${gid}`, place])
    control(place, "start")
  })
