import * as crypto from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as tar from "tar"
import { EventLog } from "../../src/events/log/EventLog.ts"
import * as GitSource from "../../src/kernel/registry/GitSource.ts"
import { validatePlugin } from "../../src/kernel/registry/PluginValidation.ts"
import { inRepository } from "../repository.ts"
import { commit, filesOf, git, repository, types, withRegistry, write } from "./registries.ts"

/** Packs a directory's content below a prefix, as `npm pack` does. */
const pack = (directory: string, file: string, prefix = "package") => {
  tar.create({ file, cwd: directory, gzip: true, sync: true, prefix, portable: true }, fs.readdirSync(directory))
  return file
}

const lastImport = Effect.gen(function* () {
  const events = yield* (yield* EventLog).readPage({ types: ["PluginImported"] }, 100)
  return events.at(-1)?.payload
})

const REFUSED = [
  ["a helper that runs a command", "ext::sh -c id", "expected a repository by https, ssh or file"],
  ["a helper after git+", "git+ext::sh -c id", "expected a repository by https, ssh or file"],
  ["a way that nobody protects", "http://example.org/a.git", 'found "http:"'],
  ["Git's own way", "git://example.org/a.git", 'found "git:"'],
  ["a password, which the log would keep", "https://ann:secret@example.org/a.git", "without a name, a password"],
  ["a token, which the log would keep", "https://example.org/a.git?token=secret", "without a name, a password"],
  ["a ref that is an option", "git+/tmp#--upload-pack=id", "expected a branch, a tag or a commit"],
  ["a ref that leads up", "git+/tmp#a..b", "expected a branch, a tag or a commit"],
  ["a directory that leads up", "git+/tmp#main:../x", 'expected a path without "." and ".."'],
  ["a line break", "a\nb", "a control character or a line break"],
  ["NUL", "a\0b", "a control character or a line break"],
  ["nothing", " ", "found nothing"],
  ["a path where nothing is", "/nowhere/at/all", "found nothing at /nowhere/at/all"],
] as const

/** Stands in for `ssh`: what the other side sends beyond three megabytes is withheld, and nothing ends. */
const STALLING = `#!${process.execPath}
const { spawn } = require("node:child_process")
if (process.argv[2] === "-G") process.exit(1)
const served = spawn("sh", ["-c", process.argv[3]], { stdio: ["inherit", "pipe", "inherit"] })
let sent = 0
served.stdout.on("data", (chunk) => {
  sent += chunk.length
  if (sent < 3e6) process.stdout.write(chunk)
})
setInterval(() => {}, 1e6)
`

