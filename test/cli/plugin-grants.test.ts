import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import * as tar from "tar"
import { afterAll, describe, expect, it } from "vitest"
import { inRepository } from "../repository.ts"
import { workplace } from "../workplace.ts"
import { document, hindcast, keysOf } from "./hindcast.ts"
import { inTerminal } from "./terminal.ts"

const place = workplace()
afterAll(place.remove)

const at = { cwd: place.directory }

/** Writes a version of the plugin `ear`, and answers its directory. */
const ear = (version: string, permissions: object = {}) => {
  const directory = place.file("ear")
  fs.mkdirSync(directory, { recursive: true })
  const manifest = {
    name: "ear",
    description: "Hears.",
    version,
    entry: "entry.ts",
    permissions: { read: [], run: [], ...permissions },
    peas: { performance: [], sensors: [{ name: "hear", description: "What is heard." }] },
  }
  fs.writeFileSync(path.join(directory, "looper-plugin.json"), JSON.stringify(manifest))
  fs.writeFileSync(path.join(directory, "entry.ts"), "export default { sensors: { hear: () => 1 } }\n")
  return directory
}

describe("an update that asks for more", () => {
  const log = ["--log", "held.db"]

  it("waits; the command that grants it stands in the message, and does so word by word", async () => {
    await document(["plugin", "add", ear("1.0.0"), ...log], at)
    const asking = ear("2.0.0", { net: ["example.org"], run: ["git"] })
    const held = await hindcast(["plugin", "add", asking, ...log], at)
    expect(held).toMatchObject({ code: 1, stdout: "" })
    expect(held.stderr).toContain(
      "error: Plugin ear 2.0.0 requests more than it was granted. The update waits for the grants below, and 1.0.0 stays",
    )
    const command = /^Grant it: node \S+main\.js (.*) --log held\.db$/m.exec(held.stderr)?.[1] ?? ""
    expect(command).toBe("plugin grant ear --grant-net example.org --grant-run git")

    const again = await hindcast(["plugin", "add", asking, ...log, "--json"], at)
    expect(JSON.parse(again.stdout)).toMatchObject({
      name: "ear",
      version: "2.0.0",
      status: "held",
      installed: "1.0.0",
      command: `hindcast ${command}`,
      missing: [{ field: "permissions.net", asked: "example.org", flag: "--grant-net example.org" }, { asked: "git" }],
    })
    expect(keysOf(JSON.parse(again.stdout))).toEqual([
      "changes",
      "command",
      "digest",
      "installed",
      "missing",
      "name",
      "status",
      "version",
    ])
    expect(JSON.parse(again.stderr).error.tag).toBe("UpdateHeld")

    const list = (await hindcast(["plugin", "ls", ...log], at)).stdout
    expect(list).toContain("An update of ear to 2.0.0 waits for its grant:")
    expect(list).toMatch(new RegExp(`^ {2}node \\S+main\\.js ${command} --log held\\.db$`, "m"))

    const granted = await document([...command.split(" "), ...log], at)
    expect(keysOf(granted)).toEqual(["active", "granted", "held", "missing", "plugin", "updated", "version"])
    expect(granted).toMatchObject({
      plugin: "ear",
      version: "2.0.0",
      active: true,
      missing: [],
      held: null,
      updated: { version: "2.0.0" },
      granted: { net: ["example.org"], run: ["git"] },
    })
  })

  it("is in the past of the registry as it was", async () => {
    const versions = async (...moment: ReadonlyArray<string>) => {
      const { plugins } = await document(["plugin", "ls", ...log, ...moment], at)
      return (plugins as ReadonlyArray<{ version: string; held: { version: string } | null }>).map(
        ({ version, held }) => [version, held?.version],
      )
    }
    expect(await versions("--at", "@0")).toEqual([])
    expect(await versions("--at", "@2")).toEqual([["1.0.0", undefined]])
    expect(await versions("--at", "@3")).toEqual([["1.0.0", "2.0.0"]])
    expect(await versions()).toEqual([["2.0.0", undefined]])
    expect((await hindcast(["plugin", "list", "--at", "@0", ...log], at)).stdout).toBe(
      "No plugin was imported by then.\n",
    )
    expect((await hindcast(["plugin", "ls", "--at", "@99", ...log], at)).stderr).toContain("There is no position @99")
  })

  it("leaves every version to be shown, by its name or its digest", async () => {
    const show = (name: string) => document(["plugin", "show", name, ...log], at)
    const now = await show("ear")
    expect(now.versions).toMatchObject([
      { version: "1.0.0", status: "earlier", at: 1, origin: { kind: "directory" } },
      { version: "2.0.0", status: "installed" },
    ])
    expect(keysOf(now.versions)).toEqual(["at", "digest", "origin", "recordedAt", "source", "status", "version"])
    const first = await show("ear@1.0.0")
    expect(first).toMatchObject({ version: "1.0.0", manifest: { permissions: { read: [], run: [] } } })
    expect((await show(`ear@${String(first.digest).slice(0, 12)}`)).version).toBe("1.0.0")
    const page = (await hindcast(["plugin", "show", "ear", ...log], at)).stdout
    expect(page).toMatch(/net +example\.org +example\.org\n/)
    expect(page).toMatch(/1\.0\.0 +[0-9a-f]{12} +@1 .* earlier/)
    const missing = await hindcast(["plugin", "show", "ear@3.0.0", ...log], at)
    expect(missing).toMatchObject({ code: 3, stderr: expect.stringContaining("expected one of 1.0.0 (") })
    expect((await hindcast(["plugin", "show", "eye", ...log], at)).code).toBe(3)
  })

  it("loses by revoke what it was granted, and says what it would take to take part", async () => {
    const revoked = await hindcast(["plugin", "revoke", "ear", "--grant-run", "git", ...log], at)
    expect(revoked).toMatchObject({ code: 0, stderr: "" })
    expect(revoked.stdout).toContain("It is inactive until it has the permissions that it asks for:")
    const grant = /^ {2}(node \S+main\.js plugin grant ear --grant-run git --log held\.db)$/m.exec(revoked.stdout)?.[1]
    expect(grant).toBeDefined()
    const activate = () => hindcast(["plugin", "activate", "ear", ...log], at)
    const refused = (await activate()).stderr
    expect(refused).toContain("it was taken back from it; --grant-run git grants it")
    expect(refused).toContain(`\nGrant it: ${grant}\n`)

    const listed = await hindcast(["plugin", "ls", ...log], at)
    expect(listed.stdout).toMatch(/^ear +plugin 2\.0\.0 +no \(waits for a grant\)$/m)
    expect(listed.stdout).toContain(`  lacks permissions.run git: it was taken back from it\n  ${grant}\n`)
    expect(await document(["plugin", "ls", ...log], at)).toMatchObject({
      plugins: [{ active: false, missing: [{ asked: "git", flag: "--grant-run git" }] }],
    })
    const shown = await hindcast(["plugin", "show", "ear", ...log], at)
    expect(shown.stdout).toMatch(/^ {2}active: no \(waits for a grant\)$/m)
    expect(shown.stdout).toMatch(/^ {2}by name, to this code or earlier code: net example\.org$/m)
    expect(shown.stdout).toMatch(/^ {2}revoked: run git$/m)

    const agent = inRepository("examples", "agents", "wanderer.mjs")
    const alone = await hindcast(["run", "--agent", agent, "--goal", "g", "--max-steps", "1", ...log], at)
    expect(alone.stderr).toContain(`warning: no plugin is active`)
    expect(alone.stderr).toContain(`\n  ear waits for a grant: \`${grant}\`, then \``)
    expect((await hindcast(["plugin", "add", inRepository("plugins", "text-room"), ...log], at)).code).toBe(0)
    const among = await hindcast(["run", "--agent", agent, "--goal", "g", "--max-steps", "1", ...log], at)
    expect(among.stderr).toContain(`warning: ear waits for a grant: \`${grant}\`, then \``)
    expect((await hindcast(["plugin", "remove", "text-room", ...log], at)).code).toBe(0)

    const granted = await hindcast(["plugin", "grant", "ear", "--grant-run", "git", ...log], at)
    expect(granted.stdout).toMatch(/`node \S+main\.js plugin activate ear --log held\.db` activates it/)
    expect((await hindcast(["plugin", "ls", ...log], at)).stdout).toMatch(/^ear +plugin 2\.0\.0 +no \(deactivated\)$/m)
    expect((await activate()).code).toBe(0)
    const never = await hindcast(["plugin", "revoke", "ear", "--grant-read", "/etc", ...log], at)
    expect(never.stderr).toBe(
      "error: Plugin ear was not granted --grant-read /etc: it has --grant-net example.org --grant-run git.\n",
    )
  })

  it("needs a grant that is named", async () => {
    const nothing = await hindcast(["plugin", "grant", "ear", ...log], at)
    expect(nothing.code).toBe(1)
    expect(nothing.stderr).toContain("expected at least one of --grant-read")
    expect((await hindcast(["plugin", "grant", "eye", "--grant-run", "git", ...log], at)).stderr).toBe(
      'error: The registry has no "eye": expected one of ear.\n',
    )
  })
})

