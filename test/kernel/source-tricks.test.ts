import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import * as net from "node:net"
import * as path from "node:path"
import * as zlib from "node:zlib"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as tar from "tar"
import { EventLog } from "../../src/events/log/EventLog.ts"
import * as PluginCopies from "../../src/kernel/registry/copies/PluginCopies.ts"
import type { Registry } from "../../src/kernel/registry/Registry.ts"
import { issuesOf, LIMITS } from "../../src/kernel/registry/SourceLimits.ts"
import * as Manifest from "../../src/plugins/manifest/Manifest.ts"
import { temporaryDirectory } from "../temporary.ts"
import { filesOf, types, withRegistry, write } from "./registries.ts"

/** What importing says, where it is refused as it should be: nothing recorded, nothing copied. */
const refusal = (registry: Registry.Service, source: string, copies: string) =>
  Effect.gen(function* () {
    const error = yield* Effect.flip(registry.import(source))
    expect(error._tag).toBe("SourceRefused")
    expect(yield* types).toEqual([])
    expect(fs.existsSync(copies)).toBe(false)
    return error.message
  })

/** Puts something into a plugin's directory, and expects that importing it is refused for these reasons. */
const inDirectory = (
  put: (directory: string, base: string) => void,
  ...reasons: ReadonlyArray<string>
): Effect.Effect<void, unknown> =>
  withRegistry((registry, { base, copies, source }) =>
    Effect.gen(function* () {
      const directory = source()
      put(directory, base)
      const message = yield* refusal(registry, directory, copies)
      for (const reason of reasons) expect(message).toContain(reason)
    }),
  )

