import { randomBytes } from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import * as stream from "node:stream/consumers"
import * as zlib from "node:zlib"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as tar from "tar"
import { EventLog } from "../../src/events/log/EventLog.ts"
import * as PostgresLayer from "../../src/events/postgres/layer.ts"
import { pathOf } from "../../src/kernel/registry/copies/PluginCopies.ts"
import * as Registry from "../../src/kernel/registry/Registry.ts"
import * as Manifest from "../../src/plugins/manifest/Manifest.ts"
import { PluginUnavailable } from "../../src/plugins/PluginError.ts"
import * as Projector from "../../src/projections/projector/Projector.ts"
import { document, hindcast } from "../cli/hindcast.ts"
import { write } from "../kernel/registries.ts"
import { inRepository } from "../repository.ts"
import { temporaryDirectory } from "../temporary.ts"
import { server } from "./cluster.ts"
import { schema, sql, urlOf } from "./server.ts"

/** A log on the server, a plugin's source, and machines: each a directory of copies, with one user. */
const place = Effect.gen(function* () {
  const base = yield* temporaryDirectory
  const name = yield* schema
  const url = yield* Effect.promise(() => urlOf(name))
  const copiesOf = (machine: string) => path.join(base, machine, "copies")
  const on = (machine: string) =>
    Layer.fresh(
      Registry.layer({ directory: copiesOf(machine), workspace: base }).pipe(
        Layer.provideMerge(Projector.layer),
        Layer.provideMerge(PostgresLayer.layer({ url })),
      ),
    )
  const source = write(path.join(base, "source"), { files: { "inner/@tool.sh": "#!/bin/sh\n", "data.txt": "data" } })
  fs.chmodSync(path.join(source, "inner/@tool.sh"), 0o755)
  return { base, name, copiesOf, on, source }
})

type Place = Effect.Effect.Success<typeof place>

const importing = (source: string) => Effect.flatMap(Registry.Registry, (registry) => registry.import(source))

const installed = Effect.flatMap(Registry.Registry, (registry) => registry.installed("sample"))

const stored = Effect.flatMap(EventLog, (log) => log.readPage({ types: ["PluginFilesStored"] }, 100))

/** Why a machine without a copy does not start the plugin whose files the log has in another form. */
const refusal = ({ copiesOf, on, source }: Place, archive: Buffer, piece: { part?: number; of?: number } = {}) =>
  Effect.gen(function* () {
    const { digest } = yield* Manifest.load(source, {})
    yield* Effect.gen(function* () {
      const content = archive.toString("base64")
      const payload = { plugin: "sample", digest, part: 1, of: 1, content, ...piece }
      const log = yield* EventLog
      yield* log.append({
        stream: `plugin-files/${digest}`,
        actor: "human:eve",
        events: [{ type: "PluginFilesStored", payload }],
      })
      yield* importing(source)
      expect(yield* stored).toHaveLength(1)
    }).pipe(Effect.provide(on("a")))
    const error = yield* Effect.flip(installed).pipe(Effect.provide(on("b")))
    expect(error).toBeInstanceOf(PluginUnavailable)
    expect(error.message).toContain(`Import it again from ${source}`)
    expect(fs.existsSync(pathOf(copiesOf("b"), "sample", digest))).toBe(false)
    // The machine that imported it goes on.
    yield* Effect.provide(installed, on("a"))
    return error.message
  })

const packed = (cwd: string, names: ReadonlyArray<string>) =>
  Effect.promise(() => stream.buffer(tar.create({ cwd, gzip: true }, [...names])))

/** The bytes of a tar file with one entry, which no tool would write. */
const entry = (header: Partial<tar.HeaderData>, content = ""): Buffer => {
  const block = Buffer.alloc(512)
  const bytes = Buffer.from(content)
  new tar.Header({ path: "x", mode: 0o644, size: bytes.length, type: "File", ...header }).encode(block)
  return Buffer.concat([block, bytes, Buffer.alloc((512 - (bytes.length % 512)) % 512), Buffer.alloc(1024)])
}