describe("changed code under the same version", () => {
  const log = ["--log", "changed.db"]
  const net = { net: ["example.org"] }
  const changed = (word: string) => {
    const directory = ear("1.0.0", net)
    fs.writeFileSync(path.join(directory, "entry.ts"), `export default { sensors: { hear: () => "${word}" } }\n`)
    return directory
  }

  it("keeps no grant without a terminal, and with `--keep-grants` does; it shows what changed", async () => {
    await document(["plugin", "add", changed("a"), "--grant-net", "example.org", ...log], at)
    const add = ["plugin", "add", changed("b"), ...log]
    const held = await hindcast(add, at)
    expect(held).toMatchObject({ code: 1, stdout: "" })
    expect(held.stderr).toContain("grants count only for the code that they were given to. The update waits")
    expect(held.stderr).toMatch(/^ {2}files changed: entry\.ts$/m)
    expect(await document([...add, "--keep-grants"], at)).toMatchObject({
      status: "installed",
      active: true,
      changes: { permissions: { added: [], removed: [] }, files: { changed: ["entry.ts"] } },
    })
  })

  it("asks at a terminal; yes installs the code that was shown", async () => {
    const terminal = inTerminal(["plugin", "add", changed("c"), ...log], at)
    await terminal.shows("Grant this to the changed code, too? [y/N]")
    terminal.type("y\r")
    expect(await terminal.ended).toBe(0)
    expect(await document(["plugin", "show", "ear", ...log], at)).toMatchObject({ held: null, active: true })
    expect((await hindcast(["plugin", "add", changed("c"), ...log], at)).stdout).toContain(
      "Already imported, unchanged",
    )
  })
})