describe("a directory with a plugin", () => {
  it.live("is refused with links that lead out, to nothing, in a circle or to a directory, all named at once", () =>
    inDirectory(
      (directory, base) => {
        const link = (name: string, target: string) => fs.symlinkSync(target, path.join(directory, name))
        fs.writeFileSync(path.join(base, "secret"), "secret")
        fs.mkdirSync(path.join(directory, "inner"))
        link("out", path.join(base, "secret"))
        link("up", "../secret")
        link("nothing", "nowhere")
        link("a", "b")
        link("b", "a")
        link("self", ".")
        link("directory", "inner")
        link("node_modules", "/etc")
      },
      '"out": expected a file, found a link that leads out of the plugin',
      '"up": expected a file, found a link that leads out of the plugin',
      '"nothing": expected a file, found a link to nothing or in a circle',
      '"a": expected a file, found a link to nothing or in a circle',
      '"self": expected a file, found a link to a directory',
      '"directory": expected a file, found a link to a directory',
      '"node_modules": expected a file, found a link that leads out of the plugin',
    ),
  )

  it.live("may have a link to a file of its own: it counts as that file", () =>
    withRegistry((registry, { source }) =>
      Effect.gen(function* () {
        const directory = source()
        fs.symlinkSync("main.ts", path.join(directory, "again.ts"))
        const imported = yield* registry.import(directory)
        expect(fs.lstatSync(path.join(imported.directory, "again.ts")).isFile()).toBe(true)
      }),
    ),
  )

  it.live("is refused with pipes, sockets and links to devices, without waiting for any of them", () =>
    withRegistry((registry, { copies, source }) =>
      Effect.gen(function* () {
        const directory = source()
        execFileSync("mkfifo", [path.join(directory, "pipe")])
        fs.symlinkSync("/dev/zero", path.join(directory, "zero"))
        const server = net.createServer()
        yield* Effect.acquireRelease(
          Effect.async<void>((resume) => {
            server.listen(path.join(directory, "socket"), () => resume(Effect.void))
          }),
          () => Effect.sync(() => server.close()),
        )
        const message = yield* refusal(registry, directory, copies)
        expect(message).toContain('"pipe": expected a file, found a pipe')
        expect(message).toContain('"socket": expected a file, found a socket')
        expect(message).toContain('"zero": expected a file, found a link that leads out of the plugin')
      }).pipe(Effect.scoped),
    ),
  )

  it.live("is refused with a pipe in the manifest's or the entry's place", () =>
    inDirectory((directory) => {
      for (const file of ["looper-plugin.json", "main.ts"]) {
        fs.rmSync(path.join(directory, file))
        execFileSync("mkfifo", [path.join(directory, file)])
      }
    }, '"looper-plugin.json": expected a file, found a pipe'),
  )

  it.live("a plugin with a pipe in the manifest's place is not waited for by whoever only loads it", () =>
    Effect.gen(function* () {
      const directory = write(path.join(yield* temporaryDirectory, "source"))
      fs.rmSync(path.join(directory, "looper-plugin.json"))
      execFileSync("mkfifo", [path.join(directory, "looper-plugin.json")])
      expect((yield* Effect.flip(Manifest.load(directory))).message).toContain("something other than a file")
    }).pipe(Effect.scoped),
  )

  it.live("is refused with names that only seem to be what they are", () =>
    inDirectory(
      (directory) => {
        const dots = path.join(directory, "\uff0e\uff0e")
        fs.mkdirSync(dots)
        fs.writeFileSync(path.join(dots, "x.ts"), "")
        for (const name of ["a\nb.ts", "a\u202egnp.ts", "a\u200bb.ts", "a\\b.ts", "a\uff0fb.ts"]) {
          fs.writeFileSync(path.join(directory, name), "")
        }
        fs.writeFileSync(Buffer.concat([Buffer.from(`${directory}/`), Buffer.from([0x61, 0xff])]), "")
      },
      'a character that only looks like "."',
      '"a\\nb.ts": expected a plain name, found a control character or a line break',
      "changes the direction of writing",
      'expected "/" between names',
      "found bytes that are not UTF-8",
    ),
  )

  it.live("is refused with names that are one name where case, or Unicode's forms, do not count", () =>
    inDirectory(
      (directory) => {
        for (const name of ["Main.ts", "caf\u00e9.ts", "cafe\u0301.ts", "\ufb01le.ts", "file.ts"]) {
          fs.writeFileSync(path.join(directory, name), "")
        }
        for (const name of ["Lib", "lib"]) {
          fs.mkdirSync(path.join(directory, name))
          fs.writeFileSync(path.join(directory, name, `${name}.ts`), "")
        }
      },
      "main.ts",
      "caf\u00e9.ts",
      "\ufb01le.ts",
      '"Lib" and "lib"',
    ),
  )

  it.live("is refused where it is absurdly large, deep or long-winded, without being read", () =>
    inDirectory(
      (directory) => {
        fs.truncateSync(path.join(directory, "main.ts"), LIMITS.bytes + 1)
        fs.truncateSync(path.join(directory, "looper-plugin.json"), LIMITS.manifestBytes + 1)
        fs.writeFileSync(path.join(directory, "hindcast-plugin.json"), "")
        fs.truncateSync(path.join(directory, "hindcast-plugin.json"), LIMITS.manifestBytes + 2)
        fs.mkdirSync(path.join(directory, ...Array.from({ length: LIMITS.depth + 1 }, () => "d")), { recursive: true })
      },
      `expected at most ${LIMITS.bytes} bytes in all`,
      `looper-plugin.json: expected at most ${LIMITS.manifestBytes} bytes`,
      `hindcast-plugin.json: expected at most ${LIMITS.manifestBytes} bytes, found ${LIMITS.manifestBytes + 2}`,
      `expected at most ${LIMITS.depth} directories within each other`,
    ),
  )

  it("a plugin of too many files is refused", () => {
    const files = Array.from({ length: LIMITS.files + 1 }, (_, index) => ({ path: `f${index}`, size: 0 }))
    expect(issuesOf(files)).toEqual([`expected at most ${LIMITS.files} files, found more`])
    expect(issuesOf(files.slice(1))).toEqual([])
  })

  it.live("a directory that changes while it is copied is not installed", () =>
    Effect.gen(function* () {
      const base = yield* temporaryDirectory
      const directory = write(path.join(base, "source"))
      const loaded = yield* Manifest.load(directory)
      fs.writeFileSync(path.join(directory, "main.ts"), "export default { sensors: {} }")
      const { message } = yield* Effect.flip(PluginCopies.keep(path.join(base, "copies"), loaded))
      expect(message).toContain(`its files in ${directory} changed while they were copied`)
      expect(fs.readdirSync(path.join(base, "copies"))).toEqual([])
    }).pipe(Effect.scoped),
  )
})