describe("plugins' copies in a log on a server", () => {
  it.scopedLive("are stored once for each digest, and taken by a machine that has none", () =>
    Effect.gen(function* () {
      const made = yield* place
      const { digest } = yield* Effect.provide(
        Effect.gen(function* () {
          yield* importing(made.source)
          return yield* importing(made.source)
        }),
        made.on("a"),
      )
      yield* Effect.gen(function* () {
        const found = yield* installed
        expect(found.digest).toBe(digest)
        expect(found.directory).toBe(pathOf(made.copiesOf("b"), "sample", digest))
        expect(fs.readFileSync(path.join(found.directory, "data.txt"), "utf8")).toBe("data")
        expect(fs.statSync(path.join(found.directory, "inner/@tool.sh")).mode & 0o777).toBe(0o700)
        expect(fs.statSync(path.join(found.directory, "data.txt")).mode & 0o777).toBe(0o600)
        expect(yield* stored).toMatchObject([{ payload: { plugin: "sample", digest, part: 1, of: 1 } }])
        expect(yield* (yield* EventLog).verify).toMatchObject({ _tag: "Intact" })
        // A copy that somebody changed is not replaced in silence.
        fs.writeFileSync(path.join(found.directory, "data.txt"), "other")
        expect(yield* Effect.flip(installed)).toMatchObject({ _tag: "CopyChanged", found: "changed files" })
      }).pipe(Effect.provide(made.on("b")))
      write(made.source, { version: "2.0.0" })
      const second = yield* Effect.provide(importing(made.source), made.on("b"))
      expect(yield* Effect.provide(installed, made.on("a"))).toMatchObject({ digest: second.digest })
      expect(yield* Effect.provide(stored, made.on("a"))).toHaveLength(2)
    }),
  )

  it.scopedLive("come in several pieces, or not at all if they are too large", () =>
    Effect.gen(function* () {
      const made = yield* place
      fs.writeFileSync(path.join(made.source, "data.txt"), randomBytes(5 * 1024 * 1024))
      yield* Effect.provide(importing(made.source), made.on("a"))
      const { digest } = yield* Effect.provide(installed, made.on("b"))
      expect(yield* Effect.provide(stored, made.on("b"))).toMatchObject([
        { payload: { digest, part: 1, of: 2 } },
        { payload: { digest, part: 2, of: 2 } },
      ])
      fs.writeFileSync(path.join(made.source, "data.txt"), randomBytes(17 * 1024 * 1024))
      yield* Effect.provide(importing(made.source), made.on("a"))
      expect(yield* Effect.provide(stored, made.on("a"))).toHaveLength(2)
      const error = yield* Effect.flip(Effect.provide(installed, made.on("b")))
      expect(error.message).toContain("expected its copy in")
      expect(error.message).toContain(`Import it again from ${made.source}`)
    }),
  )

  it.scopedLive("are refused with files of another digest", () =>
    Effect.gen(function* () {
      const made = yield* place
      const other = write(path.join(made.base, "other"), { version: "6.6.6" })
      const message = yield* refusal(made, yield* packed(other, fs.readdirSync(other)))
      expect(message).toMatch(/expected the files of [0-9a-f]{16} in the log, found others/)
    }),
  )

  it.scopedLive("are refused with paths and links that lead out, and with what is no archive", () =>
    Effect.gen(function* () {
      for (const [archive, reason] of [
        [entry({ path: "../out.txt" }, "x"), '"../out.txt": expected a path without "." and ".."'],
        [entry({ path: "/out.txt" }, "x"), '"/out.txt": expected a relative path, found an absolute one'],
        [entry({ path: "link", type: "SymbolicLink", linkpath: "/etc/passwd", size: 0 }), "found a link to"],
        [entry({ path: "link", type: "Link", linkpath: "main.ts", size: 0 }), "found a hard link to"],
        [entry({ path: "pipe", type: "FIFO", size: 0 }), "found a pipe"],
        [entry({ path: "data.txt" }, "x"), "expected looper-plugin.json"],
        [randomBytes(5000), "expected a tar archive"],
        [zlib.gzipSync(Buffer.alloc(200 * 1024 * 1024)), "bytes when unpacked, found more"],
        [Buffer.alloc(0), "cannot be used"],
      ] as const) {
        const made = yield* place
        expect(yield* refusal(made, archive)).toContain(reason)
        expect(fs.existsSync(path.join(made.base, "out.txt"))).toBe(false)
      }
    }),
  )

  it.scopedLive("are refused with pieces that are missing, or too many", () =>
    Effect.gen(function* () {
      for (const piece of [{ part: 2 }, { of: 2 }, { part: 3, of: 1_000_000 }]) {
        const made = yield* place
        const archive = yield* packed(made.source, fs.readdirSync(made.source))
        expect(yield* refusal(made, archive, piece)).toContain("found another number of pieces")
      }
    }),
  )

  it.scopedLive("are refused with a blob that was changed past the log", () =>
    Effect.gen(function* () {
      const made = yield* place
      fs.writeFileSync(path.join(made.source, "data.txt"), randomBytes(300_000))
      const { digest } = yield* Effect.provide(importing(made.source), made.on("a"))
      yield* Effect.promise(() =>
        sql(
          `BEGIN; SET LOCAL session_replication_role = replica; UPDATE ${made.name}.blobs SET content = replace(content, 'A', 'B'); COMMIT`,
        ),
      )
      yield* Effect.flip(Effect.provide(installed, made.on("b")))
      expect(fs.existsSync(pathOf(made.copiesOf("b"), "sample", digest))).toBe(false)
      expect(
        yield* Effect.provide(
          Effect.flatMap(EventLog, (log) => log.verify),
          made.on("b"),
        ),
      ).toMatchObject({
        _tag: "Tampered",
      })
    }),
  )

  it.scopedLive("start for a user elsewhere who trusted the log, up to the digests that it had then", () =>
    Effect.gen(function* () {
      const base = yield* temporaryDirectory
      const name = yield* schema
      yield* Effect.promise(async () => {
        const given = new URL((await server()).url)
        const password = decodeURIComponent(given.password)
        given.password = ""
        const room = path.join(base, "room")
        fs.cpSync(inRepository("plugins", "text-room"), room, { recursive: true })
        const machine = (state: string) => ({
          env: {
            PGPASSWORD: password,
            HINDCAST_STATE: path.join(base, state),
            HINDCAST_LOG: `${given.href}?schema=${name}`,
          },
        })
        const [here, there] = [machine("here"), machine("there")]
        fs.mkdirSync(path.join(base, "there"))
        const work = ["run", "--agent", inRepository("examples", "agents", "wanderer.mjs"), "--goal", "win"]
        const step = [...work, "--gate", "allow", "--max-steps", "2"]
        expect(await hindcast([...step, "--plugin", room], here)).toMatchObject({ code: 0 })
        const foreign = await hindcast(step, there)
        expect(foreign).toMatchObject({ code: 1 })
        expect(foreign.stderr).toContain("your own store has no record that you began it on this machine")
        const [{ digest }] = (await document(["plugin", "ls"], here)).plugins as [{ digest: string }]
        const copies = () =>
          fs
            .readdirSync(path.join(base, "there"), { recursive: true, encoding: "utf8" })
            .filter((file) => /^servers.[0-9a-f]{32}\.plugins.text-room-[0-9a-f]{16}$/.test(file))
        expect(copies()).toEqual([])
        expect(await hindcast([...step, "--trust-log"], there)).toMatchObject({ code: 0 })
        expect(copies()).toHaveLength(1)
        expect(copies()[0]).toContain(digest.slice(0, 16))

        // Other code, imported elsewhere, is a stranger again.
        fs.appendFileSync(path.join(room, "README.md"), "\nother\n")
        expect(await hindcast(["plugin", "add", room], here)).toMatchObject({ code: 0 })
        const refused = await hindcast(step, there)
        expect(refused.code).not.toBe(0)
        expect(`${refused.stdout}${refused.stderr}`).toContain(
          "your own store does not know that you installed this code",
        )
        expect(copies()).toHaveLength(1)
        expect(await hindcast(step, here)).toMatchObject({ code: 0 })
      })
    }),
  )
})