describe("plugin add", () => {
  it("takes an archive and a commit, and says where each came from", async () => {
    const directory = ear("1.0.0")
    const archive = place.file("ear-1.0.0.tgz")
    tar.create({ file: archive, cwd: directory, gzip: true, sync: true, prefix: "package" }, fs.readdirSync(directory))
    const packed = await hindcast(["plugin", "add", archive, "--log", "sources.db"], at)
    expect(packed.stdout).toContain(`  from the archive ${archive} (SHA-256 `)
    expect(packed.stdout).toContain("Imported; it is active.")

    ear("1.1.0")
    const git = (...args: ReadonlyArray<string>) =>
      execFileSync("git", ["-C", directory, "-c", "user.name=a", "-c", "user.email=a@example.org", ...args], {
        encoding: "utf8",
        env: { PATH: process.env.PATH, GIT_CONFIG_NOSYSTEM: "1", GIT_CONFIG_GLOBAL: "/dev/null" },
      }).trim()
    git("init", "--quiet", "--initial-branch=main")
    git("add", "--all")
    git("commit", "--quiet", "--message=first")
    const commit = git("rev-parse", "HEAD")
    const cloned = await hindcast(["plugin", "add", `${directory}#main`, "--log", "sources.db"], at)
    expect(cloned.stdout).toContain(`  from the Git repository ${directory}, main (commit ${commit.slice(0, 12)})`)
    expect(cloned.stdout).toContain("Updated from 1.0.0; it is active.")
    expect(await document(["plugin", "check", `${directory}#main`], at)).toMatchObject({ version: "1.1.0" })
    const { origin, source } = await document(["plugin", "show", "ear", "--log", "sources.db"], at)
    expect({ origin, source }).toEqual({
      origin: { kind: "git", url: directory, ref: "main", commit },
      source: `git+${directory}#${commit}`,
    })
    expect((await document(["plugin", "add", String(source), "--log", "sources.db"], at)).version).toBe("1.1.0")
  })
})