type Entry = Partial<tar.HeaderData> & { readonly path: string; readonly content?: string }

/** An archive, byte by byte: with entries that no tool would make. */
const archive = (...entries: ReadonlyArray<Entry>): Buffer =>
  zlib.gzipSync(
    Buffer.concat([
      ...entries.flatMap(({ content = "", ...entry }) => {
        const header = Buffer.alloc(512)
        const size = Buffer.byteLength(content)
        new tar.Header({ type: "File", mode: 0o644, size, mtime: new Date(0), ...entry }).encode(header)
        return [header, Buffer.from(content), Buffer.alloc((512 - (size % 512)) % 512)]
      }),
      Buffer.alloc(1024),
    ]),
  )

const sample: ReadonlyArray<Entry> = Object.entries(filesOf()).map(([path, content]) => ({ path, content }))

const inArchive = (entries: ReadonlyArray<Entry>, ...reasons: ReadonlyArray<string>) =>
  withRegistry((registry, { base, copies }) =>
    Effect.gen(function* () {
      const file = path.join(base, "sample.tgz")
      fs.writeFileSync(file, archive(...sample, ...entries))
      const message = yield* refusal(registry, file, copies)
      for (const reason of reasons) expect(message).toContain(reason)
      expect(fs.existsSync(path.join(base, "escaped"))).toBe(false)
      expect(fs.existsSync("/tmp/hindcast-escaped")).toBe(false)
    }),
  )