describe("a plugin's source", () => {
  it.live(
    "is refused, and nothing is recorded, where its environment could not be reset with the file that it names",
    () =>
      withRegistry((registry, { base }) =>
        Effect.gen(function* () {
          const drift = inRepository("test/worlds/samples/drift")
          const manifest = JSON.parse(fs.readFileSync(path.join(drift, "looper-plugin.json"), "utf8"))
          const refusals = []
          for (const field of ["scenario", "configuration"]) {
            const directory = path.join(base, field)
            fs.cpSync(drift, directory, { recursive: true })
            const environment = { ...manifest.peas.environment, [field]: "begin.yaml" }
            const changed = { ...manifest, peas: { ...manifest.peas, environment } }
            fs.writeFileSync(path.join(directory, "looper-plugin.json"), JSON.stringify(changed))
            for (const text of ["at: [", "- 1", "at: shore", "at: 1"]) {
              fs.writeFileSync(path.join(directory, "begin.yaml"), text)
              const checked = yield* Effect.either(registry.check(directory))
              refusals.push(checked._tag === "Right" ? "taken" : checked.left.message.split("\n")[0])
            }
          }
          const found = [
            "expected YAML or JSON",
            "expected a mapping of options",
            "options.at: expected integer",
            "taken",
          ]
          expect(refusals).toEqual([...found, ...found].map((part) => expect.stringContaining(part)))
          const broken = path.join(base, "scenario")
          fs.writeFileSync(path.join(broken, "begin.yaml"), "at: shore")
          expect(yield* Effect.flip(registry.import(broken))).toMatchObject({ _tag: "FileUnreadable" })
          expect(yield* types).toEqual([])
          const { problems } = yield* validatePlugin(registry, broken, { workspace: base })
          expect(problems).toMatchObject([{ path: "/peas/environment/scenario" }])
        }),
      ),
  )

  it.live("is read without the log that is in its .hindcast, and refused where the log is among its own files", () =>
    withRegistry((registry, { source, copies }) =>
      Effect.gen(function* () {
        const { digest } = yield* registry.import(source())
        const beside = source({ files: { ".hindcast/log.db": "a log", ".hindcast/log.db.keys": "its keys" } })
        expect((yield* registry.import(beside)).digest).toBe(digest)
        const around = path.dirname(copies)
        for (const [file, text] of Object.entries(filesOf())) fs.writeFileSync(path.join(around, file), text)
        const refused = yield* Effect.flip(registry.import(around))
        expect(refused).toMatchObject({ _tag: "SourceRefused" })
        expect(refused.message).toContain(
          "expected the log elsewhere, or in .hindcast, found it in the plugin's directory",
        )
        expect(yield* types).toEqual(["PluginImported", "PluginActivated"])
      }),
    ),
  )

  it.live(
    "gives the same plugin as a directory, an archive and a commit, and is recorded each time it is another",
    () =>
      withRegistry((registry, { base, source }) =>
        Effect.gen(function* () {
          const directory = source({ files: { "lib/more.ts": "export {}" } })
          const { digest, origin } = yield* registry.import(directory)
          expect(origin).toEqual({ kind: "directory", path: directory })
          const archive = pack(directory, path.join(base, "sample-1.0.0.tgz"))
          expect((yield* registry.import(archive)).digest).toBe(digest)
          repository(directory)
          expect((yield* registry.import(`git+${directory}`)).digest).toBe(digest)
          expect(yield* types).toEqual(["PluginImported", "PluginActivated"])
          expect((yield* registry.state).sample).toMatchObject({ source: directory, origin })
        }),
      ),
  )

  it.live("may be the name of a plugin that comes with Hindcast; a directory of that name comes first", () =>
    withRegistry((registry, { base }) =>
      Effect.gen(function* () {
        const shipped = yield* registry.import("cart-pole")
        expect(shipped.directory).toContain(path.join(".plugins", "cart-pole"))
        expect(yield* lastImport).toMatchObject({
          plugin: "cart-pole",
          origin: { kind: "directory", path: inRepository("packages", "worlds", "cart-pole") },
        })
        // What a working directory has is meant first, even where it is no plugin.
        fs.mkdirSync(path.join(base, "taxi"))
        const before = process.cwd()
        process.chdir(base)
        const refused = yield* Effect.either(registry.import("taxi"))
        process.chdir(before)
        expect(refused).toMatchObject({
          _tag: "Left",
          left: { message: expect.stringContaining("looper-plugin.json") },
        })
        const unknown = yield* Effect.either(registry.check("taxis"))
        expect(unknown).toMatchObject({
          _tag: "Left",
          left: {
            message: expect.stringContaining("or the name of a plugin that comes with Hindcast; found nothing at"),
          },
        })
        const prototype = yield* Effect.either(registry.check("constructor"))
        expect(prototype._tag).toBe("Left")
      }),
    ),
  )

  it.live("a plugin's source that is an archive is recorded with its path and its digest", () =>
    withRegistry((registry, { base, source }) =>
      Effect.gen(function* () {
        const archive = pack(source(), path.join(base, "sample.tgz"))
        const imported = yield* registry.import(archive)
        expect(fs.readdirSync(imported.directory).sort()).toEqual(["looper-plugin.json", "main.ts"])
        expect(yield* lastImport).toMatchObject({
          source: archive,
          origin: { kind: "archive", path: archive, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
        })
        expect((yield* registry.installed("sample")).digest).toBe(imported.digest)
      }),
    ),
  )

  it.live.each([
    ["at the top", ""],
    ["in ./", "."],
    ["in a directory of any name", "sample-main"],
  ])("a plugin's source that is an archive may have the plugin %s", ([, prefix]) =>
    withRegistry((registry, { base, source }) =>
      Effect.gen(function* () {
        const archive = pack(source(), path.join(base, "sample.tgz"), prefix)
        expect((yield* registry.import(archive)).manifest.name).toBe("sample")
      }),
    ),
  )

  it.live("a plugin's source of any kind may name its manifest hindcast-plugin.json, and has one", () =>
    withRegistry((registry, { base, source, copies }) =>
      Effect.gen(function* () {
        const renamed = (name: string) => {
          const directory = source({ version: name }, name)
          fs.renameSync(path.join(directory, "looper-plugin.json"), path.join(directory, "hindcast-plugin.json"))
          return directory
        }
        const files = ["hindcast-plugin.json", "main.ts"]
        expect((yield* registry.import(renamed("1"))).files).toEqual(files)
        expect((yield* registry.import(pack(renamed("2"), path.join(base, "2.tgz")))).files).toEqual(files)
        expect((yield* registry.import(pack(renamed("3"), path.join(base, "3.tgz"), "package"))).files).toEqual(files)
        const inGit = renamed("4")
        repository(inGit)
        const imported = yield* registry.import(`git+${inGit}`)
        expect(fs.readdirSync(imported.directory).sort()).toEqual(files)
        expect(imported.directory.startsWith(copies)).toBe(true)
        const both = source({ version: "5", files: { "hindcast-plugin.json": "{}" } }, "5")
        for (const place of [both, pack(both, path.join(base, "5.tgz"))]) {
          const { message } = yield* Effect.flip(registry.import(place))
          expect(message).toContain("expected one manifest, found looper-plugin.json and hindcast-plugin.json: remove")
        }
        expect((yield* registry.installed("sample")).manifest.version).toBe("4")
      }),
    ),
  )

  it.live(
    "a plugin's source that is a repository is taken at a branch, a tag or a commit, and recorded with the commit",
    () =>
      withRegistry((registry, { source }) =>
        Effect.gen(function* () {
          const directory = source({ version: "1.0.0" })
          const first = repository(directory)
          git(directory, "tag", "v1")
          for (const [file, text] of Object.entries(filesOf({ version: "2.0.0" }))) {
            fs.writeFileSync(path.join(directory, file), text)
          }
          const second = commit(directory)
          const cases = [
            ["#v1", "v1", first, "1.0.0"],
            ["#main", "main", second, "2.0.0"],
            [`#${first}`, first, first, "1.0.0"],
            ["", "HEAD", second, "2.0.0"],
          ] as const
          for (const [fragment, ref, commit, version] of cases) {
            const imported = yield* registry.import(`file://${directory}${fragment}`)
            expect(imported.manifest.version).toBe(version)
            expect(yield* lastImport).toMatchObject({
              version,
              source: `git+file://${directory}#${commit}`,
              origin: { kind: "git", url: `file://${directory}`, ref, commit },
            })
          }
          // What the log names imports the same again.
          expect((yield* registry.import(`git+file://${directory}#${second}`)).manifest.version).toBe("2.0.0")
          expect((yield* registry.import(`${directory}#v1`)).manifest.version).toBe("1.0.0")
        }),
      ),
  )

  it.live("may be a directory in a repository, and a bare repository", () =>
    withRegistry((registry, { base }) =>
      Effect.gen(function* () {
        const directory = path.join(base, "many")
        write(path.join(directory, "plugins", "sample"))
        fs.writeFileSync(path.join(directory, "README.md"), "Many plugins")
        const head = repository(directory)
        git(base, "clone", "--quiet", "--bare", directory, path.join(base, "bare.git"))
        const imported = yield* registry.import(`${path.join(base, "bare.git")}#main:plugins/sample`)
        expect(imported.files).toEqual(["looper-plugin.json", "main.ts"])
        expect(imported.origin).toEqual({
          kind: "git",
          url: path.join(base, "bare.git"),
          ref: "main",
          commit: head,
          directory: "plugins/sample",
        })
        const { message } = yield* Effect.flip(registry.import(path.join(base, "bare.git")))
        expect(message).toContain(
          "expected looper-plugin.json or hindcast-plugin.json at the top or in the only directory there, found neither",
        )
      }),
    ),
  )

  it.live(
    "a plugin's source that is a repository runs nothing: no hooks, no filters, no configuration of the repository",
    () =>
      withRegistry((registry, { base, source }) =>
        Effect.gen(function* () {
          const directory = source({ files: { ".gitattributes": "* filter=evil\n" } })
          repository(directory)
          const traces = ["hook", "filter", "packing", "monitor"].map((name) => path.join(base, name))
          const [hook = "", filter, packing, monitor] = traces
          for (const name of ["post-checkout", "reference-transaction", "post-update", "pre-receive"]) {
            fs.writeFileSync(path.join(directory, ".git", "hooks", name), `#!/bin/sh\ntouch ${hook}\n`, { mode: 0o755 })
          }
          git(directory, "config", "filter.evil.smudge", `touch ${filter}; cat`)
          git(directory, "config", "uploadpack.packObjectsHook", `touch ${packing}; exec`)
          git(directory, "config", "core.fsmonitor", `touch ${monitor}; true`)
          yield* registry.import(`git+${directory}`)
          expect(traces.filter((trace) => fs.existsSync(trace))).toEqual([])
        }),
      ),
  )

  it.live("a plugin's source that is a repository leaves nothing behind, whatever became of it", () =>
    withRegistry((registry, { source }) =>
      Effect.gen(function* () {
        const directory = source()
        repository(directory)
        const left = () =>
          fs.readdirSync(path.dirname(path.dirname(directory))).filter((name) => name.startsWith("hindcast-import-"))
        const before = left()
        yield* registry.import(`git+${directory}`)
        const { message } = yield* Effect.flip(registry.import(`git+${directory}#nowhere`))
        expect(message).toContain("Git failed (128): fatal: couldn't find remote ref nowhere")
        expect(left()).toEqual(before)
      }),
    ),
  )

  it.live(
    "a plugin's source that is a repository is fetched only as long as it takes no more of the disk than it may",
    () =>
      withRegistry((_, { base, source }) =>
        Effect.gen(function* () {
          const directory = source()
          fs.writeFileSync(path.join(directory, "large"), crypto.randomBytes(4_000_000))
          repository(directory)
          const fetching = (url: string, maxBytes: number) =>
            Effect.either(Effect.scoped(GitSource.fetch({ url, ref: "HEAD" }, "a source", maxBytes)))
          const refused = {
            left: { _tag: "SourceRefused", issues: [expect.stringContaining("at most 1000000 bytes")] },
          }
          expect(yield* fetching(directory, 8_000_000)).toMatchObject({ _tag: "Right" })
          expect(yield* fetching(directory, 1_000_000)).toMatchObject(refused)
          // One that sends a part of it and then nothing: whoever waited for its end would wait for long.
          const stalls = path.join(base, "stalls")
          fs.writeFileSync(stalls, STALLING, { mode: 0o755 })
          process.env.GIT_SSH = stalls
          yield* Effect.addFinalizer(() =>
            Effect.sync(() => {
              delete process.env.GIT_SSH
            }),
          )
          expect(yield* fetching(`ssh://example.org${directory}`, 1_000_000)).toMatchObject(refused)
        }).pipe(Effect.scoped),
      ),
  )

  it.live("is refused that is no source, or one that would run or reveal something", () =>
    withRegistry((registry) =>
      Effect.gen(function* () {
        for (const [what, source, reason] of REFUSED) {
          const { message } = yield* Effect.flip(registry.import(source))
          expect(message, what).toContain(reason)
          expect(message, what).not.toContain("secret")
        }
        expect(yield* types).toEqual([])
      }),
    ),
  )

  it.live("a plugin's source that is an option of Git's is only ever a path", () =>
    withRegistry((registry, { base }) =>
      Effect.gen(function* () {
        const trace = path.join(base, "trace")
        const { message } = yield* Effect.flip(registry.import(`git+--upload-pack=touch ${trace}`))
        expect(message).toContain("Git failed (128)")
        expect(fs.existsSync(trace)).toBe(false)
      }),
    ),
  )

  it.live("a plugin's source that is a file of another name, or no archive inside, is refused", () =>
    withRegistry((registry, { base }) =>
      Effect.gen(function* () {
        const file = path.join(base, "plugin.zip")
        fs.writeFileSync(file, "PK")
        expect((yield* Effect.flip(registry.import(file))).message).toContain("found a file of another name")
        const archive = path.join(base, "plugin.tgz")
        for (const [content, reason] of [
          ["", "expected a tar archive"],
          ["no archive at all", "expected a tar archive"],
          [Buffer.from([0x1f, 0x8b, 8, 0, 1]), "expected a gzip archive"],
        ] as const) {
          fs.writeFileSync(archive, content)
          expect((yield* Effect.flip(registry.import(archive))).message).toContain(reason)
        }
      }),
    ),
  )
})