describe("an archive with a plugin", () => {
  it.live("is refused with paths that lead out of it, all named at once", () =>
    inArchive(
      [
        { path: "../escaped", content: "x" },
        { path: "a/../../escaped", content: "x" },
        { path: "/tmp/hindcast-escaped", content: "x" },
        { path: "C:/escaped", content: "x" },
        { path: "a\\..\\escaped", content: "x" },
        { path: "\uff0e\uff0e/escaped", content: "x" },
        { path: "a//b", content: "x" },
        { path: "../directory/", type: "Directory" },
      ],
      '"../escaped": expected a path without',
      '"a/../../escaped": expected a path without',
      '"/tmp/hindcast-escaped": expected a relative path',
      '"C:/escaped": expected a relative path',
      '"a\\\\..\\\\escaped": expected "/" between names',
      'a character that only looks like "."',
      '"a//b": expected a path, found an empty name',
      '"../directory": expected a path without',
    ),
  )

  it.live("is refused with links, also where a later entry would be written through one", () =>
    inArchive(
      [
        { path: "link", type: "SymbolicLink", linkpath: "/tmp" },
        { path: "link/hindcast-escaped", content: "x" },
        { path: "hard", type: "Link", linkpath: "/etc/passwd" },
        { path: "inner", type: "SymbolicLink", linkpath: "main.ts" },
      ],
      '"link": expected a file or a directory, found a link to "/tmp"',
      '"hard": expected a file or a directory, found a hard link to "/etc/passwd"',
      '"inner": expected a file or a directory, found a link to "main.ts"',
    ),
  )

  it.live("is refused with devices, pipes and entries of unknown kinds", () =>
    inArchive(
      [
        { path: "zero", type: "CharacterDevice", devmaj: 1, devmin: 5 },
        { path: "disk", type: "BlockDevice", devmaj: 8, devmin: 0 },
        { path: "pipe", type: "FIFO" },
        { path: "sparse", type: "SparseFile" },
      ],
      '"zero": expected a file or a directory, found a device',
      '"disk": expected a file or a directory, found a device',
      '"pipe": expected a file or a directory, found a pipe',
      '"sparse": expected a file or a directory',
    ),
  )

  it.live("is refused with one path twice, a file that is a directory too, and names that differ in case only", () =>
    inArchive(
      [
        { path: "main.ts", content: "export default 'another'" },
        { path: "MAIN.TS", content: "x" },
        { path: "a", content: "x" },
        { path: "a/b", content: "x" },
      ],
      '"main.ts": expected each path once',
      '"main.ts" and "MAIN.TS": expected names that differ in more than case',
      '"a": expected each path once',
    ),
  )

  it.live("is refused where it would unpack to more than a plugin may be, without unpacking it", () =>
    withRegistry((registry, { base, copies }) =>
      Effect.gen(function* () {
        const bomb = path.join(base, "bomb.tgz")
        // Zeros without an end, behind a whole plugin and its archive's end.
        const zeros = zlib.gzipSync(Buffer.alloc(8 * 1024 * 1024))
        const many = Array.from({ length: 2 + LIMITS.bytes / (4 * 1024 * 1024) }, () => zeros)
        fs.writeFileSync(bomb, Buffer.concat([archive(...sample), ...many]))
        expect(fs.statSync(bomb).size).toBeLessThan(1024 * 1024)
        expect(yield* refusal(registry, bomb, copies)).toContain("bytes when unpacked, found more")
        const nested = path.join(base, "nested.tgz")
        fs.writeFileSync(nested, zlib.gzipSync(archive(...sample)))
        expect(yield* refusal(registry, nested, copies)).toContain("found another gzip archive")
        const long = path.join(base, "long.tgz")
        fs.writeFileSync(long, "")
        fs.truncateSync(long, LIMITS.bytes + 1)
        expect(yield* refusal(registry, long, copies)).toContain(`expected an archive of at most ${LIMITS.bytes} bytes`)
      }),
    ),
  )

  it.live("is refused that was cut short or is damaged", () =>
    withRegistry((registry, { base, copies }) =>
      Effect.gen(function* () {
        const file = path.join(base, "sample.tar")
        const whole = zlib.gunzipSync(archive(...sample))
        fs.writeFileSync(file, whole.subarray(0, 700))
        expect(yield* refusal(registry, file, copies)).toContain("expected a tar archive, found")
        fs.writeFileSync(file, Buffer.concat([Buffer.from("?"), whole.subarray(1)]))
        expect(yield* refusal(registry, file, copies)).toContain("checksum failure")
      }),
    ),
  )

  it.live("is refused that is a pipe, without waiting for it", () =>
    withRegistry((registry, { base, copies }) =>
      Effect.gen(function* () {
        const pipe = path.join(base, "pipe.tgz")
        execFileSync("mkfifo", [pipe])
        expect(yield* refusal(registry, pipe, copies)).toContain(
          "expected an archive, found something other than a file",
        )
      }),
    ),
  )

  it.live("is taken without what tools keep in it, and never with more rights than a file needs", () =>
    withRegistry((registry, { base }) =>
      Effect.gen(function* () {
        const file = path.join(base, "sample.tgz")
        const more = [
          { path: "node_modules/x/index.js", content: "x" },
          { path: ".git/config", content: "x" },
          { path: "tool.sh", content: "#!/bin/sh", mode: 0o6777 },
        ]
        fs.writeFileSync(file, archive(...sample, ...more))
        const { files, directory } = yield* registry.import(file)
        expect(files).toEqual(["looper-plugin.json", "main.ts", "tool.sh"])
        expect(fs.statSync(path.join(directory, "tool.sh")).mode & 0o7111).toBe(0)
        expect((yield* (yield* EventLog).readPage({ types: ["PluginImported"] }, 9)).length).toBe(1)
      }),
    ),
  )
})
